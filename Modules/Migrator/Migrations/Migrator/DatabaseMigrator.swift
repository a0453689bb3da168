internal import SQLSyntax

/// A list of migrations, to be applied to a database in order, each exactly once.
///
/// ```swift
/// var migrator = DatabaseMigrator()
/// migrator.registerMigration("Create authors") { db in
///   try db.create(table: "author") { t in
///     t.autoIncrementedPrimaryKey("id")
///     t.column("name", .text).notNull()
///   }
/// }
/// try migrator.migrate(dbQueue)
/// ```
///
/// A migration's changes and its row in the ledger, a table of the database, commit together.
public struct DatabaseMigrator: Sendable {
  /// The way in which a migration checks foreign keys.
  public enum ForeignKeyChecks: Sendable, Equatable {
    /// Foreign keys are not enforced while the migration runs, so that tables can be recreated. Before the commit, the
    /// touched tables are checked, and new violations make the migration fail.
    case deferred
    /// Foreign keys are enforced at each statement. Tables cannot be recreated.
    case immediate
  }

  /// Whether the database is erased and rebuilt when its migrations have changed.
  ///
  /// False by default.
  ///
  /// Before it erases, a run reports on standard error which objects differ and how many rows each table has, and keeps the
  /// previous file as a backup; see ``erasure``. It first runs all migrations on an empty scratch database: if one fails, the
  /// database is unchanged. There, `ATTACH` of a file has no effect, so a migration that needs an attached file fails.
  ///
  /// The order of the migrations, the schema that they create, and the rows that they leave in an empty database count. The
  /// digests of these rows are recorded in the ledger, and compared at the next run. What cannot be seen: a change that has
  /// no effect on an empty database, such as an UPDATE of the user's rows; effects outside the database; the letter case of
  /// names; rows in a table that differ at each run, because a migration inserts random values or iterates over a `Set`, also
  /// if it inserted fixed ones before. Columns with the current
  /// time are left out. Other values that are computed from the date, such as the year or the first day of the next month, look
  /// like an edit on another day.
  ///
  /// Differences in default index names and in spelling do not count if they come from another version of this library,
  /// or from GRDB. In a database whose history was adopted, differences that existed at the time of adoption do not
  /// count, either; see ``schemaChanges(_:)-(Database)``.
  ///
  /// A database that is shared with another migrator or tool, or that has tables that none of the migrations created,
  /// is not erased, since the other data would be lost, too; see ``MigrationError/erasureRefused(_:)``. Neither is a
  /// database with unknown migrations if ``unknownMigrations`` refuses them.
  ///
  /// - Warning: This destroys user data. Set it only during development, inside `#if DEBUG`. In a release build, each run
  ///   prints a warning.
  public var eraseDatabaseOnSchemaChange = false

  /// The treatment of the rows before ``eraseDatabaseOnSchemaChange`` erases them; by default, a backup is kept, and a
  /// report is printed.
  public var erasure = Erasure.keepingBackup

  /// The function that receives the reports of runs whose events the caller does not read; by default, it writes them to
  /// standard error.
  package var notify: @Sendable (String) -> Void = writeToStandardError

  /// The time that a run waits for other connections to finish writing, each time that it needs the lock; one minute by default.
  ///
  /// After that time, the run fails with the condition `.busy`. A commit that has to wait for readers waits as long. A run that
  /// has lost its connection to a server also tries again for that time, after each loss, to reach a server; the backend may
  /// need longer for one attempt.
  public var lockTimeout = Duration.seconds(60)
  /// The time of each wait for a lock; nil for ``lockTimeout``.
  ///
  /// Either way, if another process has begun a migration that runs without a transaction, that migration counts as
  /// abandoned after `lockTimeout`.
  package var lockWait: Duration?
  /// The time after which a wait for locks, or for a server, that begins now makes no further attempt.
  var newLockDeadline: ContinuousClock.Instant { .now + (lockWait ?? lockTimeout) }
  /// The behavior of a run on a database that newer code has migrated; by default, the run continues.
  public var unknownMigrations = UnknownMigrations.allow
  /// The behavior of a run if a pending migration is registered before an applied one; by default, the run applies it.
  public var outOfOrder = OutOfOrder.allow
  /// The behavior of a run if the source of an applied migration was edited; by default, the run warns.
  public var editedMigrations = EditedMigrations.warn
  /// The way in which migrations are committed; by default, one by one.
  public var commits = Commits.eachMigration
  /// The scope of deferred foreign key checks; by default, the tables that a migration touched.
  public var foreignKeyScope = ForeignKeyScope.touched

