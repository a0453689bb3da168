internal import SQLSyntax

extension DatabaseMigrator {
  /// Returns whether the database no longer matches its migrations; see ``schemaChanges(_:)-(Database)``.
  public func hasSchemaChanges(_ db: Database) throws -> Bool { try !schemaChanges(db).isEmpty }

  /// Returns the reasons why the database no longer matches its migrations; empty if it matches.
  ///
  /// Runs the applied migrations again on an empty scratch database of the same engine, and compares the schemas
  /// by their meaning. Objects that no migration created do not count. Nothing is written to the database.
  ///
  /// In a database whose history was adopted, differences that existed at the time of adoption do not count, because
  /// the migrations have not changed. A run with ``eraseDatabaseOnSchemaChange`` records these differences; before the
  /// first such run, objects that differ from the migrations' schema do not count.
  ///
  /// - Throws: ``MigrationError/replayFailed(_:)`` if a migration fails on the scratch database; ``DatabaseError``.
  public func schemaChanges(_ db: Database) throws -> [SchemaChangeReason] {
    try comparison(db, ownHistory(db)).reasons
  }

  /// The result of a comparison between a database and its migrations.
  struct Comparison {
    var reasons: [SchemaChangeReason] = []
    /// Digests of the rows that the migrations insert now; nil if none are recorded in the ledger, or if they were not compared.
    var rows: RowDigests?
    /// The tables whose rows turned out to differ at each replay.
    var unstableTables: [String] = []
  }

  func comparison(_ db: Database, _ entries: [LedgerEntry]) throws -> Comparison {
    let schema = try db.connection.schema()
    guard entries.contains(where: \.isOfUnknownWork) else {
      let known = historyChanges(entries)
      guard known.isEmpty else { return Comparison(reasons: known) }
      let recorded = entries.last?.objects.rows
      let start = Int(secondsSince1970())
      let (differences, rows) = try differences(entries, db, schema, withRows: recorded != nil)
      guard differences.isEmpty, let recorded, let rows else { return Comparison(reasons: differences.map(\.reason)) }
      return try rowComparison(db, entries, recorded, rows, since: start)
    }
    let reasons = historyChanges(entries)
    guard reasons.isEmpty, let differing = entries.last?.objects.differing else { return Comparison(reasons: reasons) }
    let differences = try differences(entries, db, schema).objects
    return Comparison(reasons: differences.filter { differing[$0.object] != $0.digest }.map(\.reason))
  }

  /// Compares the rows that the migrations insert now with those that they inserted when digests were recorded.
  ///
  /// If they differ, replays the migrations again: tables whose rows differ from one replay to the next do not count.
  private func rowComparison(
    _ db: Database, _ entries: [LedgerEntry], _ recorded: RowDigests, _ rows: RowDigests, since start: Int
  ) throws -> Comparison {
    var rows = rows
    rows.leaveOut(recorded.leftOut)
    guard !recorded.changes(to: rows).isEmpty else { return Comparison(rows: rows) }
    // Rows that depend on the time differ only if the clock has moved on; most functions return whole seconds.
    while Int(secondsSince1970()) == start {
      try db.checkCancellation()
      LockWait.pause()
    }
    let unstable = rows.changes(to: try replayed(db, migrations(of: entries), withRows: true).rows ?? rows)
    rows.leaveOut(unstable)
    return Comparison(
      reasons: recorded.changes(to: rows).map { .differentRows(table: $0) }, rows: rows, unstableTables: unstable)
  }

  func migrations(of entries: [LedgerEntry]) -> [Migration] {
    entries.compactMap { entry in index(of: entry.identifier).map { registered[$0] } }
  }

  /// Returns the reasons why the database does not match its migrations, including differences that already existed
  /// when another tool's history was adopted.
  package func differencesFromMigrations(_ db: Database) throws -> [SchemaChangeReason] {
    let entries = try ownHistory(db)
    guard entries.contains(where: \.isOfUnknownWork) else { return try comparison(db, entries).reasons }
    let known = historyChanges(entries)
    return try known.isEmpty ? differences(entries, db, db.connection.schema()).objects.map(\.reason) : known
  }

