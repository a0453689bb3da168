internal import SQLSyntax

/// Registers migrations and applies them to a database, in order, once and only once.
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
/// A migration's changes and its entry in the ledger, a table of the database, commit together.
public struct DatabaseMigrator: Sendable {
  /// How a migration checks foreign keys.
  public enum ForeignKeyChecks: Sendable, Hashable {
    /// Foreign keys are not enforced while the migration runs, so that tables can be recreated; before it commits,
    /// what it touched is checked, and new violations make it fail.
    case deferred
    /// Foreign keys are enforced at each statement. Tables cannot be recreated.
    case immediate
  }

  /// Whether the database is erased and rebuilt when its migrations have changed.
  ///
  /// False unless set.
  ///
  /// Names and spellings that differ between versions of this library, or from GRDB's, are no change. Of a database whose
  /// history was adopted, neither are the differences that it had then, see ``schemaChanges(_:)``.
  ///
  /// A database that another migrator shares, or another tool, or that has tables which none of the migrations made, is
  /// not erased, see ``MigrationError/erasureRefused(_:)``: these would be lost, too. Nor is one with unknown migrations
  /// where ``unknownMigrations`` refuses them.
  ///
  /// - Warning: This destroys the data of users. Set it during development only, inside `#if DEBUG`.
  public var eraseDatabaseOnSchemaChange = false

  /// How long a run waits for other connections that write, before it fails as busy; one minute unless set.
  public var lockTimeout = Duration.seconds(60)
  /// What a run does with a database that newer code has migrated; it goes on unless set.
  public var unknownMigrations = UnknownMigrations.allow
  /// What a run does with a migration that was registered before applied ones; it applies it unless set.
  public var outOfOrder = OutOfOrder.allow
  /// What a run does with applied migrations whose source was edited; it warns unless set.
  public var editedMigrations = EditedMigrations.warn
  /// How migrations are committed; one by one unless set.
  public var commits = Commits.eachMigration
  /// Where deferred foreign key checks look; in the tables that a migration touched unless set.
  public var foreignKeyScope = ForeignKeyScope.touched

  /// The backup that a run makes of the database before it migrates or erases it; none unless set.
  ///
  /// - Precondition: It keeps at least one copy.
  public var backup = Backup.none {
    didSet {
      if case .beforeMigrating(let count, _) = backup {
        precondition(count > 0, "A backup policy keeps one copy at least.")
      }
    }
  }

  /// The table that remembers the applied migrations: the migrator's ledger.
  public let ledgerTable: String

  /// The name of the ledger if it is not the usual one: the migrator's backups have it in their names.
  var ownLedgerTable: String? { ledgerTable.asciiLowercased == DatabaseMigrator().ledgerTable ? nil : ledgerTable }

  /// The registered migrations, in the order of registration.
  package internal(set) var registered: [Migration] = []

  /// The histories of other tools that count while there is no ledger.
  var adopted: [AdoptedHistory] = [] {
    didSet { memory = SchemaMemory() }
  }

  /// What has been found out about the schemas that the registered migrations make.
  private(set) var memory = SchemaMemory()

  private var indexes: [String: Int] = [:]
  private var merged: Set<String> = []
  private var defersChecks = true

  /// Creates a migrator without migrations.
  ///
  /// - Parameter ledgerTable: The table that remembers the applied migrations. Two migrators on one database, such
  ///   as a library's and an app's, need two tables; then neither sees anything of the other's work.
  /// - Precondition: The name is one that a table may have: not empty, without a zero byte, and not beginning with
  ///   `sqlite_`, which the engine keeps to itself (https://www.sqlite.org/lang_createtable.html).
  public init(ledgerTable: String = "migrator_history") {
    precondition(
      Ledger.isPossible(table: ledgerTable),
      "A ledger's table has a name, without a zero byte, that the engine does not reserve.")
    self.ledgerTable = ledgerTable
  }

