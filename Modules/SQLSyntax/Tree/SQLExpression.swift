/// An expression: the tokens that it covers and the names that it uses (https://www.sqlite.org/lang_expr.html).
///
/// Operators are checked and not stored: the operands show which names an expression uses.
package struct SQLExpression: Sendable, Hashable {
  /// The tokens of the whole expression.
  package var tokens: Range<Int>
  /// The columns that the expression uses, without those inside its subqueries.
  package var references: [SQLColumnReference] = []
  /// The subqueries, in parentheses or after `EXISTS`; they see the columns that the expression sees.
  var subqueries: [SQLSelect] = []
  /// The tables after `IN` without parentheses.
  var tables: [SQLQualifiedName] = []

  /// The column reference that is the whole expression; nil if it is anything else.
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

/// A column or an expression in the list of a key or of an index.
package struct SQLIndexedColumn: Sendable, Hashable {
  /// The tokens, with `COLLATE`, `ASC` and `DESC`.
  package let tokens: Range<Int>
  /// The expression, with `COLLATE`.
  package let expression: SQLExpression
  /// The column, if the expression is a single name, also as a string in single quotes; nil for other expressions.
  package let column: SQLName?
  /// The collation after the column or expression.
  package let collation: SQLName?
  /// Whether the order is descending.
  package let isDescending: Bool
}
