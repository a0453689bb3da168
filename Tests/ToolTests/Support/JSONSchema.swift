import Foundation

/// The schema that `help --json-schema` prints, as far as it uses JSON Schema (https://json-schema.org/draft/2020-12), and
/// stricter: a member that it does not name is a fault.
struct JSONSchema {
  private let root: JSON

  /// Reads the schema from the built tool.
  init() throws {
    let outcome = try ToolProcess(folder: "/").run(["help", "--json-schema"])
    root = try JSONDecoder().decode(JSON.self, from: Data(outcome.output.utf8))
  }

  /// The names of the forms that an object may have.
  var forms: [String] { (root["anyOf"]?.list ?? []).compactMap { $0["$ref"]?.text?.dropPrefix("#/$defs/") } }

  /// Returns the form of an object, or the faults with respect to the form that it resembles most.
  func form(of object: JSON) -> Result<String, Faults> {
    let results = forms.map { name in (name, faults(in: object, definition(name), at: name)) }
    if let match = results.first(where: \.1.isEmpty) { return .success(match.0) }
    return .failure(Faults(faults: results.map(\.1).min { $0.count < $1.count } ?? []))
  }

  struct Faults: Error { let faults: [String] }

  private func definition(_ name: String) -> JSON { root["$defs"]?[name] ?? .null }

  private func faults(in value: JSON, _ schema: JSON, at place: String) -> [String] {
    if let name = schema["$ref"]?.text?.dropPrefix("#/$defs/") { return faults(in: value, definition(name), at: place) }
    if let constant = schema["const"] { return constant == value ? [] : ["\(place) is not \(constant)"] }
    guard let type = schema["type"]?.text else {
      return schema.members.map { $0.isEmpty } ?? false ? [] : ["\(place): no type"]
    }
    switch (type, value) {
    case ("string", .text), ("boolean", .flag), ("number", .number): return []
    case ("integer", .number(let number)): return number == number.rounded() ? [] : ["\(place) is not an integer"]
    case ("array", .list(let elements)):
      return elements.enumerated().flatMap { faults(in: $1, schema["items"] ?? .null, at: "\(place)[\($0)]") }
    case ("object", .object(let members)):
      if let other = schema["additionalProperties"] {
        return members.flatMap { faults(in: $1, other, at: "\(place).\($0)") }
      }
      let known = schema["properties"]?.members ?? [:]
      let required = (schema["required"]?.list ?? []).compactMap(\.text)
      return required.filter { members[$0] == nil }.map { "\(place).\($0) is missing" }
        + members.flatMap { name, member in
          known[name].map { faults(in: member, $0, at: "\(place).\(name)") } ?? [
            "\(place).\(name) is not in the schema"
          ]
        }
    default: return ["\(place) is not of the type \(type)"]
    }
  }
}

/// A JSON value, in which a Boolean is no number.
enum JSON: Decodable, Equatable {
  case null
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([JSON])
  case object([String: JSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([JSON].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  /// Returns the objects in the output of a command: one, or one in each line; empty for other text.
  static func objects(in output: String) -> [JSON] {
    let whole = try? JSONDecoder().decode(JSON.self, from: Data(output.utf8))
    if let whole { return [whole] }
    let lines = output.split(separator: "\n").map { try? JSONDecoder().decode(JSON.self, from: Data($0.utf8)) }
    return lines.contains(nil) ? [] : lines.compactMap(\.self)
  }

  subscript(_ name: String) -> JSON? { members?[name] }
  var members: [String: JSON]? { if case .object(let members) = self { members } else { nil } }
  var list: [JSON]? { if case .list(let list) = self { list } else { nil } }
  var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension String {
  fileprivate func dropPrefix(_ prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}