  /// The backup that a run makes of the database before it migrates or erases it; none by default.
  ///
  /// - Precondition: The number of backups to keep is at least one.
  public var backup = Backup.none {
    didSet {
      if case .beforeMigrating(let count, _) = backup {
        precondition(count > 0, "A backup policy must keep at least one copy.")
      }
    }
  }

  /// The table that records the applied migrations: the migrator's ledger.
  public let ledgerTable: String

  /// The name of the ledger, which becomes part of the names of the migrator's backups; nil for the default name.
  var ownLedgerTable: String? { ledgerTable.asciiLowercased == DatabaseMigrator().ledgerTable ? nil : ledgerTable }

  /// The registered migrations, in the order of registration.
  package internal(set) var registered: [Migration] = []

  /// The adopted histories of other tools, which count only while the ledger has no entries.
  var adopted: [AdoptedHistory] = []

  private var indexes: [String: Int] = [:]
  private(set) var merged: Set<String> = []
  private var defersChecks = true

  /// Creates a migrator without migrations.
  ///
  /// - Parameter ledgerTable: The table that records the applied migrations. Two migrators on one database, such as a
  ///   library's and an app's, need different tables; each migrator then ignores the other's migrations.
  /// - Precondition: The name is a valid table name: not empty, without a NUL character, and without the prefix
  ///   `sqlite_`, which the engine reserves (https://www.sqlite.org/lang_createtable.html).
  public init(ledgerTable: String = "migrator_history") {
    precondition(
      Ledger.isPossible(table: ledgerTable),
      "The name of a ledger table must not be empty, contain a NUL character, or be reserved by the engine.")
    self.ledgerTable = ledgerTable
  }

