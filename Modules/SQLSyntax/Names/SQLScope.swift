/// A place where names of columns are looked up: what stands behind one `FROM`, or the table of a statement.
package struct SQLScope: Sendable, Hashable {
  /// The scope around it; nil for the outermost.
  let parent: SQLScopeLink?
  /// The query that it belongs to, by its index in ``SQLNames/queries``; nil for a statement of another kind.
  package let query: Int?

  /// The rows whose columns can be named, joins in parentheses taken apart unless they have another name.
  package internal(set) var rows: [SQLRows] = []
  /// The names given to results, in lower case.
  package internal(set) var aliases: Set<String> = []
  /// The tokens of the sources that are joined `NATURAL`.
  var naturalJoins: [Int] = []
}

/// A scope, and how it is seen from a place in it.
package struct SQLScopeLink: Sendable, Hashable {
  /// The scope, by its index in ``SQLNames/scopes``.
  package let scope: Int
  /// Whether names that no rows have are looked up among the names of results, as in `WHERE` and `ORDER BY`.
  package let seesResults: Bool
}

/// Something after `FROM`, or `NEW`, `OLD` and `excluded`.
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
    /// A common table inside its own query.
    case recursion(Int)
    /// A common table before its own query, in that of an earlier one.
    case laterCommonTable
    /// A function that gives a table, by its name in lower case.
    case function(String)
    /// A join in parentheses.
    case join([SQLRows])
  }

  /// The name that qualifies the columns, in lower case; nil for none.
  package let name: String?
  /// The origin.
  package let kind: Kind
  /// Whether the name is another one than the table's own.
  var isRenamed = false
  /// Whether a column is found only with the name before it.
  var isQualifiedOnly = false
}

/// A query of a statement, at any depth.
package struct SQLQuery: Sendable, Hashable {
  /// The use that is made of the rows.
  package enum Purpose: Sendable, Hashable {
    /// They are a view's or a new table's; whether the columns' names are listed.
    case definition(listsColumns: Bool)
    /// They are the statement's result.
    case statement
    /// They are inserted; the insertion by its index in ``SQLNames/inserts``.
    case insertion(Int)
    /// They are values in an expression; after `EXISTS`, only their number counts.
    case expression(isExists: Bool)
    /// They stand after `FROM` in a scope.
    case source(scope: Int)
    /// They are a common table of a query, nil for one of another statement; whether the columns' names are listed.
    case commonTable(query: Int?, listsColumns: Bool)
  }

  /// A query with the name that `WITH` gives it.
  struct Named: Sendable, Hashable {
    let table: SQLCommonTable
    /// The query, by its index in ``SQLNames/queries``; nil before it was reached.
    var query: Int?
  }

  /// The query.
  package let select: SQLSelect
  /// The use of the rows.
  package let purpose: Purpose

  /// The scopes of the combined queries, by their indexes in ``SQLNames/scopes``.
  package internal(set) var scopes: [Int] = []
}
