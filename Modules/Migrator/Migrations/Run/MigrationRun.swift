/// One call to `migrate`, which plans the pending migrations and applies them transaction by transaction.
///
/// It holds the state of the whole call. ``MigrationTransaction`` holds the state of one commit. ``SchemaRecord`` holds
/// the knowledge of the schema that one commit passes to the next.
final class MigrationRun {
  private static let mostPlans = 10

  let migrator: DatabaseMigrator
  let db: Database
  let ledger: Ledger
  let events: (MigrationEvent) -> Void
  /// The schema after the last transaction.
  var schema: SchemaRecord
  /// The known migrations in the ledger after the last transaction; nil if they have not been read.
  var applied: Set<String>?
  /// The data version of the last transaction; see ``TransactionControl/dataVersion()``.
  var dataVersion: Int64?
  /// The migrations that the run has committed, in order.
  private(set) var committed: [String] = []
  /// Whether foreign keys were enforced before the run; nil until the run reads the setting.
  private var enforcedForeignKeysBefore: Bool?
  /// Whether foreign keys are enforced now; nil if that is unknown.
  private var enforcesForeignKeys: Bool?
  /// The known migrations that the ledger must contain for the plan to be valid: those that it contained when the plan was
  /// made, and those applied since.
  private var expected: Set<String> = []
  private var planned: Set<String> = []
  /// Whether the state before the run has been backed up, or did not need a backup.
  var isBackedUp = false
  /// Whether the ledger already had entries adopted from another tool before the run.
  var hasAdoptedEntries = false
  /// The digests of rows that the ledger does not contain yet, or contains differently, and the tables that are new among those
  /// that are left out; set by the check for changed migrations.
  var rowsToRecord: (rows: RowDigests?, unstableTables: [String])?
  /// Digests of the rows that all migrations up to the target insert into an empty database, found before the erasure.
  var rehearsedRows: RowDigests?
  /// The tables whose rows were not compared before the erasure, since they differ at each run.
  var leftOutRows: [String] = []
  /// The state of the connection before the first migration; it is restored for each later migration.
  private var connectionState: ConnectionState?
  /// Whether a migration may have changed the state of the connection.
  var mayHaveChangedConnection = false
  /// The number of times that the connection was lost during each statement since the last commit; nil stands for any
  /// other operation.
  private var losses: [String?: Int] = [:]
  private let reportsProgress: Bool
  /// The watch on the rows that migrations remove; nil if the caller does not review them.
  let rowLosses: RowLossWatch?
  let lockDeadline: ContinuousClock.Instant
  private let interruptionsBefore: Int
  /// Throws an error unless the database is in the state for which the run was confirmed; nil if the run need not be
  /// confirmed, or once it has changed the state.
  private var requireConfirmation: ((Database) throws -> Void)?

  /// Whether foreign keys are checked, which is only the case if they were enforced before the run.
  var checksForeignKeys: Bool { enforcedForeignKeysBefore ?? false }
  /// Whether the run was canceled, or its database interrupted.
  var isStopped: Bool { db.isCancelled || db.interrupter.interruptionCount != interruptionsBefore }

  init(
    _ migrator: DatabaseMigrator, on db: Database, reportsProgress: Bool = false, reviewing: RowLossReview? = nil,
    confirming: ((Database) throws -> Void)? = nil, events: @escaping (MigrationEvent) -> Void = { _ in }
  ) {
    requireConfirmation = confirming
    rowLosses = reviewing.map { RowLossWatch(db, $0, ledgerTable: migrator.ledgerTable) }
    self.migrator = migrator
    self.db = db
    self.events = events
    self.reportsProgress = reportsProgress
    ledger = migrator.ledger
    schema = SchemaRecord(ledger)
    lockDeadline = migrator.newLockDeadline
    interruptionsBefore = db.interrupter.interruptionCount
  }

  /// Applies pending migrations up to and including the target, after erasing the database if necessary.
  func perform(upTo target: String?, rebuilding: Rebuild) throws {
    guard !db.isInsideTransaction else { throw MigrationError.insideTransaction }
    db.context.referringTables.removeAll()
    let start = ContinuousClock.now
    let result = Result { try performSteps(upTo: target, rebuilding: rebuilding) }
    let restoring = Result { try db.finishing { try uninterrupted { try reconnecting { try restore() } } } }
    // The caller must get the first error.
    try result.get()
    try restoring.get()
    events(.finished(applied: committed, duration: .now - start))
  }

