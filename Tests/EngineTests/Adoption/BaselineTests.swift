import Migrator
import TestEngines
import Testing

@Suite("Baselines")
struct BaselineTests {
  private let migrator = HistorySample.unaware(["authors", "books", "shelves"])

  private func queue(_ engine: TestEngine, _ sql: String) throws -> DatabaseQueue {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in try db.execute(sql: sql) }
    return dbQueue
  }

  private func refusal(_ dbQueue: DatabaseQueue, upTo target: String?) throws -> BaselineRefusal? {
    let before = try dbQueue.read { db in try db.schema() }
    let error = #expect(throws: MigrationError.self) { try migrator.baseline(dbQueue, upTo: target) }
    try dbQueue.read { db throws in #expect(try db.schema() == before) }
    guard case .baselineRefused(let refusal)? = error else { return nil }
    return refusal
  }

  @Test("a matching schema is marked, whatever other objects exist, and the rest runs", arguments: TestEngine.allCases)
  func matches(engine: TestEngine) throws {
    let dbQueue = try queue(
      engine, "create table AUTHOR(id integer); CREATE TABLE other (x); CREATE TABLE \"book\" (id /* key */ INTEGER)")
    try migrator.baseline(dbQueue, upTo: "books")
    try migrator.baseline(dbQueue, upTo: "books")
    try migrator.baseline(dbQueue, upTo: "authors")
    try dbQueue.read { db throws in #expect(try migrator.appliedMigrations(db) == ["authors", "books"]) }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try migrator.hasCompletedMigrations(db)) }
  }

  @Test("without a target, all migrations are marked, with their objects", arguments: TestEngine.allCases)
  func all(engine: TestEngine) async throws {
    let dbQueue = try engine.inMemoryQueue()
    try await migrator.migrate(dbQueue)
    let migrated = try await dbQueue.read { [migrator] db in try migrator.history(db) }
    try await dbQueue.write { db in try db.execute(sql: "DROP TABLE migrator_history") }
    try await migrator.baseline(dbQueue)
    let marked = try await dbQueue.read { [migrator] db in try migrator.history(db) }
    #expect(marked.map(\.identifier) == migrated.map(\.identifier))
    #expect(marked.map(\.position) == migrated.map(\.position))
    #expect(marked.map(\.objects) == migrated.map(\.objects))
    #expect(marked.map(\.fingerprint) == migrated.map(\.fingerprint))
    #expect(marked.allSatisfy { $0.duration == .zero })
    try await dbQueue.read { [migrator] db throws in #expect(try migrator.schemaChanges(db) == []) }
  }

  @Test("a schema that does not match is refused with all reasons", arguments: TestEngine.allCases)
  func differs(engine: TestEngine) throws {
    let dbQueue = try queue(engine, "CREATE TABLE author (id TEXT)")
    guard case .schemaDiffers(last: "books", let reasons)? = try refusal(dbQueue, upTo: "books") else {
      Issue.record("not refused")
      return
    }
    #expect(
      reasons == [
        .differentObject(
          kind: .table, name: "author", expectedSQL: "CREATE TABLE author (id INTEGER)",
          actualSQL: "CREATE TABLE author (id TEXT)"),
        .missingObject(kind: .table, name: "book"),
      ])
  }

  @Test("a database beyond the target is refused", arguments: TestEngine.allCases)
  func beyond(engine: TestEngine) throws {
    let dbQueue = try queue(engine, "CREATE TABLE author (id INTEGER); CREATE TABLE book (id INTEGER)")
    guard case .schemaBeyond(last: "authors", migration: "books", let objects)? = try refusal(dbQueue, upTo: "authors")
    else {
      Issue.record("not refused")
      return
    }
    #expect(objects == ["table \"book\""])
  }

  @Test("beyond a ledger, a named migration is marked if the database has its schema", arguments: TestEngine.allCases)
  func beyondLedger(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try migrator.migrate(dbQueue, upTo: "authors")
    guard case .schemaDiffers(last: "books", let reasons)? = try refusal(dbQueue, upTo: "books") else {
      Issue.record("not refused")
      return
    }
    #expect(reasons == [.missingObject(kind: .table, name: "book")])
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE book (id INTEGER)") }
    #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    let first = try dbQueue.read { db in try migrator.history(db) }
    try migrator.baseline(dbQueue, upTo: "books")
    try dbQueue.read { db in
      let history = try migrator.history(db)
      #expect(history.map(\.identifier) == ["authors", "books"])
      #expect(history.first?.appliedAt == first.first?.appliedAt)
      #expect(history.first?.duration == first.first?.duration)
    }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator.hasCompletedMigrations(db))
      #expect(try migrator.schemaChanges(db) == [])
    }
  }

  @Test("a database with unknown entries is refused beyond its ledger", arguments: TestEngine.allCases)
  func unknownEntries(engine: TestEngine) throws {
    let dbQueue = try queue(engine, "CREATE TABLE author (id INTEGER); CREATE TABLE book (id INTEGER)")
    var other = DatabaseMigrator()
    other.registerMigration("unknown") { _ in }
    try other.migrate(dbQueue)
    guard case .alreadyMigrated(applied: ["unknown"])? = try refusal(dbQueue, upTo: "books") else {
      Issue.record("not refused")
      return
    }
  }

  @Test("a database with a ledger or an adopted history is refused without a target", arguments: TestEngine.allCases)
  func alreadyMigrated(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try migrator.migrate(dbQueue, upTo: "authors")
    guard case .alreadyMigrated(applied: ["authors"])? = try refusal(dbQueue, upTo: nil) else {
      Issue.record("not refused")
      return
    }
    let adopting = HistorySample.grdb.migrator
    let foreign = try HistorySample.grdb.queue(engine)
    #expect(throws: MigrationError.self) { try adopting.baseline(foreign) }
    try adopting.baseline(foreign, upTo: "2_books")
    try foreign.read { db throws in #expect(try !db.tableExists("migrator_history")) }
  }

  @Test("an unregistered target, or a migration that fails on an empty database", arguments: TestEngine.allCases)
  func misuse(engine: TestEngine) throws {
    let dbQueue = try queue(engine, "CREATE TABLE author (id INTEGER)")
    #expect {
      try migrator.baseline(dbQueue, upTo: "nothing")
    } throws: { error in
      if case MigrationError.unknownTarget("nothing") = error { true } else { false }
    }
    var failing = migrator
    failing.registerMigration("broken") { db in try db.execute(sql: "DELETE FROM missing") }
    try failing.baseline(dbQueue, upTo: "authors")
    let other = try queue(engine, "CREATE TABLE author (id INTEGER)")
    #expect {
      try failing.baseline(other)
    } throws: { error in
      if case MigrationError.baselineRefused(.replayFailed(let failure)) = error {
        failure.identifier == "broken"
      } else {
        false
      }
    }
  }
}
