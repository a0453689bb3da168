internal import Dispatch
internal import SQLSyntax

/// The execution of a migration that runs without a transaction.
///
/// The migration's entry is written, without a duration, before the migration runs, and is completed when the migration
/// has ended. Other processes that find an unfinished entry wait. If the process dies in between, the entry remains
/// unfinished, and nothing shows that the process died. After the migrator's lock timeout, the migration therefore
/// counts as abandoned, and runs again. The migration must be able to run twice.
struct UnwrappedRun {
  let run: MigrationRun
  private var db: Database { run.db }

  func perform(_ planned: PlannedMigration, _ body: (Database, Set<String>) throws -> Void) throws {
    let migration = planned.migration
    guard let merged = try begin(planned) else { return run.didApply(planned, nil) }
    let version = try db.connection.dataVersion()
    try run.cached.beginMigration(db)
    let start = ContinuousClock.now
    var duration = Duration.zero
    run.settings.mayHaveChanged(editsSchema: true)
    try run.rowLossWatch?.begin(migration, isRecording: true)
    try run.rowLossWatch?.countAll()
    do {
      try run.reportingProgress(of: migration) { try watchingRows { try body(db, merged) } }
      guard !db.isInsideTransaction else { throw MigrationError.transactionLeftOpen }
      duration = .now - start
      // The work is done: a cancellation from now on would only cause it to be done again.
      try db.finishing {
        try run.rowLossWatch?.finish(isFollowed: false)
        // They are gone whether or not the entry can be completed.
        if !run.backup.unreportedLosses.isEmpty { run.backup.reportLosses() }
        try run.settings.restoreState()
        try run.inTransaction { transaction in
          _ = try transaction.appliedUnderLock()
          try run.requireLedger(after: migration)
          transaction.record(migration, duration: duration, objects: try objects(sinceVersion: version))
        }
      }
    } catch {
      release(migration)
      throw error
    }
    run.didApply(planned, duration)
  }

  /// Passes the statements of `body` to the watch on rows, if there is one: values are counted before they are dropped.
  private func watchingRows(_ body: () throws -> Void) throws {
    guard let watch = run.rowLossWatch else { return try body() }
    // A prepared statement that runs again is read once.
    var last = SQLStatementSummary(of: "")
    let trace = { [unowned db] (statement: any DatabaseStatement, _: Bool) in
      let sql = statement.sql
      let onlyReads = statement.isReadOnly
      if last.sql != sql { last = SQLStatementSummary(of: sql) }
      try db.untraced { try watch.statementWillRun(last, onlyReads: onlyReads) }
    }
    try db.context.tracing(with: trace, body)
  }

  /// Returns the objects that the migration created and removed.
  ///
  /// Called inside the transaction that completes the migration's entry. If other connections write while the migration
  /// runs, it is unknown which connection created which objects. None of them count as the migration's, since another
  /// migrator's tables must not look like leftovers of this migrator.
  private func objects(sinceVersion version: Int64?) throws -> ObjectChanges {
    if let version, try db.connection.dataVersion() == version { return try run.cached.endMigration(db) }
    run.cached.forget()
    try run.cached.beginMigration(db)
    return ObjectChanges()
  }

  /// Removes the date of the unfinished entry, so that no other process waits for the migration.
  private func release(_ migration: Migration) {
    // The caller must get the first error; if this fails, the next run waits.
    try? db.connection.rollback()
    try? db.finishing {
      try run.inTransaction { transaction in
        _ = try transaction.appliedUnderLock()
        try run.ledger.release(migration.identifier, db)
      }
    }
  }

  private enum Turn {
    case ours(merged: Set<String>)
    case applied
    case theirs
  }

  /// Writes a ledger entry that marks the migration as unfinished, after waiting for any other process that is running
  /// the migration.
  ///
  /// - Returns: The merged migrations that are applied; nil if the migration itself is already applied.
  private func begin(_ planned: PlannedMigration) throws -> Set<String>? {
    let deadline = run.migrator.lockWait.map { ContinuousClock.now + $0 }
    while true {
      switch try run.inTransaction({ try turn(planned, in: $0) }) {
      case .ours(let merged): return merged
      case .applied: return nil
      case .theirs:
        try db.checkCancellation()
        guard !run.isStopped else { throw db.context.error(.interrupted, "the wait was interrupted") }
        guard db.waitsForOthers, deadline.map({ .now < $0 }) ?? true else {
          throw db.context.error(.busy, "another process is running the migration")
        }
        // No lock shows when the other process is done: it runs without a transaction.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(20))
      }
    }
  }

  private func turn(_ planned: PlannedMigration, in transaction: MigrationTransaction) throws -> Turn {
    let migration = planned.migration
    if try transaction.appliedUnderLock().contains(migration.identifier) { return .applied }
    // A clock that was set back must not make a process wait for long.
    if let age = try run.ledger.unfinished(migration.identifier, db)?.ageInSeconds,
      age >= 0, age < run.migrator.lockTimeout / .seconds(1)
    {
      return .theirs
    }
    let merged = try transaction.appliedParts(of: migration)
    run.willApply(planned)
    transaction.record(migration, duration: nil, objects: ObjectChanges())
    return .ours(merged: merged)
  }
}