  private func performSteps(upTo target: String?, rebuilding: Rebuild) throws {
    let limit = try target.map { try migrator.place(ofTarget: $0) }
    // Also if nothing is pending, so that no transaction begins.
    if requireConfirmation != nil { try reconnecting { try waitingForLock { try db.onOneState { try confirm() } } } }
    if rebuilding != .never { try eraseIfDue(rebuilding, upTo: limit) }
    let edited = try reconnecting { try waitingForLock { try migrator.requireUnedited(db) } }
    if !edited.isEmpty { events(.warning(.editedMigrations(identifiers: edited))) }
    var plans = 1
    while try !reconnecting({ try performPending(upTo: limit) }) {
      // Another program may erase the database during a run, but is unlikely to do so repeatedly.
      guard plans < Self.mostPlans else { throw MigrationError.historyLost(applied: committed) }
      plans += 1
    }
    if !migrator.adopted.isEmpty { try writeAdoptedHistory() }
    if rebuilding == .onSchemaChange {
      try reconnecting { try recordAdoptedDifferences() }
      try reconnecting { try restoreRows() }
      try reconnecting { try recordRows() }
    }
  }

  // MARK: The plan

  /// Plans and applies pending migrations; returns false if the plan became outdated before all of its migrations ran.
  private func performPending(upTo limit: Int?) throws -> Bool {
    expected = try waitingForLock { try migrator.knownApplied(db) }
    try migrator.requireKnown(db)
    let pending = try migrator.pending(applied: expected, upTo: limit)
    guard !pending.isEmpty else { return true }
    try migrator.requireOneTransaction(pending)
    planned = Set(pending.map(\.identifier))
    events(.planned(identifiers: pending.map(\.identifier)))
    try noteForeignKeys()
    if connectionState == nil { connectionState = try waitingForLock { try db.connection.stateKeeper?.state() } }
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
    let transaction: MigrationTransaction
    do {
      // A failed attempt that lost its connection may have left changes.
      try restoreConnection()
      try enforceForeignKeys(checksForeignKeys && first.migration.mode == .immediate)
      switch first.migration.work {
      case .unwrapped(let body): return try UnwrappedRun(run: self).perform(first, body)
      case .batched(let batch): return try BatchedRun(run: self).perform(first, batch)
      case .wrapped: transaction = try MigrationTransaction(self)
      }
    } catch {
      throw failure(first, error)
    }
    try WrappedRun(run: self, transaction: transaction).perform(group)
  }

  /// Throws an error if the state has changed since the caller confirmed the run; called again under the write lock.
  func confirm() throws { try requireConfirmation?(db) }

  /// Notes that the run has changed the state for which it was confirmed.
  func didChange() { requireConfirmation = nil }

  /// Checks under the write lock that the plan is still valid, and makes the backup before anything is written.
  ///
  /// - Throws: ``PlanOutdated`` if the ledger has lost entries on which the plan is based.
  func confirmPlan(applied: Set<String>) throws {
    try confirm()
    // A migration that another connection applied may have replaced the missing entries.
    let done = migrator.done(applied)
    guard done.isSuperset(of: expected) else { throw PlanOutdated() }
    if !done.isSuperset(of: planned) { try backUp() }
  }

  /// Makes a backup of the state before the run, if the policy requires it and the run has not made one yet, and
  /// removes the oldest backups.
  ///
  /// Called in a transaction that holds the write lock and has changed nothing.
  func backUp() throws {
    guard !isBackedUp else { return }
    try makeBackup()
    isBackedUp = true
  }

