/// Applies migrations that share a transaction; mostly there is one only.
struct GroupRun {
  private let run: RunContext
  private let foreignKeys: ForeignKeySwitch

  /// The name of each migration's savepoint in turn: one that no migration can mean by accident, since its own savepoints
  /// are its own affair.
  private let savepoint = "migrator_\(UInt64.random(in: .min ... .max))"

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
      switch first.migration.work {
      case .unwrapped(let body): return try UnwrappedRun(run).perform(first, body)
      case .batched(let batch):
        return try BatchedRun(run, checksForeignKeys: checksForeignKeys(first.migration)).perform(first, batch)
      case .wrapped: try run.begin()
      }
    } catch {
      throw run.failure(first, error)
    }
    try performInTransaction(group, first)
  }

  private func performInTransaction(_ group: [PlannedMigration], _ first: PlannedMigration) throws {
    var done: [Done] = []
    var current = first
    do {
      for planned in group {
        current = planned
        // Only now can nobody else apply them any more. The set is asked for each time, and not kept: a second holder would
        // have it copied whenever a migration is added to it.
        if try run.appliedUnderLock().contains(planned.migration.identifier) {
          done.append(Done(planned: planned, duration: nil))
          continue
        }
        let duration = try group.count == 1 ? apply(planned) : applyInSavepoint(planned)
        done.append(Done(planned: planned, duration: duration))
      }
    } catch {
      report(keepDone(done))
      throw run.failure(current, error)
    }
    do {
      try run.commit()
    } catch {
      run.abandon()
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
    run.forgetSchema()
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
      run.finish(entry.planned, entry.duration ?? .zero, wasAppliedByOther: entry.duration == nil)
    }
  }

  private func applyInSavepoint(_ planned: PlannedMigration) throws -> Duration {
    try db.connection.beginSavepoint(savepoint)
    let mark = run.unwritten.mark
    do {
      let duration = try apply(planned)
      try db.connection.releaseSavepoint(savepoint)
      return duration
    } catch {
      run.forgetSchema()
      run.unwritten.rollBack(to: mark)
      // What failed first is what the caller must know. When its changes cannot be taken back alone, none are kept.
      do {
        if db.isInsideTransaction { try db.connection.rollbackSavepoint(savepoint) }
      } catch {
        run.abandon()
      }
      throw error
    }
  }

  /// Runs a migration, judges its foreign keys and makes its entry.
  private func apply(_ planned: PlannedMigration) throws -> Duration {
    let migration = planned.migration
    guard case .wrapped(let body) = migration.work else { preconditionFailure("Only wrapped migrations form groups.") }
    run.events(.started(identifier: migration.identifier, index: planned.index, count: planned.count))
    let start = ContinuousClock.now
    let appliedParts = try run.appliedParts(of: migration)
    let objects = try run.judging(migration, checksForeignKeys: checksForeignKeys(migration)) {
      try body(db, appliedParts)
    }
    let duration = ContinuousClock.now - start
    run.record(migration, duration: duration, objects: objects)
    return duration
  }

  private func checksForeignKeys(_ migration: Migration) -> Bool {
    foreignKeys.wasOn && migration.mode == .deferred
  }
}
