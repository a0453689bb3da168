extension DatabaseMigrator {
  /// The migrations that a run would apply, in its order.
  ///
  /// - Parameters:
  ///   - applied: What the ledger holds.
  ///   - limit: The place of the last migration to apply; nil for all.
  /// - Throws: ``MigrationError/migratedBeyond(target:)``; ``MigrationError/outOfOrder(pending:applied:)``.
  func pending(applied: Set<String>, upTo limit: Int?) throws -> [Migration] {
    let last = limit ?? registered.count - 1
    guard !registered.dropFirst(last + 1).contains(where: { applied.contains($0.identifier) }) else {
      throw MigrationError.migratedBeyond(target: registered[last].identifier)
    }
    let done = done(applied)
    let pending = registered.prefix(last + 1).filter { !done.contains($0.identifier) }
    if outOfOrder == .refuse, let first = pending.first, let start = index(of: first.identifier),
      let overtaken = registered[start...].first(where: { applied.contains($0.identifier) })
    {
      throw MigrationError.outOfOrder(pending: first.identifier, applied: overtaken.identifier)
    }
    return Array(pending)
  }

  /// Refuses a ledger with unknown migrations where that is asked for.
  ///
  /// - Throws: ``MigrationError/superseded(unknown:)``.
  func requireKnown(_ applied: Set<String>, _ db: Database) throws {
    guard try !allows(applied, db) else { return }
    throw MigrationError.superseded(unknown: try unknown(among: applied, db).sorted())
  }

  /// Whether the policy for unknown migrations lets a run go on.
  func allows(_ applied: Set<String>, _ db: Database) throws -> Bool {
    try unknownMigrations == .allow || unknown(among: applied, db).isEmpty
  }
}
