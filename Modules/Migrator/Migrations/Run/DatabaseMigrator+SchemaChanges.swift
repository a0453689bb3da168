internal import SQLSyntax

extension DatabaseMigrator {
  /// Whether the database no longer matches its migrations; see ``schemaChanges(_:)``.
  public func hasSchemaChanges(_ db: Database) throws -> Bool { try !schemaChanges(db).isEmpty }

  /// Why the database no longer matches its migrations; empty when it does.
  ///
  /// The applied migrations are run again on an empty scratch database of the same engine, and the schemas compared
  /// by their meaning. Objects that no migration made do not count. Nothing is written to the database.
  ///
  /// - Throws: ``MigrationError/replayFailed(_:)`` when a migration fails on the scratch database; ``DatabaseError``.
  public func schemaChanges(_ db: Database) throws -> [SchemaChangeReason] {
    let entries = try withoutTakenOver(history(db), db)
    let known = historyChanges(entries)
    guard known.isEmpty, !entries.isEmpty else { return known }
    // Migrations that a pending one replaces can no longer be replayed, so that nothing can be compared before it
    // has run.
    guard entries.allSatisfy({ index(of: $0.identifier) != nil }) else { return [] }
    var owned: Set<SchemaObject.Name> = []
    for entry in entries { entry.objects.apply(to: &owned) }
    let migrations = entries.compactMap { entry in index(of: entry.identifier).map { registered[$0] } }
    let schema = try db.connection.schema()
    return try schemaDifferences(db, schema, owned: owned, expected: expectedSchema(db, migrations))
  }

  /// The reasons that the ledger alone shows.
  private func historyChanges(_ entries: [LedgerEntry]) -> [SchemaChangeReason] {
    var reasons: [SchemaChangeReason] = []
    var applied: [LedgerEntry] = []
    for entry in entries {
      guard let index = index(of: entry.identifier) else {
        if !knows(entry.identifier), entry.position != LedgerEntry.neverRegistered {
          reasons.append(.unknownMigration(identifier: entry.identifier))
        }
        continue
      }
      if let checksum = registered[index].checksum, let old = entry.checksum, checksum != old {
        reasons.append(.edited(identifier: entry.identifier))
      }
      // A migration that was registered between others and applied after them is no change: at that time it was
      // registered before them already. One that was registered after them then, and before them now, has moved.
      let overtaken = applied.first { other in
        guard let otherIndex = self.index(of: other.identifier) else { return false }
        return otherIndex > index && other.position < entry.position
      }
      if let overtaken {
        reasons.append(.reordered(identifier: entry.identifier, before: overtaken.identifier))
      }
      applied.append(entry)
    }
    return reasons
  }

  /// The schema that applied migrations make on an empty database, in the order in which they were applied.
  func expectedSchema(_ db: Database, _ applied: [Migration]) throws -> SchemaSnapshot {
    let origin = SchemaMemory.Origin(identifiers: applied.map(\.identifier), engine: db.engine, label: db.backend.label)
    if let schema = memory.expectedSchema(origin) { return schema }
    let schema = try replaying(applied, like: db) { replay, scratch in
      do {
        try replay.run(scratch, rebuilding: .never)
      } catch MigrationError.failed(let failure) {
        throw MigrationError.replayFailed(failure)
      }
      return try scratch.read { try $0.connection.schema() }
    }
    memory.remember(schema, madeBy: origin)
    return schema
  }

  /// In what a database differs from the schema that it should have, ledgers and what other migrators made left out.
  package func differences(of db: Database, from expected: SchemaSnapshot) throws -> [SchemaChangeReason] {
    let actual = try db.connection.schema()
    let ledgers = Set(actual.ledgerTables)
    var owned = Set(actual.objects.filter { !ledgers.contains($0.tableName) }.map(SchemaObject.Name.init))
    let theirs = try OtherLedgers(besides: ledger, db).ownedObjects
    if !theirs.isEmpty { owned.subtract(theirs.subtracting(try ledger.ownedObjects(db))) }
    return schemaDifferences(db, actual, owned: owned, expected: expected)
  }

  /// What a database lacks of a schema, or has otherwise, or has left of migrations.
  ///
  /// - Parameter owned: The objects that migrations made; others may be there without being in the schema.
  func schemaDifferences(
    _ db: Database, _ actual: SchemaSnapshot, owned: Set<SchemaObject.Name>, expected: SchemaSnapshot
  ) -> [SchemaChangeReason] {
    let difference = SchemaDifference(
      from: actual, to: expected, leavingOut: [ledgerTable], canonical: db.connection.canonicalDefinition)
    var found: [(name: SchemaObject.Name, reason: SchemaChangeReason)] = difference.made.map { object in
      (SchemaObject.Name(object), .missingObject(kind: object.kind, name: object.name))
    }
    found += difference.changed.map { change in
      let (object, expectedSQL, actualSQL) = (change.after, change.after.sql ?? "", change.before.sql ?? "")
      return (
        SchemaObject.Name(object),
        .differentObject(kind: object.kind, name: object.name, expectedSQL: expectedSQL, actualSQL: actualSQL)
      )
    }
    var reasons = found.sorted { $0.name < $1.name }.map(\.reason)
    for object in difference.removed where owned.contains(SchemaObject.Name(object)) {
      reasons.append(.leftoverObject(kind: object.kind, name: object.name))
    }
    return reasons
  }

  /// Runs `body` with a migrator of some migrations and an empty scratch database, of the same engine and settings.
  func replaying<Value>(
    _ migrations: [Migration], like db: Database, _ body: (DatabaseMigrator, DatabaseQueue) throws -> Value
  ) throws -> Value {
    var replay = DatabaseMigrator(ledgerTable: ledgerTable)
    for migration in migrations { replay.register(migration) }
    let scratch = try db.openScratch(label: "scratch database")
    let value = try body(replay, scratch)
    try scratch.close()
    return value
  }
}

extension Database {
  /// Opens an empty scratch database, of the same engine and settings as this one.
  func openScratch(label: String) throws -> DatabaseQueue {
    var configuration = configuration
    configuration.readonly = false
    configuration.journalMode = nil
    configuration.label = label
    let scratch = try DatabaseQueue(backend.scratch(), configuration: configuration)
    interrupter.add(scratch) { [weak scratch] in scratch?.interrupt() }
    return scratch
  }

  /// The difference between an earlier schema and the current one, a ledger left out.
  package func schemaDifference(since before: SchemaSnapshot, leavingOut ledgerTable: String) throws -> SchemaDifference
  {
    SchemaDifference(
      from: before, to: try connection.schema(), leavingOut: [ledgerTable], canonical: connection.canonicalDefinition)
  }

  /// Whether two definitions mean the same, whitespace, comments and the way of quoting aside.
  package func isSameDefinition(_ one: String, _ other: String) -> Bool {
    one == other || connection.canonicalDefinition(one) == connection.canonicalDefinition(other)
  }
}
