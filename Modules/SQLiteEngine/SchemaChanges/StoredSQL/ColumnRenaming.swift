internal import Migrator

/// Gives a column another name in stored definitions, token by token.
struct ColumnRenaming {
  /// What becomes of a definition.
  enum Outcome {
    /// It does not use the column.
    case unchanged
    /// Its new text.
    case changed(String)
    /// It has a name of which the meaning is not certain.
    case uncertain
  }

  /// The column's name in lower case.
  let column: String

  /// The new name in lower case.
  let newColumn: String

  /// The new name in quotes.
  let newName: String

  /// The table's name in lower case.
  let table: String

  /// The definition of the table itself.
  func ownTable(_ sql: String) -> Outcome {
    guard let stored = StoredTable(sql) else { return .uncertain }
    let uses = stored.uses(of: column)
    // A text in double quotes that is spelled like the new name would become the column
    // (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
    let capture = column == newColumn ? StoredTable.Uses() : stored.uses(of: newColumn)
    guard !uses.isUncertain, !capture.isUncertain, capture.tokens.isEmpty else { return .uncertain }
    return outcome(stored.source, tokens: Array(uses.tokens.keys))
  }

  /// The definition of another table, whose foreign keys may refer to the column.
  func otherTable(_ sql: String) -> Outcome {
    guard let stored = StoredTable(sql) else {
      let words = Set(SQLSource(sql).tokens.map(\.folded))
      return words.contains(table) && words.contains(column) ? .uncertain : .unchanged
    }
    let parents = stored.references.filter { stored.source.tokens[$0.parent].folded == table }
    let tokens = parents.flatMap { reference in
      reference.columns.filter { stored.source.tokens[$0].folded == column }
    }
    return outcome(stored.source, tokens: tokens)
  }

  /// The definition of an index on the table (https://www.sqlite.org/lang_createindex.html).
  func index(_ sql: String) -> Outcome {
    guard let index = StoredIndex(sql) else { return .uncertain }
    let uses = index.uses(of: column, table: table)
    let capture = column == newColumn ? ColumnSearch.Result() : index.uses(of: newColumn, table: table)
    guard !uses.isUncertain, !capture.isUncertain, capture.tokens.isEmpty else { return .uncertain }
    return outcome(index.source, tokens: uses.tokens)
  }

  private func outcome(_ source: SQLSource, tokens: [Int]) -> Outcome {
    guard source.isWellFormed else { return .uncertain }
    return tokens.isEmpty ? .unchanged : .changed(source.replacing(tokens, with: newName))
  }
}
