/// One call of `migrate`: plans what is pending, and applies it transaction by transaction.
///
/// It owns what lasts for the whole call. What lasts for one commit is a ``MigrationTransaction``, and what is known of
/// the schema from one to the next a ``SchemaRecord``.
final class MigrationRun {
  private static let mostPlans = 10

  let migrator: DatabaseMigrator
  let db: Database
  let ledger: Ledger
  let events: (MigrationEvent) -> Void
  /// The schema as the last transaction left it.
  var schema: SchemaRecord
  /// What the ledger holds, as the last transaction left it; nil when that is not known.
  var applied: Set<String>?
  /// The number that the database had in the last transaction, see ``TransactionControl/dataVersion()``.
  var dataVersion: Int64?
  /// The migrations that the run has committed, in order.
  private(set) var committed: [String] = []
  /// Whether foreign keys were enforced before the run: only then are they checked.
  private(set) var checksForeignKeys = false
  /// What the ledger must hold for the plan to be good: it was made on that, and every step adds to it.
  private var expected: Set<String> = []
  private var planned: Set<String> = []
  /// Whether the state before the run has been backed up, or was not worth it.
  private var isBackedUp = false
  private var enforcesForeignKeys = false
  /// Whether the ledger had entries before the run that were taken over from another tool.
  var hasAdoptedEntries = false
  /// The state of the connection before the first migration, which each of them begins with.
  private var connectionState: ConnectionState?
  /// Whether a migration may have changed that state.
  var mayHaveChangedConnection = false
  private let reportsProgress: Bool
  private let lockWait: LockWait

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
    lockWait = LockWait(upTo: migrator.lockTimeout)
  }

  /// Applies what is pending up to the target, itself included, after erasing the database if that is due.
  func perform(upTo target: String?, rebuilding: Rebuild) throws {
    guard !db.isInsideTransaction else { throw MigrationError.insideTransaction }
    let start = ContinuousClock.now
    let limit = try target.map { try migrator.place(ofTarget: $0) }
    if rebuilding != .never { try eraseIfDue(rebuilding) }
    var plans = 1
    while try !performPending(upTo: limit) {
      // Another program may erase the database in the middle of a run, but hardly time and again.
      guard plans < Self.mostPlans else { throw MigrationError.historyLost(applied: committed) }
      plans += 1
    }
    if !migrator.adopted.isEmpty { try writeAdoptedHistory() }
    if rebuilding == .onSchemaChange { try recordAdoptedDifferences() }
    events(.finished(applied: committed, duration: .now - start))
  }

  // MARK: The plan

  /// Plans what is pending and applies it; returns false when the plan was outdated before it was done.
  private func performPending(upTo limit: Int?) throws -> Bool {
    expected = try waitingForLock { try migrator.appliedIdentifiers(db) }
    try migrator.requireKnown(expected, db)
    let pending = try migrator.pending(applied: expected, upTo: limit)
    guard !pending.isEmpty else { return true }
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

  /// Applies migrations that share a transaction, or a single one that has several or none.
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

  /// Checks under the writer's lock that the plan still holds, and makes the backup before anything is written.
  ///
  /// - Throws: ``PlanOutdated`` when the ledger has lost what the plan was made on.
  func confirmPlan(applied: Set<String>) throws {
    // A migration that another connection applied may have replaced what is missing.
    let done = migrator.done(applied)
    guard done.isSuperset(of: expected) else { throw PlanOutdated() }
    if !done.isSuperset(of: planned) { try backUp() }
  }

  /// Makes a backup of the state before the run, once, where the policy wants it, and removes the oldest ones.
  ///
  /// Called within a transaction that holds the writer's lock and has changed nothing.
  func backUp() throws {
    guard !isBackedUp else { return }
    isBackedUp = true
    // What was never used is not worth a file.
    guard case .beforeMigrating(let count, let folder) = migrator.backup,
      try !db.connection.schema().objects.isEmpty || db.userVersion != 0
    else { return }
    let start = ContinuousClock.now
    guard let path = db.connection.storedBytesReader?.path else {
      throw db.context.error(
        .unsupported, "a database in memory, or of this engine, cannot be backed up before it is migrated",
        remedy: "Set the migrator's backup policy to none.")
    }
    let backups = BackupFolder(ofDatabaseAt: path, in: folder, ledgerTable: migrator.ownLedgerTable)
    let backup = try backups.makeBackup(of: db, at: Ledger.now)
    backups.removeOutdated(keeping: count)
    events(.backedUp(path: backup.path, sizeInBytes: backup.sizeInBytes, duration: .now - start))
  }

  // MARK: The outcome

  /// Writes the entries of adopted histories that no migration wrote because none was pending.
  ///
  /// A connection that cannot write leaves them: the histories are still there for those that can.
  func writeAdoptedHistory() throws {
    guard !db.connection.isReadOnly, try waitingForLock({ try !migrator.unwrittenHistory(db).isEmpty }) else { return }
    // Read again: only under the lock no other connection can adopt them any longer.
    try inTransaction { try $0.openLedger() }
  }

  /// Remembers and reports a migration that is committed now; without a duration, another connection applied it.
  func finish(_ planned: PlannedMigration, _ duration: Duration?) {
    let (migration, index, count) = (planned.migration, planned.index, planned.count)
    expected.insert(migration.identifier)
    if !migration.mergedIdentifiers.isEmpty { expected.subtract(migration.mergedIdentifiers) }
    guard let duration else { return events(.skipped(identifier: migration.identifier, index: index, count: count)) }
    committed.append(migration.identifier)
    events(.committed(identifier: migration.identifier, index: index, count: count, duration: duration))
  }

  /// An error that names the migration and what became of it.
  func failure(_ planned: PlannedMigration, _ error: any Error) -> any Error {
    if error is CancellationError || error is PlanOutdated { return error }
    // Whatever a statement reported that was interrupted for it.
    if db.isCancelled { return CancellationError() }
    return MigrationError.failed(
      MigrationFailure(
        identifier: planned.migration.identifier, index: planned.index, count: planned.count, underlying: error,
        appliedBefore: committed, undone: planned.migration.undoneOnFailure))
  }

  /// Runs a migration's work and reports now and then how far it is, if the caller wants to know.
  func reportingProgress(of migration: Migration, _ work: () throws -> Void) throws {
    guard reportsProgress, let reporter = db.connection.runningReporter else { return try work() }
    var pace = ReportPace()
    let (statementsBefore, changesBefore) = (db.context.runCount, db.totalChangesCount)
    // While the engine runs a statement: asking for the number of changes does not disturb it.
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

  /// Runs `body` again for as long as it fails as busy and the migrator's lock timeout is not over.
  ///
  /// An engine's own timeout is made for short transactions; a migration of another process may take longer. A connection
  /// that is configured not to wait at all does not wait here either.
  func waitingForLock<Value>(_ body: () throws -> Value) throws -> Value {
    guard db.configuration.connectionOptions.busyTimeout > .zero else { return try body() }
    return try lockWait.retrying(body) { try db.checkCancellation() }
  }

  /// Forgets what is known of the database, after a rollback: a schema's version may come again with another content.
  func forget() {
    schema.forget()
    applied = nil
  }

  /// Runs `body`, which may switch the enforcement of foreign keys, and restores it on every exit.
  private func restoringForeignKeys<Value>(_ body: () throws -> Value) throws -> Value {
    checksForeignKeys = try db.connection.enforcesForeignKeys()
    enforcesForeignKeys = checksForeignKeys
    connectionState = try db.connection.stateKeeper?.state()
    let result = Result { try body() }
    do {
      try restoreConnection()
      try enforceForeignKeys(checksForeignKeys)
    } catch {
      // What failed first is what the caller must know.
      _ = try result.get()
      throw error
    }
    return try result.get()
  }

  /// Makes the connection what it was before the run, so that no migration depends on what ran before it on the same
  /// connection: settings, temporary objects, attached databases.
  ///
  /// The state was read once; it is compared only after statements that can change it.
  func restoreConnection() throws {
    guard mayHaveChangedConnection, let connectionState else { return }
    try db.connection.stateKeeper?.restore(connectionState)
    if !db.isInsideTransaction, try db.connection.enforcesForeignKeys() != enforcesForeignKeys {
      try db.connection.setEnforcesForeignKeys(enforcesForeignKeys)
    }
    mayHaveChangedConnection = false
  }

  /// Switches the enforcement of foreign keys, before a transaction begins.
  ///
  /// Inside one the switch does nothing (https://www.sqlite.org/pragma.html#pragma_foreign_keys). The backend reads the
  /// setting back.
  private func enforceForeignKeys(_ enforced: Bool) throws {
    guard enforced != enforcesForeignKeys else { return }
    try db.connection.setEnforcesForeignKeys(enforced)
    enforcesForeignKeys = enforced
  }
}
