/// All names that a statement uses, in the order of the text, each with its role and the scope in which it is looked
/// up.
///
///     let names = SQLNames(in: try SQLTree(parsing: "CREATE VIEW v AS SELECT a.id FROM author AS a"))
///     names.uses.map(\.role)  // [.column, .source, .alias]
///     names.tables  // ["author"]
///
/// Names are not resolved: their meaning depends on tables and views that the statement does not show.
/// ``SQLTableResolver`` and ``SQLColumnResolver`` resolve them for a table and for a column.
package struct SQLNames: Sendable {
  /// The statement's text.
  package private(set) var source: SQLSource

  /// The names.
  package internal(set) var uses: [SQLNameUse] = []

  /// The scopes, in the order of their numbers in ``SQLScopeLink/scope``.
  package internal(set) var scopes: [SQLScope] = []

  /// The queries at all depths, in the order of their numbers in ``SQLScope/query``.
  package internal(set) var queries: [SQLQuery] = []

  /// The common tables at all depths, in the order of their numbers in ``SQLRows/Kind/commonTable(_:)``.
  var commonTables: [SQLQuery.Named] = []

  /// The INSERT statements, in the order of their numbers in ``SQLQuery/Purpose/insertion(_:)``.
  package internal(set) var inserts: [SQLInsert] = []

  /// Collects the names of a statement, without the arguments of virtual tables.
  package init(in syntax: SQLTree) { self.init(in: syntax.statement, of: syntax.source) }

  init(in statement: SQLTree.Statement, of source: SQLSource) {
    self.source = source
    var walk = SQLNameWalk(names: self)
    walk.visit(statement)
    self = walk.names
  }

  /// The tables and views whose rows the statement reads or writes, with the spelling of the first use; without common
  /// tables.
  package var tables: [String] {
    var seen: Set<String> = []
    return uses.compactMap { use in
      guard use.isOfStoredRows, seen.insert(use.name.folded).inserted else { return nil }
      return use.name.value
    }
  }

  /// Returns the text, in lower case, of the unnamed results that satisfy a condition: the engine derives names from
  /// it.
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

  /// Returns the scopes in which a name is looked up, innermost first, each with whether the aliases of results count
  /// there.
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

/// A name in a statement.
package struct SQLNameUse: Sendable, Hashable {
  /// The role of a name in the statement.
  package enum Role: Sendable, Hashable {
    /// A table, view or common table after `FROM`.
    case source
    /// A table, view or common table after `IN`, without parentheses.
    case list
    /// The table that `INSERT`, `UPDATE` or `DELETE` changes.
    case target
    /// The table of an index or a trigger, or the table that is created or altered.
    case owner
    /// The table after `REFERENCES`.
    case parent
    /// A column in an expression; ``SQLNameUse/qualifier`` is the name before the dot.
    case column
    /// A column in a list of columns of the scope's first rows: after `INSERT INTO`, `SET`, `UPDATE OF`, or in a
    /// key.
    case listedColumn
    /// A column of the table after `REFERENCES`, which is the qualifier.
    case parentColumn
    /// A column of both sides of a join, after `USING`.
    case joinColumn
    /// The name before `.*`.
    case star
    /// The alias of a table or query after `FROM`, or of a target.
    case alias
    /// The name that `WITH` gives to a query.
    case commonTable
    /// The name of a column that the statement defines.
    case newColumn
  }

  /// The part of a statement that contains the name, as far as it matters.
  package enum Place: Sendable, Hashable {
    /// The results of a query, or `RETURNING`.
    case result
    /// A term of `ORDER BY` that consists only of the name.
    case orderTerm
    /// Another term of `ORDER BY`.
    case order
    /// A constraint of a table, or of the column whose name is given in lower case.
    case constraint(Constraint, column: String?)
    /// Any other part.
    case other
  }

  /// A kind of constraint.
  package enum Constraint: Sendable, Hashable {
    /// `PRIMARY KEY`.
    case primaryKey
    /// `UNIQUE`.
    case unique
    /// `CHECK`.
    case check
    /// `GENERATED ALWAYS AS`.
    case generated
    /// `FOREIGN KEY`.
    case foreignKey
  }

  /// The name.
  package let name: SQLName
  /// The name before the dot: of a schema for a table, of a table for a column.
  package var qualifier: SQLName?
  /// The role of the name.
  package let role: Role
  /// The part of the statement.
  package var place = Place.other

  /// The scope in which it is looked up, or to which the rows of a ``Role/source`` belong.
  ///
  /// It is nil for names outside of all scopes, such as in the `LIMIT` of a view.
  package var scope: SQLScopeLink?

  /// Whether the name of a ``Role/source`` or ``Role/list`` is that of a common table.
  var isCommonTable = false
  /// The tokens, including those of the qualifier and the dot.
  package var tokens: Range<Int> { (qualifier?.token ?? name.token)..<(name.token + 1) }

  /// Whether the name refers to a stored table or view whose rows are read or written.
  package var isOfStoredRows: Bool {
    switch role {
    case .source, .list, .target: !isCommonTable
    default: false
    }
  }
}
