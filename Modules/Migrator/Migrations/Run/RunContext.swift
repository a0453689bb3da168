/// What the parts of a run share.
final class RunContext {
  let migrator: DatabaseMigrator
  let db: Database
  let lock: LockWait
  let events: (MigrationEvent) -> Void
  var schema: SchemaRecord

  /// What the ledger must hold for the plan to be good: it was made on that, and every step adds to it.
  var expected: Set<String> = []

  /// The migrations that the run has committed, in order.
  var committed: [String] = []

  init(_ migrator: DatabaseMigrator, on db: Database, events: @escaping (MigrationEvent) -> Void) {
    self.migrator = migrator
    self.db = db
    self.events = events
    lock = LockWait(timeout: migrator.lockTimeout, configuration: db.configuration)
    schema = SchemaRecord(migrator.ledger)
  }

  /// Opens a transaction that holds the writer's lock.
  func begin() throws { try lock.retrying(db) { try db.connection.begin(.immediate) } }

  /// Commits the transaction, waiting for readers that stand in its way.
  func commit() throws { try lock.retrying(db) { try db.connection.commit() } }

  /// Undoes the transaction after an error, which is what the caller must know; an engine may have done it by itself.
  func abandon() {
    schema.forget()
    try? db.connection.rollback()
  }

  /// Writes a migration's entry, within the open transaction.
  func record(_ migration: Migration, duration: Duration?, objects: ObjectChanges) throws {
    let entry = LedgerEntry(
      identifier: migration.identifier, position: migrator.index(of: migration.identifier) ?? 0,
      appliedAt: Ledger.now, duration: duration, fingerprint: duration.map { _ in schema.fingerprint.text },
      checksum: migration.checksum, objects: objects)
    try migrator.ledger.insert(entry, replacing: migration.mergedIdentifiers, db)
  }

  /// Remembers that the ledger holds a migration now.
  func expect(_ migration: Migration) {
    expected.insert(migration.identifier)
    expected.subtract(migration.mergedIdentifiers)
  }

  /// An error that names the migration and what became of it.
  func failure(_ planned: PlannedMigration, _ error: any Error) -> any Error {
    if error is CancellationError { return error }
    return MigrationError.failed(
      MigrationFailure(
        identifier: planned.migration.identifier, index: planned.index, count: planned.count, underlying: error,
        appliedBefore: committed, isRolledBack: planned.migration.isTransactional))
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
