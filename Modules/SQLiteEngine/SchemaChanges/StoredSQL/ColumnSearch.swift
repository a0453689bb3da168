internal import Migrator

/// Finds the tokens of an expression over one table's row, or of a list of its columns, that mean a column.
///
/// CHECK constraints, generated columns and indexes hold no subqueries (https://www.sqlite.org/lang_createtable.html,
/// https://www.sqlite.org/expridx.html), so that a name in them is a column of the table, a function, a collation, a
/// type, or a text that was put in double quotes.
struct ColumnSearch {
  /// What was found.
  struct Result {
    /// The tokens that certainly mean the column.
    var tokens: [Int] = []

    /// Whether a token was found of which the meaning is not certain.
    var isUncertain = false
  }

  let source: SQLSource

  /// The column's name in lower case.
  let column: String

  /// The table's name in lower case, which may qualify the column's.
  let table: String

  /// Searches a list of columns, collations and expressions, where SQLite takes a text alone for a column's name.
  func search(list range: Range<Int>) -> Result {
    var result = search(expression: range)
    for element in source.elements(in: range) {
      guard let first = element.first, source.tokens[first].kind == .string,
        source.tokens[first].folded == column
      else { continue }
      result.tokens.append(first)
    }
    return result
  }

  /// Searches an expression.
  func search(expression range: Range<Int>) -> Result {
    var result = Result()
    let types = castTypes(in: range)
    for index in range where source.tokens[index].spells(column) {
      let previous = index > range.lowerBound ? source.tokens[index - 1] : nil
      let next = index + 1 < range.upperBound ? source.tokens[index + 1] : nil
      if types.contains(where: { $0.contains(index) }) { continue }
      if previous?.isWord("collate") == true || next?.isOperator("(") == true || next?.isOperator(".") == true {
        continue
      }
      if source.tokens[index].kind == .word, Self.wordsOfExpressions.contains(column) {
        result.isUncertain = true
      } else if previous?.isOperator(".") == true, source.token(index - 2)?.spells(table) != true {
        result.isUncertain = true
      } else {
        result.tokens.append(index)
      }
    }
    return result
  }

  /// The tokens of type names in `CAST(... AS type)`.
  private func castTypes(in range: Range<Int>) -> [Range<Int>] {
    range.compactMap { index in
      guard source.tokens[index].isWord("cast"), source.token(index + 1)?.isOperator("(") == true,
        let close = source.closing(of: index + 1), close < range.upperBound
      else { return nil }
      var depth = 0
      for inner in (index + 2)..<close {
        if source.tokens[inner].isOperator("(") { depth += 1 }
        if source.tokens[inner].isOperator(")") { depth -= 1 }
        if depth == 0, source.tokens[inner].isWord("as") { return inner..<close }
      }
      return nil
    }
  }

  /// Words that expressions and lists use, and that SQLite also accepts as names without quotes
  /// (https://www.sqlite.org/lang_keywords.html; the list `%fallback ID` of its grammar).
  private static let wordsOfExpressions: Set<String> = [
    "asc", "by", "cast", "conflict", "current", "current_date", "current_time", "current_timestamp", "desc", "end",
    "exclude", "false", "filter", "first", "following", "glob", "last", "like", "match", "nulls", "others", "over",
    "partition", "preceding", "raise", "range", "regexp", "replace", "row", "rows", "true", "unbounded", "within",
  ]
}
