internal import Migrator
internal import SQLSyntax

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The file `migrator.json`, which contains options, and named environments whose options override the general ones.
///
/// Messages do not quote text from the file, because the text might be a key.
struct ConfigurationFile {
  struct Setting: Sendable {
    let option: OptionSpecification
    /// The values of the option, with paths relative to the current folder; empty for an option without a value.
    var values: [String] = []
    /// Whether the option applies; false if the file contains `false` for an option without a value.
    var isOn = true
    /// Whether the setting belongs to the selected environment.
    var isOfEnvironment = false
  }

  static let name = "migrator.json"
  /// The options that the file cannot contain.
  private static let excluded: [OptionSpecification] = [.config, .environment, .help, .version]

  let path: String
  private let content: JSONValue

  /// Reads the file at a path; if the path is nil, reads the file in the current folder or the nearest parent folder
  /// that has one.
  ///
  /// Returns nil if the path is nil and there is no such file.
  static func find(_ path: String?) throws(ToolFailure) -> ConfigurationFile? {
    if let path { return try ConfigurationFile(path) }
    let depth = FileSystem.resolve(".").path.split(separator: "/").count
    let candidates = (0...depth).map { String(repeating: "../", count: $0) + name }
    guard let nearest = candidates.first(where: FileSystem.exists) else { return nil }
    // In a parent folder such as /tmp, another user could create the file and choose the library that the tool loads.
    guard !FileSystem.belongsToAnotherUser(nearest) else {
      throw .refused(
        "\(nearest) belongs to another user",
        remedy: "If you trust it, add --config \(nearest.shellWord); otherwise, add --config with another file.")
    }
    return try ConfigurationFile(nearest)
  }

  private init(_ path: String) throws(ToolFailure) {
    self.path = path
    let bytes: [UInt8]
    do {
      bytes = try FileSystem.bytes(of: path, count: 1 << 20)
      content = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    } catch let error as SystemFailure {
      throw .usage(
        "the configuration file \(path) cannot be read", why: error.reason, remedy: "Check the path after --config.")
    } catch {
      throw Self.failure(
        path, "not valid JSON",
        remedy:
          "Correct the file (`python3 -m json.tool \(path.shellWord)` shows the mistake), or name another file with --config."
      )
    }
    if let name = Self.repeatedName(in: bytes) {
      throw failure("\"\(name)\" occurs twice", remedy: "Remove one of the two.")
    }
  }

