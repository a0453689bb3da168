import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("A migration's connection state does not reach the next migration")
struct ConnectionStateTests {
  private static let settings = [
    "legacy_alter_table", "ignore_check_constraints", "writable_schema", "recursive_triggers",
    "reverse_unordered_selects", "cell_size_check", "query_only", "case_sensitive_like",
  ]

  private func migrator(
    _ commits: DatabaseMigrator.Commits, _ migrations: [@Sendable (Database) throws -> Void]
  ) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.commits = commits
    for (index, body) in migrations.enumerated() { migrator.registerMigration("\(index)", migrate: body) }
    return migrator
  }

  private func state(_ db: Database) throws -> [String] {
    try Self.settings.map { "\($0) \(try Int.fetchOne(db, sql: "PRAGMA \($0)") ?? -1)" }
      + ["LIKE \(try Bool.fetchOne(db, sql: "SELECT 'a' LIKE 'A'") ?? false)"]
      + String.fetchAll(db, sql: "SELECT name FROM temp.sqlite_temp_master")
      + Row.fetchAll(db, sql: "PRAGMA database_list").map { try $0[1] }
  }

  @Test(
    "settings are restored after each migration, also inside a group and after a failure",
    arguments: TestEngine.allCases,
    [DatabaseMigrator.Commits.eachMigration, .grouped])
  func pragmas(engine: TestEngine, commits: DatabaseMigrator.Commits) throws {
    let dbQueue = try engine.temporaryQueue()
    let before = try dbQueue.read(state)
    // Some settings change while EXPLAIN compiles the statement.
    let statements = Self.settings.map { "PRAGMA \($0) = ON" } + ["EXPLAIN PRAGMA recursive_triggers = ON"]
    for (index, setting) in statements.enumerated() where !setting.contains("query_only") {
      let set = { @Sendable (db: Database) throws in try db.execute(sql: setting) }
      let log = Log<String>()
      let look = { @Sendable (db: Database) throws in log.add(try state(db).joined(separator: ", ")) }
      try migrator(commits, Array(repeating: { _ in }, count: 2 * index) + [set, look]).migrate(dbQueue)
      #expect(log.values == [before.joined(separator: ", ")], "\(setting)")
      #expect(try dbQueue.read(state) == before)
    }
    let failing = { @Sendable (db: Database) throws in
      for setting in Self.settings { try db.execute(sql: "PRAGMA \(setting) = ON") }
      throw MigrationError.insideTransaction
    }
    let other = try engine.temporaryQueue()
    #expect(throws: MigrationError.self) { try migrator(commits, [failing]).migrate(other) }
    #expect(try other.read(state) == before)
  }

  @Test("a setting of the app is kept", arguments: TestEngine.allCases)
  func ownSettings(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA recursive_triggers = ON; CREATE TEMP TABLE mine (a); INSERT INTO mine VALUES (1)")
    }
    try migrator(
      .eachMigration,
      [
        { db in try db.execute(sql: "PRAGMA recursive_triggers = OFF; CREATE TEMP TABLE theirs (a)") },
        { db in try db.execute(sql: "PRAGMA cell_size_check = ON") },
      ]
    ).migrate(dbQueue)
    try dbQueue.writeWithoutTransaction { db throws in
      #expect(try Int.fetchOne(db, sql: "PRAGMA recursive_triggers") == 1)
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM mine") == [1])
      #expect(try !db.tableExists("theirs"))
    }
  }

  @Test("temporary objects are dropped, of whatever kind and order", arguments: TestEngine.allCases)
  func temporaryObjects(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    let migrator = migrator(
      .eachMigration,
      [
        { db in
          try db.execute(
            sql: """
              CREATE TABLE kept (a); CREATE TEMP TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b UNIQUE);
              CREATE INDEX temp.i ON t (b); CREATE VIRTUAL TABLE temp.search USING fts4 (body);
              CREATE TEMPORARY VIEW kept AS SELECT 1 AS shadow;
              CREATE TEMP TRIGGER r AFTER INSERT ON main.kept BEGIN INSERT INTO t (b) VALUES (1); END;
              """)
          try db.create(table: "defined", options: .temporary) { t in t.column("x").indexed() }
        }, { db in try db.execute(sql: "INSERT INTO kept VALUES (7)") },
      ])
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM kept") == [7])
      #expect(
        try String.fetchAll(db, sql: "SELECT name FROM temp.sqlite_temp_master WHERE name NOT LIKE 'sqlite%'") == [])
    }
  }

  @Test("a temporary table that create(table:) makes is dropped, too", arguments: TestEngine.allCases)
  func temporaryTable(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    let scratch = { @Sendable (db: Database) throws in
      try db.create(table: "scratch", options: .temporary) { t in t.column("x") }
    }
    try migrator(.eachMigration, [scratch, scratch]).migrate(dbQueue)
    #expect(try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_temp_master") } == 0)
  }

  @Test("a migration without a transaction leaves no state either", arguments: TestEngine.allCases)
  func unwrapped(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    let before = try dbQueue.read(state)
    var migrator = DatabaseMigrator()
    migrator.registerUnwrappedMigration("a") { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA writable_schema = ON;
          ATTACH ':memory:' AS other; CREATE TEMP TABLE t (a)
          """)
    }
    migrator.registerUnwrappedMigration("b") { db throws in
      #expect(try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 1)
      #expect(try Int.fetchOne(db, sql: "PRAGMA synchronous") != 0)
      #expect(try state(db) == before)
    }
    try migrator.migrate(dbQueue)
    #expect(try dbQueue.read(state) == before)
  }

  @Test(
    "whichever call fails or is interrupted once, foreign keys are enforced after the run, and no transaction is open",
    arguments: TestTier.pairs(TestEngine.allCases, [DatabaseError.Condition.inputOutput, .interrupted]))
  func failingCalls(engine: TestEngine, condition: DatabaseError.Condition) throws {
    let migrator = migrator(
      .eachMigration, [{ db in try db.execute(sql: "CREATE TABLE a (x)") }, { db in try db.execute(sql: "no SQL") }])
    var failed: [BorderCall] = []
    for number in 1...1000 {
      let backend = try engine.backend(path: engine.temporaryPath(), key: .rawWithSalt)
      let error = DatabaseError(condition, engine: "test", message: "a failure on purpose")
      let failing = FailingBackend(backend, failingCall: number, .once, with: error)
      guard let dbQueue = try? DatabaseQueue(failing) else { continue }
      #expect(throws: (any Error).self) { try migrator.migrate(dbQueue) }
      guard let call = failing.failedCall else { break }
      failed.append(call)
      try dbQueue.inDatabase { db throws in
        #expect(!db.isInsideTransaction, "\(call)")
        #expect(try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 1, "\(call)")
      }
      try dbQueue.close()
    }
    #expect(failed.contains { if case .rollback = $0 { true } else { false } })
    #expect(failed.count > 20 && failed.count < 1000)
  }

  @Test("in one run or in two, a rename rewrites the same references", arguments: TestEngine.allCases)
  func legacyRename(engine: TestEngine) throws {
    guard try engine.inMemoryQueue().read({ $0.engine.abilities.contains(.renameColumn) }) else { return }
    let migrator = migrator(
      .eachMigration,
      [
        { db in
          try db.execute(
            sql: """
              PRAGMA legacy_alter_table = ON; CREATE TABLE p (id INTEGER PRIMARY KEY);
              CREATE TABLE c (p REFERENCES p (id))
              """)
        }, { db in try db.execute(sql: "ALTER TABLE p RENAME TO q") },
      ])
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    let other = try engine.temporaryQueue()
    for target in ["0", "1"] { try migrator.migrate(other, upTo: target) }
    let destinations = try [dbQueue, other].map { try $0.read { try $0.foreignKeys(on: "c").map(\.destinationTable) } }
    #expect(destinations[0] == destinations[1])
  }
}
