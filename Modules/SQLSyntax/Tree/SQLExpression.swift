/// An expression: the tokens that it covers and the names that it uses (https://www.sqlite.org/lang_expr.html).
///
/// The parser checks operators but does not store them: the operands contain all names that an expression uses.
package struct SQLExpression: Sendable {
  /// The tokens of the whole expression.
  package var tokens: Range<Int>
  /// The columns to which the expression refers, except those inside its subqueries.
  package var references: [SQLColumnReference] = []
  /// The subqueries, in parentheses or after `EXISTS`; they can refer to the same columns as the expression.
  var subqueries: [SQLSelect] = []
  /// The table names after `IN` without parentheses.
  var tables: [SQLQualifiedName] = []

  /// The column reference that is the whole expression; nil for other expressions.
  package var soleReference: SQLColumnReference? {
    guard references.count == 1, let first = references.first, first.tokens == tokens else { return nil }
    return first
  }

  mutating func absorb(_ part: SQLExpression) {
    references += part.references
    subqueries += part.subqueries
    tables += part.tables
  }
}

/// A column or an expression in the list of a key, an index or ORDER BY.
package struct SQLIndexedColumn: Sendable {
  /// The tokens, including `COLLATE`, `ASC` and `DESC`.
  package let tokens: Range<Int>
  /// The expression, including `COLLATE`.
  package let expression: SQLExpression
  /// The column, if the expression is a single name, including one in single quotes; nil for other expressions.
  package let column: SQLName?
  /// The collation of the column; nil if none is given.
  package let collation: SQLName?
  /// Whether the order is descending.
  package let isDescending: Bool
}
