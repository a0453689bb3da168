/// An expression: which tokens it covers and what it names (https://www.sqlite.org/lang_expr.html).
///
/// Operators are checked and not kept: what an expression uses is known from its leaves.
package struct SQLExpression: Sendable, Hashable {
  /// The tokens of the whole expression.
  package var tokens: Range<Int>
  /// The columns that the expression names, those inside its subqueries left out.
  package var references: [SQLColumnReference] = []
  /// The subqueries, in parentheses or after `EXISTS`; they see the columns that the expression sees.
  var subqueries: [SQLSelect] = []
  /// The tables that stand after `IN` without parentheses.
  var tables: [SQLQualifiedName] = []

  /// The use of a column that the expression consists of; nil when it is anything else.
  var soleReference: SQLColumnReference? {
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
  /// The column, when it is one: a name alone, also as a text in single quotes; nil for other expressions.
  package let column: SQLName?
  /// The collation that stands behind the column or expression.
  package let collation: SQLName?
  /// Whether the order is descending.
  package let isDescending: Bool
}
