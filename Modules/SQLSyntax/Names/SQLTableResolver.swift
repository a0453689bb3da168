/// Finds the tokens of a view or trigger that mean one table: where it is read or written, and where columns are
/// qualified with its name.
///
/// Names are looked up as SQLite does it: common tables hide tables, and a name before a dot is that of something
/// behind the nearest FROM, by its other name where it has one. What is not certain is an error.
package struct SQLTableResolver {
  /// The uses of a table in a view or trigger.
  package struct Uses: Sendable, Hashable {
    /// The tokens that mean the table, by their indexes in ``SQLSource/tokens``; not the one behind a trigger's `ON`.
    package let tokens: [Int]

    /// The texts of results without a name, in lower case, that change with the table's name: the engine makes names of
    /// them, by which other views may call the columns.
    package let fragileNames: Set<String>
  }

  private let names: SQLNames
  private let table: String

  /// The tokens of a view or trigger that mean a table.
  ///
  /// - Parameters:
  ///   - syntax: The statement.
  ///   - table: The table's name in lower case.
  ///   - newTable: The name that the table is to get, in lower case. Where something else in the statement bears it,
  ///     uses of the table are not certain.
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

  /// Whether a name before a dot is the table's own.
  private func isQualifier(_ name: SQLName?, of use: SQLNameUse) throws(SQLUncertainName) -> Bool {
    for (distance, (scope, _)) in names.chain(from: use.scope).enumerated() {
      var rows = scope.rows
      if distance == 0, use.isInOrder, let query = scope.query {
        // A term of combined queries is one of their results: what it names stands in any of them.
        rows = names.queries[query].scopes.flatMap { names.scopes[$0].rows }
      }
      let found = Set(rows.filter { $0.name == table }.map { isTable($0) })
      guard let isTable = found.first else { continue }
      if found.count > 1 { break }
      return isTable
    }
    throw SQLUncertainName(token: name?.token)
  }

  /// Whether rows are the table's, under its own name.
  private func isTable(_ rows: SQLRows) -> Bool {
    guard !rows.isRenamed, case .stored(let name) = rows.kind else { return false }
    return name.schema.map { $0.folded == "main" } ?? true
  }
}

extension SQLNameUse {
  /// The name of a table or of something that stands for one: the use itself, or what stands before its dot.
  fileprivate var tableName: SQLName? {
    switch role {
    case .source, .list, .target, .alias, .commonTable, .star: name
    case .column: qualifier
    default: nil
    }
  }

  fileprivate var isInOrder: Bool { place == .order || place == .orderTerm }
}
