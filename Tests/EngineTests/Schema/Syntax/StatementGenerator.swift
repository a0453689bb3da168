import TestEngines

/// Generates definitions of every form in SQLite's grammar, from a seed.
struct StatementGenerator {
  private var random: SeededGenerator
  var tokens: [String] = []

  /// The columns of the table that is being defined or used.
  var columns: [String] = []

  /// The elements of a table's definition, in order: the names of columns and the kinds of constraints.
  var outline: [String] = []

  /// The earliest version of SQLite that knows all of the statement's syntax, as the number after "3.".
  private(set) var minimum = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// The tables that must exist for the engine to accept the statements.
  static let tables = "CREATE TABLE t1(a, b, c); CREATE TABLE t2(b, d); CREATE VIEW v1 AS SELECT a, d FROM t1, t2"

  /// Returns the tokens of one statement.
  mutating func statement() -> [String] {
    switch pick(8) {
    case 0: return start { $0.index() }
    case 1: return start { $0.view() }
    case 2: return start { $0.trigger() }
    case 3: return start { $0.virtualTable() }
    case 4: return start { $0.alter() }
    default: return tableDefinition()
    }
  }

  /// Returns the tokens of a table's definition.
  mutating func tableDefinition() -> [String] { start { $0.table() } }

  private mutating func start(_ add: (inout StatementGenerator) -> Void) -> [String] {
    (tokens, outline, minimum) = ([], [], 0)
    add(&self)
    return tokens
  }

  /// Adds tokens that earlier versions of SQLite do not know.
  mutating func add(_ words: String, since version: Int) {
    minimum = max(minimum, version)
    add(words)
  }

  /// Adds the name of a new object, of any kind, and perhaps with its schema.
  mutating func newName(_ kind: String, isTemporary: Bool) {
    let number = pick(1000)
    if !isTemporary, chance(20) { add(["main .", "\"main\" .", "[main] .", "temp ."][pick(4)]) }
    switch pick(10) {
    case 0: tokens.append("\"\"")
    case 1: tokens.append("\(kind)\(number)")
    case 2: tokens.append(spelled("qu\"ote \(number)"))
    case 3: tokens.append(spelled("日 [\(number)"))
    case 4: tokens.append(spelled("`';--\(number)"))
    default: tokens.append(spelled("\(kind) \(number)"))
    }
  }

  /// Returns tokens as text, separated by spaces, line breaks and comments.
  mutating func text(_ tokens: [String]) -> String {
    var text = ""
    for (index, token) in tokens.enumerated() {
      if index > 0 { text += trivia(after: tokens[index - 1], before: token) }
      text += token
    }
    return text
  }

  /// Returns a random number below a bound.
  mutating func pick(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  mutating func trivia(after previous: String, before next: String) -> String {
    switch pick(14) {
    case 0: return "\n  "
    case 1: return " /* , ) ' \" */ "
    case 2: return " -- it's (\n"
    case 3 where [",", "(", ")"].contains(previous) || [",", "(", ")"].contains(next): return ""
    default: return " "
    }
  }

  mutating func chance(_ percent: Int) -> Bool { pick(100) < percent }

  /// Adds tokens that are separated by spaces, with keywords in any case.
  mutating func add(_ words: String) {
    for word in words.split(separator: " ") {
      let isKeyword = word.allSatisfy { $0.isUppercase }
      tokens.append(isKeyword && chance(20) ? word.lowercased() : String(word))
    }
  }

  static let names = [
    "a", "b", "key", "action", "desc", "two words", "qu\"ote", "x]y", "tick`", "ü", "temp", "select", "table", "it's",
    "T", "rowid2", "match", "replace", "end", "generated", "always", "current", "window", "of", "left", "$", "check",
  ]

  static let bareNames: Set<String> = [
    "a", "b", "key", "action", "desc", "ü", "temp", "T", "rowid2", "match", "replace", "end", "current", "of",
    "left",
  ]

  mutating func spelled(_ name: String, allowsText: Bool = true) -> String {
    switch pick(5) {
    case 0 where !name.contains("]"): return "[\(name)]"
    case 1: return "`" + name.replacing("`", with: "``") + "`"
    case 2 where allowsText: return "'" + name.replacing("'", with: "''") + "'"
    case 3, 4: if Self.bareNames.contains(name) { return name }
    default: break
    }
    return "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  mutating func column() -> String {
    let name = columns[pick(columns.count)]
    return "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  mutating func list(_ count: Int, _ element: (inout StatementGenerator) -> Void) {
    add("(")
    for index in 0..<count {
      if index > 0 { add(",") }
      element(&self)
    }
    add(")")
  }
}
