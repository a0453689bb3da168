/// Applies a migration in batches, each of which is a transaction of its own.
struct BatchedRun {
  private let run: RunContext
  private let checksForeignKeys: Bool
  private var db: Database { run.db }

  init(_ run: RunContext, checksForeignKeys: Bool) {
    self.run = run
    self.checksForeignKeys = checksForeignKeys
  }

  /// Applies what is left of the migration, also what another process leaves.
  func perform(_ planned: PlannedMigration, _ batch: (Database, DatabaseValue) throws -> BatchOutcome) throws {
    let (migration, index, count) = (planned.migration, planned.index, planned.count)
    run.events(.started(identifier: migration.identifier, index: index, count: count))
    let start = ContinuousClock.now
    var step = Step.more(fraction: nil)
    while case .more = step {
      // Between two batches is where a cancelled task ends without losing anything.
      try db.checkCancellation()
      step = try run.inTransaction { applied in
        try performBatch(migration, applied, since: start, batch)
      }
      if case .more(let fraction) = step {
        run.events(.progress(identifier: migration.identifier, fraction: fraction, elapsed: .now - start))
      }
    }
    run.finish(planned, .now - start, wasAppliedByOther: step == .appliedByOther)
  }

  private enum Step: Equatable {
    case more(fraction: Double?)
    case applied
    case appliedByOther
  }

  private func performBatch(
    _ migration: Migration, _ applied: Set<String>, since start: ContinuousClock.Instant,
    _ batch: (Database, DatabaseValue) throws -> BatchOutcome
  ) throws -> Step {
    guard !applied.contains(migration.identifier) else { return .appliedByOther }
    let before = try run.migrator.ledger.unfinished(migration.identifier, db)
    var outcome = BatchOutcome.done
    var objects = try run.judging(migration, checksForeignKeys: checksForeignKeys) {
      outcome = try batch(db, before?.cursor ?? .null)
    }
    objects.add(to: before?.objects)
    let duration = outcome.cursor == nil ? ContinuousClock.now - start : nil
    run.record(migration, duration: duration, objects: objects, cursor: outcome.cursor ?? .null)
    return outcome.cursor == nil ? .applied : .more(fraction: outcome.fraction)
  }
}
