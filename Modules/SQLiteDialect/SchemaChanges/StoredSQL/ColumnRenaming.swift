internal import Migrator
internal import SQLSyntax

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
    guard let text = TableText(sql) else { return .uncertain }
    let capture = column == newColumn ? nil : ColumnUses(of: newColumn, in: text)
    return outcome(text.source, ColumnUses(of: column, in: text), capture)
  }

  /// The definition of another table, whose foreign keys may refer to the column.
  func otherTable(_ sql: String) -> Outcome {
    guard let text = TableText(sql) else {
      let words = Set(SQLSource(sql).tokens.map(\.folded))
      return words.contains(table) && words.contains(column) ? .uncertain : .unchanged
    }
    let names = text.foreignKeys.filter { $0.table.folded == table }.flatMap(\.columns)
    return outcome(text.source, tokens: names.filter { $0.folded == column }.map(\.token))
  }

  /// The definition of an index on the table (https://www.sqlite.org/lang_createindex.html).
  func index(_ sql: String) -> Outcome {
    guard let syntax = try? SQLTree(parsing: sql), case .createIndex = syntax.statement else {
      return .uncertain
    }
    let capture = column == newColumn ? nil : ColumnUses(of: newColumn, table: table, in: syntax)
    return outcome(syntax.source, ColumnUses(of: column, table: table, in: syntax), capture)
  }

  /// A text in double quotes that is spelled like the new name would become the column
  /// (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
  private func outcome(_ source: SQLSource, _ uses: ColumnUses, _ capture: ColumnUses?) -> Outcome {
    guard !uses.isUncertain, capture?.isUncertain != true, capture?.tokens.isEmpty != false else { return .uncertain }
    return outcome(source, tokens: Array(uses.tokens.keys))
  }

  private func outcome(_ source: SQLSource, tokens: [Int]) -> Outcome {
    guard source.isWellFormed else { return .uncertain }
    return tokens.isEmpty ? .unchanged : .changed(source.replacing(tokens, with: newName))
  }
}
