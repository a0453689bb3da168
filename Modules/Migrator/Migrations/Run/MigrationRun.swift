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
  /// Whether foreign keys were enforced before the run; they are checked only in that case.
  private(set) var checksForeignKeys = false
  /// The known migrations that the ledger must contain for the plan to be valid: those that it contained when the plan was
  /// made, and those applied since.
  private var expected: Set<String> = []
  private var planned: Set<String> = []
  /// Whether the state before the run has been backed up, or did not need a backup.
  private var isBackedUp = false
  private var enforcesForeignKeys = false
  /// Whether the ledger already had entries adopted from another tool before the run.
  var hasAdoptedEntries = false
  /// The state of the connection before the first migration; it is restored for each later migration.
  private var connectionState: ConnectionState?
  /// Whether a migration may have changed the state of the connection.
  var mayHaveChangedConnection = false
  private let reportsProgress: Bool
  let lockDeadline: ContinuousClock.Instant

  init(
    _ migrator: DatabaseMigrator, on db: Database, reportsProgress: Bool = false,
    events: @escaping (MigrationEvent) -> Void = { _ in }
  ) {
    self.migrator = migrator
    self.db = db
    self.events = events
    self.reportsProgress = reportsProgress
    ledger = migrator.ledger
    schema = SchemaRecord(ledger)
    lockDeadline = .now + (migrator.lockWait ?? migrator.lockTimeout)
  }

  /// Applies pending migrations up to and including the target, after erasing the database if necessary.
  func perform(upTo target: String?, rebuilding: Rebuild) throws {
    guard !db.isInsideTransaction else { throw MigrationError.insideTransaction }
    let start = ContinuousClock.now
    let limit = try target.map { try migrator.place(ofTarget: $0) }
    if rebuilding != .never { try eraseIfDue(rebuilding) }
    let edited = try waitingForLock { try migrator.requireUnedited(db) }
    if !edited.isEmpty { events(.warning(.editedMigrations(identifiers: edited))) }
    var plans = 1
    while try !performPending(upTo: limit) {
      // Another program may erase the database during a run, but is unlikely to do so repeatedly.
      guard plans < Self.mostPlans else { throw MigrationError.historyLost(applied: committed) }
      plans += 1
    }
    if !migrator.adopted.isEmpty { try writeAdoptedHistory() }
    if rebuilding == .onSchemaChange { try recordAdoptedDifferences() }
    events(.finished(applied: committed, duration: .now - start))
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
    return try restoringForeignKeys {
      do {
        for group in migrator.groups(pending) { try apply(group) }
        return true
      } catch is PlanOutdated {
        return false
      }
    }
  }

  /// Applies migrations that share a transaction, or a single migration that uses several transactions or none.
  private func apply(_ group: [PlannedMigration]) throws {
    guard let first = group.first else { return }
    let transaction: MigrationTransaction
    do {
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

  /// Checks under the write lock that the plan is still valid, and makes the backup before anything is written.
  ///
  /// - Throws: ``PlanOutdated`` if the ledger has lost entries on which the plan is based.
  func confirmPlan(applied: Set<String>) throws {
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
    isBackedUp = true
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
    backups.removeOutdated(keeping: count)
    events(.backedUp(path: backup.path, sizeInBytes: backup.sizeInBytes, duration: .now - start))
  }

  // MARK: The outcome

  /// Writes the entries of adopted histories, unless a migration of the run has already written them.
  ///
  /// A read-only connection skips this; a connection that can write will adopt the histories later.
  func writeAdoptedHistory() throws {
    guard !db.connection.isReadOnly, try waitingForLock({ try !migrator.unwrittenHistory(db).isEmpty }) else { return }
    // Read again: only under the lock is it certain that no other connection adopts them.
    try inTransaction { try $0.openLedger() }
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
  /// was canceled, or ``PlanOutdated`` unchanged.
  func failure(_ planned: PlannedMigration, _ error: any Error) -> any Error {
    if error is CancellationError || error is PlanOutdated { return error }
    // Whatever error the interrupted statement reported.
    if db.isCancelled { return CancellationError() }
    return MigrationError.failed(
      MigrationFailure(
        identifier: planned.migration.identifier, index: planned.index, count: planned.count, underlying: error,
        appliedBefore: committed, undone: planned.migration.undoneOnFailure))
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
    switch db.configuration.busyMode {
    case .immediateError, .timeout(.zero): return try body()
    case .timeout: return try LockWait(until: lockDeadline).retrying(body) { try db.checkCancellation() }
    }
  }

  /// Discards cached state after a rollback: the engine may reuse the schema's version number for a different schema.
  func forget() {
    schema.forget()
    applied = nil
  }

  /// Runs `body`, which may turn foreign key enforcement on or off, and restores the setting even if `body` throws.
  private func restoringForeignKeys<Value>(_ body: () throws -> Value) throws -> Value {
    checksForeignKeys = try db.connection.enforcesForeignKeys()
    enforcesForeignKeys = checksForeignKeys
    connectionState = try waitingForLock { try db.connection.stateKeeper?.state() }
    let result = Result { try body() }
    do {
      try restoreConnection()
      try enforceForeignKeys(checksForeignKeys)
    } catch {
      // The caller must get the first error.
      _ = try result.get()
      throw error
    }
    return try result.get()
  }

  /// Restores the state of the connection before the run (settings, temporary objects, attached databases), so that no
  /// migration depends on those that ran before it on the same connection.
  ///
  /// The state is read once, before the run; it is compared only after statements that can change it.
  func restoreConnection() throws {
    guard mayHaveChangedConnection, let connectionState else { return }
    try waitingForLock { try db.connection.stateKeeper?.restore(connectionState) }
    if !db.isInsideTransaction, try db.connection.enforcesForeignKeys() != enforcesForeignKeys {
      try db.connection.setEnforcesForeignKeys(enforcesForeignKeys)
    }
    mayHaveChangedConnection = false
  }

  /// Turns foreign key enforcement on or off, before a transaction begins.
  ///
  /// Inside a transaction this has no effect (https://www.sqlite.org/pragma.html#pragma_foreign_keys). The backend
  /// verifies the setting.
  private func enforceForeignKeys(_ enforced: Bool) throws {
    guard enforced != enforcesForeignKeys else { return }
    try db.connection.setEnforcesForeignKeys(enforced)
    enforcesForeignKeys = enforced
  }
}
