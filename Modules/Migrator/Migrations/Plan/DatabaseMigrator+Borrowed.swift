extension DatabaseMigrator {
  /// Applies the migrations that the database does not have, on a connection that the application lends.
  ///
  /// ```swift
  /// try migrator.migrate(SQLite.borrowing(connection))
  /// ```
  ///
  /// The run waits for locks that other connections hold, up to ``lockTimeout``, regardless of the connection's busy
  /// handler. If the application itself runs statements on the connection during a migration, the migrator does not
  /// know which tables they touch. It then checks the foreign keys of all tables.
  ///
  /// - Parameter target: The last migration to apply; nil for all.
  /// - Throws: ``MigrationError``; ``DatabaseError`` with the condition `.misuse` if the connection has an open
  ///   transaction or a running statement, or `.libraryUnsuitable` if it belongs to another copy of the engine. In case
  ///   of `.misuse` or `.libraryUnsuitable`, nothing was done.
  public func migrate(_ borrowed: BorrowedDatabase, upTo target: String? = nil) throws {
    try borrowed.lend(waitingUpTo: lockTimeout) { db in try run(on: db, upTo: target, events: report) }
  }

  /// Applies the migrations as the synchronous method does, without leaving the caller's actor.
  ///
  /// - Throws: The errors of the synchronous method; `CancellationError` if the task was canceled. The running
  ///   migration is then rolled back, unless it runs without a transaction or in batches; earlier migrations remain
  ///   applied.
  public nonisolated(nonsending) func migrate(_ borrowed: BorrowedDatabase, upTo target: String? = nil) async throws {
    try await borrowed.lend(waitingUpTo: lockTimeout) { db in try run(on: db, upTo: target, events: report) }
  }

  /// Marks migrations as applied without running them, as `baseline(_:upTo:)` does for a database writer.
  ///
  /// - Throws: The errors of that `baseline` method and of `migrate(_:upTo:)`.
  public func baseline(_ borrowed: BorrowedDatabase, upTo target: String? = nil) throws {
    try borrowed.lend(waitingUpTo: lockTimeout) { db in try baseline(on: db, upTo: target) }
  }

  /// Returns what a run would do to the database, and why; see ``plan(_:upTo:)-(Database,_)``.
  public func plan(_ borrowed: BorrowedDatabase, upTo target: String? = nil) throws -> MigrationPlan {
    try read(borrowed) { db in try plan(db, upTo: target) }
  }

  /// Returns the registered migrations that are applied to the database, in the order of registration.
  public func appliedMigrations(_ borrowed: BorrowedDatabase) throws -> [String] {
    try read(borrowed) { db in try appliedMigrations(db) }
  }

  /// Returns all identifiers in the ledger; see ``appliedIdentifiers(_:)-(Database)``.
  public func appliedIdentifiers(_ borrowed: BorrowedDatabase) throws -> Set<String> {
    try read(borrowed) { db in try appliedIdentifiers(db) }
  }

  /// Returns the registered migrations that come before the first one that the database does not have.
  public func completedMigrations(_ borrowed: BorrowedDatabase) throws -> [String] {
    try read(borrowed) { db in try completedMigrations(db) }
  }

  /// Returns whether the database has all registered migrations.
  public func hasCompletedMigrations(_ borrowed: BorrowedDatabase) throws -> Bool {
    try read(borrowed) { db in try hasCompletedMigrations(db) }
  }

  /// Returns whether the database has a migration that this migrator neither registers nor merges.
  public func hasBeenSuperseded(_ borrowed: BorrowedDatabase) throws -> Bool {
    try read(borrowed) { db in try hasBeenSuperseded(db) }
  }

  /// Returns whether the database no longer matches its migrations; see ``schemaChanges(_:)-(BorrowedDatabase)``.
  public func hasSchemaChanges(_ borrowed: BorrowedDatabase) throws -> Bool { try !schemaChanges(borrowed).isEmpty }

  /// Returns the reasons why the database no longer matches its migrations; empty if it matches.
  ///
  /// The applied migrations run again on an empty scratch database. If they need collations, functions or modules that
  /// the application adds to its connections, add these to the scratch database with the backend's `preparingScratch`
  /// parameter.
  public func schemaChanges(_ borrowed: BorrowedDatabase) throws -> [SchemaChangeReason] {
    try read(borrowed) { db in try schemaChanges(db) }
  }

  private func read<Value>(_ borrowed: BorrowedDatabase, _ body: (Database) throws -> Value) throws -> Value {
    try borrowed.lend(waitingUpTo: lockTimeout) { db in try db.onOneState { try body(db) } }
  }
}
