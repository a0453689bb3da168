internal import SQLSyntax

/// The tokens of a statement that mean something.
struct StatementWords {
  private struct Word {
    /// A bare word in lower case, or a mark; empty for all that is quoted.
    var keyword: String
    /// What the token names, unquoted.
    var name: String
    var kind: SQLToken.Kind
    /// How many parentheses are open.
    var depth: Int
  }

  private var words: [Word] = []

  init(_ sql: String) {
    let tokenizer = SQLTokenizer(sql)
    var depth = 0
    for token in tokenizer where !token.isTrivia {
      let text = tokenizer.text(of: token)
      if text == ")" { depth -= 1 }
      let isBare = token.kind == .word || token.kind == .operator
      words.append(
        Word(
          keyword: isBare ? text.asciiLowercased : "", name: SQLIdentifier.unquoted(text), kind: token.kind,
          depth: depth))
      if text == "(" { depth += 1 }
    }
  }

  /// `CREATE [TEMP] [VIRTUAL] TABLE [IF NOT EXISTS] name` (https://www.sqlite.org/lang_createtable.html).
  var created: StatementEffect {
    var place = 1
    if reads(place, "temp", "temporary") { return .none }
    if reads(place, "virtual") { place += 1 }
    guard reads(place, "table") else { return .none }
    place += 1
    if reads(place, "if") { place += 3 }
    return name(at: place).map { .createTable($0.name) } ?? .none
  }

  /// `DROP TABLE [IF EXISTS] name` (https://www.sqlite.org/lang_droptable.html).
  var dropped: StatementEffect {
    guard reads(1, "table") else { return .none }
    return name(at: reads(2, "if") ? 4 : 2).map { .dropTable($0.name) } ?? .none
  }

  /// `ALTER TABLE name RENAME TO name` and `ALTER TABLE name DROP [COLUMN] name`
  /// (https://www.sqlite.org/lang_altertable.html).
  var altered: StatementEffect {
    guard reads(1, "table"), let table = name(at: 2) else { return .none }
    if reads(table.end, "rename"), reads(table.end + 1, "to"), let new = name(at: table.end + 2) {
      return .renameTable(table.name, newName: new.name)
    }
    guard reads(table.end, "drop"), !reads(table.end + 1, "constraint") else { return .none }
    // COLUMN may be left out, and may be a column's name.
    let place = reads(table.end + 1, "column") && words.count > table.end + 2 ? table.end + 2 : table.end + 1
    return name(at: place).map { .dropColumn(table: table.name, column: $0.name) } ?? .none
  }

  /// Where the statement behind WITH begins (https://www.sqlite.org/lang_with.html).
  var endOfCommonTables: Int? {
    words.firstIndex { $0.depth == 0 && ["delete", "update", "insert", "select", "values"].contains($0.keyword) }
  }

  /// `DELETE FROM name` and `UPDATE [OR word] name` without a condition that leaves rows out.
  func changed(from start: Int) -> StatementEffect {
    switch words[start].keyword {
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

  /// Whether a condition stands outside of parentheses, other than `WHERE 1` and `WHERE true`.
  private func isRestricted(from start: Int) -> Bool {
    guard let place = words.indices.first(where: { $0 >= start && reads($0, "where") && words[$0].depth == 0 }) else {
      return false
    }
    let condition = words[(place + 1)...].prefix {
      $0.depth > 0 || !["returning", "order", "limit", ";"].contains($0.keyword)
    }
    let values = condition.filter { $0.keyword != "(" && $0.keyword != ")" }
    guard values.count == 1, let only = values.first else { return true }
    return !(only.keyword == "true" || (only.kind == .number && Double(only.name).map { $0 != 0 } == true))
  }

  /// A name with the schema that may stand before it; nil when it is not of the main schema.
  private func name(at place: Int) -> (name: String, end: Int)? {
    guard words.indices.contains(place) else { return nil }
    guard reads(place + 1, "."), words.indices.contains(place + 2) else { return (words[place].name, place + 1) }
    guard words[place].name.asciiLowercased == "main" else { return nil }
    return (words[place + 2].name, place + 3)
  }

  private func reads(_ place: Int, _ keywords: String...) -> Bool {
    words.indices.contains(place) && keywords.contains(words[place].keyword)
  }
}
