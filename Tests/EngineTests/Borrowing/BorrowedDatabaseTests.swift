import Foundation
import Migrator
import SQLCipherBackend
import SQLiteBackend
import TestEngines
import Testing

/// The migrator on a connection that an application has opened itself.
@Suite("Borrowed connections")
struct BorrowedDatabaseTests {
  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create teams") { db in
      try db.create(table: "team") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
    }
    migrator.registerMigration("Create players") { db in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("team")
        t.column("name", .text)
      }
      try db.execute(sql: "INSERT INTO team (name) VALUES ('Red'); INSERT INTO player (teamId, name) VALUES (1, 'Ann')")
    }
    migrator.registerMigration("Names are there") { db in
      try db.alter(table: "player") { t in t.change(column: "name") { c in c.notNull() } }
    }
    return migrator
  }

  private func connection(_ engine: TestEngine, inFile: Bool) throws -> AppConnection {
    try AppConnection(engine, path: inFile ? engine.temporaryPath() : ":memory:")
  }

  @Test("All verbs work, on files and in memory, without a key", arguments: TestEngine.allCases, [false, true])
  func verbs(engine: TestEngine, inFile: Bool) throws {
    let connection = try connection(engine, inFile: inFile)
    let migrator = migrator
    #expect(try migrator.appliedMigrations(connection.borrowed()) == [])
    #expect(try migrator.plan(connection.borrowed()).entries.count == 3)
    try migrator.migrate(connection.borrowed(), upTo: "Create players")
    #expect(try migrator.completedMigrations(connection.borrowed()) == ["Create teams", "Create players"])
    #expect(try !migrator.hasCompletedMigrations(connection.borrowed()))
    try migrator.migrate(connection.borrowed())
    #expect(try migrator.appliedMigrations(connection.borrowed()) == migrator.migrations)
    #expect(try migrator.appliedIdentifiers(connection.borrowed()) == Set(migrator.migrations))
    #expect(try migrator.hasCompletedMigrations(connection.borrowed()))
    #expect(try !migrator.hasBeenSuperseded(connection.borrowed()))
    #expect(try !migrator.hasSchemaChanges(connection.borrowed()))
    #expect(try connection.rows("SELECT name FROM player") == ["Ann"])
    #expect(connection.close() == 0)
  }

  @Test("A baseline marks what is there, and an adopted history counts", arguments: TestEngine.allCases)
  func baselineAndAdoption(engine: TestEngine) throws {
    let connection = try connection(engine, inFile: true)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    try connection.execute("CREATE TABLE a (x)")
    try migrator.baseline(connection.borrowed())
    #expect(try migrator.appliedMigrations(connection.borrowed()) == ["a"])

    let other = try self.connection(engine, inFile: true)
    try other.execute("CREATE TABLE a (x)\nCREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    try other.execute("INSERT INTO grdb_migrations VALUES ('a')")
    migrator.adopt(.grdb)
    try migrator.migrate(other.borrowed())
    #expect(try migrator.appliedMigrations(other.borrowed()) == ["a"])
  }

  @Test("A changed migration erases, also within foreign keys that are enforced", arguments: TestEngine.allCases)
  func erasing(engine: TestEngine) throws {
    let connection = try connection(engine, inFile: true)
    try connection.execute("PRAGMA foreign_keys = 1")
    try migrator.migrate(connection.borrowed())
    var changed = DatabaseMigrator()
    changed.registerMigration("Create teams") { db in try db.execute(sql: "CREATE TABLE team (other)") }
    changed.eraseDatabaseOnSchemaChange = true
    #expect(try changed.plan(connection.borrowed()).erasure != nil)
    try changed.migrate(connection.borrowed())
    #expect(try connection.rows("SELECT name FROM sqlite_master WHERE name = 'player'") == [])
    #expect(try connection.rows("PRAGMA foreign_keys") == ["1"])
  }

  @Test("An actor migrates its own connection, and cancelling its task ends the run", arguments: TestEngine.allCases)
  func actors(engine: TestEngine) async throws {
    let store = try Store(connection(engine, inFile: true))
    try await store.migrate(migrator)
    #expect(try await store.applied(migrator) == migrator.migrations)

    let running = Lock<Task<Void, any Error>?>(nil)
    var endless = migrator
    endless.registerMigration("Endless") { db in
      try db.execute(sql: "CREATE TABLE rolled_back (x)")
      // From a thread of the test, since all others may be waiting for this one.
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 0.05)
        running.value?.cancel()
      }
      try db.execute(sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
    }
    let task = Task { [endless] in try await store.migrate(endless) }
    running.withLock { $0 = task }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await store.applied(endless) == migrator.migrations)
    #expect(try await store.tables() == ["team", "player", "migrator_history"].sorted())
  }

  private actor Store {
    private let connection: AppConnection

    init(_ connection: sending AppConnection) { self.connection = connection }

    func migrate(_ migrator: DatabaseMigrator) async throws { try await migrator.migrate(connection.borrowed()) }

    func applied(_ migrator: DatabaseMigrator) throws -> [String] {
      try migrator.appliedMigrations(connection.borrowed())
    }

    func tables() throws -> [String] {
      try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name")
        .filter { !$0.hasPrefix("sqlite_") }
    }
  }

  // MARK: Refusals

  @Test("An open transaction is refused, and stays open", arguments: TestEngine.allCases)
  func openTransaction(engine: TestEngine) throws {
    let connection = try connection(engine, inFile: true)
    try connection.execute("BEGIN\nCREATE TABLE mine (x)")
    let error = #expect(throws: DatabaseError.self) { try migrator.migrate(connection.borrowed()) }
    #expect(error?.condition == .misuse)
    #expect(error?.message == "the connection has an open transaction, and cannot be lent")
    #expect(!connection.isIdle)
    try connection.execute("COMMIT")
    #expect(try connection.rows("SELECT count(*) FROM mine") == ["0"])
  }

  @Test("A running statement is refused, and goes on", arguments: TestEngine.allCases)
  func runningStatement(engine: TestEngine) throws {
    let connection = try connection(engine, inFile: true)
    let statement = try connection.prepare("SELECT 1 UNION ALL SELECT 2")
    #expect(connection.step(statement) == 100)
    let error = #expect(throws: DatabaseError.self) { try migrator.migrate(connection.borrowed()) }
    #expect(error?.condition == .misuse)
    #expect(error?.message.contains("`SELECT 1 UNION ALL SELECT 2`") == true)
    #expect(connection.step(statement) == 100)
    #expect(connection.text(statement) == "2")
    connection.finalize(statement)
    try migrator.migrate(connection.borrowed())
  }

  @Test("A connection of another copy of the engine than the one that is named is refused")
  func otherCopy() throws {
    for owner in TestEngine.allCases {
      let connection = try AppConnection(owner)
      for named in TestEngine.allCases where named != owner {
        let borrowed =
          named.isEncrypted
          ? SQLCipher.borrowing(connection.pointer, engine: .library(try named.loadablePath()))
          : SQLite.borrowing(connection.pointer, engine: .library(try named.loadablePath()))
        let error = #expect(throws: DatabaseError.self) { try migrator.migrate(borrowed) }
        #expect(error?.condition == .libraryUnsuitable, "\(owner) as \(named)")
      }
      // Found by itself, the right copy is used.
      try migrator.migrate(connection.borrowed())
    }
    let plain = try AppConnection(.sqlite)
    let error = #expect(throws: DatabaseError.self) { try migrator.migrate(SQLCipher.borrowing(plain.pointer)) }
    #expect(error?.condition == .libraryUnsuitable)
  }

  @Test("A connection that may only read is refused when there is something to write", arguments: TestEngine.allCases)
  func queryOnly(engine: TestEngine) throws {
    let connection = try connection(engine, inFile: true)
    try connection.execute("PRAGMA query_only = 1")
    do {
      try migrator.migrate(connection.borrowed())
      Issue.record("It was not refused.")
    } catch MigrationError.failed(let failure) {
      let error = try #require(failure.underlying as? DatabaseError)
      #expect(error.condition == .readOnly)
      #expect(error.remedy?.contains("barrierWriteWithoutTransaction") == true)
    }
    try connection.execute("PRAGMA query_only = 0")
    try migrator.migrate(connection.borrowed())
    try connection.execute("PRAGMA query_only = 1")
    try migrator.migrate(connection.borrowed())
    #expect(try migrator.hasCompletedMigrations(connection.borrowed()))
    #expect(try connection.rows("PRAGMA query_only") == ["1"])
  }

  @Test(
    "Statements whose effect on the connection could not be undone are refused", arguments: TestEngine.allCases,
    [
      "max_page_count = 5000", "busy_timeout = 1", "wal_autocheckpoint = 10", "case_sensitive_like = 1",
      "temp_store = 2",
    ])
  func refusedPragmas(engine: TestEngine, pragma: String) throws {
    let connection = try connection(engine, inFile: true)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: "PRAGMA \(pragma)") }
    do {
      try migrator.migrate(connection.borrowed())
      Issue.record("It was not refused.")
    } catch MigrationError.failed(let failure) {
      #expect((failure.underlying as? DatabaseError)?.condition == .denied)
    }
  }

  // MARK: After the loan

  @Test("What a migration keeps is of no use after the loan, and does no harm", arguments: TestEngine.allCases)
  func keptStatements(engine: TestEngine) throws {
    let connection = try connection(engine, inFile: true)
    let kept = Kept()
    var migrator = migrator
    migrator.registerMigration("Keep") { db in
      kept.statement = try db.makeStatement(sql: "INSERT INTO team (name) VALUES (?)")
      kept.rows = try Row.fetchCursor(db, sql: "SELECT name FROM team UNION ALL SELECT 'more'")
      kept.row = try kept.rows?.next()
      kept.db = db
    }
    try migrator.migrate(connection.borrowed())
    // Statements that were not finalized would keep it open.
    #expect(connection.close() == 0)
    #expect(throws: DatabaseError.self) { try kept.statement?.execute(arguments: ["late"]) }
    #expect(kept.statement?.columnNames == [])
    #expect(try kept.rows?.next() == nil)
    #expect(try kept.row?[0] as String? == "Red")
    #expect(throws: DatabaseError.self) { try kept.db?.execute(sql: "DELETE FROM team") }
  }

  /// `@unchecked Sendable` is right because one thread uses it.
  private final class Kept: @unchecked Sendable {
    var statement: Statement?
    var rows: RowCursor?
    var row: Row?
    var db: Database?
  }

  // MARK: Scratch databases

  @Test(
    "Scratch databases have what the application adds to them, and without it the error says how",
    arguments: TestEngine.allCases)
  func scratch(engine: TestEngine) throws {
    let connection = try connection(engine, inFile: true)
    let functions = ScratchFunctions(connection)
    try functions.addCollation(to: connection.pointer)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in
      try db.execute(sql: "CREATE TABLE a (x TEXT COLLATE apps); CREATE INDEX i ON a (x)")
    }
    try migrator.migrate(connection.borrowed())
    do {
      _ = try migrator.schemaChanges(connection.borrowed())
      Issue.record("The collation was there.")
    } catch MigrationError.replayFailed(let failure) {
      let error = try #require(failure.underlying as? DatabaseError)
      #expect(error.message == "no such collation sequence: apps")
      #expect(error.remedy?.contains("`preparingScratch:`") == true)
    }
    let borrowed = connection.borrowed { scratch in try functions.addCollation(to: scratch) }
    #expect(try migrator.schemaChanges(borrowed) == [])
    struct Failed: Error {}
    let failing = connection.borrowed { _ in throw Failed() }
    var other = migrator
    other.registerMigration("b") { _ in }
    #expect(throws: DatabaseError.self) { try other.schemaChanges(failing) }
  }

  /// `@unchecked Sendable` is right because functions of the engine may be called from any thread.
  private struct ScratchFunctions: @unchecked Sendable {
    typealias Compare =
      @convention(c) (
        UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
      ) -> Int32
    typealias Create =
      @convention(c) (
        OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutableRawPointer?, Compare
      ) -> Int32
    let create: Create

    init(_ connection: AppConnection) { create = connection.function("sqlite3_create_collation", as: Create.self) }

    func addCollation(to connection: OpaquePointer) throws {
      let code = create(connection, "apps", 1, nil) { _, count, _, other, _ in count - other }
      guard code == 0 else { throw AppConnection.Failure(code: code, description: "sqlite3_create_collation") }
    }
  }

  @Test("A text in double quotes that is no column says that the connection wants single quotes")
  func doubleQuotes() throws {
    let connection = try AppConnection(.sqlite)
    typealias Configure = @convention(c) (OpaquePointer, Int32, Int32, OpaquePointer?) -> Int32
    // A variadic function, which takes its arguments in registers as others do where this test runs.
    let configure = connection.function("sqlite3_db_config", as: Configure.self)
    for option: Int32 in [1013, 1014] { #expect(configure(connection.pointer, option, 0, nil) == 0) }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: #"CREATE TABLE a (x); INSERT INTO a VALUES ("text")"#) }
    do {
      try migrator.migrate(connection.borrowed())
      Issue.record("The text was taken.")
    } catch MigrationError.failed(let failure) {
      #expect((failure.underlying as? DatabaseError)?.remedy?.contains("single quotes") == true)
    }
  }
}
