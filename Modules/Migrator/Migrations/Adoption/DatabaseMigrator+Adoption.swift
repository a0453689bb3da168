internal import SQLSyntax

extension DatabaseMigrator {
  /// Adopts the history that another tool has recorded in the database, once.
  ///
  /// If the database has no ledger of this migrator, or an empty one, its first entries come from that history, written
  /// in the transaction of the first migration that runs; if none is pending, in a separate one. From then on, only the
  /// ledger counts. Until then, everything that this migrator reports about the database already includes the
  /// history. The other tool's table, or the user version, remains unchanged.
  ///
  /// ```swift
  /// var migrator = DatabaseMigrator()
  /// migrator.registerMigration("Create authors") { db in try db.execute(sql: "CREATE TABLE author (name TEXT)") }
  /// migrator.adopt(.grdb)
  /// try migrator.migrate(dbQueue)
  /// ```
  ///
  /// If several histories are adopted, a migration is applied if any of them lists it. A change to an adopted
  /// migration counts as a schema change like any other, with two exceptions. First, the ledger
  /// does not record which objects the migration created. If the migration no longer creates one, that is not detected,
  /// and a table that no migration creates counts as another program's, so that the database is not erased. Second, differences between the database and
  /// the migrations' schema do not count if they existed at the first run with ``eraseDatabaseOnSchemaChange``.
  ///
  /// Runs, and all methods that report applied migrations, throw ``MigrationError/adoptionRefused(_:)`` if a history is
  /// invalid.
  public mutating func adopt(_ history: AdoptedHistory) { adopted.append(history) }

  /// Returns the ledger entries for the adopted histories; empty if the ledger already has entries.
  func unwrittenHistory(_ db: Database) throws -> [LedgerEntry] {
    try unwrittenEntries(db).map(ledgerEntry)
  }

  /// Returns the migrations whose texts cannot be compared with checksums in the adopted histories, because there are none.
  package func migrationsAdoptedUnchecked(_ db: Database) throws -> [String] {
    try unwrittenEntries(db).filter { !$0.isCompared && knows($0.version) }.map(\.version)
  }

  /// Returns the tables of the histories that the database's ledger began with, in ASCII lower case.
  package func adoptedTables(_ db: Database) throws -> Set<String> {
    Set(try ledger.adoptedTables(db).map(\.asciiLowercased))
  }

  private func unwrittenEntries(_ db: Database) throws -> [ToolHistoryEntry] {
    guard !adopted.isEmpty, try !ledger.hasEntries(db) else { return [] }
    var entries: [ToolHistoryEntry] = []
    var known: Set<String> = []
    for history in adopted {
      let content = try history.content(db, ledgerTable: ledgerTable)
      let found = try ToolHistoryMapping(history, self).entries(content).filter { known.insert($0.version).inserted }
      let first = entries.count
      entries += found
      guard !found.isEmpty, history.format.isTableOfTool else { continue }
      let tables = try ([history.table] + history.format.companions).filter { try db.connection.columns(in: $0) != nil }
      entries[first].objects = ObjectChanges(adoptedTables: Set(tables)).text
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
