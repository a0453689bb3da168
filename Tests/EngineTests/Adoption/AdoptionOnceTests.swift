import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("A history is adopted once, in one commit")
struct AdoptionOnceTests {
  private let tools = [HistorySample.grdb, .golangMigrate, .ladder]

  /// Records the third migration as applied in the tool's history.
  private func advance(_ tool: HistorySample, _ db: Database) throws {
    try db.execute(sql: "CREATE TABLE IF NOT EXISTS shelf (id INTEGER)")
    switch tool.description {
    case "GRDB": try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('3_shelves')")
    case "golang-migrate": try db.execute(sql: "UPDATE schema_migrations SET version = 3")
    default: try db.setUserVersion(3)
    }
  }

  @Test("changes of the tool's history after the adoption do not count", arguments: TestEngine.allCases)
  func onceOnly(engine: TestEngine) throws {
    for tool in tools {
      let dbQueue = try tool.queue(engine)
      try tool.migrator.migrate(dbQueue, upTo: tool.names[1])
      try dbQueue.write { db in try advance(tool, db) }
      try dbQueue.read { db throws in
        #expect(try tool.migrator.appliedMigrations(db) == Array(tool.names.prefix(2)))
      }
    }
  }

  @Test("a history that appears after the ledger has an entry is not adopted", arguments: TestEngine.allCases)
  func cameLater(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    var other = DatabaseMigrator()
    other.registerMigration("other") { _ in }
    try other.migrate(dbQueue)
    try HistorySample.grdb.install(dbQueue)
    try dbQueue.read { db throws in #expect(try HistorySample.grdb.migrator.appliedMigrations(db).isEmpty) }
  }

  @Test("a ledger without entries counts as no ledger", arguments: TestEngine.allCases)
  func emptyLedger(engine: TestEngine) throws {
    let tool = HistorySample.grdb
    let dbQueue = try tool.queue(engine)
    try tool.migrator.migrate(dbQueue, upTo: tool.names[1])
    try dbQueue.write { db in try db.execute(sql: "DELETE FROM migrator_history") }
    try dbQueue.read { db throws in #expect(try tool.migrator.appliedMigrations(db) == Array(tool.names.prefix(2))) }
    try tool.migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try tool.migrator.hasCompletedMigrations(db)) }
  }

  @Test("with nothing pending, the ledger is written once and never again", arguments: TestEngine.allCases)
  func nothingPending(engine: TestEngine) throws {
    for tool in tools {
      let dbQueue = try tool.queue(engine)
      try dbQueue.write { db in try advance(tool, db) }
      try dbQueue.read { db throws in #expect(try tool.migrator.hasCompletedMigrations(db)) }
      try tool.migrator.migrate(dbQueue)
      let written = try dbQueue.read { db throws in
        #expect(try HistorySample.unaware(tool.names).hasCompletedMigrations(db))
        return db.totalChangesCount
      }
      try tool.migrator.migrate(dbQueue)
      try dbQueue.read { db throws in #expect(db.totalChangesCount == written) }
    }
  }

  @Test("with nothing pending, a read-only connection continues without a ledger", arguments: TestEngine.allCases)
  func readOnly(engine: TestEngine) throws {
    let backend = try engine.temporaryBackend()
    let writer = try DatabaseQueue(backend)
    try HistorySample.grdb.install(writer)
    try writer.write { db in try advance(.grdb, db) }
    try writer.close()
    var configuration = Configuration()
    configuration.readonly = true
    let dbQueue = try DatabaseQueue(backend, configuration: configuration)
    try HistorySample.grdb.migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try !db.tableExists("migrator_history"))
      #expect(try HistorySample.grdb.migrator.hasCompletedMigrations(db))
    }
  }

  @Test("a migration that fails undoes the adoption, too", arguments: TestEngine.allCases)
  func failure(engine: TestEngine) throws {
    let dbQueue = try HistorySample.goose.queue(engine)
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE shelf (id INTEGER)") }
    #expect(throws: MigrationError.self) { try HistorySample.goose.migrator.migrate(dbQueue) }
    try dbQueue.read { db throws in
      #expect(try !db.tableExists("migrator_history"))
      #expect(try HistorySample.goose.migrator.appliedMigrations(db) == Array(HistorySample.goose.names.prefix(2)))
    }
  }

