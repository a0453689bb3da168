/// One call to `migrate`, which plans the pending migrations and applies them transaction by transaction.
///
/// It holds the plan and the committed migrations. ``MigrationTransaction`` holds the state of one commit, and ``CachedState``
/// the knowledge that one commit passes to the next.
final class MigrationRun {
  private static let mostPlans = 10

  let migrator: DatabaseMigrator
  let db: Database
  let ledger: Ledger
  let events: (MigrationEvent) -> Void
  let cached: CachedState
  let settings: ConnectionSettings
  let backup: RunBackup
  /// The watch on the rows that migrations remove; nil if neither the caller nor the run reviews them.
  private(set) var rowLossWatch: RowLossWatch?
  private let reportsProgress: Bool
  private let interruptionsBefore: Int
  private var plan = RunPlan()
  private(set) var committed: [String] = []
  private var disconnections = Disconnections()
  /// Throws an error unless the database is in the state for which the run was confirmed; nil if the run need not be
  /// confirmed, or once it has changed the state.
  private var requireConfirmation: ((Database) throws -> Void)?

  /// Whether the run was canceled, or its database interrupted.
  var isStopped: Bool { db.isCancelled || db.interrupter.interruptionCount != interruptionsBefore }

  init(
    _ migrator: DatabaseMigrator, on db: Database, reportsProgress: Bool = false, reviewing: RowLossReview? = nil,
    confirming: ((Database) throws -> Void)? = nil, events: @escaping (MigrationEvent) -> Void = { _ in }
  ) {
    requireConfirmation = confirming
    self.migrator = migrator
    self.db = db
    self.events = events
    self.reportsProgress = reportsProgress
    ledger = migrator.ledger
    cached = CachedState(ledger)
    settings = ConnectionSettings(db, migrator)
    backup = RunBackup(migrator, of: db, events: events)
    interruptionsBefore = db.interrupter.interruptionCount
    if let reviewing { review(reviewing) }
  }

  func review(_ review: RowLossReview) { rowLossWatch = RowLossWatch(db, review, ledgerTable: migrator.ledgerTable) }

  /// Applies pending migrations up to the target, after erasing the database if it must be and `mayErase`.
  func perform(upTo target: String?, mayErase: Bool) throws {
    guard !db.isInsideTransaction else { throw MigrationError.insideTransaction }
    db.context.forgetReferences()
    let start = ContinuousClock.now
    try ending(with: restore) { try performSteps(upTo: target, mayErase: mayErase) }
    events(.finished(applied: committed, duration: .now - start))
  }

  private func restore() throws {
    try db.finishing {
      try uninterrupted {
        try reconnecting {
          // A rollback can fail, for example because it was interrupted; foreign keys cannot be switched before it succeeds.
          if db.isInsideTransaction { try db.connection.rollback() }
          try settings.restore()
        }
      }
    }
  }

  private func performSteps(upTo target: String?, mayErase: Bool) throws {
    let limit = try target.map { try migrator.place(ofTarget: $0) }
    // Also if nothing is pending, so that no transaction begins.
    if requireConfirmation != nil { try reconnecting { try waitingForLock { try db.onOneState { try confirm() } } } }
    let erasing = mayErase ? ErasingRun(self) : nil
    if try erasing?.eraseIfDue(upTo: limit) == true { requireConfirmation = nil }
    let edited = try reconnecting { try waitingForLock { try migrator.requireUnedited(db) } }
    if !edited.isEmpty { events(.warning(.editedMigrations(identifiers: edited))) }
    var plans = 1
    while try !reconnecting({ try performPending(upTo: limit) }) {
      // Another program may erase the database during a run, but is unlikely to do so repeatedly.
      guard plans < Self.mostPlans else { throw MigrationError.historyLost(applied: committed) }
      plans += 1
    }
    if !migrator.adopted.isEmpty { try writeAdoptedHistory() }
    // What remains checks under the lock what it has read, and each part changes the state for the next.
    requireConfirmation = nil
    try erasing?.finish()
  }

  // MARK: The plan