  /// Registers a migration after those already registered.
  ///
  /// - Parameters:
  ///   - identifier: The name of the migration, which must never change.
  ///   - migrate: The migration's work, which takes effect at most once in each database. It runs in a transaction. If it
  ///     throws, the transaction is rolled back and the run ends. If the connection to a server is lost before the
  ///     commit, the transaction is undone, and the same run calls `migrate` again; its effects outside the database,
  ///     such as written files, must therefore be able to happen twice. The run resets pragmas and drops temporary
  ///     objects afterwards.
  /// - Precondition: No migration with that identifier is registered.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
    migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    register(
      Migration(identifier: identifier, mode: mode(foreignKeyChecks), work: .wrapped { db, _ in try migrate(db) }))
  }

  /// Registers a migration that replaces older ones, which no longer need to be registered.
  ///
  /// - Parameters:
  ///   - merging: The identifiers of the older migrations. Their ledger entries are removed when the new migration's
  ///     entry is added.
  ///   - migrate: The migration's work, as for ``registerMigration(_:foreignKeyChecks:migrate:)``; its second argument
  ///     contains the older migrations that were applied, and is empty in a new database.
  /// - Precondition: No migration with that identifier is registered.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred, merging: Set<String>,
    migrate: @escaping @Sendable (Database, _ applied: Set<String>) throws -> Void
  ) {
    register(
      Migration(
        identifier: identifier, mode: mode(foreignKeyChecks), mergedIdentifiers: merging, work: .wrapped(migrate)))
  }

  /// Registers a migration with deferred foreign key checks.
  @available(*, deprecated, renamed: "registerMigration(_:migrate:)")
  public mutating func registerMigrationWithDeferredForeignKeyCheck(
    _ identifier: String, migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    registerMigration(identifier, migrate: migrate)
  }

  /// Returns a copy of the migrator that does not check the foreign keys of migrations registered later, except
  /// migrations with immediate checks.
  ///
  /// - Warning: The application is then responsible for its foreign keys; see ``Database/checkForeignKeys()``.
  public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
    var migrator = self
    migrator.defersChecks = false
    return migrator
  }

  /// The identifiers of the registered migrations, in the order of registration.
  public var migrations: [String] { registered.map(\.identifier) }

  /// Returns how much of a registered migration's work is undone if it does not finish; nil if no migration has that
  /// identifier.
  package func undoneOnFailure(of identifier: String) -> MigrationFailure.Undone? {
    index(of: identifier).map { registered[$0].undoneOnFailure }
  }

  /// Registers a migration.
  ///
  /// - Precondition: No migration with that identifier is registered.
  package mutating func register(_ migration: Migration) {
    precondition(indexes[migration.identifier] == nil, "Migration \"\(migration.identifier)\" is registered twice.")
    indexes[migration.identifier] = registered.count
    merged.formUnion(migration.mergedIdentifiers)
    registered.append(migration)
  }

  /// Returns the position of a migration in the order of registration, from 0; nil if it is not registered.
  package func index(of identifier: String) -> Int? { indexes[identifier] }

  /// Returns whether a migration is registered, or merged by a registered one.
  package func knows(_ identifier: String) -> Bool { indexes[identifier] != nil || merged.contains(identifier) }

  func mode(_ checks: ForeignKeyChecks) -> Migration.ForeignKeyMode {
    switch checks {
    case .immediate: .immediate
    case .deferred: defersChecks ? .deferred : .unchecked
    }
  }
}

extension DatabaseMigrator {
  /// Registers a migration that runs outside a transaction, for statements such as VACUUM that cannot run in one.
  ///
  /// The ledger entry is written before the migration begins and completed after it has ended. Other processes that
  /// find an unfinished entry wait for the migration to end. After a crash, the migration is still pending and runs
  /// again once ``lockTimeout`` has passed: its work must be able to run twice. Foreign keys are enforced as
  /// configured.
  ///
  /// - Parameter migrate: The migration's work, which runs outside a transaction. Changes made before an error remain.
  /// - Precondition: No migration with that identifier is registered.
  public mutating func registerUnwrappedMigration(
    _ identifier: String, migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    register(Migration(identifier: identifier, mode: .immediate, work: .unwrapped { db, _ in try migrate(db) }))
  }

  /// Registers a migration that processes many rows in batches.
  ///
  /// Each batch is a transaction, which also records in the ledger where the next batch begins. A crash, an error or
  /// cancellation loses at most one batch. The next run, in any process, continues after the last committed batch.
  /// Other connections can write between two batches. The migration is applied once its last batch is committed.
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
  /// - Parameter migrateBatch: The work of one batch. The cursor of the first batch is NULL. If the connection to a
  ///   server is lost before the commit, the same run calls `migrateBatch` again with the same cursor.
  /// - Precondition: No migration with that identifier is registered.
  public mutating func registerBatchedMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
    migrateBatch: @escaping @Sendable (Database, _ cursor: DatabaseValue) throws -> BatchOutcome
  ) {
    register(Migration(identifier: identifier, mode: mode(foreignKeyChecks), work: .batched(migrateBatch)))
  }

  /// Returns the cursor of the next batch of a batched migration; nil if the migration has not begun or is applied.
  public func batchCursor(of identifier: String, _ db: Database) throws -> DatabaseValue? {
    try ledger.unfinished(identifier, db)?.cursor
  }
}
