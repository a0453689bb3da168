/// A resolver that finds the tokens of a view or trigger that refer to one column of a table, either directly or
/// through aliases, subqueries and views.
///
/// Names are looked up as in SQLite (`resolve.c`): first in the tables after FROM, then among the aliases of result
/// columns, then in the enclosing statement. If the meaning of a name is uncertain, ``SQLUncertainName`` is thrown.
///
/// Only names equal to the column's old or new name are looked up; renaming the column cannot change the meaning of any
/// other name.
package struct SQLColumnResolver {
  /// The uses of a column in a view or trigger.
  package struct Uses: Sendable {
    /// The tokens that refer to the column, by their indexes in ``SQLSource/tokens``.
    package let tokens: [Int]

    /// Whether a token refers to the column through a view, a subquery or a CTE that returns it.
    ///
    /// In that case SQLite's RENAME COLUMN fails: it renames the column in the inner query, but not in the outer
    /// statement that uses its result.
    package let isDerived: Bool
  }

  /// The column to look for; all names are in lower case.
  struct Target {
    let table: String
    let column: String
    /// The new name of the column; the old name if it is not renamed.
    let newColumn: String

    var changesName: Bool { column != newColumn }
  }

  /// A column of a table or query after FROM.
  package struct Column: Hashable, Sendable {
    /// The name in lower case.
    package let name: String
    /// Whether this is the column that the resolver looks for, under its original name.
    let isTarget: Bool
    /// Whether the column comes from a query, not from the table itself.
    var isDerived = false
  }

  let names: SQLNames
  let relations: SQLRelations
  let target: Target?

  /// The names of the views whose columns are being resolved; the columns of a view that refers to itself are unknown.
  var openViews: Set<String> = []
  /// The resolved columns of views, by the view's name in lower case; nil if they are unknown.
  var viewColumns: [String: [Column]?] = [:]
  /// The resolved columns of queries, by index in ``SQLNames/queries``; nil if they are unknown.
  var queryColumns: [Int: [Column]?] = [:]

  /// The text of unnamed result columns that use the column: SQLite names such a result column after its text.
  var fragileNames: Set<String> = []

  init(_ names: SQLNames, relations: SQLRelations, target: Target?) {
    (self.names, self.relations, self.target) = (names, relations, target)
  }

  /// Returns the tokens of a view or trigger that refer to a column.
  ///
  /// - Parameters:
  ///   - syntax: The statement.
  ///   - relations: The tables and views that the statement may refer to.
  ///   - table: The table's name in lower case.
  ///   - column: The column's name in lower case.
  ///   - newColumn: The new name of the column, in lower case. A name that does not refer to the column now, but would
  ///     do so after the column is renamed, is uncertain.
  /// - Throws: ``SQLUncertainName``.
  package static func uses(
    in syntax: SQLTree, relations: SQLRelations, table: String, column: String, newColumn: String
  ) throws(SQLUncertainName) -> Uses {
    guard syntax.hasResolvableNames else { throw SQLUncertainName(token: nil) }
    let target = Target(table: table, column: column, newColumn: newColumn)
    var resolver = SQLColumnResolver(SQLNames(in: syntax), relations: relations, target: target)
    let uses = try resolver.uses()
    if case .createView(let view) = syntax.statement, view.columns.isEmpty, target.changesName {
      // Another column may already have the column's new name.
      let columns = try resolver.columns(ofQuery: 0) ?? []
      if columns.contains(where: \.isTarget), columns.contains(where: { $0.name == newColumn }) {
        throw SQLUncertainName(token: nil)
      }
    }
    return uses
  }

  mutating func uses() throws(SQLUncertainName) -> Uses {
    // Views contribute fragile names, which the statement may use to refer to the views' columns.
    for use in names.uses where use.role == .source && !use.isCommonTable {
      _ = try columns(of: SQLQualifiedName(schema: use.qualifier, name: use.name))
    }
    var tokens: Set<Int> = []
    var isDerived = false
    for use in names.uses {
      guard let meaning = try meaning(of: use) else { continue }
      tokens.insert(use.name.token)
      isDerived = isDerived || meaning.isDerived
    }
    for scope in names.scopes { try checkNaturalJoins(of: scope) }
    fragileNames.formUnion(
      names.unnamedResults { result in result.references.contains { tokens.contains($0.column.token) } })
    for use in names.uses where use.role == .column && fragileNames.contains(use.name.folded) {
      throw SQLUncertainName(token: use.name.token)
    }
    return Uses(tokens: tokens.sorted(), isDerived: isDerived)
  }

  /// Returns the resolver's target column if a name refers to that column; nil if the name refers to something else.
  mutating func meaning(of use: SQLNameUse) throws(SQLUncertainName) -> Column? {
    guard let target, use.name.folded == target.column || use.name.folded == target.newColumn else { return nil }
    switch use.role {
    case .column where use.qualifier != nil: return try qualifiedMeaning(of: use, target)
    case .column where use.place == .orderTerm: return try orderMeaning(of: use, target)
    case .column: return try meaning(of: use, from: use.scope, target)
    case .listedColumn: return try listedMeaning(of: use, target)
    case .joinColumn:
      // A NATURAL join would change if the column were renamed.
      guard let scope = use.scope, try has(names.scopes[scope.scope].rows, where: \.isTarget) else { return nil }
      throw SQLUncertainName(token: use.name.token)
    default: return nil
    }
  }

  private mutating func qualifiedMeaning(of use: SQLNameUse, _ target: Target) throws(SQLUncertainName) -> Column? {
    let uncertain = SQLUncertainName(token: use.name.token)
    for (scope, _) in names.chain(from: use.scope) {
      let found = scope.rows.filter { $0.name == use.qualifier?.folded }
      guard let rows = found.first else { continue }
      guard found.count == 1, let columns = try columns(of: rows) else { throw uncertain }
      if use.name.folded == target.newColumn, target.changesName {
        // With its new name, the column would capture this use.
        if columns.contains(where: \.isTarget) { throw uncertain }
        return nil
      }
      let matches = Set(columns.filter { $0.name == use.name.folded })
      guard matches.count == 1, let column = matches.first else { throw uncertain }
      return column.isTarget ? column : nil
    }
    throw uncertain
  }

  private mutating func meaning(
    of use: SQLNameUse, from link: SQLScopeLink?, _ target: Target
  ) throws(SQLUncertainName) -> Column? {
    let name = use.name.folded
    let uncertain = SQLUncertainName(token: use.name.token)
    let isNew = name == target.newColumn && target.changesName
    var hasUnknown = false
    for (scope, seesResults) in names.chain(from: link) {
      if isNew, try has(scope.rows.filter { !$0.isQualifiedOnly }, where: \.isTarget) { throw uncertain }
      var columns: Set<Column> = []
      for rows in scope.rows where !rows.isQualifiedOnly {
        guard let all = try self.columns(of: rows) else {
          hasUnknown = true
          continue
        }
        columns.formUnion(all.filter { $0.name == name })
      }
      if columns.isEmpty {
        if seesResults, scope.aliases.contains(name), !hasUnknown { return nil }
        continue
      }
      // A table whose columns are unknown may have a column of this name, too.
      let targets = columns.filter(\.isTarget)
      if !targets.isEmpty, hasUnknown || columns.count > 1 { throw uncertain }
      return targets.first
    }
    // SQLite reads a double-quoted name as a string literal if no column has the name
    // (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
    let mayBeText = names.source.token(use.name.token)?.kind == .quotedIdentifier
    guard isNew || mayBeText && !hasUnknown || (["true", "false"] + SQLIdentifier.rowIDNames).contains(name) else {
      throw uncertain
    }
    return nil
  }

  /// Resolves a term of ORDER BY: first as an alias of a result column, then as a column.
  ///
  /// In a compound query, the term can be a result column of any of the SELECTs.
  private mutating func orderMeaning(of use: SQLNameUse, _ target: Target) throws(SQLUncertainName) -> Column? {
    guard let query = use.scope.flatMap({ names.scopes[$0.scope].query }) else { return nil }
    let scopes = names.queries[query].scopes
    for scope in scopes {
      if names.scopes[scope].aliases.contains(use.name.folded) { return nil }
      if scopes.count > 1, try !has(names.scopes[scope].rows, where: { $0.name == use.name.folded }) { continue }
      return try meaning(of: use, from: SQLScopeLink(scope: scope, seesResults: true), target)
    }
    return try meaning(of: use, from: scopes.last.map { SQLScopeLink(scope: $0, seesResults: true) }, target)
  }

  private mutating func listedMeaning(of use: SQLNameUse, _ target: Target) throws(SQLUncertainName) -> Column? {
    let uncertain = SQLUncertainName(token: use.name.token)
    guard let rows = use.scope.flatMap({ names.scopes[$0.scope].rows.first }), let columns = try columns(of: rows)
    else {
      throw uncertain
    }
    let matches = Set(columns.filter { $0.name == use.name.folded })
    let wouldMean = use.name.folded == target.newColumn && target.changesName && columns.contains(where: \.isTarget)
    if matches.count > 1 || wouldMean { throw uncertain }
    return matches.first(where: \.isTarget)
  }

  private mutating func checkNaturalJoins(of scope: SQLScope) throws(SQLUncertainName) {
    guard let target, let join = scope.naturalJoins.first, try has(scope.rows, where: \.isTarget) else { return }
    var count = 0
    for rows in scope.rows {
      guard let columns = try columns(of: rows) else { throw SQLUncertainName(token: join) }
      if target.changesName, columns.contains(where: { $0.name == target.newColumn }) {
        throw SQLUncertainName(token: join)
      }
      if columns.contains(where: { $0.name == target.column }) { count += 1 }
    }
    if count > 1 { throw SQLUncertainName(token: join) }
  }

  private mutating func has(_ rows: [SQLRows], where condition: (Column) -> Bool) throws(SQLUncertainName) -> Bool {
    for rows in rows {
      if try columns(of: rows)?.contains(where: condition) == true { return true }
    }
    return false
  }
}
