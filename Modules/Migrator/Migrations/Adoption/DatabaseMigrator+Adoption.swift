internal import SQLSyntax

extension DatabaseMigrator {
  /// Adopts, once, the migration history that another tool has recorded in the database.
  ///
  /// If this migrator's ledger does not exist or is empty, its first entries are taken from that history. They are
  /// written in the transaction of the first migration that runs or, if none is pending, in a separate one. From then
  /// on, only the ledger counts. Until then, everything that this migrator reports about the database already includes
  /// the history. The other tool's table, or the user version, remains unchanged.
  ///
  /// ```swift
  /// var migrator = DatabaseMigrator()
  /// migrator.registerMigration("Create authors") { db in try db.execute(sql: "CREATE TABLE author (name TEXT)") }
  /// migrator.adopt(.grdb)
  /// try migrator.migrate(dbQueue)
  /// ```
  ///
  /// If several histories are adopted, a migration counts as applied if at least one of them lists it. A change to an
  /// adopted migration counts as a schema change like any other, with two exceptions. First, the ledger does not record
  /// which objects the migration created. If the migration stops creating one of them, this is not detected. If the
  /// database has a table that no migration creates, the table is taken to belong to another program, and the database
  /// is not erased. Second, differences between the database and the migrations' schema do not count if they existed at
  /// the first run with ``eraseDatabaseOnSchemaChange``.
  ///
  /// If a history is invalid, every run and every method that reports applied migrations throws
  /// ``MigrationError/adoptionRefused(_:)``.
  public mutating func adopt(_ history: AdoptedHistory) { adopted.append(history) }

  /// Returns the ledger entries for the adopted histories; empty if the ledger already has entries.
  func unwrittenHistory(_ db: Database) throws -> [LedgerEntry] {
    try unwrittenEntries(db).map(ledgerEntry)
  }

  /// Returns the known migrations that would be adopted without a comparison of checksums.
  ///
  /// A checksum cannot be compared if the history does not contain one for the migration, or if the migration has no
  /// text.
  package func migrationsAdoptedUnchecked(_ db: Database) throws -> [String] {
    try unwrittenEntries(db).filter { !$0.isCompared && knows($0.version) }.map(\.version)
  }

  /// Returns the registered migrations that another tool's history records as applied, without adopting it; nil if the
  /// history has entries, but they do not map to migrations clearly.
  ///
  /// A migration that merges others counts if the history records one of these.
  package func migrations(recordedIn history: AdoptedHistory, _ db: Database) throws -> Set<String>? {
    let history = history.unmapped(.leaveOut).acceptingEdits()
    do {
      let entries = try ToolHistoryMapping(history, self).entries(history.content(db, ledgerTable: ledgerTable))
      let recorded = Set(entries.map(\.version))
      let found = registered.filter { migration in
        recorded.contains(migration.identifier) || !recorded.isDisjoint(with: migration.mergedIdentifiers)
      }
      return Set(found.map(\.identifier))
    } catch MigrationError.adoptionRefused(.unrecognizedTable) {
      guard let table = try db.object(.table, history.table, nil), !table.isVirtual else { return [] }
      return try Row.fetchOne(db, sql: "SELECT 1 FROM main.\(table.name.quotedIdentifier) LIMIT 1") == nil ? [] : nil
    } catch MigrationError.adoptionRefused {
      return nil
    }
  }

  /// Returns the tables of the tools whose histories the ledger adopted, in ASCII lowercase.
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
