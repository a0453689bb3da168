/// All names that a statement uses, in the order of the text, each with its role and the scope in which it is looked
/// up.
///
///     let names = SQLNames(in: try SQLTree(parsing: "CREATE VIEW v AS SELECT a.id FROM author AS a"))
///     names.uses.map(\.role)  // [.column, .source, .alias]
///     names.tables  // ["author"]
///
/// Names are not resolved: their meaning depends on tables and views whose definitions the statement does not contain.
/// ``SQLTableResolver`` and ``SQLColumnResolver`` resolve the names that refer to one table or one column.
package struct SQLNames: Sendable {
  /// The statement's text.
  package private(set) var source: SQLSource

  /// The names, in the order of the text.
  package internal(set) var uses: [SQLNameUse] = []

  /// The scopes; ``SQLScopeLink/scope`` is an index into this array.
  package internal(set) var scopes: [SQLScope] = []

  /// The queries at all depths; ``SQLScope/query`` is an index into this array.
  package internal(set) var queries: [SQLQuery] = []

  /// The CTEs at all depths; ``SQLRows/Kind/commonTable(_:)`` contains an index into this array.
  var commonTables: [SQLQuery.Named] = []

  /// The INSERT statements; ``SQLQuery/Purpose/insertion(_:)`` contains an index into this array.
  package internal(set) var inserts: [SQLInsert] = []

  /// Collects the names of a statement; the arguments of a virtual table's module are skipped.
  package init(in syntax: SQLTree) { self.init(in: syntax.statement, of: syntax.source) }

  init(in statement: SQLTree.Statement, of source: SQLSource) {
    self.source = source
    var walk = SQLNameWalk(names: self)
    walk.visit(statement)
    self = walk.names
  }

  /// The tables and views whose rows the statement reads or writes, without CTEs; each is spelled as at its first
  /// use.
  package var tables: [String] {
    var seen: Set<String> = []
    return uses.compactMap { use in
      guard use.isOfStoredRows, seen.insert(use.name.folded).inserted else { return nil }
      return use.name.value
    }
  }

  /// Returns the text, in lower case, of the unnamed result columns whose expressions satisfy a condition; SQLite
  /// names these columns after their text.
  func unnamedResults(where condition: (SQLExpression) -> Bool) -> Set<String> {
    var texts: Set<String> = []
    for core in queries.lazy.flatMap(\.select.cores) where !core.isValues {
      for case .expression(let expression, nil) in core.results
      where expression.soleReference == nil && condition(expression) {
        texts.insert(source.text(of: expression.tokens).asciiLowercased)
      }
    }
    return texts
  }

  /// Returns the scopes in which a name is looked up, innermost first; `seesResults` is whether the name can also refer
  /// to an alias of the scope's result columns.
  package func chain(from link: SQLScopeLink?) -> [(scope: SQLScope, seesResults: Bool)] {
    var chain: [(scope: SQLScope, seesResults: Bool)] = []
    var next = link
    while let link = next {
      chain.append((scopes[link.scope], link.seesResults))
      next = scopes[link.scope].parent
    }
    return chain
  }
}

/// A name in a statement, with its role, its place and the scope in which it is looked up.
package struct SQLNameUse: Sendable {
  /// The role of a name in the statement.
  package enum Role: Sendable {
    /// A table, view or CTE after `FROM`.
    case source
    /// A table, view or CTE after `IN`, without parentheses.
    case list
    /// The table that `INSERT`, `UPDATE` or `DELETE` changes.
    case target
    /// The table on which an index or a trigger is defined, or the table that is created or altered.
    case owner
    /// The table after `REFERENCES`.
    case parent
    /// A column in an expression; ``SQLNameUse/qualifier`` is the name before the dot.
    case column
    /// A listed column of the scope's first table: after `INSERT INTO`, `SET` or `UPDATE OF`, or in a key.
    case listedColumn
    /// A column of the table after `REFERENCES`; the qualifier is the table's name.
    case parentColumn
    /// A column after `USING`, which both sides of the join have.
    case joinColumn
    /// The table name before `.*`.
    case star
    /// The alias of a table or query after `FROM`, or of the table that the statement changes.
    case alias
    /// The name of a CTE, before `AS` in the `WITH` clause.
    case commonTable
    /// The name of a column that the statement defines.
    case newColumn
  }

  /// The part of a statement that contains a name; only the parts that affect renaming are distinguished.
  package enum Place: Sendable, Equatable {
    /// A result column of a query, or of `RETURNING`.
    case result
    /// A term of `ORDER BY` that is a single name.
    case orderTerm
    /// Any other term of `ORDER BY`.
    case order
    /// A constraint: of the column whose name in lower case is `column`, or of the table if `column` is nil.
    case constraint(Constraint, column: String?)
    /// Any other part of the statement.
    case other
  }

  /// A kind of constraint.
  package enum Constraint: Sendable, Equatable {
    /// The constraint with these keywords.
    case primaryKey, unique, check, generated, foreignKey
  }

  /// The name.
  package let name: SQLName
  /// The name before the dot: the schema of a table, or the table of a column.
  package var qualifier: SQLName?
  /// The role of the name.
  package let role: Role
  /// The part of the statement that contains the name.
  package var place = Place.other

  /// The scope in which the name is looked up; for a ``Role/source``, the scope that contains the table.
  ///
  /// It is nil for names outside of all scopes, such as in the `LIMIT` of a view.
  package var scope: SQLScopeLink?

  /// Whether a ``Role/source`` or ``Role/list`` is the name of a CTE.
  var isCommonTable = false
  /// The tokens of the name, including its qualifier and the dot.
  package var tokens: Range<Int> { (qualifier?.token ?? name.token)..<(name.token + 1) }

  /// Whether the name refers to a stored table or view whose rows the statement reads or writes.
  package var isOfStoredRows: Bool {
    switch role {
    case .source, .list, .target: !isCommonTable
    default: false
    }
  }
}
