internal import SQLSyntax

extension MigrationRun {
  /// Erases the database if that is due.
  ///
  /// The check is repeated under the lock that the erasing needs.
  func eraseIfDue(_ rebuild: Rebuild) throws {
    let entries = try migrator.withoutTakenOver(migrator.history(db), db)
    hasAdoptedEntries = entries.contains(where: \.isOfUnknownWork)
    guard try rebuild == .always || !migrator.schemaChanges(db, entries).isEmpty else {
      return try migrator.requireAdoptedTables(db, entries)
    }
    let reasons: [SchemaChangeReason]? = try db.withoutForeignKeys {
      try inTransaction { _ in
        let reasons = try migrator.schemaChanges(db)
        guard rebuild == .always || !reasons.isEmpty else { return nil }
        if rebuild == .onSchemaChange {
          try migrator.requireKnown(migrator.appliedIdentifiers(db), db)
          try migrator.requireSoleMigrator(db, reasons)
        }
        try backUp()
        try db.eraseInTransaction()
        try migrator.forgetUserVersion(db)
        return reasons
      }
    }
    if let reasons { events(.erased(reasons: reasons)) }
  }
}

extension MigrationRun {
  /// Records in what a database with an adopted history differs from what the migrations make, so that from now on only
  /// a change of these counts.
  ///
  /// At the end of each run, since what it applied to such objects differs as they do.
  func recordAdoptedDifferences() throws {
    guard hasAdoptedEntries || !migrator.adopted.isEmpty, !db.connection.isReadOnly,
      let differences = try migrator.unrecordedDifferences(db)
    else { return }
    let schemaVersion = try db.connection.schemaVersion()
    try inTransaction { _ in
      // Another connection may have come first; then the next run records.
      guard try db.connection.schemaVersion() == schemaVersion,
        try migrator.ledger.entries(db).contains(differences.entry)
      else { return }
      try migrator.ledger.setObjects(differences.objects, of: differences.entry.identifier, db)
    }
  }
}

extension DatabaseMigrator {
  /// Refuses to erase a database that is not this migrator's alone.
  /// - Throws: ``MigrationError/erasureRefused(_:)``; ``MigrationError/replayFailed(_:)``; ``DatabaseError``.
  func requireSoleMigrator(_ db: Database, _ reasons: [SchemaChangeReason]) throws {
    let others = try otherLedgers(db)
    guard others.isEmpty else {
      throw MigrationError.erasureRefused(.otherMigrators(ledgerTable: ledgerTable, others: others, reasons: reasons))
    }
    let shared = try migrationsOfAnotherMigrator(db)
    guard shared.isEmpty else {
      throw MigrationError.erasureRefused(.sharedLedger(ledgerTable: ledgerTable, unknown: shared, reasons: reasons))
    }
    let tables = try tablesOfNoMigration(db)
    guard tables.isEmpty else {
      throw MigrationError.erasureRefused(.otherTables(ledgerTable: ledgerTable, tables: tables, reasons: reasons))
    }
  }

  /// The tables that no migration of this migrator made: the user's, or of a program that keeps no record of its work.
  ///
  /// What adopted migrations made is not known; where there are any, what the registered ones make counts as their work.
  private func tablesOfNoMigration(_ db: Database) throws -> [String] {
    let entries = try history(db, withUnfinished: true)
    var own: Set<SchemaObject.Name> = []
    for entry in entries { entry.objects.apply(to: &own) }
    let schema = try db.connection.schema()
    // At this point all other ledgers hold what this one has taken over.
    let histories = adopted.filter { $0.format != .userVersion }.map(\.table)
    let records = Set((schema.ledgerTables + histories + [Self.developmentMark]).map(\.asciiLowercased))
    func others() -> [String] {
      schema.objects.filter { object in
        guard object.kind == .table, let (name, _) = object.definition(leavingOut: ledgerTable.asciiLowercased) else {
          return false
        }
        return !own.contains(name) && !records.contains(name.name)
      }
      .map(\.name)
    }
    guard !others().isEmpty, entries.contains(where: \.isOfUnknownWork) else { return others() }
    own.formUnion(try expectedSchema(db, registered).definitions(leavingOut: ledgerTable).keys)
    return others()
  }

  /// The migrations in this migrator's ledger that seem to be of another migrator, which uses the same one.
  ///
  /// - Throws: ``MigrationError/replayFailed(_:)``; ``DatabaseError``.
  package func migrationsOfAnotherMigrator(_ db: Database) throws -> [String] {
    try entriesOfAnotherMigrator(among: withoutTakenOver(history(db, withUnfinished: true), db), db).map(\.identifier)
  }

  /// The entries that seem to be of another migrator, which uses the same ledger.
  ///
  /// An entry that is not known is of a migration that was removed or renamed, or of another migrator. One migrator that
  /// adds migrations after others leaves entries whose positions ascend. Two of them, each of which counts from zero,
  /// do not; nor does one whose migrations were inserted among applied ones, and there the doubt counts. Where one of
  /// either has merged anything, the entry that would show it may be gone. Where there is doubt, or where no entry is known
  /// at all, what was made decides: a migrator whose migrations were renamed still makes it.
  private func entriesOfAnotherMigrator(among entries: [LedgerEntry], _ db: Database) throws -> [LedgerEntry] {
    let entries = entries.filter { $0.position != LedgerEntry.neverRegistered }
    let unknown = entries.filter { !knows($0.identifier) }
    guard !unknown.isEmpty else { return [] }
    let isInDoubt =
      unknown.count == entries.count || !ascend(entries) || entries.contains { !$0.objects.replaced.isEmpty }
      || registered.contains { !$0.mergedIdentifiers.isEmpty }
    return try isInDoubt && !makesWhatWasMade(by: unknown, among: entries, db) ? unknown : []
  }

  /// Whether each entry's position is greater than those of the entries before it, pairs of known ones aside.
  private func ascend(_ entries: [LedgerEntry]) -> Bool {
    var (highest, highestUnknown) = (-1, -1)
    for entry in entries {
      let isKnown = knows(entry.identifier)
      guard entry.position > (isKnown ? highestUnknown : highest) else { return false }
      highest = max(highest, entry.position)
      if !isKnown { highestUnknown = max(highestUnknown, entry.position) }
    }
    return true
  }

  /// Whether the registered migrations make all that some entries made, as far as it is still there and no other entry
  /// made it; false when there is no such object.
  private func makesWhatWasMade(by unknown: [LedgerEntry], among entries: [LedgerEntry], _ db: Database) throws -> Bool
  {
    var made: Set<SchemaObject.Name> = []
    for entry in unknown { entry.objects.apply(to: &made) }
    for entry in entries where knows(entry.identifier) { made.subtract(entry.objects.made) }
    made.formIntersection(try db.connection.schema().definitions(leavingOut: ledgerTable).keys)
    guard !made.isEmpty else { return false }
    return made.isSubset(of: try expectedSchema(db, registered).definitions(leavingOut: ledgerTable).keys)
  }
}