  /// Returns a name that occurs twice in an object of valid JSON, where the decoder would use only one of the values;
  /// nil if there is none.
  private static func repeatedName(in json: [UInt8]) -> String? {
    var names: [Set<String>] = []
    var rest = json[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "{"): names.append([])
      case UInt8(ascii: "}"): _ = names.popLast()
      case UInt8(ascii: "\""):
        let start = rest
        while let next = rest.first, next != UInt8(ascii: "\"") {
          rest = rest.dropFirst(next == UInt8(ascii: "\\") ? 2 : 1)
        }
        let name = String(decoding: start[..<rest.startIndex], as: UTF8.self)
        rest = rest.dropFirst().drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        // A string before a colon is the name of a value; the outer object is that of the last open brace.
        guard rest.first == UInt8(ascii: ":"), !names.isEmpty else { continue }
        if !names[names.count - 1].insert(name).inserted { return name }
      default: continue
      }
    }
    return nil
  }

  // MARK: Settings

  /// Returns the options in the file; options of the selected environment replace general options.
  ///
  /// Also checks the options of all other environments.
  /// - Parameters:
  ///   - known: The options that the file may contain.
  ///   - served: The names of the backends whose databases are on a server and have an address instead of a path.
  func settings(
    of environment: String?, known: [OptionSpecification], served: Set<String>
  ) throws(ToolFailure) -> [Setting] {
    guard case .object(var members) = content else { throw failure("the file must contain a JSON object") }
    var environments: [String: JSONValue] = [:]
    if let value = members.removeValue(forKey: "environments") {
      guard case .object(let named) = value else { throw failure("\"environments\" must be a JSON object") }
      environments = named
    }
    var settings = try self.settings(members, known, in: "")
    for (name, value) in environments.sorted(by: { $0.key < $1.key }) {
      guard case .object(let members) = value else {
        throw failure("\"environments.\(name)\" must be a JSON object")
      }
      let own = try self.settings(members, known, in: "environments.\(name).")
      guard name == environment else { continue }
      settings.removeAll { general in own.contains { $0.option.excludes(general.option.name) } }
      settings += own
    }
    if let environment, environments[environment] == nil {
      throw unknownEnvironment(environment, environments.keys.sorted())
    }
    return settings.map { setting in
      let (option, isDatabase) = (setting.option, setting.option.isDatabase)
      var setting = setting
      setting.values = setting.values.map { value in
        guard option.isPath(value), !isDatabase || !served.contains(Self.backend(of: value, settings)) else {
          return value
        }
        return relative(value, isDatabase: isDatabase)
      }
      return setting
    }
  }

  /// Returns the name of the backend of a database: its prefix, or the option; empty if there is neither.
  private static func backend(of database: String, _ settings: [Setting]) -> String {
    let option = settings.last { $0.option.name == OptionSpecification.backend([]).name }?.values.last
    return option ?? DatabaseScheme(database)?.name ?? ""
  }

  /// Returns the environments that require the token of a plan, each with the settings that apply to it.
  func environmentsRequiringPlan(
    known: [OptionSpecification], served: Set<String>
  ) throws(ToolFailure) -> [(environment: String, settings: [Setting])] {
    guard case .object(let members) = content, case .object(let environments)? = members["environments"] else {
      return []
    }
    var found: [(environment: String, settings: [Setting])] = []
    for (name, value) in environments.sorted(by: { $0.key < $1.key }) {
      guard case .object(let own) = value, own[OptionSpecification.confirm.name] != nil else { continue }
      found.append((name, try settings(of: name, known: known, served: served)))
    }
    return found
  }

  private func failure(_ what: String, remedy: String? = nil) -> ToolFailure {
    Self.failure(path, what, remedy: remedy ?? "Correct the file.")
  }

  private static func failure(_ path: String, _ what: String, remedy: String) -> ToolFailure {
    var failure = ToolFailure.usage(what, remedy: remedy)
    failure.place = ToolFailure.Place(path: path)
    return failure
  }

  private func unknownEnvironment(_ name: String, _ known: [String]) -> ToolFailure {
    let nearest = Suggestion.nearest(to: name, among: known).map { "Did you mean \"\($0)\"?" }
    let all =
      known.isEmpty ? "Add it to \"environments\"." : "Use one of: \(known.joined(separator: ", "))."
    return failure("there is no environment \"\(name)\"", remedy: nearest ?? all)
  }

  /// Returns the settings in one object of the file.
  ///
  /// - Parameter prefix: The names of the enclosing objects, for messages; empty for the general options.
  private func settings(
    _ members: [String: JSONValue], _ known: [OptionSpecification], in prefix: String
  ) throws(ToolFailure) -> [Setting] {
    var settings: [Setting] = []
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      let name = prefix + key
      guard let option = known.first(where: { $0.name == key }), !Self.excluded.contains(option) else {
        throw unknown(key, name, known)
      }
      var setting = Setting(option: option, isOfEnvironment: !prefix.isEmpty)
      if option.takesValue {
        setting.values = try values(value, of: option, name)
      } else {
        guard case .flag(let isOn) = value else { throw failure("\"\(name)\" must be true or false") }
        setting.isOn = isOn
      }
      settings.append(setting)
    }
    return settings
  }

  private func unknown(_ key: String, _ name: String, _ known: [OptionSpecification]) -> ToolFailure {
    let keys = ["key", "password", "passphrase"]
    if keys.contains(where: { $0 == key || "new-" + $0 == key }) {
      return failure(
        "a configuration file cannot contain a key",
        remedy: "Set \"key-file\" or \"key-env\" instead.")
    }
    if Self.excluded.contains(where: { $0.name == key }) {
      return failure(
        "\"\(name)\" cannot be set in a configuration file", remedy: "Pass it on the command line.")
    }
    let nearest = Suggestion.nearest(to: key, among: known.map(\.name)).map { "Did you mean \"\($0)\"?" }
    return failure(
      "there is no option \"\(name)\"", remedy: nearest ?? "Use the name of a command-line option, without the dashes.")
  }

  private func values(
    _ value: JSONValue, of option: OptionSpecification, _ name: String
  ) throws(ToolFailure) -> [String] {
    var items = [value]
    if option.isRepeatable, case .list(let elements) = value { items = elements }
    var values: [String] = []
    for item in items {
      let value: String
      switch item {
      case .text(let text): value = text
      case .number(let digits) where option.takesNumber: value = digits
      default: throw failure("\"\(name)\" must be \(option.takesNumber ? "a number" : "a string in double quotes")")
      }
      if let fault = option.fault(in: value) { throw failure("the value of \"\(name)\" is not valid", remedy: fault) }
      values.append(value)
    }
    return values
  }

  /// Converts a path in the file to a path relative to the current folder.
  private func relative(_ value: String, isDatabase: Bool) -> String {
    var (scheme, path) = ("", value[...])
    if isDatabase, let colon = value.firstIndex(of: ":"), value[..<colon].allSatisfy({ $0.isLetter || $0.isNumber }) {
      path = value[value.index(after: colon)...]
      if path.hasPrefix("//") { path = path.dropFirst(2) }
      scheme = String(value[...colon])
    }
    let folder = self.path.containingFolder
    return path.hasPrefix("/") || folder == "." ? value : scheme + FileSystem.join(folder, String(path))
  }
}

/// A value in the configuration file.
private enum JSONValue: Decodable {
  case text(String)
  case number(String)
  case flag(Bool)
  case null
  case list([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Each attempt fails on a value of another kind.
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Int.self) {
      self = .number(String(number))
    } else if let number = try? container.decode(Double.self) {
      self = .number(String(number))
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([JSONValue].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }
}
