internal import Migrator
internal import SQLSyntax

/// The text of a table's definition with its syntax tree, for edits of single tokens.
///
/// An edit preserves everything else byte for byte: whitespace, comments, quotes and the case of keywords.
struct TableText {
  /// A range of bytes and its replacement.
  typealias Edit = (range: Range<Int>, text: String)

  let syntax: SQLTree
  let table: SQLCreateTable

  /// Parses a `CREATE TABLE` statement with a list of columns; nil for other statements.
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

  func applying(_ edits: [Edit]) -> String { source.replacing(edits) }

  func insertion(after token: Int, _ text: String) -> Edit {
    let end = source.tokens[token].range.upperBound
    return (end..<end, text)
  }

  /// Returns an edit that removes tokens and the whitespace before them.
  func removal(of tokens: Range<Int>) -> Edit {
    let bytes = source.utf8Range(of: tokens)
    var start = bytes.lowerBound
    while start > 0, source.bytes[start - 1] == 0x20 || source.bytes[start - 1] == 0x09 { start -= 1 }
    return (start..<bytes.upperBound, "")
  }

  /// Returns edits that remove an element of the list (a column or a table constraint) and one comma; a comment between
  /// the comma and the element is preserved.
  func removal(ofElement tokens: Range<Int>) -> [Edit] {
    let (before, after) = (tokens.lowerBound - 1, tokens.upperBound)
    let isLast = source.token(after)?.isOperator(")") == true
    let isFollowedByComma = source.token(after)?.isOperator(",") == true
    if source.token(before)?.isOperator(",") == true, isLast || isFollowedByComma {
      return joined(before..<(before + 1), tokens)
    }
    // After a constraint without a comma, the next element would get that constraint's name.
    if isFollowedByComma, source.token(before)?.isOperator("(") == true { return joined(tokens, after..<(after + 1)) }
    return [removal(of: tokens)]
  }

  /// Returns edits that remove two adjacent ranges of tokens and the text between them, except comments.
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

  /// Replaces each `table.column` and `schema.table.column` with `column` in the definition of a table or of one of its
  /// indexes; returns nil if there is nothing to replace.
  ///
  /// If a table is renamed without rewriting references, a remaining old qualifier would make the file unreadable.
  static func unqualified(_ sql: String, table: String) -> String? {
    let source = SQLSource(sql)
    guard source.isWellFormed else { return nil }
    // The names of the object and of an index's table come first; they too may be followed by a dot.
    let first = source.tokens.firstIndex { $0.isOperator("(") } ?? source.tokens.count
    let edits = source.tokens.indices.compactMap { index -> Edit? in
      let name = source.tokens[index]
      // Before a dot, a string in single quotes is a name, too.
      guard index > first, name.spells(table) || name.kind == .string && name.folded == table,
        let dot = source.token(index + 1), dot.isOperator("."),
        // Otherwise, it is the name of the schema.
        source.token(index + 3)?.isOperator(".") != true
      else { return nil }
      let hasSchema = source.tokens[index - 1].isOperator(".")
      return (source.tokens[hasSchema ? index - 2 : index].range.lowerBound..<dot.range.upperBound, "")
    }
    return edits.isEmpty ? nil : source.replacing(edits)
  }

  /// The column that is an alias of the rowid, in lower case; nil if there is none
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

  /// The ORDER BY terms that return rows in stored order; nil if no name for the rowid is available.
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

  /// Whether the table has AUTOINCREMENT, so that ids of deleted rows are never reused.
  var isAutoincrement: Bool { source.tokens[table.body].contains { $0.isWord("autoincrement") } }

  /// A name for the rowid that no column hides; nil if there is none.
  var rowIDName: String? {
    guard !table.isWithoutRowID else { return nil }
    return SQLIdentifier.rowIDName(besides: table.columns.map(\.name.folded))
  }
}

extension SQLColumnSyntax {
  var isGenerated: Bool {
    constraints.contains { if case .generated = $0.kind { true } else { false } }
  }

  var isNotNull: Bool { notNullCount > 0 }

  /// The number of NOT NULL constraints, which may be repeated.
  var notNullCount: Int {
    constraints.count { if case .notNull = $0.kind { true } else { false } }
  }
}
