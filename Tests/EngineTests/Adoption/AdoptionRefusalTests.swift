import Migrator
import TestEngines
import Testing

@Suite("Histories that are not adopted")
struct AdoptionRefusalTests {
  /// Checks that a run and a query both fail with the same refusal and write nothing, and returns the refusal.
  private func refusal(
    _ engine: TestEngine, _ tool: HistorySample, _ change: String, _ migrator: DatabaseMigrator? = nil
  ) throws -> AdoptionRefusal? {
    let dbQueue = try tool.queue(engine)
    try dbQueue.write { db in try db.execute(sql: change) }
    var migrator = migrator ?? tool.migrator
    migrator.eraseDatabaseOnSchemaChange = true
    let before = try dbQueue.read { db in try HistorySample.content(db) }
    let reported = #expect(throws: MigrationError.self) { try dbQueue.read { try migrator.appliedIdentifiers($0) } }
    let thrown = #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    try dbQueue.read { db throws in
      #expect(try HistorySample.content(db) == before)
      #expect(try !db.tableExists("migrator_history"))
    }
    guard case .adoptionRefused(let first)? = reported, case .adoptionRefused(let second)? = thrown else { return nil }
    #expect(first == second)
    return first
  }

  @Test("a history that golang-migrate left dirty", arguments: TestEngine.allCases, ["1", "'true'", "NULL"])
  func dirty(engine: TestEngine, flag: String) throws {
    let found = try refusal(engine, .golangMigrate, "UPDATE schema_migrations SET dirty = \(flag)")
    #expect(found == .unfinished(history: "schema_migrations", entries: ["2"]))
  }

  @Test("a migration of sqlx that did not succeed", arguments: TestEngine.allCases)
  func unsuccessful(engine: TestEngine) throws {
    let found = try refusal(engine, .sqlx, "UPDATE _sqlx_migrations SET success = 0 WHERE description = 'books'")
    #expect(found == .unfinished(history: "_sqlx_migrations", entries: ["20260101000002"]))
  }

  @Test("entries for which nothing is registered", arguments: TestEngine.allCases)
  func unmapped(engine: TestEngine) throws {
    #expect(
      try refusal(engine, .grdb, "INSERT INTO grdb_migrations VALUES ('4_tags')")
        == .unmapped(history: "grdb_migrations", entries: ["4_tags"]))
    #expect(
      try refusal(engine, .golangMigrate, "UPDATE schema_migrations SET version = 4")
        == .unmapped(history: "schema_migrations", entries: ["4"]))
    #expect(
      try refusal(engine, .ladder, "PRAGMA user_version = 4")
        == .unmapped(history: "user_version", entries: ["4"]))
    #expect(
      try refusal(engine, .ladder, "PRAGMA user_version = -1")
        == .unmapped(history: "user_version", entries: ["-1"]))
  }

  @Test("an entry that was mapped to an unregistered migration", arguments: TestEngine.allCases)
  func unregistered(engine: TestEngine) throws {
    var migrator = HistorySample.unaware(HistorySample.goose.names)
    migrator.adopt(.goose.mapping(["2": "boks"]))
    #expect(
      try refusal(engine, .goose, "", migrator)
        == .unregistered(history: "goose_db_version", entry: "2", identifier: "boks"))
  }

  @Test("an entry that matches several migrations", arguments: TestEngine.allCases)
  func ambiguous(engine: TestEngine) throws {
    var migrator = HistorySample.goose.migrator
    migrator.registerMigration("v2 of the books") { _ in }
    #expect(
      try refusal(engine, .goose, "", migrator)
        == .ambiguous(history: "goose_db_version", entry: "2", identifiers: ["00002_books", "v2 of the books"]))
  }

  @Test("an unrelated table, and an invalid version", arguments: TestEngine.allCases)
  func unrecognized(engine: TestEngine) throws {
    let list = HistorySample(
      description: "list", history: .schemaMigrations, sql: "CREATE TABLE schema_migrations (version)")
    #expect(
      try refusal(engine, list, "ALTER TABLE schema_migrations ADD COLUMN run_at")
        == .unrecognizedTable(history: "schema_migrations", columns: ["version", "run_at"]))
    #expect(
      try refusal(engine, list, "INSERT INTO schema_migrations VALUES (NULL)")
        == .unreadableEntry(history: "schema_migrations"))
    #expect(
      try refusal(
        engine, .sqlx,
        "DROP TABLE _sqlx_migrations; CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY)")
        == .unrecognizedTable(history: "_sqlx_migrations", columns: ["version"]))
  }

  @Test("unknown entries can be kept, which erases nothing, or left out", arguments: TestEngine.allCases)
  func keptOrLeftOut(engine: TestEngine) throws {
    for kept in [true, false] {
      var migrator = HistorySample.unaware(HistorySample.grdb.names)
      migrator.adopt(.grdb.unmapped(kept ? .keep : .leaveOut))
      migrator.eraseDatabaseOnSchemaChange = true
      let dbQueue = try HistorySample.grdb.queue(engine)
      try dbQueue.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('4_tags')") }
      for _ in 1...3 {
        try dbQueue.read { db throws in
          #expect(try migrator.hasBeenSuperseded(db) == kept)
          #expect(try migrator.appliedIdentifiers(db).contains("4_tags") == kept)
          #expect(try migrator.schemaChanges(db) == [])
        }
        try migrator.migrate(dbQueue)
      }
      try dbQueue.read { db throws in #expect(try Int.fetchAll(db, sql: "SELECT id FROM author") == [7]) }
    }
  }
}
