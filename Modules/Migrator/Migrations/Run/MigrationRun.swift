/// One run of a migrator over a database.
final class MigrationRun {
  private let migrator: DatabaseMigrator
  private let db: Database
  private let events: (MigrationEvent) -> Void
  private let lock: LockWait
  private var schema: SchemaRecord
  private var applied: [String] = []

  /// What the ledger must hold for the plan to be good: it was made on that, and every step adds to it.
  private var expected: Set<String> = []

  init(_ migrator: DatabaseMigrator, on db: Database, events: @escaping (MigrationEvent) -> Void) {
    self.migrator = migrator
    self.db = db
    self.events = events
    lock = LockWait(timeout: migrator.lockTimeout, configuration: db.configuration)
    schema = SchemaRecord(migrator.ledger)
  }

  /// Applies what is pending up to the target, itself included, after erasing the database if that is due.
  func perform(upTo target: String?, rebuilding: Rebuild) throws {
    guard !db.isInsideTransaction else { throw MigrationError.insideTransaction }
    let start = ContinuousClock.now
    let limit = try target.map { try index(ofTarget: $0) }
    try rebuild(rebuilding)

    while try !performPending(upTo: limit) {}
    events(.finished(applied: applied, duration: .now - start))
  }

  /// Plans what is pending and applies it.
  ///
  /// - Returns: False when another connection took back what the plan was made on, by erasing the database: then a
  ///   new plan is needed.
  private func performPending(upTo limit: Int?) throws -> Bool {
    expected = try lock.retrying(db) { try migrator.appliedIdentifiers(db) }
    let pending = try pendingMigrations(upTo: limit)
    guard !pending.isEmpty else { return true }
    events(.planned(identifiers: pending.map(\.identifier)))
    return try withForeignKeySwitch { foreignKeys in
      for (index, migration) in pending.enumerated() {
        guard try perform(migration, index: index + 1, count: pending.count, foreignKeys) else { return false }
      }
      return true
    }
  }

  // MARK: What is to be done

  private func index(ofTarget target: String) throws -> Int {
    guard let index = migrator.index(of: target) else { throw MigrationError.unknownTarget(target) }
    return index
  }

  private func pendingMigrations(upTo limit: Int?) throws -> [Migration] {
    guard let limit else { return migrator.registered.filter { !expected.contains($0.identifier) } }
    guard !migrator.registered[(limit + 1)...].contains(where: { expected.contains($0.identifier) }) else {
      throw MigrationError.migratedBeyond(target: migrator.registered[limit].identifier)
    }
    return migrator.registered[...limit].filter { !expected.contains($0.identifier) }
  }

  // MARK: Erasing

  /// Erases the database if that is due.
  ///
  /// The check is repeated under the lock that the erasing needs.
  private func rebuild(_ rebuild: Rebuild) throws {
    guard rebuild != .never, try rebuild == .always || migrator.hasSchemaChanges(db) else { return }
    try db.withoutForeignKeys {
      try lock.retrying(db) { try db.connection.begin(.immediate) }
      do {
        let reasons = try migrator.schemaChanges(db)
        if rebuild == .always || !reasons.isEmpty {
          try db.eraseInTransaction()
          try lock.retrying(db) { try db.connection.commit() }
          events(.erased(reasons: reasons))
        } else {
          try db.connection.rollback()
        }
      } catch {
        // What failed first is what the caller must know.
        try? db.connection.rollback()
        throw error
      }
    }
  }

  // MARK: One migration

  private func withForeignKeySwitch<Value>(_ body: (ForeignKeySwitch) throws -> Value) throws -> Value {
    let foreignKeys = try ForeignKeySwitch(db)
    let result = Result { try body(foreignKeys) }
    do {
      try foreignKeys.restore()
    } catch {
      // What failed first is what the caller must know.
      _ = try result.get()
      throw error
    }
    return try result.get()
  }

