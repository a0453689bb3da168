extension DatabaseMigrator {
  /// Marks migrations as applied without running them, in a database that already has the schema that they create.
  ///
  /// Runs the migrations on an empty scratch database of the same engine, and compares the schemas by their meaning.
  /// Objects that no migration creates are ignored. An object that a migration after the target creates is a difference.
  /// The effect of migrations on rows is not compared. If all of the migrations are already applied, nothing is done. A
  /// database that has a history needs a target; the migrations up to it that the history lacks are then marked.
  ///
  /// - Parameter target: The last migration to mark as applied; nil for all.
  /// - Throws: ``MigrationError/baselineRefused(_:)``; ``MigrationError/unknownTarget(_:)``; ``DatabaseError``. In
  ///   these cases, the database is unchanged.
  public func baseline(_ writer: any DatabaseWriter, upTo target: String? = nil) throws {
    try writer.barrierWriteWithoutTransaction { db in try baseline(on: db, upTo: target) }
  }

  /// Marks migrations as applied, as the synchronous method does; throws `CancellationError` if the task was
  /// canceled.
  public func baseline(_ writer: any DatabaseWriter, upTo target: String? = nil) async throws {
    try await writer.barrierWriteWithoutTransaction { db in try baseline(on: db, upTo: target) }
  }

  /// Marks migrations as applied even if the schema differs.
  package func baselineAcceptingDifferences(_ writer: any DatabaseWriter, upTo target: String?) throws {
    try writer.barrierWriteWithoutTransaction { db in try baseline(on: db, upTo: target, acceptsDifferences: true) }
  }

  /// Returns the last migration that can be the target of a baseline; nil if there is none.
  ///
  /// Runs the migrations on a scratch database, and compares the schema after each of them.
  package func baselineTarget(_ db: Database) throws -> String? {
    let actual = try db.connection.schema()
    let count = try replaying(registered, like: db) { replay, scratch in
      var count = 0
      for (index, identifier) in migrations.enumerated() {
        do {
          try replay.run(scratch, upTo: identifier)
        } catch {
          // A migration that requires existing rows fails here; it and the later ones are ignored.
          if let interruption = error.interruption { throw interruption }
          break
        }
        let expected = try scratch.read { try $0.connection.schema() }
        if objectDifferences(actual, owned: [], expected: expected).isEmpty { count = index + 1 }
      }
      return count
    }
    guard count > 0 else { return nil }
    let last = migrations[count - 1]
    do {
      try require(BaselineSchema(self, count: count, like: db), last: last, db)
      return last
    } catch MigrationError.baselineRefused {
      return nil
    }
  }

  func baseline(on db: Database, upTo target: String?, acceptsDifferences: Bool = false) throws {
    guard !db.isInsideTransaction else { throw MigrationError.insideTransaction }
    let count = try target.map { try place(ofTarget: $0) + 1 } ?? registered.count
    let run = MigrationRun(self, on: db)
    guard let last = registered.prefix(count).last?.identifier,
      try run.waitingForLock({ try needsBaseline(db, migrations.prefix(count), isAimed: target != nil) })
    else { return }
    let expected = try BaselineSchema(self, count: count, like: db)
    try run.reconnecting {
      try run.inTransaction { _ in
        // Checked again: only under the lock is it certain that no other connection migrates the database or changes its
        // schema.
        guard try needsBaseline(db, migrations.prefix(count), isAimed: target != nil) else { return }
        if !acceptsDifferences { try require(expected, last: last, db) }
        try ledger.create(db)
        let applied = try appliedIdentifiers(db)
        let entries = expected.entries.filter { !applied.contains($0.identifier) }
        try ledger.write(entries.map { Ledger.NewEntry(entry: $0) }, db)
      }
    }
  }

  /// Returns whether migrations are to be marked, of which the caller may have named the last one (`isAimed`); throws if
  /// the database has a history of which it is not clear that they belong to it.
  private func needsBaseline(_ db: Database, _ identifiers: ArraySlice<String>, isAimed: Bool) throws -> Bool {
    let applied = try appliedIdentifiers(db)
    if applied.isSuperset(of: identifiers) { return false }
    let hasLedger = try ledger.hasEntries(db)
    guard hasLedger ? isAimed && applied.isSubset(of: migrations) : applied.isEmpty else {
      throw MigrationError.baselineRefused(.alreadyMigrated(applied: applied.sorted()))
    }
    return true
  }

  private func require(_ expected: BaselineSchema, last: String, _ db: Database) throws {
    let reasons = try objectDifferences(db.connection.schema(), owned: [], expected: expected.schema).map(\.reason)
    guard reasons.isEmpty else { throw MigrationError.baselineRefused(.schemaDiffers(last: last, reasons: reasons)) }
    let actual = Set(try db.connection.schema().definitions(leavingOut: ledgerTable).keys)
    for later in expected.later {
      let objects = later.objects.made.intersection(actual).subtracting(expected.made)
      guard objects.isEmpty else {
        throw MigrationError.baselineRefused(
          .schemaBeyond(
            last: last, migration: later.identifier,
            objects: objects.sorted().map { "\($0.kind.rawValue) \"\($0.name)\"" }))
      }
    }
  }
}

/// The schema that migrations create in an empty database.
private struct BaselineSchema {
  /// The schema after the last migration to mark.
  let schema: SchemaSnapshot
  let entries: [LedgerEntry]
  let made: Set<SchemaObject.Name>
  /// The ledger entries of the later migrations, up to the first one that failed on the scratch database.
  let later: [LedgerEntry]

  /// Runs the migrations on a scratch database; the first `count` of them are the ones to mark.
  init(_ migrator: DatabaseMigrator, count: Int, like db: Database) throws {
    let last = migrator.registered[count - 1].identifier
    let tried = try migrator.replaying(migrator.registered, like: db) { replay, scratch in
      do {
        try replay.run(scratch, upTo: last)
      } catch MigrationError.failed(let failure) {
        if let interruption = failure.underlying.interruption { throw interruption }
        throw MigrationError.baselineRefused(.replayFailed(failure))
      }
      let then = try scratch.read { try (schema: $0.connection.schema(), entries: replay.history($0)) }
      do {
        try replay.run(scratch)
      } catch {
        // A migration that requires existing rows fails here; it and the later ones are ignored.
        if let interruption = error.interruption { throw interruption }
      }
      return (then: then, all: try scratch.read { try replay.history($0) })
    }
    schema = tried.then.schema
    made = Set(schema.definitions(leavingOut: migrator.ledgerTable).keys)
    entries = tried.then.entries.map { entry in
      var entry = entry
      entry.appliedAt = Ledger.now
      entry.duration = .zero
      return entry
    }
    let marked = Set(entries.map(\.identifier))
    later = tried.all.filter { !marked.contains($0.identifier) }
  }
}
