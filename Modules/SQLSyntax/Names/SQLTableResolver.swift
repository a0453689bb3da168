/// A resolver that finds the tokens of a view or trigger that refer to one table: where the table is read or written,
/// or qualifies a column.
///
/// Names are looked up as in SQLite: a CTE hides a table of the same name, and a qualifier refers to a table or query
/// after the innermost FROM, by its alias if it has one. If the meaning of a name is uncertain, ``SQLUncertainName`` is
/// thrown.
package struct SQLTableResolver {
  /// The uses of a table in a view or trigger.
  package struct Uses: Sendable {
    /// The tokens that refer to the table, by their indexes in ``SQLSource/tokens``, except the table name after `ON`
    /// in a trigger.
    package let tokens: [Int]

    /// The text, in lower case, of unnamed result columns that contain the table's name.
    ///
    /// SQLite names these columns after their text, and other views may use these column names.
    package let fragileNames: Set<String>
  }

  private let names: SQLNames
  private let table: String

  /// Returns the tokens of a view or trigger that refer to a table.
  ///
  /// - Parameters:
  ///   - syntax: The statement.
  ///   - table: The table's name in lower case.
  ///   - newTable: The new name of the table, in lower case. If the statement refers to the table and already uses
  ///     the new name, the meaning of that name is uncertain.
  /// - Throws: ``SQLUncertainName``.
  package static func uses(in syntax: SQLTree, table: String, newTable: String) throws(SQLUncertainName) -> Uses {
    guard syntax.hasResolvableNames else { throw SQLUncertainName(token: nil) }
    let resolver = SQLTableResolver(names: SQLNames(in: syntax), table: table)
    var tokens: [Int] = []
    var newNameToken: Int?
    for use in resolver.names.uses {
      guard let name = use.tableName else { continue }
      if name.folded == newTable, newNameToken == nil { newNameToken = name.token }
      if name.folded == table, try resolver.meansTable(use) { tokens.append(name.token) }
    }
    if !tokens.isEmpty, table != newTable, let token = newNameToken { throw SQLUncertainName(token: token) }
    let fragileNames = resolver.names.unnamedResults { result in
      tokens.contains { result.tokens.contains($0) }
    }
    return Uses(tokens: tokens.sorted(), fragileNames: fragileNames)
  }

  private func meansTable(_ use: SQLNameUse) throws(SQLUncertainName) -> Bool {
    switch use.role {
    case .column: return try isQualifier(use.qualifier, of: use)
    case .star: return try isQualifier(use.name, of: use)
    default: return use.isOfStoredRows && use.qualifier.map { $0.folded == "main" } ?? true
    }
  }

  /// Returns whether a qualifier refers to the table by its own name.
  private func isQualifier(_ name: SQLName?, of use: SQLNameUse) throws(SQLUncertainName) -> Bool {
    for (distance, (scope, _)) in names.chain(from: use.scope).enumerated() {
      var rows = scope.rows
      if distance == 0, use.isInOrder, let query = scope.query {
        // In a compound query, the term is a result column of any SELECT, and its qualifier a table of any SELECT.
        rows = names.queries[query].scopes.flatMap { names.scopes[$0].rows }
      }
      let found = Set(rows.filter { $0.name == table }.map { isTable($0) })
      guard let isTable = found.first else { continue }
      if found.count > 1 { break }
      return isTable
    }
    throw SQLUncertainName(token: name?.token)
  }

  /// Returns whether a source of columns is the table itself, without an alias.
  private func isTable(_ rows: SQLRows) -> Bool {
    guard !rows.isRenamed, case .stored(let name) = rows.kind else { return false }
    return name.schema.map { $0.folded == "main" } ?? true
  }
}

extension SQLNameUse {
  /// The table name or alias in this use: the name itself, or the qualifier of a column; nil if there is none.
  fileprivate var tableName: SQLName? {
    switch role {
    case .source, .list, .target, .alias, .commonTable, .star: name
    case .column: qualifier
    default: nil
    }
  }

  fileprivate var isInOrder: Bool { place == .order || place == .orderTerm }
}
