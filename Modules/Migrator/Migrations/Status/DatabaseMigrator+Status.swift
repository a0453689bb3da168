extension DatabaseMigrator {
  /// The registered migrations that the database has, in the order of registration.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return migrations.filter { applied.contains($0) }
  }

  /// All identifiers in the ledger, those that are not registered included; empty in a database without a ledger.
  ///
  /// Where a history is adopted and not in the ledger yet, its identifiers. Registered migrations that newer code has
  /// merged are among them: they are applied, though another entry stands for them now.
  ///
  /// - Throws: ``DatabaseError`` when the ledger cannot be read; that never looks like an empty one.
  ///   ``MigrationError/adoptionRefused(_:)``.
  public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    let applied = try ledger.appliedIdentifiers(db)
    if applied.isEmpty { return adopted.isEmpty ? [] : Set(try unwrittenHistory(db).map(\.identifier)) }
    guard !registered.allSatisfy({ applied.contains($0.identifier) }) else { return applied }
    return try applied.union(ledger.replacedIdentifiers(db).filter { index(of: $0) != nil })
  }

  /// The registered migrations from the first on, up to one that the database does not have.
  public func completedMigrations(_ db: Database) throws -> [String] {
    let done = done(try appliedIdentifiers(db))
    return Array(migrations.prefix { done.contains($0) })
  }

  /// Whether the database has all registered migrations.
  public func hasCompletedMigrations(_ db: Database) throws -> Bool {
    done(try appliedIdentifiers(db)).isSuperset(of: migrations)
  }

  /// What need not run any more: what is applied, and what applied migrations have replaced.
  func done(_ applied: Set<String>) -> Set<String> {
    var done = applied
    for migration in registered where applied.contains(migration.identifier) {
      done.formUnion(migration.mergedIdentifiers)
    }
    return done
  }

  /// Whether the database has a migration that this migrator neither knows nor merges: it was migrated by newer code, or
  /// by another migrator that uses the same ``ledgerTable``.
  public func hasBeenSuperseded(_ db: Database) throws -> Bool {
    try !unknown(among: appliedIdentifiers(db), db).isEmpty
  }

  /// The ledger's entries, in the order of their application; those that it will begin with where a history is adopted
  /// and not in the ledger yet.
  ///
  /// - Parameter withUnfinished: Whether those that have begun and not ended are among them.
  package func history(_ db: Database, withUnfinished: Bool = false) throws -> [LedgerEntry] {
    let entries = try ledger.entries(db, withUnfinished: withUnfinished)
    return entries.isEmpty ? try unwrittenHistory(db) : entries
  }

  /// The table in which databases remember this migrator's migrations.
  package var ledger: Ledger { Ledger(table: ledgerTable) }
}