  /// Returns the differences between a database and the schema that its applied migrations create, and on request digests of
  /// the rows that they insert.
  private func differences(
    _ entries: [LedgerEntry], _ db: Database, _ schema: SchemaSnapshot, withRows: Bool = false
  ) throws -> (objects: [ObjectDifference], rows: RowDigests?) {
    guard !entries.isEmpty else { return ([], nil) }
    // Migrations that a pending one replaces can no longer be replayed, so nothing can be compared before it has
    // run.
    guard entries.allSatisfy({ index(of: $0.identifier) != nil }) else { return ([], nil) }
    let replay = try replayed(db, migrations(of: entries), withRows: withRows)
    let differences = objectDifferences(
      schema, owned: entries.reduce(into: []) { $1.objects.apply(to: &$0) }, expected: replay.schema)
    return (differences, replay.rows)
  }

  /// Returns the differences to record in the ledger of a database with an adopted history, and the entry in which to
  /// record them; nil if there is nothing to record.
  func unrecordedDifferences(_ db: Database) throws -> (entry: LedgerEntry, objects: ObjectChanges)? {
    let entries = try ownHistory(db)
    guard let last = entries.last, last.objects.differing == nil, entries.contains(where: \.isOfUnknownWork) else {
      return nil
    }
    var objects = last.objects
    do {
      let differences = try differences(entries, db, db.connection.schema()).objects
      objects.differing = Dictionary(differences.map { ($0.object, $0.digest) }, uniquingKeysWith: { $1 })
    } catch MigrationError.replayFailed {
      // Migrations that require existing rows cannot be compared.
      return nil
    }
    return (last, objects)
  }

  /// Throws an error if a database with an adopted history lacks tables that the migrations create, and contains other
  /// programs' tables instead.
  func requireAdoptedTables(_ db: Database, _ entries: [LedgerEntry]) throws {
    guard entries.contains(where: \.isOfUnknownWork), entries.last?.objects.differing == nil else { return }
    let missing = try differencesFromMigrations(db).filter {
      if case .missingObject(.table, _) = $0 { true } else { false }
    }
    if !missing.isEmpty { try requireSoleMigrator(db, missing) }
  }

  /// Returns the reasons that can be found in the ledger alone.
  private func historyChanges(_ entries: [LedgerEntry]) -> [SchemaChangeReason] {
    var reasons: [SchemaChangeReason] = []
    var applied: [(index: Int, entry: LedgerEntry)] = []
    var highestIndex = -1
    for entry in entries {
      guard let index = index(of: entry.identifier) else {
        if !knows(entry.identifier), entry.position != LedgerEntry.neverRegistered {
          reasons.append(.unknownMigration(identifier: entry.identifier))
        }
        continue
      }
      if registered[index].isEdited(since: entry.checksum) {
        reasons.append(.edited(identifier: entry.identifier))
      }
      // A migration that was registered between others and applied after them has not moved. One that was registered
      // after them at that time, and is now registered before them, has.
      if index < highestIndex,
        let overtaken = applied.first(where: { $0.index > index && $0.entry.position < entry.position })
      {
        reasons.append(.reordered(identifier: entry.identifier, before: overtaken.entry.identifier))
      }
      highestIndex = max(highestIndex, index)
      applied.append((index, entry))
    }
    return reasons
  }

  /// Runs migrations on an empty scratch database, in the given order, and returns the schema and, on request, digests
  /// of the rows; if one fails, throws ``MigrationError/replayFailed(_:)``.
  func replayed(
    _ db: Database, _ migrations: [Migration], withRows: Bool = false
  ) throws -> (schema: SchemaSnapshot, rows: RowDigests?) {
    try replaying(migrations, like: db) { replay, scratch in
      do {
        try replay.run(scratch, mayErase: false)
      } catch MigrationError.failed(let failure) {
        throw MigrationError.replayFailed(failure)
      }
      return try scratch.read { db in
        (try db.connection.schema(), withRows ? try RowDigests(db, besides: ownTables) : nil)
      }
    }
  }

  /// Returns the differences between a database and its expected schema, ignoring ledgers and other migrators' objects.
  package func differences(of db: Database, from expected: SchemaSnapshot) throws -> [SchemaChangeReason] {
    let actual = try db.connection.schema()
    let ledgers = Set(actual.ledgerTables)
    var owned = Set(actual.objects.filter { !ledgers.contains($0.tableName) }.map(SchemaObject.Name.init))
    let theirs = try OtherLedgers(besides: ledger, db).ownedObjects(db)
    if !theirs.isEmpty { owned.subtract(theirs.subtracting(try ledger.ownedObjects(db))) }
    return objectDifferences(actual, owned: owned, expected: expected).map(\.reason)
  }

