import Migrator
import TestEngines
import Testing

@Suite("The documentation's samples: getting started")
struct GettingStartedTests {
  @Test("the first database is written to and read", arguments: TestEngine.allCases)
  func using(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    #expect(try GettingStarted.look(dbQueue).isReady == false)
    try GettingStarted.migrator.migrate(dbQueue)
    #expect(try GettingStarted.use(dbQueue) == ["Moby-Dick"])
    #expect(try GettingStarted.look(dbQueue) == (true, false))
    #expect(try GettingStarted.changes(dbQueue).isEmpty)
  }

  @Test("a later version adds a column", arguments: TestEngine.allCases)
  func later(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var migrator = GettingStarted.migrator
    try migrator.migrate(dbQueue)
    GettingStarted.later(&migrator)
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try db.columns(in: "book").map(\.name) == ["id", "authorId", "title", "year"])
    }
    // The older version detects that the database is newer, and why it no longer matches.
    #expect(try GettingStarted.look(dbQueue) == (true, true))
    #expect(try GettingStarted.changes(dbQueue) == [.unknownMigration(identifier: "Add book.year")])
  }

  @Test("a failure names its migration", arguments: TestEngine.allCases)
  func failing(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    #expect(try GettingStarted.failing(GettingStarted.migrator, dbQueue) == nil)
    var migrator = GettingStarted.migrator
    migrator.registerMigration("Create books again") { db in try db.execute(sql: "CREATE TABLE book (id)") }
    #expect(try GettingStarted.failing(migrator, dbQueue) == "Create books again")
  }

  @Test("events arrive in order", arguments: TestEngine.allCases)
  func events(engine: TestEngine) async throws {
    let dbQueue = try engine.temporaryQueue()
    #expect(try await GettingStarted.events(dbQueue) == ["Create authors", "Create books"])
    #expect(try await GettingStarted.events(dbQueue).isEmpty)
  }

  @Test("a development database is rebuilt after a migration was edited", arguments: TestEngine.allCases)
  func development(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try GettingStarted.migrator.migrate(dbQueue)
    var edited = DatabaseMigrator()
    edited.registerMigration("Create authors") { db in
      try db.execute(sql: "CREATE TABLE author (id INTEGER PRIMARY KEY, fullName TEXT)")
    }
    try GettingStarted.development(edited).migrate(dbQueue)
    try dbQueue.read { db throws in
      #if DEBUG
        #expect(try db.columns(in: "author").map(\.name) == ["id", "fullName"])
      #else
        #expect(try db.columns(in: "author").map(\.name) == ["id", "name"])
      #endif
    }
  }
}
