internal import Migrator

/// The parts of a `CREATE INDEX` statement as the engine keeps it (https://www.sqlite.org/lang_createindex.html).
struct StoredIndex {
  let source: SQLSource

  /// The tokens of the indexed columns and expressions.
  let list: Range<Int>

  /// The tokens behind them: WHERE and the condition of a partial index.
  let condition: Range<Int>

  /// Reads a statement; nil when it is none that this type understands.
  init?(_ sql: String) {
    source = SQLSource(sql)
    // The word is reserved: the first bare one stands before the table's name.
    guard source.isWellFormed, let on = source.tokens.firstIndex(where: { $0.isWord("on") }),
      source.token(on + 2)?.isOperator("(") == true, let close = source.closing(of: on + 2)
    else { return nil }
    list = (on + 3)..<close
    condition = (close + 1)..<source.tokens.count
  }

  /// Finds the tokens that mean a column, its name and the table's given in lower case.
  func uses(of column: String, table: String) -> ColumnSearch.Result {
    let search = ColumnSearch(source: source, column: column, table: table)
    var result = search.search(list: list)
    let inCondition = search.search(expression: condition)
    result.tokens += inCondition.tokens
    result.isUncertain = result.isUncertain || inCondition.isUncertain
    return result
  }
}
