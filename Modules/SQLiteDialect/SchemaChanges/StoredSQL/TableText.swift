internal import Migrator
internal import SQLSyntax

/// The text of a table's definition with its syntax, of which some tokens can be rewritten.
///
/// Everything that a change does not name stays byte for byte: whitespace, comments, quotes, the case of keywords.
struct TableText {
  /// Some bytes and what takes their place.
  typealias Edit = (range: Range<Int>, text: String)

  let syntax: SQLTree
  let table: SQLCreateTable

  /// Reads a `CREATE TABLE` statement with a list of columns; nil for any other.
  init?(_ sql: String) {
    guard let syntax = try? SQLTree(parsing: sql), case .createTable(let table) = syntax.statement,
      table.select == nil
    else { return nil }
    self.syntax = syntax
    self.table = table
  }

  var source: SQLSource { syntax.source }
  var text: String { source.text }

  func column(named folded: String) -> SQLColumnSyntax? { table.column(named: folded) }

  /// The text with edits made, which must not overlap.
  func applying(_ edits: [Edit]) -> String { source.replacing(edits) }

  func insertion(after token: Int, _ text: String) -> Edit {
    let end = source.tokens[token].range.upperBound
    return (end..<end, text)
  }

  /// Takes tokens away, with the whitespace before them.
  func removal(of tokens: Range<Int>) -> Edit {
    let bytes = source.utf8Range(of: tokens)
    var start = bytes.lowerBound
    while start > 0, source.bytes[start - 1] == 0x20 || source.bytes[start - 1] == 0x09 { start -= 1 }
    return (start..<bytes.upperBound, "")
  }

  /// Takes an element of the list away: a column or a table's constraint, and a comma with it; a comment between the
  /// comma and the element stays.
  func removal(ofElement tokens: Range<Int>) -> [Edit] {
    let (before, after) = (tokens.lowerBound - 1, tokens.upperBound)
    let isLast = source.token(after)?.isOperator(")") == true
    let isFollowedByComma = source.token(after)?.isOperator(",") == true
    if source.token(before)?.isOperator(",") == true, isLast || isFollowedByComma {
      return joined(before..<(before + 1), tokens)
    }
    if isFollowedByComma { return joined(tokens, after..<(after + 1)) }
    return [removal(of: tokens)]
  }

  /// Takes two neighbouring ranges of tokens away, and what lies between unless it is a comment.
  private func joined(_ first: Range<Int>, _ second: Range<Int>) -> [Edit] {
    let gap = source.utf8Range(of: first).upperBound..<source.utf8Range(of: second).lowerBound
    let isBlank = source.bytes[gap].allSatisfy { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains($0) }
    guard isBlank else { return [removal(of: first), removal(of: second)] }
    return [removal(of: first.lowerBound..<second.upperBound)]
  }

  func adding(constraint sql: String) -> String {
    guard let last = table.constraints.last else { return adding(column: sql) }
    return applying([insertion(after: last.tokens.upperBound - 1, ", " + sql)])
  }

  func adding(column sql: String) -> String {
    applying([insertion(after: (table.columns.last?.tokens ?? table.body).upperBound - 1, ", " + sql)])
  }

  // MARK: Names of columns and rows

  /// The definition of a table or of its index with `column` for each `table.column`, which means the same in CHECK
  /// constraints, generated columns and indexes; nil when there is none.
  ///
  /// Renaming a table without rewriting references leaves these as they are, and the file unreadable.
  static func unqualified(_ sql: String, table: String) -> String? {
    let source = SQLSource(sql)
    guard source.isWellFormed else { return nil }
    // The name of the object and of an index's table come first, and may be followed by a dot themselves.
    let first = source.tokens.firstIndex { $0.isOperator("(") } ?? source.tokens.count
    let edits = source.tokens.indices.compactMap { index -> Edit? in
      guard index > first, source.tokens[index].spells(table), let dot = source.token(index + 1), dot.isOperator(".")
      else { return nil }
      return (source.tokens[index].range.lowerBound..<dot.range.upperBound, "")
    }
    return edits.isEmpty ? nil : source.replacing(edits)
  }

  /// The column that is the rowid by another name, in lower case; nil when none is
  /// (https://www.sqlite.org/lang_createtable.html#rowid).
  var rowIDColumn: String? {
    guard !table.isWithoutRowID else { return nil }
    for column in table.columns where hasIntegerType(column) {
      let isKey = column.constraints.contains { constraint in
        if case .primaryKey(let isDescending, _, _) = constraint.kind { !isDescending } else { false }
      }
      if isKey { return column.name.folded }
    }
    for constraint in table.constraints {
      guard case .primaryKey(let columns, _, _) = constraint.kind, columns.count == 1,
        let name = columns[0].column?.folded, let column = column(named: name), hasIntegerType(column)
      else { continue }
      return name
    }
    return nil
  }

  /// The terms of an ORDER BY by which rows come in the order in which they are kept; nil where there is no name for it.
  var rowOrder: String? {
    guard table.isWithoutRowID else { return rowIDName }
    for constraint in table.constraints {
      guard case .primaryKey(let columns, _, _) = constraint.kind else { continue }
      return columns.map { source.text(of: $0.tokens) }.joined(separator: ", ")
    }
    let key = table.columns.first { column in
      column.constraints.contains { if case .primaryKey = $0.kind { true } else { false } }
    }
    return key.map { $0.name.value.quotedIdentifier }
  }

  private func hasIntegerType(_ column: SQLColumnSyntax) -> Bool {
    column.type.count == 1 && source.tokens[column.type.lowerBound].folded == "integer"
  }

  /// Whether ids of deleted rows are never used again.
  var isAutoincrement: Bool { source.tokens[table.body].contains { $0.isWord("autoincrement") } }

  /// A name for the row's own number that no column hides; nil where there is none.
  var rowIDName: String? {
    guard !table.isWithoutRowID else { return nil }
    return SQLIdentifier.rowIDName(besides: table.columns.map(\.name.folded))
  }
}

extension SQLColumnSyntax {
  var isGenerated: Bool {
    constraints.contains { if case .generated = $0.kind { true } else { false } }
  }

  /// Whether the column's own definition refuses NULL.
  var isNotNull: Bool {
    constraints.contains { if case .notNull = $0.kind { true } else { false } }
  }
}