  /// Registers a migration after those that are registered.
  ///
  /// - Parameters:
  ///   - identifier: The name of the migration for all time.
  ///   - migrate: Runs at most once for each database, in a transaction. When it throws, the transaction is rolled
  ///     back and the run ends. Pragmas that it sets and temporary objects that it makes do not outlive it.
  /// - Precondition: No migration of that identifier is registered.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
    migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    register(
      Migration(identifier: identifier, mode: mode(foreignKeyChecks), work: .wrapped { db, _ in try migrate(db) }))
  }

  /// Registers a migration that replaces older ones, which need no longer be registered.
  ///
  /// - Parameters:
  ///   - merging: The identifiers of the older migrations. Their entries leave the ledger when this one enters it.
  ///   - migrate: As for the other form; it gets the older migrations that were applied: none in a new
  ///     database.
  /// - Precondition: No migration of that identifier is registered.
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

  /// A migrator whose migrations registered from now on do not check foreign keys, those with immediate checks aside.
  ///
  /// - Warning: The application is responsible for the foreign keys then; see ``Database/checkForeignKeys()``.
  public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
    var migrator = self
    migrator.defersChecks = false
    return migrator
  }

  /// The identifiers of the registered migrations, in the order of registration.
  public var migrations: [String] { registered.map(\.identifier) }

  /// How much of a registered migration's work is undone when it does not come to its end; nil when there is none of that
  /// identifier.
  package func undoneOnFailure(of identifier: String) -> MigrationFailure.Undone? {
    registered.first { $0.identifier == identifier }?.undoneOnFailure
  }

  /// Registers a migration whose identifier is not registered yet.
  package mutating func register(_ migration: Migration) {
    precondition(indexes[migration.identifier] == nil, "Migration \"\(migration.identifier)\" is registered twice.")
    indexes[migration.identifier] = registered.count
    merged.formUnion(migration.mergedIdentifiers)
    registered.append(migration)
    memory = SchemaMemory()
  }

  /// The place of a migration in the order of registration, from 0; nil when it is not registered.
  package func index(of identifier: String) -> Int? { indexes[identifier] }

  /// Whether a migration is registered, or merged into one that is.
  package func knows(_ identifier: String) -> Bool { indexes[identifier] != nil || merged.contains(identifier) }

  func mode(_ checks: ForeignKeyChecks) -> Migration.ForeignKeyMode {
    switch checks {
    case .immediate: .immediate
    case .deferred: defersChecks ? .deferred : .unchecked
    }
  }
}

extension DatabaseMigrator {
  /// Registers a migration that runs without a transaction, for statements that cannot run in one, such as VACUUM.
  ///
  /// The ledger is written before it begins and after it has ended; other processes that find it begun wait for its end.
  /// A crash in between leaves it pending, and it runs again, once ``lockTimeout`` is over: it must be made for that. Foreign keys
  /// are enforced as the configuration says.
  ///
  /// - Parameter migrate: Runs outside of a transaction. What it did before an error stays.
  /// - Precondition: No migration of that identifier is registered.
  public mutating func registerUnwrappedMigration(
    _ identifier: String, migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    register(Migration(identifier: identifier, mode: .immediate, work: .unwrapped { db, _ in try migrate(db) }))
  }

  /// Registers a migration of much data, which is done in batches.
  ///
  /// Each batch is a transaction, in which the ledger records where the next one begins. A crash, an error or a
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
  /// - Parameter migrateBatch: Does one batch. Its cursor is NULL for the first one.
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

/// The knowledge of a migrator and its copies about schemas, kept so that it need not be acquired again.
///
/// It lasts as long as the process, whose migrations cannot change.
final class SchemaMemory: Sendable {
  /// What decides about the schema that migrations make.
  struct Origin: Sendable, Hashable {
    /// The applied migrations, in the order of their application.
    var identifiers: [String]
    var engine: EngineDescription
    /// The database, whose settings its scratch databases share.
    var label: String
  }

  // Only the last one: a program has one database, and tests that have many do not ask twice.
  private let expected = Lock<(origin: Origin, schema: SchemaSnapshot)?>(nil)

  func expectedSchema(_ origin: Origin) -> SchemaSnapshot? {
    expected.withLock { $0.flatMap { $0.origin == origin ? $0.schema : nil } }
  }

  func remember(_ schema: SchemaSnapshot, madeBy origin: Origin) { expected.withLock { $0 = (origin, schema) } }
}
