/// A query (https://www.sqlite.org/lang_select.html), also `VALUES`.
package struct SQLSelect: Sendable, Hashable {
  /// One of the queries that `UNION`, `INTERSECT` and `EXCEPT` combine.
  package struct Core: Sendable, Hashable {
    /// What the query gives; for `VALUES` the expressions of the first row, named by nothing.
    package var results: [SQLResultColumn] = []
    /// The tables after `FROM`, in their order.
    package var sources: [SQLTableSource] = []

    /// The expressions that see the tables, those of ``results`` and of joins left out.
    ///
    /// They are WHERE, GROUP BY, HAVING and windows; for `VALUES` the expressions of the rows after the first.
    package var expressions: [SQLExpression] = []

    /// Whether this is a `VALUES` list.
    package var isValues = false
  }

  /// The tokens of the whole query.
  package var tokens: Range<Int>
  /// The common table expressions before it.
  package var commonTables: [SQLCommonTable] = []
  /// The combined queries, one unless there are operators.
  package var cores: [Core] = []
  /// The expressions of ORDER BY, which see the results' names first.
  package var orderBy: [SQLExpression] = []
  /// The expressions of LIMIT and OFFSET, which see no table.
  package var limit: [SQLExpression] = []
}

/// A table after `WITH` (https://www.sqlite.org/lang_with.html).
package struct SQLCommonTable: Sendable, Hashable {
  /// Its name, which hides tables of that name.
  package let name: SQLName
  /// The names of its columns; empty when the query names them.
  package let columns: [SQLName]
  /// Its rows.
  package let select: SQLSelect
}

/// What a query gives: an expression, or all columns.
package enum SQLResultColumn: Sendable, Hashable {
  /// All columns of all tables; the token of the star.
  case all(token: Int)
  /// All columns of one table.
  case allOf(table: SQLName)
  /// An expression, with the name that it is given.
  case expression(SQLExpression, alias: SQLName?)
}

/// A table, a subquery or a join in parentheses after `FROM`.
package struct SQLTableSource: Sendable, Hashable {
  /// What the rows come from.
  package enum Kind: Sendable, Hashable {
    /// A table, a view or a common table.
    case table(SQLQualifiedName)
    /// A function that gives a table, with its arguments.
    case function(SQLQualifiedName, arguments: [SQLExpression])
    /// A query.
    case subquery(SQLSelect)
    /// Tables in parentheses.
    case join([SQLTableSource])
  }

  /// The tokens, with the other name and without the join's operator and condition.
  package var tokens: Range<Int>
  /// What the rows come from.
  package var kind: Kind
  /// The other name that the rows are given.
  package var alias: SQLName?
  /// Whether the join with what stands before is `NATURAL`.
  package var isNatural = false
  /// The names after `USING`.
  package var using: [SQLName] = []
  /// The condition after `ON`.
  package var condition: SQLExpression?
}
