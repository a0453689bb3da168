/// A scope in which column names are looked up: the tables after one `FROM`, or the table of a statement.
package struct SQLScope: Sendable, Hashable {
  /// The scope around it; nil for the outermost.
  let parent: SQLScopeLink?
  /// The query that it belongs to, by its index in ``SQLNames/queries``; nil for a statement of another kind.
  package let query: Int?

  /// The rows whose columns can be referred to; joins in parentheses without an alias are split into their parts.
  package internal(set) var rows: [SQLRows] = []
  /// The aliases of results, in lower case.
  package internal(set) var aliases: Set<String> = []
  /// The tokens of the sources that are joined `NATURAL`.
  var naturalJoins: [Int] = []
}

/// A scope, and its visibility from a position in it.
package struct SQLScopeLink: Sendable, Hashable {
  /// The scope, by its index in ``SQLNames/scopes``.
  package let scope: Int
  /// Whether names that no rows have are looked up among the aliases of results, as in `WHERE` and `ORDER BY`.
  package let seesResults: Bool
}

/// The rows of a table or query after `FROM`, or `NEW`, `OLD` and `excluded`.
package struct SQLRows: Sendable, Hashable {
  /// The origin of rows.
  package indirect enum Kind: Sendable, Hashable {
    /// A table or a view of a schema.
    case stored(SQLQualifiedName)
    /// The table that the statement defines, with its columns in lower case.
    case defined(columns: [String])
    /// A query, by its index in ``SQLNames/queries``.
    case query(Int)
    /// A common table, by its index in the common tables of the names.
    case commonTable(Int)
    /// A common table inside its query.
    case recursion(Int)
    /// A common table before its query, in that of an earlier one.
    case laterCommonTable
    /// A table-valued function, by its name in lower case.
    case function(String)
    /// A join in parentheses.
    case join([SQLRows])
  }

  /// The name that qualifies the columns, in lower case; nil for none.
  package let name: String?
  /// The origin.
  package let kind: Kind
  /// Whether the name is an alias.
  var isRenamed = false
  /// Whether a column is found only with a qualifier.
  var isQualifiedOnly = false
}

/// A query of a statement, at any depth.
package struct SQLQuery: Sendable, Hashable {
  /// The use of the rows.
  package enum Purpose: Sendable, Hashable {
    /// The rows of a view or a new table; whether the names of its columns are listed.
    case definition(listsColumns: Bool)
    /// The result of the statement.
    case statement
    /// Rows to insert; the INSERT statement by its index in ``SQLNames/inserts``.
    case insertion(Int)
    /// Values in an expression; after `EXISTS`, only their number counts.
    case expression(isExists: Bool)
    /// A subquery after `FROM` in a scope.
    case source(scope: Int)
    /// A common table expression: the query whose WITH clause contains it, nil for another kind of statement, and
    /// whether it lists the names of its columns.
    case commonTable(query: Int?, listsColumns: Bool)
  }

  /// A query with its name after `WITH`.
  struct Named: Sendable, Hashable {
    let table: SQLCommonTable
    /// The query, by its index in ``SQLNames/queries``; nil until it is reached.
    var query: Int?
  }

  /// The query.
  package let select: SQLSelect
  /// The use of the rows.
  package let purpose: Purpose

  /// The scopes of the combined queries, by their indexes in ``SQLNames/scopes``.
  package internal(set) var scopes: [Int] = []
}
