internal import SQLSyntax

extension DatabaseMigrator {
  /// Takes over the history that another tool has kept in the database, once.
  ///
  /// A database without a ledger of this migrator, or with an empty one, gets its first entries from that history,
  /// in the transaction of the first migration that runs; when none is pending, in a separate one. From then on the
  /// ledger alone counts. Until then, everything that this migrator reports of a database already takes the history
  /// into account. The other tool's table, or number, is left as it is.
  ///
  /// ```swift
  /// var migrator = DatabaseMigrator()
  /// migrator.registerMigration("Create authors") { db in try db.execute(sql: "CREATE TABLE author (name TEXT)") }
  /// migrator.adopt(.grdb)
  /// try migrator.migrate(dbQueue)
  /// ```
  ///
  /// Several histories may be adopted: a migration is applied if any of them says so. An adopted migration that was
  /// changed counts as a schema change as any other does, with one exception: which objects it made is not known, so
  /// that one that it no longer makes goes unnoticed, and a table that no registered migration makes counts as another
  /// program's, for which nothing is erased.
  ///
  /// A history that cannot be understood is refused with ``MigrationError/adoptionRefused(_:)``, by runs and by
  /// whatever reports which migrations are applied.
  public mutating func adopt(_ history: AdoptedHistory) { adopted.append(history) }

  /// The ledger's entries that adopted histories stand for; empty when the ledger has entries already.
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

  /// Resets the user version of a database that was erased, if it stands for applied migrations.
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
