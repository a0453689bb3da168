/// The shape of a JSON value, from which `help --json-schema` prints a schema.
///
/// Written as literals: "string", "integer", "number", "boolean" or "any"; "#name" for a definition; "=value" for a
/// constant; an array with the shape of
/// its elements; a dictionary with the shapes of its members, in which a key that ends with a question mark is optional,
/// and "*" stands for any key.
indirect enum JSONShape: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  case named(String)
  case list(JSONShape)
  case object([String: JSONShape])

  init(stringLiteral name: String) { self = .named(name) }
  init(arrayLiteral elements: JSONShape...) { self = .list(elements.first ?? "string") }
  init(dictionaryLiteral members: (String, JSONShape)...) {
    self = .object(Dictionary(members) { first, _ in first })
  }
}

/// The schema of everything that the tool prints with `--json` (https://json-schema.org/draft/2020-12).
struct OutputSchema: Encodable {
  let tool: MigratorTool

  /// Encodes the schema: a choice of definitions, one for each command and one for errors.
  func encode(to encoder: any Encoder) throws {
    var definitions = Self.shared
    var choices: [String] = []
    let commands = Set(tool.commands.map(\.name) + ["version"])
    for (name, members) in Self.results {
      // After a slash, the form of a command that has several; some forms belong to all commands.
      let command = name.hasPrefix("/") ? nil : String(name.prefix { $0 != "/" })
      guard command.map(commands.contains) ?? true else { continue }
      let choice = name.hasPrefix("/") ? String(name.dropFirst()) : name.replacing("/", with: "-")
      choices.append(choice)
      definitions[choice] = .object(members.merging(Self.common(command)) { own, _ in own })
    }
    var container = encoder.container(keyedBy: Name.self)
    try container.encode("https://json-schema.org/draft/2020-12/schema", forKey: "$schema")
    try container.encode("The output of \(tool.name) with --json", forKey: "title")
    try container.encode(choices.sorted().map { JSONShape.named("#" + $0) }, forKey: "anyOf")
    try container.encode(definitions, forKey: "$defs")
  }

  /// The members that all printed objects have; the command is nil for a form that belongs to all commands.
  private static func common(_ command: String?) -> [String: JSONShape] {
    var members: [String: JSONShape] = ["format": "=1", "database?": "string", "backend?": "string"]
    if let command { members["command"] = .named("=" + command) } else { members["command?"] = "string" }
    return members
  }
}

extension JSONShape: Encodable {
  /// Encodes the schema of the shape.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    switch self {
    case .named("any"): break
    case .named("=1"): try container.encode(1, forKey: "const")
    case .named(let name) where name.hasPrefix("="): try container.encode(String(name.dropFirst()), forKey: "const")
    case .named(let name) where name.hasPrefix("#"): try container.encode("#/$defs/" + name.dropFirst(), forKey: "$ref")
    case .named(let name): try container.encode(name, forKey: "type")
    case .list(let element):
      try container.encode("array", forKey: "type")
      try container.encode(element, forKey: "items")
    case .object(let members):
      try container.encode("object", forKey: "type")
      if let value = members["*"] { return try container.encode(value, forKey: "additionalProperties") }
      try container.encode(members.keys.filter { $0.last != "?" }.sorted(), forKey: "required")
      let named = members.map { ($0.last == "?" ? String($0.dropLast()) : $0, $1) }
      try container.encode(Dictionary(named) { first, _ in first }, forKey: "properties")
    }
  }
}

private struct Name: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init(stringLiteral value: String) { stringValue = value }
  init?(intValue: Int) { nil }
}
