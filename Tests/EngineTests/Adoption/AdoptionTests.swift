import Migrator
import TestEngines
import Testing

@Suite("Adopting the history of another tool")
struct AdoptionTests {
  @Test(
    "migrations that the tool applied count as applied, the rest runs", arguments: TestEngine.allCases,
    HistorySample.all)
  func adopts(engine: TestEngine, tool: HistorySample) throws {
    let dbQueue = try tool.queue(engine)
    let before = try dbQueue.read { db in try HistorySample.content(db) }
    try tool.migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      // From now on, only the ledger counts.
      let migrator = HistorySample.unaware(tool.names)
      #expect(try migrator.appliedMigrations(db) == tool.names)
      #expect(try migrator.appliedIdentifiers(db) == Set(tool.names))
      #expect(try migrator.history(db).map(\.position).sorted() == [0, 1, 2])
      #expect(try db.tableExists("shelf"))
      #expect(try HistorySample.content(db) == before)
    }
  }

  @Test(
    "before the first run, all queries take the history into account", arguments: TestEngine.allCases,
    HistorySample.all)
  func status(engine: TestEngine, tool: HistorySample) throws {
    let dbQueue = try tool.queue(engine)
    let migrator = tool.migrator
    try dbQueue.read { db throws in
      #expect(try migrator.appliedMigrations(db) == Array(tool.names.prefix(2)))
      #expect(try migrator.completedMigrations(db) == Array(tool.names.prefix(2)))
      #expect(try !migrator.hasCompletedMigrations(db))
      #expect(try !migrator.hasBeenSuperseded(db))
      #expect(try migrator.schemaChanges(db) == [])
      #expect(try !db.tableExists("migrator_history"))
    }
  }

  @Test("without the tool's table, all migrations run", arguments: TestEngine.allCases, HistorySample.all)
  func newDatabase(engine: TestEngine, tool: HistorySample) throws {
    let dbQueue = try engine.inMemoryQueue()
    try tool.migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try tool.migrator.appliedMigrations(db) == tool.names) }
  }

  @Test("the tool's order and times are kept if it records them", arguments: TestEngine.allCases)
  func orderAndMoments(engine: TestEngine) throws {
    for (name, moment) in [("sqlx", "2026-01-01T10:20:30.000Z"), ("refinery", "2026-01-01T10:20:30.500Z")] {
      let tool = try #require(HistorySample.all.first { $0.description == name })
      let dbQueue = try tool.queue(engine)
      try tool.migrator.migrate(dbQueue)
      try dbQueue.read { db throws in #expect(try tool.migrator.history(db).first?.appliedAt == moment) }
    }
    let rails = try #require(HistorySample.all.first { $0.description == "Rails" })
    let dbQueue = try rails.queue(engine)
    try rails.migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      let names = rails.names
      let entries = try rails.migrator.history(db)
      #expect(entries.map(\.identifier) == [names[1], names[0], names[2]])
      #expect(entries.allSatisfy { $0.appliedAt.hasSuffix("Z") && $0.appliedAt.count == 24 })
      #expect(try rails.migrator.schemaChanges(db) == [])
    }
  }

  @Test("mapped entries count as their migrations, in a table of any name", arguments: TestEngine.allCases)
  func mapping(engine: TestEngine) throws {
    var migrator = HistorySample.unaware(["authors", "books", "shelves"])
    migrator.adopt(.refinery.inTable("my \"own\" versions").mapping(["001": "authors", "2": "books"]))
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE author (id INTEGER); CREATE TABLE book (id INTEGER);
          CREATE TABLE "my ""own"" versions" (version INT8 PRIMARY KEY, name VARCHAR(255), applied_on VARCHAR(255),
            checksum VARCHAR(255));
          INSERT INTO "my ""own"" versions" (version) VALUES (1), (2);
          """)
    }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try migrator.hasCompletedMigrations(db)) }
  }

  @Test("a migration that merges older ones gets the adopted ones among them", arguments: TestEngine.allCases)
  func merging(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("library", merging: ["1_authors", "2_books", "0_tags"]) { db, applied in
      #expect(applied == ["1_authors", "2_books"])
      try db.execute(sql: "CREATE TABLE shelf (id INTEGER)")
    }
    migrator.adopt(.grdb)
    let dbQueue = try HistorySample.grdb.queue(engine)
    try dbQueue.read { db throws in #expect(try !migrator.hasBeenSuperseded(db)) }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try migrator.appliedIdentifiers(db) == ["library"]) }
  }

  @Test("each of several histories counts", arguments: TestEngine.allCases)
  func several(engine: TestEngine) throws {
    var migrator = HistorySample.unaware(["1_authors", "2_books", "3_shelves"])
    migrator.adopt(.userVersion(ladder: ["1_authors"]))
    migrator.adopt(.grdb)
    let dbQueue = try HistorySample.grdb.queue(engine)
    try dbQueue.write { db in
      try db.setUserVersion(1)
      try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '1_authors'")
    }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator.history(db).map(\.identifier) == ["1_authors", "2_books", "3_shelves"])
    }
  }

  @Test(
    "a target before the migrations that the tool applied is refused, and nothing is written",
    arguments: TestEngine.allCases)
  func target(engine: TestEngine) throws {
    let dbQueue = try HistorySample.sqlx.queue(engine)
    #expect {
      try HistorySample.sqlx.migrator.migrate(dbQueue, upTo: HistorySample.sqlx.names[0])
    } throws: { error in
      if case MigrationError.migratedBeyond = error { true } else { false }
    }
    try HistorySample.sqlx.migrator.migrate(dbQueue, upTo: HistorySample.sqlx.names[1])
    try dbQueue.read { db throws in #expect(try db.tableExists("shelf") == false) }
  }
}
