/// What the parts of a run share.
final class RunContext {
  let migrator: DatabaseMigrator
  let db: Database
  let lock: LockWait
  let events: (MigrationEvent) -> Void
  /// Whether to tell how far a migration is while it runs.
  let reportsProgress: Bool
  let ledger: Ledger
  /// What the open transaction is going to write into the ledger.
  let unwritten: UnwrittenEntries
  var schema: SchemaRecord

  /// Which tables refer to which, as the last migration left them; nil when that is not known.
  var graph: ForeignKeyGraph?

  /// What the ledger holds, as this run left it; nil when that is not known.
  private var applied: Set<String>?

  /// Whether no other connection has changed the database since this run's last transaction, so that what is known of it
  /// still holds.
  var isUndisturbed = false
  private var dataVersion: Int64?

  /// What the ledger must hold for the plan to be good: it was made on that, and every step adds to it.
  var expected: Set<String> = []

  /// The migrations that the run is going to apply.
  var planned: Set<String> = []

  /// Whether the state before the run is kept already, or need not be.
  private var isBackedUp = false

  /// The migrations that the run has committed, in order.
  private(set) var committed: [String] = []

  init(
    _ migrator: DatabaseMigrator, on db: Database, reportsProgress: Bool = false,
    events: @escaping (MigrationEvent) -> Void
  ) {
    self.reportsProgress = reportsProgress
    self.migrator = migrator
    self.db = db
    self.events = events
    lock = LockWait(timeout: migrator.lockTimeout, configuration: db.configuration)
    ledger = migrator.ledger
    unwritten = UnwrittenEntries(ledger)
    schema = SchemaRecord(ledger)
  }

  // MARK: Transactions

  /// Opens a transaction that holds the writer's lock.
  func begin() throws {
    try lock.retrying(db) { try db.connection.begin(.immediate) }
    do {
      let version = try db.connection.dataVersion()
      isUndisturbed = version != nil && version == dataVersion
      dataVersion = version
    } catch {
      abandon()
      throw error
    }
    if !isUndisturbed { applied = nil }
  }

  /// Commits the transaction with the entries that were recorded in it, waiting for readers that stand in its way.
  func commit() throws {
    try db.finishing { try unwritten.write(db) }
    try lock.retrying(db) { try db.connection.commit() }
    unwritten.removeAll()
  }

  /// Forgets what is known of the schema, after a rollback: its version may come again with another content.
  func forgetSchema() {
    schema.forget()
    graph = nil
    applied = nil
  }

  /// Undoes the transaction after an error, which is what the caller must know; an engine may have done it by itself.
  func abandon() {
    forgetSchema()
    unwritten.removeAll()
    try? db.connection.rollback()
    // After an error of the disk it is the next read that restores the file from its journal.
    _ = try? db.connection.schemaVersion()
  }

  /// Runs `body` in a transaction that holds the writer's lock, and tells it what is applied.
  func inTransaction<Value>(_ body: (_ applied: Set<String>) throws -> Value) throws -> Value {
    try begin()
    do {
      let value = try body(appliedUnderLock())
      try commit()
      return value
    } catch {
      abandon()
      throw error
    }
  }

  // MARK: The ledger

  /// Reads the ledger under the writer's lock, and makes it if it is not there, with what is adopted.
  ///
  /// - Throws: ``PlanOutdated`` when it has lost what the plan was made on.
  func appliedUnderLock() throws -> Set<String> {
    if let applied { return applied }
    let applied = try migrator.appliedIdentifiers(db)
    // A migration that another connection applied may have replaced what is missing.
    guard migrator.done(applied).isSuperset(of: expected) else { throw PlanOutdated() }
    if !migrator.done(applied).isSuperset(of: planned) { try backUp() }
    try migrator.openLedger(db)
    self.applied = applied
    return applied
  }

  /// Which of the migrations that one merges are applied, read under the writer's lock.
  ///
  /// - Throws: ``MigrationError/mergesUnfinished(_:)``.
  func appliedParts(of migration: Migration) throws -> Set<String> {
    let merged = migration.mergedIdentifiers
    guard !merged.isEmpty else { return [] }
    let begun = try ledger.begunIdentifiers(db).intersection(merged)
    guard begun.isEmpty else { throw MigrationError.mergesUnfinished(begun.sorted()) }
    return try appliedUnderLock().intersection(merged)
  }

  /// Keeps the state before the run, once, where the policy wants it; before anything is written under the lock.
  func backUp() throws {
    guard !isBackedUp else { return }
    try BackupRun(self)?.perform()
    isBackedUp = true
  }

  /// Makes a migration's entry, which the open transaction writes before it is committed.
  ///
  /// - Parameters:
  ///   - duration: Nil for one that has begun and not ended.
  ///   - cursor: Where its next batch begins.
  func record(
    _ migration: Migration, duration: Duration?, objects: ObjectChanges, cursor: DatabaseValue = .null
  ) {
    let entry = LedgerEntry(
      identifier: migration.identifier, position: migrator.index(of: migration.identifier) ?? 0,
      appliedAt: Ledger.now, duration: duration, fingerprint: duration.map { _ in schema.fingerprint.text },
      checksum: migration.checksum, objects: objects.text)
    // A migration that has not ended has not replaced anything yet.
    let merged = duration == nil ? [] : migration.mergedIdentifiers
    unwritten.append(Ledger.Change(entry: entry, cursor: cursor, replaced: merged))
    guard duration != nil else { return }
    applied?.insert(migration.identifier)
    if !merged.isEmpty { applied?.subtract(merged) }
  }

  // MARK: The outcome

  /// Remembers and reports a migration that is committed now.
  func finish(_ planned: PlannedMigration, _ duration: Duration, wasAppliedByOther: Bool) {
    let (identifier, index, count) = (planned.migration.identifier, planned.index, planned.count)
    expected.insert(identifier)
    if !planned.migration.mergedIdentifiers.isEmpty { expected.subtract(planned.migration.mergedIdentifiers) }
    guard !wasAppliedByOther else {
      return events(.skipped(identifier: identifier, index: index, count: count))
    }
    committed.append(identifier)
    events(.committed(identifier: identifier, index: index, count: count, duration: duration))
  }

  /// An error that names the migration and what became of it.
  func failure(_ planned: PlannedMigration, _ error: any Error) -> any Error {
    if error is CancellationError || error is PlanOutdated { return error }
    // Whatever a statement said that was interrupted for it.
    if db.isCancelled { return CancellationError() }
    return MigrationError.failed(
      MigrationFailure(
        identifier: planned.migration.identifier, index: planned.index, count: planned.count, underlying: error,
        appliedBefore: committed, undone: planned.migration.undoneOnFailure))
  }
}

/// A pending migration and its place in the run.
struct PlannedMigration {
  let migration: Migration
  /// From 1.
  let index: Int
  let count: Int
}

/// Another connection took back what the plan was made on, by erasing the database: a new plan is needed.
struct PlanOutdated: Error {}
