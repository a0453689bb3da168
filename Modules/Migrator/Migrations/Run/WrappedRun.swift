/// Applies migrations that share a transaction; mostly there is one only.
struct WrappedRun {
  let run: MigrationRun
  /// A transaction that has just begun.
  let transaction: MigrationTransaction
  private var db: Database { run.db }

  /// The name of each migration's savepoint in turn: one that no migration can use by accident, since its own
  /// savepoints are its own affair.
  private let savepoint = "migrator_\(UInt64.random(in: .min ... .max))"

  /// A migration of the group that needs nothing but the commit.
  private struct Done {
    let planned: PlannedMigration
    /// Nil when another connection applied it.
    let duration: Duration?
  }

  func perform(_ group: [PlannedMigration]) throws {
    var done: [Done] = []
    for planned in group {
      do {
        done.append(Done(planned: planned, duration: try apply(planned, isAlone: group.count == 1)))
      } catch {
        report(keep(done))
        throw run.failure(planned, error)
      }
    }
    do {
      // Another connection may have applied the migration that was to repair them.
      if transaction.leavesViolations, let last = group.last { try transaction.checkForeignKeys(of: last.migration) }
      try transaction.commit()
    } catch {
      transaction.abandon()
      guard let last = group.last else { throw error }
      throw run.failure(last, error)
    }
    report(done)
  }

  /// Applies a migration and returns how long it took; nil when another connection applied it.
  private func apply(_ planned: PlannedMigration, isAlone: Bool) throws -> Duration? {
    // Under the lock no one else can apply it any longer. The set is asked for each time, and not stored: a second
    // holder would have it copied whenever a migration is added to it.
    if try transaction.appliedIdentifiers().contains(planned.migration.identifier) { return nil }
    if isAlone { return try apply(planned) }
    return try transaction.inSavepoint(named: savepoint) { try apply(planned) }
  }

  private func apply(_ planned: PlannedMigration) throws -> Duration {
    let migration = planned.migration
    guard case .wrapped(let body) = migration.work else { preconditionFailure("Only wrapped migrations form groups.") }
    run.events(.started(identifier: migration.identifier, index: planned.index, count: planned.count))
    let start = ContinuousClock.now
    let appliedParts = try transaction.appliedParts(of: migration)
    let objects = try transaction.perform(migration, leavesViolations: planned.leavesViolations) {
      try body(db, appliedParts)
    }
    let duration = ContinuousClock.now - start
    transaction.record(migration, duration: duration, objects: objects)
    return duration
  }

  /// After a failure, commits the migrations of the group that were done before it, and returns what is committed.
  private func keep(_ done: [Done]) -> [Done] {
    guard db.isInsideTransaction, !transaction.leavesViolations, done.contains(where: { $0.duration != nil }) else {
      transaction.abandon()
      return []
    }
    do {
      try transaction.commit()
      return done
    } catch {
      transaction.abandon()
      return []
    }
  }

  private func report(_ done: [Done]) {
    for entry in done { run.finish(entry.planned, entry.duration) }
  }
}

/// A pending migration and its place in the run.
struct PlannedMigration {
  let migration: Migration
  let index: Int
  let count: Int
  /// Whether a later migration of the same transaction repairs the violations of foreign keys that this one leaves.
  var leavesViolations = false
}

/// Another connection took back what the plan was made on, by erasing the database: a new plan is needed.
struct PlanOutdated: Error {}

extension DatabaseMigrator {
  /// Cuts pending migrations into groups that share a transaction.
  func groups(_ pending: [Migration]) -> [[PlannedMigration]] {
    var groups: [[PlannedMigration]] = []
    // The place up to which violations of foreign keys are left for a later migration of the same group.
    var repair = -1
    for (index, migration) in pending.enumerated() {
      if let last = groups.last?.last?.migration, commits == .grouped || index <= repair,
        last.isTransactional, migration.isTransactional,
        (last.mode == .immediate) == (migration.mode == .immediate)
      {
        groups[groups.count - 1][groups[groups.count - 1].count - 1].leavesViolations = index <= repair
      } else {
        groups.append([])
        repair = -1
      }
      groups[groups.count - 1].append(
        PlannedMigration(migration: migration, index: index + 1, count: pending.count))
      if let successor = migration.violationsUntil {
        repair = max(repair, pending.firstIndex { $0.identifier == successor } ?? -1)
      }
    }
    return groups
  }
}