  private func makeBackup() throws {
    // A database that was never used needs no backup.
    guard case .beforeMigrating(let count, let folder) = migrator.backup,
      try !db.connection.schema().objects.isEmpty || db.userVersion != 0
    else { return }
    let start = ContinuousClock.now
    guard let path = db.connection.storedBytesReader?.path else {
      throw db.context.error(
        .unsupported, "a database in memory, or one of this engine, cannot be backed up before it is migrated",
        remedy: "Set the migrator's backup policy to none.")
    }
    let backups = BackupFolder(ofDatabaseAt: path, in: folder, ledgerTable: migrator.ownLedgerTable)
    let backup = try backups.makeBackup(of: db, at: Ledger.now)
    let unfinished = try DevelopmentMark.unfinished(in: db)
    backups.removeOutdated(keeping: count) { $0 == unfinished }
    events(.backedUp(path: backup.path, sizeInBytes: backup.sizeInBytes, duration: .now - start))
  }

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
      try inTransaction { transaction in
        try confirm()
        try transaction.openLedger()
      }
    }
  }

  /// Notes a commit, after which the ledger contains the known migrations `applied`; nil if they have not been read.
  func didCommit(applied: Set<String>?) {
    self.applied = applied
    losses.removeAll()
  }

  /// Records and reports a migration that is now committed; a nil `duration` means that another connection applied it.
  func finish(_ planned: PlannedMigration, _ duration: Duration?) {
    let (migration, index, count) = (planned.migration, planned.index, planned.count)
    expected.insert(migration.identifier)
    if !migration.mergedIdentifiers.isEmpty { expected.subtract(migration.mergedIdentifiers) }
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

  // MARK: Transactions

  func inTransaction<Value>(_ body: (MigrationTransaction) throws -> Value) throws -> Value {
    let transaction = try MigrationTransaction(self)
    do {
      let value = try body(transaction)
      try transaction.commit()
      return value
    } catch {
      transaction.abandon()
      throw error
    }
  }

  /// Runs `body`, and repeats it while it fails with the condition `.busy`, until the migrator's lock timeout.
  ///
  /// An engine's busy timeout is meant for short transactions; another process's migration may take longer. A
  /// connection that is configured not to wait at all does not wait here either.
  func waitingForLock<Value>(_ body: () throws -> Value) throws -> Value {
    guard waitsForOthers else { return try body() }
    return try LockWait(until: lockDeadline).retrying(body) { try db.checkCancellation() }
  }

  /// Whether the run waits for other connections; the busy mode may forbid it.
  var waitsForOthers: Bool { ![.immediateError, .timeout(.zero)].contains(db.configuration.busyMode) }

  /// Runs `body`, which begins by reading what is already done, and repeats it after the connection to a server was lost,
  /// unless a migration may have been committed without being reported.
  ///
  /// After a loss, the run waits for a server until the migrator's lock timeout. A statement that loses its connection
  /// for the third time since the last commit fails, since it may itself be the cause.
  func reconnecting<Value>(_ body: () throws -> Value) throws -> Value {
    var deadline: ContinuousClock.Instant?
    while true {
      do {
        return try body()
      } catch {
        guard let loss = error.lossWithoutEffect, mayRepeat(after: loss, &deadline) else {
          throw (error as? UnrecordedCommit)?.underlying ?? error
        }
        try db.checkCancellation()
        // Ends the lost transaction, if that has not been done yet.
        try db.connection.rollback()
        // The next connection may have another setting.
        enforcesForeignKeys = nil
      }
    }
  }

  /// Counts a loss, which starts a new wait for a server; during the wait, pauses until the next attempt.
  private func mayRepeat(after loss: DatabaseError, _ deadline: inout ContinuousClock.Instant?) -> Bool {
    if loss.condition == .cannotOpen {
      guard let deadline, .now < deadline, !isStopped else { return false }
      LockWait.pause()
      return true
    }
    deadline = migrator.newLockDeadline
    losses[loss.sql, default: 0] += 1
    return losses[loss.sql, default: 0] < 3
  }

  /// Discards cached state after a rollback: the engine may reuse the schema's version number for a different schema.
  func forget() {
    schema.forget()
    rowLosses?.forget()
    applied = nil
  }

  /// Reads whether foreign keys are enforced, before the run changes that for the first time.
  ///
  /// It is read once: a later attempt could find the setting of an attempt that lost its connection.
  func noteForeignKeys() throws {
    guard enforcedForeignKeysBefore == nil else { return }
    enforcedForeignKeysBefore = try db.connection.enforcesForeignKeys()
    enforcesForeignKeys = enforcedForeignKeysBefore
  }

  /// Restores the connection and the enforcement of foreign keys after the run.
  private func restore() throws {
    let restoring = Result { try restoreConnection() }
    // Also if the rest could not be restored: rows without a parent would go unnoticed.
    if let enforcedForeignKeysBefore { try enforceForeignKeys(enforcedForeignKeysBefore) }
    try restoring.get()
  }

  /// Repeats `body` if it is interrupted: a cancellation, which may come at any moment, interrupts one statement.
  private func uninterrupted(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as DatabaseError where error.condition == .interrupted {
      try body()
    }
  }

  /// Whether the last migration can have deleted the ledger's definition; see ``confirmLedger(after:)``.
  var canHaveLostLedger: Bool { mayHaveChangedConnection || connectionState?.permitsEditingSchema == true }

  /// Throws an error if the migration has deleted the ledger's definition, after `PRAGMA writable_schema`: the engine
  /// would go on writing entries into a table that no connection finds later.
  func confirmLedger(after migration: Migration) throws {
    guard try db.connection.schema().object(.table, named: ledger.table) == nil else { return }
    throw MigrationError.recordLost(table: ledger.table, identifier: migration.identifier)
  }

  /// Restores the state of the connection before the run (settings, temporary objects, attached databases), so that no
  /// migration depends on those that ran before it on the same connection.
  ///
  /// The state is read once, before the run; it is compared only after statements that can change it.
  func restoreConnection() throws {
    guard mayHaveChangedConnection, let connectionState else { return }
    try waitingForLock { try db.connection.stateKeeper?.restore(connectionState) }
    if !db.isInsideTransaction, let enforcesForeignKeys,
      try db.connection.enforcesForeignKeys() != enforcesForeignKeys
    {
      try db.connection.setEnforcesForeignKeys(enforcesForeignKeys)
    }
    mayHaveChangedConnection = false
  }

  /// Turns foreign key enforcement on or off, before a transaction begins.
  ///
  /// Inside a transaction this has no effect (https://www.sqlite.org/pragma.html#pragma_foreign_keys). The backend
  /// verifies the setting.
  func enforceForeignKeys(_ enforced: Bool) throws {
    guard enforced != enforcesForeignKeys else { return }
    // A call that fails, for example because it is interrupted, may have changed the setting.
    enforcesForeignKeys = nil
    try db.connection.setEnforcesForeignKeys(enforced)
    enforcesForeignKeys = enforced
  }
}
