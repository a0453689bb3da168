/// A query: `SELECT` or `VALUES`, or several combined (https://www.sqlite.org/lang_select.html).
package struct SQLSelect: Sendable {
  /// One of the queries that `UNION`, `INTERSECT` or `EXCEPT` combines.
  package struct Core: Sendable {
    /// The result columns; for `VALUES`, the expressions of the first row, without aliases.
    package var results: [SQLResultColumn] = []
    /// The tables after `FROM`, in order.
    var sources: [SQLTableSource] = []

    /// The expressions that can refer to the tables, except those in ``results`` and in join conditions.
    ///
    /// These are WHERE, GROUP BY, HAVING and windows; for `VALUES`, the expressions of all rows after the first.
    var expressions: [SQLExpression] = []

    var isValues = false

    /// Whether a condition or a group may leave rows out.
    package var isFiltered: Bool { !expressions.isEmpty }

    /// Whether the query reads tables; one without them returns a row whatever the database contains.
    package var readsTables: Bool { !sources.isEmpty }
  }

  /// The tokens of the whole query.
  package var tokens: Range<Int>
  var commonTables: [SQLCommonTable] = []
  /// The queries that are combined; a single one if there is no `UNION`, `INTERSECT` or `EXCEPT`.
  package var cores: [Core] = []
  /// The expressions of ORDER BY; a name in them refers first to an alias of a result column.
  var orderBy: [SQLExpression] = []
  /// The expressions of LIMIT and OFFSET, which cannot refer to any table.
  package var limit: [SQLExpression] = []
}

/// A common table expression, or CTE (https://www.sqlite.org/lang_with.html).
struct SQLCommonTable: Sendable {
  /// The name of the CTE; it hides a table of the same name.
  let name: SQLName
  /// The column names that the CTE lists; empty if its query determines them.
  let columns: [SQLName]
  let select: SQLSelect
}

/// A result column of a query: an expression, or all columns of one table or of all tables.
package enum SQLResultColumn: Sendable {
  /// `*`: all columns of all tables; `token` is the index of the asterisk's token.
  case all(token: Int)
  /// `table.*`: all columns of one table.
  case allOf(table: SQLName)
  /// An expression and its alias; `alias` is nil if there is none.
  case expression(SQLExpression, alias: SQLName?)
}

/// A table, a subquery or a join in parentheses after `FROM`.
package struct SQLTableSource: Sendable {
  /// The kind of source.
  enum Kind: Sendable {
    /// A table, a view or a CTE.
    case table(SQLQualifiedName)
    case function(SQLQualifiedName, arguments: [SQLExpression])
    case subquery(SQLSelect)
    /// A join in parentheses.
    case join([SQLTableSource])
  }

  /// The tokens, including the alias, without the join operator and the join condition.
  var tokens: Range<Int>
  var kind: Kind
  var alias: SQLName?
  /// Whether the join with the preceding tables is `NATURAL`.
  var isNatural = false
  /// The column names after `USING`.
  var using: [SQLName] = []
  /// The join condition after `ON`.
  var condition: SQLExpression?
}