  /// Returns the objects that a database lacks or defines differently, and the leftover objects that the expected
  /// schema does not contain.
  ///
  /// - Parameter owned: The objects that migrations created: only these can be leftover objects. Evaluated only if the
  ///   database has objects that the expected schema lacks, which saves 7 % of the check (workload W7 of Tools/benchmark).
  func objectDifferences(
    _ actual: SchemaSnapshot, owned: @autoclosure () -> Set<SchemaObject.Name>, expected: SchemaSnapshot
  ) -> [ObjectDifference] {
    let difference = SchemaDifference(from: actual, to: expected, leavingOut: [ledgerTable])
    var found = difference.made.map { object in
      ObjectDifference(.missingObject(kind: object.kind, name: object.name), object, expected)
    }
    found += difference.changed.map { change in
      let (object, expectedSQL, actualSQL) = (change.after, change.after.sql ?? "", change.before.sql ?? "")
      return ObjectDifference(
        .differentObject(kind: object.kind, name: object.name, expectedSQL: expectedSQL, actualSQL: actualSQL), object,
        expected)
    }
    found.sort { $0.object < $1.object }
    guard !difference.removed.isEmpty else { return found }
    let owned = owned()
    for object in difference.removed where owned.contains(SchemaObject.Name(object)) {
      found.append(ObjectDifference(.leftoverObject(kind: object.kind, name: object.name), object, nil))
    }
    return found
  }
}

/// An object that differs between a database and the schema that its migrations create.
struct ObjectDifference {
  let object: SchemaObject.Name
  let reason: SchemaChangeReason
  /// A digest of the definition that the migrations give the object; zeros if they do not create it.
  ///
  /// Compared with the digests in ledgers, so it must never change.
  let digest: String

  init(_ reason: SchemaChangeReason, _ object: SchemaObject, _ schema: SchemaSnapshot?) {
    self.reason = reason
    self.object = SchemaObject.Name(object)
    let length = 32
    guard let schema, let sql = object.sql else {
      digest = String(repeating: "0", count: length)
      return
    }
    let definition = SQLNormalization.canonicalText(of: schema.canonicalDefinition(sql))
    let text = "\(self.object.kind.rawValue) \(self.object.name)\n\(definition)"
    digest = String(SHA256.hexadecimal(of: Array(text.utf8)).prefix(length))
  }
}

extension DatabaseMigrator {
  /// Runs `body` with a migrator that has only the given migrations, and an empty scratch database of the same engine.
  func replaying<Value>(
    _ migrations: [Migration], like db: Database, _ body: (DatabaseMigrator, DatabaseQueue) throws -> Value
  ) throws -> Value {
    var replay = DatabaseMigrator(ledgerTable: ledgerTable)
    for migration in migrations { replay.register(migration) }
    return try db.withScratch(label: "scratch database") { scratch in try body(replay, scratch) }
  }
}

extension Database {
  /// Runs a closure with an empty scratch database of the same engine and settings as this database.
  ///
  /// Interrupting this database also interrupts the scratch database, which is confined: see ``confine()``. It trusts
  /// its schema, even if this database does not: the migrations that it runs are the caller's.
  package func withScratch<Value>(label: String, _ body: (DatabaseQueue) throws -> Value) throws -> Value {
    let scratch = try openScratch(label: label)
    // Empties a scratch database on a server.
    return try ending(with: { try scratch.close() }) { try body(scratch) }
  }

  /// Opens a scratch database, which the caller closes; see ``withScratch(label:_:)``.
  func openScratch(label: String) throws -> DatabaseQueue {
    var configuration = configuration
    configuration.readonly = false
    configuration.journalMode = nil
    configuration.label = label
    let scratch = try DatabaseQueue(backend.scratch(), configuration: configuration)
    try scratch.writeWithoutTransaction { $0.confine() }
    interrupter.add(scratch) { [weak scratch] in scratch?.interrupt() }
    return scratch
  }
}
