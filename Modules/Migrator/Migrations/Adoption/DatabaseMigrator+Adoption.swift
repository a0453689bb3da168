internal import SQLSyntax

extension DatabaseMigrator {
  /// Takes over the history that another tool has kept in the database, once.
  ///
  /// A database without a ledger of this migrator, or with an empty one, gets its first entries from that history,
  /// in the transaction of the first migration that runs; when none is pending, in one of its own. From then on the
  /// ledger alone counts. Until then, everything that this migrator tells of a database already takes the history
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
  /// that one that it does not make any more goes unnoticed, and a table that no registered migration makes is taken for
  /// somebody else's, for which nothing is erased.
  ///
  /// A history that cannot be understood is refused with ``MigrationError/adoptionRefused(_:)``, by runs and by
  /// whatever tells which migrations are applied.
  public mutating func adopt(_ history: AdoptedHistory) { adopted.append(history) }

  /// Writes adopted histories into the ledger without running a migration; does nothing when the ledger has entries.
  ///
  /// - Throws: ``MigrationError/adoptionRefused(_:)``; ``DatabaseError``.
  package func takeOverHistory(_ writer: any DatabaseWriter) throws {
    try writer.barrierWriteWithoutTransaction { db in try RunContext(self, on: db, events: { _ in }).adoptHistory() }
  }

  /// The ledger's entries that adopted histories stand for; empty when the ledger has entries already.
  ///
  /// - Throws: ``MigrationError/adoptionRefused(_:)``; ``DatabaseError``.
  func unwrittenHistory(_ db: Database) throws -> [LedgerEntry] {
    guard !adopted.isEmpty, try !ledger.hasEntries(db) else { return [] }
    var entries: [LedgerEntry] = []
    var known: Set<String> = []
    for history in adopted {
      let content = try history.content(db, ledgerTable: ledgerTable)
      for entry in try HistoryMapping(history, self).entries(content) where known.insert(entry.version).inserted {
        entries.append(ledgerEntry(entry))
      }
    }
    return entries
  }

  /// Makes the ledger if it is not there, with the entries of adopted histories, within the open transaction.
  func openLedger(_ db: Database) throws {
    let history = try unwrittenHistory(db)
    try ledger.create(db)
    try ledger.make(history.map { Ledger.Change(entry: $0) }, db)
  }

  /// Takes back the user version of a database that was erased, if it stands for applied migrations.
  func forgetUserVersion(_ db: Database) throws {
    guard adopted.contains(where: { $0.format == .userVersion }) else { return }
    try db.setUserVersion(0)
  }

  private func ledgerEntry(_ entry: ForeignEntry) -> LedgerEntry {
    let index = index(of: entry.version)
    return LedgerEntry(
      identifier: entry.version, position: index ?? LedgerEntry.neverRegistered,
      appliedAt: entry.appliedAt ?? Ledger.now, duration: .zero, fingerprint: nil,
      checksum: index.flatMap { registered[$0].checksum }, objects: entry.objects ?? ObjectChanges().text)
  }
}

extension LedgerEntry {
  /// The position of an entry that was not registered when it came into the ledger, so that it has not been removed or
  /// renamed since.
  static let neverRegistered = -1
}

extension Ledger {
  /// Whether the ledger has entries, those of migrations that began and did not end included.
  func hasEntries(_ db: Database) throws -> Bool {
    guard try exists(db) else { return false }
    return try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT * FROM main.\(table.quotedIdentifier))") ?? false
  }
}

extension RunContext {
  /// Writes the entries of adopted histories that no migration wrote because none was pending.
  ///
  /// A connection that cannot write goes on without: the histories are still there for those that can.
  func adoptHistory() throws {
    guard !migrator.adopted.isEmpty, !db.connection.isReadOnly else { return }
    guard try lock.retrying(db, { try !migrator.unwrittenHistory(db).isEmpty }) else { return }
    try begin()
    do {
      // Only now can nobody else adopt them any more.
      try migrator.openLedger(db)
      try commit()
    } catch {
      abandon()
      throw error
    }
  }
}
