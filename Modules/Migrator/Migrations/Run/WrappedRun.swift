/// The execution of one or more migrations that share a transaction.
struct WrappedRun {
  let run: MigrationRun
  private var db: Database { run.db }

  /// A migration of the group that no longer needs to run, but must be committed.
  private struct Done {
    let planned: PlannedMigration
    /// The migration's duration; nil if another connection applied the migration.
    let duration: Duration?
  }

  func perform(_ group: [PlannedMigration]) throws {
    // A migration alone, or all of them, are undone by rolling back the transaction. The name is random, so that it
    // cannot collide with that of a migration's own savepoint.
    let hasSavepoints = group.count > 1 && run.migrator.commits != .allOrNothing
    let savepoint = hasSavepoints ? "migrator_\(UInt64.random(in: .min ... .max))" : nil
    var done: [Done] = []
    // The migration that failed, if those before it are committed.
    var failed: (planned: PlannedMigration, error: any Error)?
    do {
      try run.inTransaction { transaction in
        for planned in group {
          do {
            done.append(Done(planned: planned, duration: try apply(planned, savepoint: savepoint, in: transaction)))
          } catch {
            guard isWorthCommitting(transaction) else { throw error }
            failed = (planned, error)
            return
          }
        }
        // Another connection may have applied the migration that was to repair the violations.
        if transaction.awaitsRepair, let last = group.last { try transaction.checkForeignKeys(of: last.migration) }
      }
    } catch {
      guard let failed else { throw run.failure(group[min(done.count, group.count - 1)], error) }
      if let last = done.last, (error as? DatabaseError)?.condition == .outcomeUnknown {
        throw run.failure(last.planned, error)
      }
      throw run.failure(failed.planned, failed.error)
    }
    for entry in done { run.didApply(entry.planned, entry.duration) }
    if let failed { throw run.failure(failed.planned, failed.error) }
  }

  /// Returns whether the migrations before one that failed are committed.
  private func isWorthCommitting(_ transaction: MigrationTransaction) -> Bool {
    run.migrator.commits != .allOrNothing && db.isInsideTransaction && transaction.hasEntries
      && !transaction.awaitsRepair
  }

  /// Applies a migration, in a savepoint if it has a name, and returns its duration; nil if another connection applied it.
  private func apply(
    _ planned: PlannedMigration, savepoint: String?, in transaction: MigrationTransaction
  ) throws -> Duration? {
    // Under the lock, no other connection can apply it. The set is read each time, and not stored: a second
    // reference would cause a copy whenever a migration is added to it.
    if try transaction.appliedUnderLock().contains(planned.migration.identifier) { return nil }
    guard let savepoint else { return try apply(planned, in: transaction) }
    return try transaction.inSavepoint(named: savepoint) { try apply(planned, in: transaction) }
  }

  private func apply(_ planned: PlannedMigration, in transaction: MigrationTransaction) throws -> Duration {
    let migration = planned.migration
    guard case .wrapped(let body) = migration.work else { preconditionFailure("Only wrapped migrations form groups.") }
    run.willApply(planned)
    let start = ContinuousClock.now
    let appliedParts = try transaction.appliedParts(of: migration)
    let objects = try transaction.perform(migration, leavesViolations: planned.leavesViolations, canBeReadLater: true) {
      try body(db, appliedParts)
    }
    let duration = ContinuousClock.now - start
    transaction.record(migration, duration: duration, objects: objects)
    return duration
  }
}
