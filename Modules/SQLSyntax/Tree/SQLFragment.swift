/// Functions that adapt SQL fragments to the statements into which they are inserted.
package enum SQLFragment {
  /// Returns the expression of a `DEFAULT` clause, in parentheses unless it is a literal or a single keyword
  /// (https://www.sqlite.org/lang_createtable.html#the_default_clause).
  package static func defaultExpression(_ sql: String) -> String {
    let source = SQLSource(sql)
    let tokens = source.tokens
    if let first = tokens.first, first.isOperator("("), source.closing(of: 0) == tokens.count - 1 { return closed(sql) }
    let isSigned = tokens.count == 2 && (tokens[0].isOperator("-") || tokens[0].isOperator("+"))
    if tokens.count == 1 || isSigned && tokens[1].kind == .number { return closed(sql) }
    return "(\(closed(sql)))"
  }

  /// Returns the fragment; if it ends with a line comment or with an unclosed block comment, the end of the comment is
  /// appended, since the comment would otherwise include the SQL that follows.
  package static func closed(_ sql: String) -> String {
    let tokenizer = SQLTokenizer(sql)
    var last: SQLToken?
    for token in tokenizer { last = token }
    guard let last, last.kind == .comment else { return sql }
    if tokenizer.text(of: last).hasPrefix("--") { return sql + "\n" }
    return tokenizer.isClosed(comment: last) ? sql : sql + "*/"
  }

  /// Returns a fragment without trailing whitespace and comments.
  ///
  /// `ADD COLUMN` stores the text of the column definition up to its end: a line comment there would comment out the
  /// rest of the stored `CREATE TABLE` statement, and SQLite 3.15 does not notice that the schema is now unreadable.
  package static func trimmed(_ sql: String) -> String {
    let source = SQLSource(sql)
    guard let last = source.tokens.last else { return sql }
    return String(decoding: source.bytes[..<last.range.upperBound], as: UTF8.self)
  }
}
