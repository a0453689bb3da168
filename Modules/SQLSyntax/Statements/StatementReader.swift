/// A reader that reads a statement's tokens on demand, and skips comments and whitespace.
struct StatementReader {
  private struct Token {
    let kind: SQLToken.Kind
    let text: String
    /// The text of an operator, or of an unquoted keyword or identifier in lower case; empty for other tokens.
    let keyword: String
    /// The number of parentheses that are open at the token.
    let depth: Int
  }

  private var tokenizer: SQLTokenizer
  private var tokens: [Token] = []
  private var depth = 0
  /// The schema of the names that are read.
  private let schema: String
  /// Whether a name with the schema was read.
  private(set) var hasReadSchema = false

  init(_ sql: String, schema: String = "main") { (tokenizer, self.schema) = (SQLTokenizer(sql), schema) }

  private mutating func token(_ index: Int) -> Token? {
    while tokens.count <= index, let next = tokenizer.next() {
      if next.isTrivia { continue }
      let text = tokenizer.text(of: next)
      if tokens.isEmpty, text == ";" { continue }
      if text == ")" { depth -= 1 }
      let isBare = next.kind == .word || next.kind == .operator
      tokens.append(Token(kind: next.kind, text: text, keyword: isBare ? text.asciiLowercased : "", depth: depth))
      if text == "(" { depth += 1 }
    }
    return index < tokens.count ? tokens[index] : nil
  }

  /// Returns the index of the first token, from `start` on, that satisfies a condition; nil if there is none.
  private mutating func first(from start: Int, where condition: (Token) -> Bool) -> Int? {
    var index = start
    while let token = token(index) {
      if condition(token) { return index }
      index += 1
    }
    return nil
  }

  private mutating func reads(_ index: Int, _ keywords: String...) -> Bool {
    token(index).map { keywords.contains($0.keyword) } ?? false
  }

  /// Reads a name with an optional schema; returns the name without quotes, or nil if it is in another schema.
  private mutating func name(at index: Int) -> (name: String, end: Int)? {
    guard let first = token(index).map({ SQLIdentifier.unquoted($0.text) }) else { return nil }
    guard reads(index + 1, "."), let second = token(index + 2) else { return (first, index + 1) }
    guard first.asciiLowercased == schema else { return nil }
    hasReadSchema = true
    return (SQLIdentifier.unquoted(second.text), index + 3)
  }

  // MARK: Kind

  mutating func kind() -> SQLStatementKind {
    switch token(0)?.keyword {
    case "begin": return .begin
    case "commit", "end": return .commit
    case "rollback":
      // `ROLLBACK [TRANSACTION] TO` (https://sqlite.org/lang_savepoint.html).
      return reads(1, "to") || reads(1, "transaction") && reads(2, "to") ? .rollbackTo : .rollback
    case "savepoint": return .savepoint
    case "release": return .release
    case "pragma": return pragma()
    case "vacuum": return .vacuum
    case "attach": return .attach
    case "detach": return .detach
    case "create": return .create
    default: return .other
    }
  }

  mutating func writesData() -> Bool { reads(0, "insert", "update", "delete", "replace", "with") }

  mutating func skipExplain() {
    while reads(0, "explain", "query", "plan") { tokens.removeFirst() }
  }

  /// Returns whether the statement is `ALTER TABLE [schema.]name RENAME`, `CREATE [TEMP] VIEW` or `DROP VIEW`.
  mutating func changesNames() -> Bool {
    switch token(0)?.keyword {
    case "alter": reads(reads(3, ".") ? 5 : 3, "rename")
    case "create": reads(reads(1, "temp", "temporary") ? 2 : 1, "view")
    case "drop": reads(1, "view")
    default: false
    }
  }

  /// Returns the name in `ALTER TABLE [schema.]name`; nil for other statements.
  mutating func alteredTable() -> String? { reads(0, "alter") && reads(1, "table") ? name(at: 2)?.name : nil }

  /// Reads `ATTACH [DATABASE] file AS name` (https://www.sqlite.org/lang_attach.html) and `VACUUM [schema] INTO file`
  /// (https://www.sqlite.org/lang_vacuum.html).
  mutating func accessesOtherFile() -> Bool {
    switch kind() {
    case .attach:
      let file = reads(1, "database") && !reads(2, "as") ? 2 : 1
      // Of an expression, the value is not known.
      guard let name = value(at: file), reads(file + 1, "as") else { return true }
      return !["", ":memory:"].contains(name)
    case .vacuum: return reads(1, "into") || reads(2, "into")
    default: return false
    }
  }

  /// Reads `PRAGMA [schema.]name [= value | (value)]` (https://sqlite.org/pragma.html); `==` stands for `=`.
  private mutating func pragma() -> SQLStatementKind {
    let nameIndex = reads(2, ".") ? 3 : 1
    guard let name = value(at: nameIndex) else { return .other }
    let hasArgument = reads(nameIndex + 1, "=", "==", "(")
    return .pragma(
      name: name.asciiLowercased, hasArgument: hasArgument, argument: hasArgument ? signedValue(at: nameIndex + 2) : nil
    )
  }

  private mutating func value(at index: Int) -> String? {
    guard let token = token(index) else { return nil }
    switch token.kind {
    case .word, .number, .quotedIdentifier, .string: return SQLIdentifier.unquoted(token.text)
    default: return nil
    }
  }

  private mutating func signedValue(at index: Int) -> String? {
    if reads(index, "-") { return value(at: index + 1).map { "-" + $0 } }
    return value(at: reads(index, "+") ? index + 1 : index)
  }

