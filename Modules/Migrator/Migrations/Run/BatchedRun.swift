/// The execution of a migration in batches, each of which is a separate transaction.
struct BatchedRun {
  let run: MigrationRun

  /// Applies the remainder of the migration, including work that another process left unfinished.
  func perform(_ planned: PlannedMigration, _ batch: (Database, DatabaseValue) throws -> BatchOutcome) throws {
    let migration = planned.migration
    run.willApply(planned)
    let start = ContinuousClock.now
    var step = Step.more(fraction: nil)
    while case .more = step {
      // Between two batches, a canceled task ends without losing any work.
      try run.db.checkCancellation()
      step = try run.inTransaction { try performBatch(migration, in: $0, since: start, batch) }
      if case .more(let fraction) = step {
        run.events(.progress(identifier: migration.identifier, fraction: fraction, elapsed: .now - start))
      }
    }
    run.didApply(planned, step == .appliedByOther ? nil : .now - start)
  }

  private enum Step: Equatable {
    case more(fraction: Double?)
    case applied
    case appliedByOther
  }

  private func performBatch(
    _ migration: Migration, in transaction: MigrationTransaction, since start: ContinuousClock.Instant,
    _ batch: (Database, DatabaseValue) throws -> BatchOutcome
  ) throws -> Step {
    guard try !transaction.appliedUnderLock().contains(migration.identifier) else { return .appliedByOther }
    let before = try run.ledger.unfinished(migration.identifier, run.db)
    var outcome = BatchOutcome.done
    var objects = try transaction.perform(migration) { outcome = try batch(run.db, before?.cursor ?? .null) }
    objects.add(to: before?.objects)
    let duration = outcome.cursor == nil ? ContinuousClock.now - start : nil
    transaction.record(migration, duration: duration, objects: objects, cursor: outcome.cursor ?? .null)
    return outcome.cursor == nil ? .applied : .more(fraction: outcome.fraction)
  }
}
