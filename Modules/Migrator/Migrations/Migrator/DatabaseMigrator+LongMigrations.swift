extension DatabaseMigrator {
  /// Registers a migration that runs without a transaction, for statements that cannot run in one, such as VACUUM.
  ///
  /// The ledger is told before it begins and after it has ended; others that find it begun wait for its end. A crash in
  /// between leaves it pending, and it runs again, once ``lockTimeout`` is over: it must be made for that. Foreign keys
  /// are enforced as the configuration says.
  ///
  /// - Parameters:
  ///   - identifier: What the migration is called for all time.
  ///   - migrate: Runs outside of a transaction. What it did before an error stays.
  /// - Precondition: No migration of that identifier is registered.
  public mutating func registerUnwrappedMigration(
    _ identifier: String, migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    register(Migration(identifier: identifier, mode: .immediate, work: .unwrapped { db, _ in try migrate(db) }))
  }

  /// Registers a migration of much data, which is done in batches.
  ///
  /// Each batch is a transaction, in which the ledger is told where the next one begins. A crash, an error or a
  /// cancelled task loses one batch at most, and the next run goes on from there, in whatever process. Others can write
  /// between two batches. The migration is applied when its last batch is.
  ///
  /// ```swift
  /// migrator.registerBatchedMigration("Fold names") { db, cursor in
  ///   let start = Int64.fromDatabaseValue(cursor) ?? 0
  ///   try db.execute(
  ///     sql: "UPDATE player SET folded = lower(name) WHERE id > ? AND id <= ?", arguments: [start, start + 1000])
  ///   let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM player") ?? 0
  ///   return start + 1000 < last ? .next(from: start + 1000, fraction: Double(start) / Double(last)) : .done
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - identifier: What the migration is called for all time.
  ///   - foreignKeyChecks: How foreign keys are checked, in each batch.
  ///   - migrateBatch: Does one batch. Its cursor is NULL for the first one.
  /// - Precondition: No migration of that identifier is registered.
  public mutating func registerBatchedMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
    migrateBatch: @escaping @Sendable (Database, _ cursor: DatabaseValue) throws -> BatchOutcome
  ) {
    register(Migration(identifier: identifier, mode: mode(foreignKeyChecks), work: .batched(migrateBatch)))
  }

  /// Where the next batch of a migration in batches begins; nil when it has not begun, or when it is applied.
  public func batchCursor(of identifier: String, _ db: Database) throws -> DatabaseValue? {
    try ledger.unfinished(identifier, db)?.cursor
  }
}
