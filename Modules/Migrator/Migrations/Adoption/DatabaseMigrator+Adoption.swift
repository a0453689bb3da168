internal import SQLSyntax

extension DatabaseMigrator {
  /// Adopts the history that another tool has recorded in the database, once.
  ///
  /// If the database has no ledger of this migrator, or an empty one, its first entries come from that history, written
  /// in the transaction of the first migration that runs; if none is pending, in a separate one. From then on, only the
  /// ledger counts. Until then, everything that this migrator reports about the database already includes the
  /// history. The other tool's table, or number, remains unchanged.
  ///
  /// ```swift
  /// var migrator = DatabaseMigrator()
  /// migrator.registerMigration("Create authors") { db in try db.execute(sql: "CREATE TABLE author (name TEXT)") }
  /// migrator.adopt(.grdb)
  /// try migrator.migrate(dbQueue)
  /// ```
  ///
  /// If several histories are adopted, a migration is applied if any of them lists it. A change of an adopted
  /// migration counts as a schema change like any other, with two exceptions. First, the objects that it created are
  /// not recorded: if it no longer creates one of them, that is not detected, and a table that no registered migration
  /// creates counts as another program's, so the database is not erased. Second, differences between the database and
  /// the migrations' schema do not count if they existed at the first run with ``eraseDatabaseOnSchemaChange``.
  ///
  /// Runs, and all methods that report applied migrations, throw ``MigrationError/adoptionRefused(_:)`` if a history is
  /// invalid.
  public mutating func adopt(_ history: AdoptedHistory) { adopted.append(history) }

  /// Returns the ledger entries for the adopted histories; empty if the ledger already has entries.
  func unwrittenHistory(_ db: Database) throws -> [LedgerEntry] {
    guard !adopted.isEmpty, try !ledger.hasEntries(db) else { return [] }
    var entries: [LedgerEntry] = []
    var known: Set<String> = []
    for history in adopted {
      let content = try history.content(db, ledgerTable: ledgerTable)
      for entry in try ToolHistoryMapping(history, self).entries(content) where known.insert(entry.version).inserted {
        entries.append(ledgerEntry(entry))
      }
    }
    return entries
  }

  /// Resets the user version of an erased database, if an adopted history uses it to record applied migrations.
  func forgetUserVersion(_ db: Database) throws {
    guard adopted.contains(where: { $0.format == .userVersion }) else { return }
    try db.setUserVersion(0)
  }

  private func ledgerEntry(_ entry: ToolHistoryEntry) -> LedgerEntry {
    let index = index(of: entry.version)
    return LedgerEntry(
      identifier: entry.version, position: index ?? LedgerEntry.neverRegistered,
      appliedAt: entry.appliedAt ?? Ledger.now, duration: .zero, fingerprint: nil,
      checksum: index.flatMap { registered[$0].checksum }, objectsText: entry.objects ?? "")
  }
}