  @Test("migrations in groups, and those without a transaction, adopt the history, too", arguments: TestEngine.allCases)
  func otherTransactions(engine: TestEngine) throws {
    let names = HistorySample.grdb.names
    var grouped = HistorySample.grdb.migrator
    grouped.commits = .grouped
    grouped.registerMigration("4_tags") { db in try db.execute(sql: "no SQL") }
    var dbQueue = try HistorySample.grdb.queue(engine)
    #expect(throws: MigrationError.self) { try grouped.migrate(dbQueue) }
    try dbQueue.read { db throws in
      #expect(try HistorySample.unaware(names).history(db).map(\.identifier) == names)
    }

    var unwrapped = HistorySample.unaware(Array(names.prefix(2)))
    unwrapped.adopt(.grdb)
    unwrapped.registerUnwrappedMigration("vacuum") { db in try db.execute(sql: "no SQL") }
    dbQueue = try HistorySample.grdb.queue(engine)
    #expect(throws: MigrationError.self) { try unwrapped.migrate(dbQueue) }
    try dbQueue.read { db throws in
      #expect(try HistorySample.unaware(names).appliedMigrations(db) == Array(names.prefix(2)))
    }
  }

  @Test(
    "whichever call fails, the database is unchanged or migrated, and the next run completes it",
    arguments: TestTier.pairs(TestEngine.allCases, [false, true]))
  func anyFailure(engine: TestEngine, isComplete: Bool) throws {
    let tool = HistorySample.sqlx
    for number in 1...1000 {
      let backend = engine.backend(path: try engine.temporaryPath(), key: .rawWithSalt)
      let dbQueue = try DatabaseQueue(backend)
      try tool.install(dbQueue)
      if isComplete {
        try dbQueue.write { db in
          try db.execute(
            sql: """
              CREATE TABLE shelf (id INTEGER);
              INSERT INTO _sqlx_migrations VALUES (20260101000003, 'shelves', '2026-01-01 10:20:32', 1, x'03', 1);
              """)
        }
      }
      let error = DatabaseError(.inputOutput, engine: "test", message: "a failure on purpose")
      let failing = FailingBackend(backend, failingCall: number, .fromThenOn, with: error)
      let succeeded = (try? tool.migrator.migrate(DatabaseQueue(failing))) != nil
      guard failing.failedCall != nil else {
        #expect(succeeded && number > 5)
        return
      }
      try dbQueue.read { db throws in
        let entries = try HistorySample.unaware(tool.names).history(db).map(\.identifier)
        #expect(entries.isEmpty || entries == tool.names, "call \(number)")
        #expect(try db.tableExists("shelf") == (isComplete || !entries.isEmpty), "call \(number)")
        #expect(try db.tableExists("migrator_history") == !entries.isEmpty, "call \(number)")
      }
      try tool.migrator.migrate(dbQueue)
      try dbQueue.read { db throws in #expect(try tool.migrator.history(db).map(\.identifier) == tool.names) }
    }
    Issue.record("a run makes more than 1000 calls")
  }

  @Test(
    "queues that start together adopt a history once", arguments: TestEngine.allCases,
    [HistorySample.grdb, .golangMigrate, .goose, .ladder])
  func concurrent(engine: TestEngine, tool: HistorySample) async throws {
    let backend = try engine.temporaryBackend()
    let dbQueue = try DatabaseQueue(backend)
    try tool.install(dbQueue)
    let migrator = tool.migrator
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { try await migrator.migrate(DatabaseQueue(backend)) }
      }
      try await group.waitForAll()
    }
    try await dbQueue.read { db throws in
      #expect(try migrator.history(db).count == 3)
      #expect(try migrator.hasCompletedMigrations(db))
    }
  }

  @Test(
    "an adopted database is not erased, before or after the adoption",
    arguments: TestTier.pairs(TestEngine.allCases, HistorySample.all))
  func notErased(engine: TestEngine, tool: HistorySample) throws {
    var migrator = tool.migrator
    migrator.eraseDatabaseOnSchemaChange = true
    let dbQueue = try tool.queue(engine)
    for _ in 1...3 { try migrator.migrate(dbQueue) }
    try dbQueue.read { db throws in #expect(try Int.fetchAll(db, sql: "SELECT id FROM author") == [7]) }
  }

  @Test("an erased database has no history of user versions", arguments: TestEngine.allCases)
  func erasedLadder(engine: TestEngine) throws {
    var migrator = HistorySample.ladder.migrator
    let dbQueue = try HistorySample.ladder.queue(engine)
    try dbQueue.erase()
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try db.tableExists("author"))
      #expect(try db.userVersion == 2)
    }
    try dbQueue.write { db in try db.execute(sql: "DROP TABLE author") }
    migrator.eraseDatabaseOnSchemaChange = true
    try migrator.run(dbQueue)
    try dbQueue.read { db throws in
      #expect(try db.userVersion == 0)
      #expect(try migrator.hasCompletedMigrations(db))
    }
  }
}
