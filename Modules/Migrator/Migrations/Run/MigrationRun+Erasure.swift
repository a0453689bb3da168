internal import SQLSyntax

extension MigrationRun {
  /// Erases the database if its migrations have changed or the caller requests it.
  ///
  /// The check is repeated under the lock that erasing requires.
  func eraseIfDue(_ rebuild: Rebuild) throws {
    // An attempt whose commit lost its answer may have erased the database; the next one then finds no reasons.
    var reasons: [SchemaChangeReason]?
    try reconnecting {
      let entries = try migrator.ownHistory(db)
      hasAdoptedEntries = entries.contains(where: \.isOfUnknownWork)
      guard try rebuild == .always || !migrator.schemaChanges(db, entries).isEmpty else {
        return try migrator.requireAdoptedTables(db, entries)
      }
      try noteForeignKeys()
      try enforceForeignKeys(false)
      try inTransaction { _ in
        let found = try migrator.schemaChanges(db)
        guard rebuild == .always || !found.isEmpty else { return }
        if rebuild == .onSchemaChange {
          try migrator.requireKnown(db)
          try migrator.requireSoleMigrator(db, found)
        }
        try backUp()
        try db.eraseInTransaction()
        try migrator.forgetUserVersion(db)
        reasons = reasons ?? found
      }
    }
    if let reasons { events(.erased(reasons: reasons)) }
  }
}

extension MigrationRun {
  /// Records the differences between a database with an adopted history and the schema that the migrations create, so
  /// that these differences no longer count as schema changes.
  ///
  /// Called at the end of each run, since an object that differed before the run may differ in another way after it.
  func recordAdoptedDifferences() throws {
    guard hasAdoptedEntries || !migrator.adopted.isEmpty, !db.connection.isReadOnly,
      let differences = try migrator.unrecordedDifferences(db)
    else { return }
    let schemaVersion = try db.connection.schemaVersion()
    try inTransaction { _ in
      // If another connection wrote first, the next run records the differences.
      guard try db.connection.schemaVersion() == schemaVersion,
        try migrator.ledger.reduceEntries(db, into: false, { $0 = $0 || $1 == differences.entry })
      else { return }
      try migrator.ledger.setObjects(differences.objects, of: differences.entry.identifier, db)
    }
  }
}

extension DatabaseMigrator {
  /// Throws an error if the database is not used by this migrator alone, and so must not be erased.
  ///
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

  /// Returns the tables that no migration of this migrator created: the user's tables, or those of another program.
  ///
  /// The ledger does not record the objects of adopted migrations. If there are adopted migrations, every table that
  /// the registered migrations create is therefore left out.
  private func tablesOfNoMigration(_ db: Database) throws -> [String] {
    let entries = try history(db, withUnfinished: true)
    var own = try ledger.ownedObjects(db)
    for entry in try unwrittenHistory(db) { entry.objects.apply(to: &own) }
    let schema = try db.connection.schema()
    // At this point all other ledgers contain the entries that this one has adopted.
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

  /// Returns the migrations in this migrator's ledger that seem to belong to another migrator that uses the same
  /// ledger.
  ///
  /// - Throws: ``MigrationError/replayFailed(_:)``; ``DatabaseError``.
  package func migrationsOfAnotherMigrator(_ db: Database) throws -> [String] {
    try entriesOfAnotherMigrator(among: ownHistory(db, withUnfinished: true), db).map(\.identifier)
  }

  /// Returns the entries that seem to belong to another migrator that uses the same ledger.
  ///
  /// An unknown entry belongs to a migration that was removed or renamed, or to another migrator. If a single migrator
  /// adds migrations only at the end, the positions of its entries ascend. The positions of two migrators do not, since
  /// each counts from zero; nor do the positions of a single migrator with migrations inserted between applied ones. If
  /// the positions do not ascend, if migrations were merged, or if no entry is known, the created objects decide: a
  /// migrator whose migrations were renamed still creates the same objects.
  private func entriesOfAnotherMigrator(among all: LedgerEntries, _ db: Database) throws -> [LedgerEntry] {
    let entries = all.filter { $0.position != LedgerEntry.neverRegistered }
    let unknown = entries.filter { !knows($0.identifier) }
    // Entries that are left out cannot be examined.
    guard !unknown.isEmpty, all.omittedCount == 0 else { return unknown }
    let isInDoubt =
      unknown.count == entries.count || !ascend(entries) || entries.contains { !$0.objects.replaced.isEmpty }
      || registered.contains { !$0.mergedIdentifiers.isEmpty }
    return try isInDoubt && !makesWhatWasMade(by: unknown, among: entries, db) ? unknown : []
  }

  /// Returns whether each entry's position is greater than those of earlier entries, ignoring pairs of known entries.
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

  /// Returns whether the registered migrations create all objects that the `unknown` entries created.
  ///
  /// Objects that no longer exist, or that another entry created, are ignored; if no other objects remain, returns
  /// false.
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
