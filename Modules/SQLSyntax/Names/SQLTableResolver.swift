/// Finds the tokens of a view or trigger that refer to one table: where it is read or written, and where it qualifies
/// columns.
///
/// Names are looked up as SQLite does: common tables hide tables, and a qualifier refers to a table or query
/// after the innermost FROM, by its alias if it has one. An uncertain name is an error.
package struct SQLTableResolver {
  /// The uses of a table in a view or trigger.
  package struct Uses: Sendable, Hashable {
    /// The tokens that refer to the table, by their indexes in ``SQLSource/tokens``, except the one after a trigger's
    /// `ON`.
    package let tokens: [Int]

    /// The text of unnamed results, in lower case, that changes with the table's name: the engine derives column names
    /// from it, which other views may use.
    package let fragileNames: Set<String>
  }

  private let names: SQLNames
  private let table: String

  /// Returns the tokens of a view or trigger that refer to a table.
  ///
  /// - Parameters:
  ///   - syntax: The statement.
  ///   - table: The table's name in lower case.
  ///   - newTable: The new name of the table, in lower case. If the statement uses that name for something else,
  ///     uses of the table are uncertain.
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
        // A term of combined queries is one of their results, so the qualifier may refer to a table in any of them.
        rows = names.queries[query].scopes.flatMap { names.scopes[$0].rows }
      }
      let found = Set(rows.filter { $0.name == table }.map { isTable($0) })
      guard let isTable = found.first else { continue }
      if found.count > 1 { break }
      return isTable
    }
    throw SQLUncertainName(token: name?.token)
  }

  /// Returns whether rows are those of the table, under its own name.
  private func isTable(_ rows: SQLRows) -> Bool {
    guard !rows.isRenamed, case .stored(let name) = rows.kind else { return false }
    return name.schema.map { $0.folded == "main" } ?? true
  }
}

extension SQLNameUse {
  /// The name of a table or of an alias: the use itself, or its qualifier.
  fileprivate var tableName: SQLName? {
    switch role {
    case .source, .list, .target, .alias, .commonTable, .star: name
    case .column: qualifier
    default: nil
    }
  }

  fileprivate var isInOrder: Bool { place == .order || place == .orderTerm }
}