  /// - Returns: False when the plan is not good any more.
  private func perform(_ migration: Migration, index: Int, count: Int, _ foreignKeys: ForeignKeySwitch) throws -> Bool {
    do {
      try foreignKeys.set(for: migration.mode)
      let start = ContinuousClock.now
      events(.started(identifier: migration.identifier, index: index, count: count))
      let outcome =
        migration.isTransactional
        ? try performInTransaction(migration, checksForeignKeys: foreignKeys.wasOn && migration.mode == .deferred)
        : try performUnwrapped(migration)
      expected.insert(migration.identifier)
      expected.subtract(migration.mergedIdentifiers)
      switch outcome {
      case .planOutdated: return false
      case .appliedByOther: events(.skipped(identifier: migration.identifier, index: index, count: count))
      case .applied:
        applied.append(migration.identifier)
        events(.committed(identifier: migration.identifier, index: index, count: count, duration: .now - start))
      }
      return true
    } catch let error as CancellationError {
      throw error
    } catch {
      throw MigrationError.failed(
        MigrationFailure(
          identifier: migration.identifier, index: index, count: count, underlying: error, appliedBefore: applied,
          isRolledBack: migration.isTransactional))
    }
  }

  /// How an attempt to apply a migration ended without an error.
  private enum Outcome {
    /// It is applied.
    case applied
    /// Another connection applied it in the meantime.
    case appliedByOther
    /// Another connection erased the database in the meantime.
    case planOutdated
  }

  /// Runs a migration and its ledger entry in one transaction.
  private func performInTransaction(_ migration: Migration, checksForeignKeys: Bool) throws -> Outcome {
    try transaction(unlessApplied: migration) { merged in
      let watch = checksForeignKeys ? try ForeignKeyWatch(db) : nil
      defer { watch?.stop() }
      try schema.begin(db)
      let start = ContinuousClock.now
      try db.inspecting(MigrationInspector(watch: watch)) {
        try migration.body(db, merged)
        guard db.isInsideTransaction else { throw MigrationError.transactionEnded }
      }
      try judge(watch, migration)
      try record(migration, duration: .now - start, objects: schema.end(db))
    }
  }

  /// Runs a migration that manages without a transaction, with an entry before it and a complete one after it.
  private func performUnwrapped(_ migration: Migration) throws -> Outcome {
    var mergedAndApplied: Set<String> = []
    let begun = try transaction(unlessApplied: migration) { merged in
      mergedAndApplied = merged
      try record(migration, duration: nil, objects: ObjectChanges())
    }
    guard begun == .applied else { return begun }
    try schema.begin(db)
    let start = ContinuousClock.now
    try migration.body(db, mergedAndApplied)
    let duration = ContinuousClock.now - start
    return try transaction(unlessApplied: migration) { _ in
      try record(migration, duration: duration, objects: schema.end(db))
    }
  }

  /// Runs `body` under the writer's lock, if the migration is still pending then.
  ///
  /// - Parameter body: Is told which of the migrations that this one replaces are applied.
  private func transaction(unlessApplied migration: Migration, _ body: (Set<String>) throws -> Void) throws -> Outcome {
    try lock.retrying(db) { try db.connection.begin(.immediate) }
    do {
      // Only now can nobody else apply it any more.
      let applied = try migrator.appliedIdentifiers(db)
      guard !applied.contains(migration.identifier) else {
        try db.connection.rollback()
        return .appliedByOther
      }
      guard applied.isSuperset(of: expected) else {
        try db.connection.rollback()
        return .planOutdated
      }
      try migrator.ledger.create(db)
      try body(applied.intersection(migration.mergedIdentifiers))
      try lock.retrying(db) { try db.connection.commit() }
      return .applied
    } catch {
      schema.forget()
      // What failed first is what the caller must know; an engine may have rolled back by itself.
      try? db.connection.rollback()
      throw error
    }
  }

  private func judge(_ watch: ForeignKeyWatch?, _ migration: Migration) throws {
    guard let verdict = try watch?.finish() else { return }
    guard verdict.new.isEmpty else { throw try ForeignKeyViolationError(verdict.new, db: db) }
    if verdict.oldCount > 0 {
      events(
        .warning(.oldForeignKeyViolations(identifier: migration.identifier, count: verdict.oldCount)))
    }
  }

  private func record(_ migration: Migration, duration: Duration?, objects: ObjectChanges) throws {
    let entry = LedgerEntry(
      identifier: migration.identifier, position: migrator.index(of: migration.identifier) ?? 0,
      appliedAt: Ledger.now, duration: duration, fingerprint: duration.map { _ in schema.fingerprint.text },
      checksum: migration.checksum, objects: objects)
    try migrator.ledger.insert(entry, replacing: migration.mergedIdentifiers, db)
  }
}