  /// Plans and applies pending migrations; returns false if the plan became outdated before all of its migrations ran.
  private func performPending(upTo limit: Int?) throws -> Bool {
    let applied = try waitingForLock {
      try migrator.requireKnown(db)
      return try migrator.knownApplied(db)
    }
    let pending = try migrator.pending(applied: applied, upTo: limit)
    guard !pending.isEmpty else { return true }
    try migrator.requireOneTransaction(pending)
    plan = RunPlan(applied: applied, pending: pending)
    events(.planned(identifiers: pending.map(\.identifier)))
    try settings.read()
    do {
      for group in migrator.groups(pending) { try apply(group) }
      return true
    } catch is PlanOutdated {
      return false
    }
  }

  /// Applies migrations that share a transaction, or a single migration that uses several transactions or none.
  private func apply(_ group: [PlannedMigration]) throws {
    guard let first = group.first else { return }
    do {
      // A failed attempt that lost its connection may have left changes.
      try settings.restoreState()
      try settings.enforceForeignKeys(settings.checksForeignKeys && first.migration.mode == .immediate)
      switch first.migration.work {
      case .unwrapped(let body): return try UnwrappedRun(run: self).perform(first, body)
      case .batched(let batch): return try BatchedRun(run: self).perform(first, batch)
      case .wrapped: break
      }
    } catch {
      throw failure(first, error)
    }
    try WrappedRun(run: self).perform(group)
  }

  /// Throws an error if the state has changed since the caller confirmed the run; called again under each write lock.
  func confirm() throws { try requireConfirmation?(db) }

  /// Returns whether migrations are pending in a ledger that contains the known migrations `applied`.
  ///
  /// - Throws: ``PlanOutdated`` if the ledger has lost entries on which the plan is based.
  func isPending(applied: Set<String>) throws -> Bool { try plan.isPending(migrator.done(applied)) }

  // MARK: The outcome

  /// Writes the entries of adopted histories, unless a migration of the run has already written them.
  ///
  /// A read-only connection skips this; a connection that can write will adopt the histories later.
  func writeAdoptedHistory() throws {
    try reconnecting {
      guard !db.connection.isReadOnly, try waitingForLock({ try !migrator.unwrittenHistory(db).isEmpty }) else {
        return
      }
      // Read again: only under the lock is it certain that no other connection adopts them.
      try inTransaction { try $0.openLedger() }
    }
  }

  /// Notes a commit, which may have changed the state for which the run was confirmed.
  func didCommit(isChange: Bool) {
    cached.didCommit()
    if !backup.unreportedLosses.isEmpty { backup.reportLosses() }
    disconnections = Disconnections()
    if isChange { requireConfirmation = nil }
  }

  func willApply(_ planned: PlannedMigration) {
    events(.started(identifier: planned.migration.identifier, index: planned.index, count: planned.count))
  }

  /// Records and reports a migration that is now committed; a nil `duration` means that another connection applied it.
  func didApply(_ planned: PlannedMigration, _ duration: Duration?) {
    let (migration, index, count) = (planned.migration, planned.index, planned.count)
    plan.didApply(migration)
    guard let duration else { return events(.skipped(identifier: migration.identifier, index: index, count: count)) }
    committed.append(migration.identifier)
    events(.committed(identifier: migration.identifier, index: index, count: count, duration: duration))
  }

  /// Returns the error to throw for a failed migration: ``MigrationError/failed(_:)``, `CancellationError` if the run
  /// was canceled; ``PlanOutdated``, ``UnrecordedCommit`` and ``MigrationError/planChanged(_:)`` unchanged.
  func failure(_ planned: PlannedMigration, _ error: any Error) -> any Error {
    if error is CancellationError || error is PlanOutdated || error is UnrecordedCommit { return error }
    if case .planChanged? = error as? MigrationError { return error }
    var undone = planned.migration.undoneOnFailure
    if undone != .nothing, (error as? DatabaseError)?.condition == .outcomeUnknown { undone = .unknown }
    // Whatever error the interrupted statement reported, unless the migration may be committed.
    if undone != .unknown, db.isCancelled { return CancellationError() }
    return MigrationError.failed(
      MigrationFailure(
        identifier: planned.migration.identifier, index: planned.index, count: planned.count, underlying: error,
        appliedBefore: committed, undone: undone))
  }

