/// A query (https://www.sqlite.org/lang_select.html), also `VALUES`.
package struct SQLSelect: Sendable, Hashable {
  /// One of the queries that `UNION`, `INTERSECT` and `EXCEPT` combine.
  package struct Core: Sendable, Hashable {
    /// The result columns; for `VALUES` the expressions of the first row, without names.
    package var results: [SQLResultColumn] = []
    /// The tables after `FROM`, in order.
    var sources: [SQLTableSource] = []

    /// The expressions that can refer to the tables, except those of ``results`` and of joins.
    ///
    /// These are WHERE, GROUP BY, HAVING and windows; for `VALUES` the expressions of the rows after the first.
    var expressions: [SQLExpression] = []

    var isValues = false
  }

  /// The tokens of the whole query.
  package var tokens: Range<Int>
  var commonTables: [SQLCommonTable] = []
  /// The combined queries; a single one if there are no operators.
  package var cores: [Core] = []
  /// The expressions of ORDER BY, which can refer to the aliases of results first.
  var orderBy: [SQLExpression] = []
  /// The expressions of LIMIT and OFFSET, which cannot refer to any table.
  var limit: [SQLExpression] = []
}

/// A table after `WITH` (https://www.sqlite.org/lang_with.html).
struct SQLCommonTable: Sendable, Hashable {
  /// The name, which hides tables of that name.
  let name: SQLName
  /// The names of the columns; empty if the query names them.
  let columns: [SQLName]
  let select: SQLSelect
}

/// A result of a query: an expression, or all columns.
package enum SQLResultColumn: Sendable, Hashable {
  /// All columns of all tables; the token of the asterisk.
  case all(token: Int)
  /// All columns of one table.
  case allOf(table: SQLName)
  /// An expression, with its alias.
  case expression(SQLExpression, alias: SQLName?)
}

/// A table, a subquery or a join in parentheses after `FROM`.
struct SQLTableSource: Sendable, Hashable {
  /// The origin of the rows.
  enum Kind: Sendable, Hashable {
    /// A table, a view or a common table.
    case table(SQLQualifiedName)
    case function(SQLQualifiedName, arguments: [SQLExpression])
    case subquery(SQLSelect)
    /// Tables in parentheses.
    case join([SQLTableSource])
  }

  /// The tokens, with the alias and without the join's operator and condition.
  var tokens: Range<Int>
  var kind: Kind
  var alias: SQLName?
  /// Whether the join with the preceding tables is `NATURAL`.
  var isNatural = false
  /// The names after `USING`.
  var using: [SQLName] = []
  /// The condition after `ON`.
  var condition: SQLExpression?
}
