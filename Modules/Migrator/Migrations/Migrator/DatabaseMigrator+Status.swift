extension DatabaseMigrator {
  /// The registered migrations that the database has, in the order of registration.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return migrations.filter { applied.contains($0) }
  }

  /// All identifiers in the ledger, those that are not registered included; empty in a database without a ledger.
  ///
  /// - Throws: ``DatabaseError`` when the ledger cannot be read; that never looks like an empty one.
  public func appliedIdentifiers(_ db: Database) throws -> Set<String> { try ledger.appliedIdentifiers(db) }

  /// The registered migrations from the first on, up to one that the database does not have.
  public func completedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return Array(migrations.prefix { applied.contains($0) })
  }

  /// Whether the database has all registered migrations.
  public func hasCompletedMigrations(_ db: Database) throws -> Bool {
    try appliedIdentifiers(db).isSuperset(of: migrations)
  }

  /// Whether the database has a migration that this migrator neither knows nor merges: it was migrated by newer code.
  public func hasBeenSuperseded(_ db: Database) throws -> Bool {
    try appliedIdentifiers(db).contains { !knows($0) }
  }

  /// The ledger's entries, in the order of their application.
  package func history(_ db: Database) throws -> [LedgerEntry] { try ledger.entries(db) }

  /// The table in which databases remember this migrator's migrations.
  package var ledger: Ledger { Ledger(table: ledgerTable) }
}
