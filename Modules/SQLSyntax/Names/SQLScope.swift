/// A scope in which column names are looked up: the tables after one `FROM`, or the table of a statement.
package struct SQLScope: Sendable {
  /// The enclosing scope; nil for the outermost.
  let parent: SQLScopeLink?
  /// The query to which the scope belongs, by its index in ``SQLNames/queries``; nil if it belongs to no query.
  package let query: Int?

  /// The tables and queries whose columns are in scope.
  ///
  /// A join in parentheses without an alias is replaced by the tables and queries that it joins.
  package internal(set) var rows: [SQLRows] = []
  /// The aliases of result columns, in lower case.
  package internal(set) var aliases: Set<String> = []
  /// The first token of each table or query that a `NATURAL JOIN` adds.
  var naturalJoins: [Int] = []
}

/// A reference to a scope, from a name in the scope or from an inner scope.
package struct SQLScopeLink: Sendable {
  /// The scope, by its index in ``SQLNames/scopes``.
  package let scope: Int
  /// Whether a name that is not a column in scope is looked up among the aliases of result columns, as in `ORDER BY`.
  package let seesResults: Bool
}

/// A source of columns: a table or query after `FROM`, or `NEW`, `OLD` or `excluded`.
package struct SQLRows: Sendable {
  /// The kind of source.
  package indirect enum Kind: Sendable {
    /// A table or view of the database.
    case stored(SQLQualifiedName)
    /// The table that the statement defines, with its columns in lower case.
    case defined(columns: [String])
    /// A query, by its index in ``SQLNames/queries``.
    case query(Int)
    /// A CTE, by its index in the CTEs of `SQLNames`.
    case commonTable(Int)
    /// A CTE, referred to in its own query, by its index in the CTEs of `SQLNames`.
    case recursion(Int)
    /// A CTE, referred to in the query of an earlier CTE of the same `WITH` clause.
    case laterCommonTable
    /// A table-valued function, by its name in lower case.
    case function(String)
    /// A join in parentheses.
    case join([SQLRows])
  }

  /// The name that qualifies the columns, in lower case; nil if they cannot be qualified.
  package let name: String?
  /// The kind of source.
  package let kind: Kind
  /// Whether the name is an alias.
  var isRenamed = false
  /// Whether a column is found only by its qualified name, as with `excluded`.
  var isQualifiedOnly = false
}

/// A query of a statement, at any depth.
package struct SQLQuery: Sendable {
  /// The use of a query's rows.
  package enum Purpose: Sendable, Equatable {
    /// The rows of a view or a new table; `listsColumns` is whether the statement lists the names of the columns.
    case definition(listsColumns: Bool)
    /// The result of the statement.
    case statement
    /// Rows to insert by the INSERT statement with the given index in ``SQLNames/inserts``.
    case insertion(Int)
    /// A value or a set of rows in an expression; after `EXISTS`, only the existence of a row matters.
    case expression(isExists: Bool)
    /// A subquery after `FROM` in the scope with the given index in ``SQLNames/scopes``.
    case source(scope: Int)
    /// The body of a CTE. `query` is the index of the query whose WITH clause contains it, nil if another kind of
    /// statement contains it; `listsColumns` is whether the CTE lists the names of its columns.
    case commonTable(query: Int?, listsColumns: Bool)
  }

  /// A CTE, together with its query.
  struct Named: Sendable {
    let table: SQLCommonTable
    /// The index of the query in ``SQLNames/queries``; nil until the query has been visited.
    var query: Int?
  }

  /// The query.
  package let select: SQLSelect
  /// The use of the query's rows.
  package let purpose: Purpose

  /// The scopes of the SELECTs that the query combines, by their indexes in ``SQLNames/scopes``.
  package internal(set) var scopes: [Int] = []
}
