/// Applies migrations that share a transaction; mostly there is one only.
struct GroupRun {
  private let run: RunContext
  private let foreignKeys: ForeignKeySwitch
  private var db: Database { run.db }

  init(_ run: RunContext, _ foreignKeys: ForeignKeySwitch) {
    self.run = run
    self.foreignKeys = foreignKeys
  }

  /// Applies the group, all of whose migrations need foreign keys switched alike.
  ///
  /// - Throws: ``PlanOutdated``; ``MigrationError/failed(_:)``; `CancellationError`.
  func perform(_ group: [PlannedMigration]) throws {
    guard let first = group.first else { return }
    do {
      try foreignKeys.set(for: first.migration.mode)
      guard first.migration.isTransactional else { return try UnwrappedRun(run).perform(first) }
      try run.begin()
    } catch let error as PlanOutdated {
      throw error
    } catch {
      throw run.failure(first, error)
    }
    try performInTransaction(group)
  }

  private func performInTransaction(_ group: [PlannedMigration]) throws {
    var done: [Done] = []
    var current = group[0]
    do {
      // Only now can nobody else apply them any more.
      let applied = try run.appliedUnderLock()
      for planned in group {
        current = planned
        if applied.contains(planned.migration.identifier) {
          done.append(Done(planned: planned, duration: nil))
          continue
        }
        let isAlone = group.count == 1
        let duration = try isAlone ? apply(planned, applied) : applyInSavepoint(planned, applied)
        done.append(Done(planned: planned, duration: duration))
      }
      try run.commit()
    } catch let error as PlanOutdated {
      run.abandon()
      throw error
    } catch {
      report(keepDone(done))
      throw run.failure(current, error)
    }
    report(done)
  }

  /// A migration of the group that needs nothing but the commit.
  private struct Done {
    let planned: PlannedMigration
    /// Nil when another connection applied it.
    let duration: Duration?
  }

  /// After a failure, commits the migrations of the group that were done before it.
  ///
  /// - Returns: Those that are committed: none when the engine rolled back by itself, or when committing fails.
  private func keepDone(_ done: [Done]) -> [Done] {
    guard db.isInsideTransaction, done.contains(where: { $0.duration != nil }) else {
      run.abandon()
      return []
    }
    run.schema.forget()
    do {
      try run.commit()
      return done
    } catch {
      run.abandon()
      return []
    }
  }

  private func report(_ done: [Done]) {
    for entry in done {
      let (migration, index, count) = (entry.planned.migration, entry.planned.index, entry.planned.count)
      run.expect(migration)
      if let duration = entry.duration {
        run.committed.append(migration.identifier)
        run.events(
          .committed(identifier: migration.identifier, index: index, count: count, duration: duration))
      } else {
        run.events(.skipped(identifier: migration.identifier, index: index, count: count))
      }
    }
  }

  private func applyInSavepoint(_ planned: PlannedMigration, _ applied: Set<String>) throws -> Duration {
    let name = "migrator_migration"
    try db.connection.beginSavepoint(name)
    do {
      let duration = try apply(planned, applied)
      try db.connection.releaseSavepoint(name)
      return duration
    } catch {
      // Without the transaction there is no savepoint any more; what failed first is what the caller must know.
      if db.isInsideTransaction { try? db.connection.rollbackSavepoint(name) }
      throw error
    }
  }

  /// Runs a migration, judges its foreign keys and writes its entry.
  private func apply(_ planned: PlannedMigration, _ applied: Set<String>) throws -> Duration {
    let migration = planned.migration
    run.events(.started(identifier: migration.identifier, index: planned.index, count: planned.count))
    let checks = foreignKeys.wasOn && migration.mode == .deferred
    let watch = checks && run.migrator.foreignKeyScope == .touched ? try ForeignKeyWatch(db) : nil
    defer { watch?.stop() }
    try run.schema.begin(db)
    let start = ContinuousClock.now
    try db.inspecting(MigrationInspector(watch: watch)) {
      try migration.body(db, applied.intersection(migration.mergedIdentifiers))
      guard db.isInsideTransaction else { throw MigrationError.transactionEnded }
    }
    if let watch {
      try judge(watch, migration)
    } else if checks {
      try db.checkForeignKeys()
    }
    let duration = ContinuousClock.now - start
    try run.record(migration, duration: duration, objects: run.schema.end(db))
    return duration
  }

  private func judge(_ watch: ForeignKeyWatch, _ migration: Migration) throws {
    let verdict = try watch.finish()
    guard verdict.new.isEmpty else { throw try ForeignKeyViolationError(verdict.new, db: db) }
    if verdict.oldCount > 0 {
      run.events(
        .warning(.oldForeignKeyViolations(identifier: migration.identifier, count: verdict.oldCount)))
    }
  }
}

extension RunContext {
  /// Reads the ledger under the writer's lock, and makes it if it is not there.
  ///
  /// - Throws: ``PlanOutdated`` when it has lost what the plan was made on.
  func appliedUnderLock() throws -> Set<String> {
    let applied = try migrator.appliedIdentifiers(db)
    // A migration that another connection applied may have replaced what is missing.
    let replaced = migrator.registered.filter { applied.contains($0.identifier) }.flatMap(\.mergedIdentifiers)
    guard applied.union(replaced).isSuperset(of: expected) else { throw PlanOutdated() }
    try migrator.ledger.create(db)
    return applied
  }
}