  /// Runs a migration's work and periodically reports its progress, if the caller requested that.
  func reportingProgress(of migration: Migration, _ work: () throws -> Void) throws {
    guard reportsProgress, let reporter = db.connection.runningReporter else { return try work() }
    var pace = ReportPace()
    let (statementsBefore, changesBefore) = (db.context.runCount, db.totalChangesCount)
    // Called while the engine runs a statement: reading the number of changes does not disturb it.
    reporter.start { [db, events] in
      guard let elapsed = pace.elapsedIfDue() else { return }
      events(
        .running(
          identifier: migration.identifier, elapsed: elapsed, statementCount: db.context.runCount - statementsBefore,
          changedRowCount: db.totalChangesCount - changesBefore))
    }
    defer { reporter.stop() }
    try work()
  }

  // MARK: Locks and disconnections

  /// Runs `body`, and repeats it while it fails with the condition `.busy`, until the migrator's lock timeout: an
  /// engine's busy timeout is meant for transactions shorter than another process's migration.
  func waitingForLock<Value>(_ body: () throws -> Value) throws -> Value {
    try db.waitingForLock(until: migrator.newLockDeadline, body)
  }

  /// Runs `body`, which begins by reading what is already done, and repeats it after the connection to a server was lost,
  /// unless a migration may have been committed without being reported.
  func reconnecting<Value>(_ body: () throws -> Value) throws -> Value {
    // The deadline of a wait for a server; nil before the first loss.
    var deadline: ContinuousClock.Instant?
    while true {
      do {
        return try body()
      } catch {
        guard let loss = error.disconnectionWithoutEffect else { throw error }
        guard disconnections.mayRepeat(after: loss, &deadline, of: self) else {
          throw (error as? UnrecordedCommit)?.underlying ?? error
        }
        try db.checkCancellation()
        // Ends the lost transaction, if that has not been done yet.
        try db.connection.rollback()
        settings.didLoseConnection()
      }
    }
  }

  /// Discards what the run knows of the database after a rollback.
  func forget() {
    cached.forget()
    rowLossWatch?.forget()
    settings.mayHaveChanged()
  }

  /// Repeats `body` if it is interrupted: a cancellation, which may come at any moment, interrupts one statement.
  private func uninterrupted(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as DatabaseError where error.condition == .interrupted {
      try body()
    }
  }

  /// Throws an error if the migration has deleted the ledger's definition, after `PRAGMA writable_schema`: the engine
  /// would go on writing entries into a table that no connection finds later.
  func requireLedger(after migration: Migration) throws {
    guard try db.connection.schema().object(.table, named: ledger.table) == nil else { return }
    throw MigrationError.recordLost(table: ledger.table, identifier: migration.identifier)
  }
}

/// An error that requires a new plan: another connection has erased the database whose state the plan is based on.
struct PlanOutdated: Error {}

/// The plan of a run: the pending migrations, and the ledger entries on which their order is based.
private struct RunPlan {
  /// The known migrations that the ledger must contain for the plan to be valid: those that it contained when the plan was
  /// made, and those applied since.
  private var expected: Set<String> = []
  private var pending: Set<String> = []

  init() {}

  init(applied: Set<String>, pending: [Migration]) {
    (expected, self.pending) = (applied, Set(pending.map(\.identifier)))
  }

  /// Returns whether migrations are pending in a ledger that contains the migrations `done`, or those that replace them.
  ///
  /// - Throws: ``PlanOutdated`` if the ledger has lost entries on which the plan is based.
  func isPending(_ done: Set<String>) throws -> Bool {
    guard done.isSuperset(of: expected) else { throw PlanOutdated() }
    return !done.isSuperset(of: pending)
  }

  mutating func didApply(_ migration: Migration) {
    expected.insert(migration.identifier)
    if !migration.mergedIdentifiers.isEmpty { expected.subtract(migration.mergedIdentifiers) }
  }
}
