internal import Dispatch

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Applies a migration that manages without a transaction.
///
/// Its entry is written before it runs, without a duration, and completed when it has ended. Others that find the first
/// entry wait for the second one. A process that dies in between leaves the first entry behind, and nothing that would
/// tell: after the migrator's lock timeout the migration counts as given up, and runs again. It must be made for that.
struct UnwrappedRun {
  private let run: RunContext
  private var db: Database { run.db }

  init(_ run: RunContext) { self.run = run }

  /// Applies the migration unless another connection did.
  func perform(_ planned: PlannedMigration, _ body: (Database, Set<String>) throws -> Void) throws {
    let migration = planned.migration
    guard let merged = try begin(planned) else {
      return run.finish(planned, .zero, wasAppliedByOther: true)
    }
    let version = try db.connection.dataVersion()
    try run.schema.begin(db, isUndisturbed: false)
    run.graph = nil
    let start = ContinuousClock.now
    do {
      try run.reportingProgress(of: migration) { try body(db, merged) }
      guard !db.isInsideTransaction else { throw MigrationError.transactionLeftOpen }
    } catch {
      giveUp(migration)
      throw error
    }
    let duration = ContinuousClock.now - start
    try run.inTransaction { _ in
      run.record(migration, duration: duration, objects: try objects(sinceVersion: version))
    }
    run.finish(planned, duration, wasAppliedByOther: false)
  }

  /// The objects that the migration made and removed, within the transaction that completes its entry.
  ///
  /// Others may write while it runs. What it made cannot be told from what they made then, and counts as nobody's:
  /// another migrator's tables must not look like leftovers of this one.
  private func objects(sinceVersion version: Int64?) throws -> ObjectChanges {
    if let version, try db.connection.dataVersion() == version { return try run.schema.end(db) }
    run.schema.forget()
    try run.schema.begin(db, isUndisturbed: false)
    return ObjectChanges()
  }

  /// Takes the first entry's date away, so that nobody waits for the second one.
  private func giveUp(_ migration: Migration) {
    // What failed first is what the caller must know; without this, the next run waits.
    try? db.connection.rollback()
    try? db.finishing {
      try run.inTransaction { _ in try run.migrator.ledger.giveUp(migration.identifier, db) }
    }
  }

  private enum Turn {
    case ours(merged: Set<String>)
    case applied
    case theirs
  }

  /// Writes the first entry, after waiting for another process that has written it.
  ///
  /// - Returns: Which of the replaced migrations are applied; nil when this one is.
  private func begin(_ planned: PlannedMigration) throws -> Set<String>? {
    while true {
      let outcome: Turn = try run.inTransaction { applied in try turn(planned, applied) }
      switch outcome {
      case .ours(let merged): return merged
      case .applied: return nil
      case .theirs:
        try db.checkCancellation()
        // No lock tells when a process on its own is done: a transaction is what it cannot have.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(20))
      }
    }
  }

  private func turn(_ planned: PlannedMigration, _ applied: Set<String>) throws -> Turn {
    let migration = planned.migration
    if applied.contains(migration.identifier) { return .applied }
    if let begun = try run.migrator.ledger.unfinished(migration.identifier, db)?.begunAt {
      let age = Date().timeIntervalSince(begun)
      // A clock that was set back must not make anybody wait for long.
      if age >= 0, age < run.migrator.lockTimeout / .seconds(1) { return .theirs }
    }
    let merged = try run.appliedParts(of: migration)
    run.events(.started(identifier: migration.identifier, index: planned.index, count: planned.count))
    run.record(migration, duration: nil, objects: ObjectChanges())
    return .ours(merged: merged)
  }
}