  // MARK: Effect

  mutating func effect() -> SQLStatementEffect {
    let effect = effectOnTable()
    // ANALYZE collects the statistics again (https://www.sqlite.org/fileformat2.html#stat1tab).
    return effect.table?.asciiLowercased.hasPrefix("sqlite_stat") ?? false ? .none : effect
  }

  private mutating func effectOnTable() -> SQLStatementEffect {
    switch token(0)?.keyword {
    case "create": return creation()
    case "drop": return removal()
    case "alter": return alteration()
    case "delete", "update": return change(from: 0)
    case "with":
      // The effect is that of the statement after the CTEs (https://www.sqlite.org/lang_with.html).
      let statements = ["delete", "update", "insert", "select", "values"]
      return first(from: 1) { $0.depth == 0 && statements.contains($0.keyword) }.map { change(from: $0) } ?? .none
    case "pragma":
      guard case .pragma("writable_schema", hasArgument: true, let value?) = kind() else { return .none }
      return ["1", "on", "true", "yes"].contains(value.asciiLowercased) ? .allowSchemaEditing : .none
    default: return .none
    }
  }

  /// Reads `CREATE [TEMP | VIRTUAL] TABLE [IF NOT EXISTS] name` (https://www.sqlite.org/lang_createtable.html).
  private mutating func creation() -> SQLStatementEffect {
    let isTemporary = reads(1, "temp", "temporary")
    let index = isTemporary || reads(1, "virtual") ? 2 : 1
    guard reads(index, "table"), !isTemporary || schema == "temp" else { return .none }
    hasReadSchema = isTemporary
    return name(at: reads(index + 1, "if") ? index + 4 : index + 1).map { .createTable($0.name) } ?? .none
  }

  /// Reads `CREATE {TABLE | INDEX | TRIGGER} [IF NOT EXISTS] name`, not followed by `AS SELECT`.
  mutating func plainCreation() -> (kind: String, name: String)? {
    guard reads(0, "create"), reads(1, "table", "index", "trigger"), let kind = token(1)?.keyword,
      let name = name(at: reads(2, "if") ? 5 : 2), kind == "trigger" || !reads(name.end, "as")
    else { return nil }
    return (kind, name.name)
  }

  /// Reads `DROP TABLE [IF EXISTS] name` (https://www.sqlite.org/lang_droptable.html).
  private mutating func removal() -> SQLStatementEffect {
    guard reads(1, "table") else { return .none }
    return name(at: reads(2, "if") ? 4 : 2).map { .dropTable($0.name) } ?? .none
  }

  /// Reads `ALTER TABLE name RENAME [[COLUMN] name] TO name` and `ALTER TABLE name {ADD | DROP} [COLUMN] name`
  /// (https://www.sqlite.org/lang_altertable.html).
  private mutating func alteration() -> SQLStatementEffect {
    guard reads(1, "table"), let table = name(at: 2) else { return .none }
    if reads(table.end, "rename"), reads(table.end + 1, "to"), let new = name(at: table.end + 2) {
      return .renameTable(table.name, newName: new.name)
    }
    guard reads(table.end, "add", "drop", "rename"), !reads(table.end + 1, "constraint") else { return .none }
    // COLUMN is optional, and may be a column's name.
    let isSpelledOut =
      reads(table.end + 1, "column") && token(table.end + 2) != nil
      && !(reads(table.end, "rename") && reads(table.end + 2, "to"))
    guard let column = name(at: isSpelledOut ? table.end + 2 : table.end + 1) else { return .none }
    if reads(table.end, "add") { return .addColumn(table: table.name, column: column.name) }
    if reads(table.end, "drop") { return .dropColumn(table: table.name, column: column.name) }
    guard reads(column.end, "to"), let new = name(at: column.end + 1) else { return .none }
    return .renameColumn(table: table.name, column: column.name, newName: new.name)
  }

  /// Reads `DELETE FROM name` and `UPDATE [OR resolution] name`; the effect is `none` if a condition may exclude rows.
  private mutating func change(from start: Int) -> SQLStatementEffect {
    switch token(start)?.keyword {
    case "delete":
      guard reads(start + 1, "from"), let table = name(at: start + 2), !isRestricted(from: table.end) else {
        return .none
      }
      return .deleteAllRows(table: table.name)
    case "update":
      guard let table = name(at: reads(start + 1, "or") ? start + 3 : start + 1), !isRestricted(from: table.end) else {
        return .none
      }
      return .updateAllRows(table: table.name)
    default: return .none
    }
  }

  /// Returns whether a WHERE or LIMIT clause outside parentheses can exclude rows; `WHERE 1` and `WHERE true` cannot.
  private mutating func isRestricted(from start: Int) -> Bool {
    if first(from: start, where: { $0.depth == 0 && $0.keyword == "limit" }) != nil { return true }
    guard let place = first(from: start, where: { $0.depth == 0 && $0.keyword == "where" }) else { return false }
    let ends = ["returning", "order", "limit", ";"]
    let end = first(from: place + 1) { $0.depth == 0 && ends.contains($0.keyword) } ?? tokens.count
    let values = tokens[(place + 1)..<end].filter { $0.keyword != "(" && $0.keyword != ")" }
    guard values.count == 1, let only = values.first else { return true }
    return !(only.keyword == "true" || (only.kind == .number && Double(only.text).map { $0 != 0 } == true))
  }
}
