import Migrator
import TestEngines
import Testing

@Suite("Promise 2: one commit")
struct OneCommitTests {
  private struct Custom: Error {}

  @Test(
    "a failing migration is rolled back, earlier ones remain applied, later ones do not run",
    arguments: TestEngine.allCases)
  func failure(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.create(table: "a") { t in t.column("x") } }
    migrator.registerMigration("v2") { db in
      try db.create(table: "b") { t in t.column("x") }
      try db.execute(sql: "INSERT INTO b VALUES (1); INSERT INTO missing VALUES (2)")
    }
    migrator.registerMigration("v3") { db in try db.create(table: "c") { t in t.column("x") } }
    let dbQueue = try engine.temporaryQueue()
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    let failure = try #require(error?.failure)
    #expect(failure.identifier == "v2" && failure.index == 2 && failure.count == 3)
    #expect(failure.appliedBefore == ["v1"] && failure.isRolledBack)
    #expect(failure.sql == "INSERT INTO missing VALUES (2)")
    #expect((failure.underlying as? DatabaseError)?.condition == .statement)
    try dbQueue.read { db throws in
      #expect(try migrator.appliedMigrations(db) == ["v1"])
      #expect(try db.schema().objects.map(\.name).sorted() == ["a", "migrator_history"])
    }
  }

  @Test("the error that a migration throws is accessible", arguments: TestEngine.allCases)
  func ownError(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { _ in throw Custom() }
    let dbQueue = try engine.temporaryQueue()
    #expect {
      try migrator.migrate(dbQueue)
    } throws: { error in
      if case MigrationError.failed(let failure) = error { failure.underlying is Custom } else { false }
    }
    try dbQueue.read { db throws in #expect(try db.schema().objects.isEmpty) }
  }

  @Test(
    "a statement that ends the transaction or has no effect in it is refused",
    arguments: TestEngine.allCases,
    [
      "COMMIT", "END TRANSACTION", "ROLLBACK", "BEGIN", "PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys(1)",
      "/* sly */ PRAGMA main.journal_mode = WAL", "VACUUM", "ATTACH ':memory:' AS other",
    ])
  func refused(engine: TestEngine, sql: String) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.create(table: "a") { t in t.column("x") }
      try db.execute(sql: sql)
    }
    let dbQueue = try engine.temporaryQueue()
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    guard case .failed(let failure)? = error, case MigrationError.refusedStatement(let refused, _) = failure.underlying
    else {
      Issue.record("not refused: \(String(describing: error))")
      return
    }
    #expect(refused.contains(sql.split(separator: " ").last ?? ""))
    try dbQueue.read { db throws in #expect(try db.schema().objects.isEmpty) }
  }

  @Test("a migration that continues after the engine rolled back writes nothing", arguments: TestEngine.allCases)
  func engineRollback(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.execute(sql: "CREATE TABLE a (x UNIQUE ON CONFLICT ROLLBACK); INSERT INTO a VALUES (1)")
      let insert = try db.makeStatement(sql: "INSERT INTO a VALUES (?)")
      try? insert.execute(arguments: [1])
      try? db.execute(sql: "CREATE TABLE stray (x)")
      try? insert.execute(arguments: [2])
    }
    let dbQueue = try engine.temporaryQueue()
    #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    try dbQueue.read { db throws in #expect(try db.schema().objects.isEmpty) }
  }

  @Test("an unwrapped migration runs outside a transaction and is recorded", arguments: TestEngine.allCases)
  func unwrapped(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerUnwrappedMigration("vacuum") { db in try db.execute(sql: "VACUUM") }
    migrator.registerUnwrappedMigration("broken") { db in try db.execute(sql: "no SQL") }
    let dbQueue = try engine.temporaryQueue()
    #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    try dbQueue.read { db throws in #expect(try migrator.appliedIdentifiers(db) == ["vacuum"]) }
  }
}
