import Migrator
import TestEngines
import Testing

@Suite("Samples: targets and status")
struct TargetSampleTests {
  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for name in ["v1", "v2", "v3"] {
      migrator.registerMigration(name) { db in try db.create(table: name) { t in t.column("a") } }
    }
    return migrator
  }

  @Test("migrations run up to a target, and only forward", arguments: TestEngine.allCases)
  func target(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue, upTo: "v2")
    try dbQueue.read { db throws in #expect(try migrator.appliedMigrations(db) == ["v1", "v2"]) }
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue, upTo: "v1") }
    #expect(
      error.map(String.init(describing:))?.hasPrefix(
        "the database is already migrated beyond migration \"v1\"") == true)
    try dbQueue.read { db throws in #expect(try migrator.appliedMigrations(db) == ["v1", "v2"]) }
  }

  @Test("a target that is not registered is an error and changes nothing", arguments: TestEngine.allCases)
  func unknownTarget(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    #expect {
      try migrator.migrate(dbQueue, upTo: "v9")
    } throws: { error in
      if case MigrationError.unknownTarget("v9") = error { true } else { false }
    }
    try dbQueue.read { db throws in #expect(try db.schema().objects.isEmpty) }
  }

  @Test("an app checks whether the database is too old or too new", arguments: TestEngine.allCases)
  func tooOldTooNew(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var old = DatabaseMigrator()
    old.registerMigration("v1") { _ in }
    try dbQueue.read { db throws in
      #expect(try old.hasCompletedMigrations(db) == false)
      #expect(try old.hasBeenSuperseded(db) == false)
    }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try old.hasCompletedMigrations(db))
      #expect(try old.hasBeenSuperseded(db))
      #expect(try migrator.hasBeenSuperseded(db) == false)
      #expect(try old.appliedIdentifiers(db) == ["v1", "v2", "v3"])
      #expect(try old.appliedMigrations(db) == ["v1"])
    }
    // An older app does not change a newer database.
    try old.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try migrator.completedMigrations(db) == ["v1", "v2", "v3"]) }
  }

  @Test("completed migrations are the longest applied prefix", arguments: TestEngine.allCases)
  func completedPrefix(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var partial = DatabaseMigrator()
    partial.registerMigration("v1") { _ in }
    partial.registerMigration("v3") { _ in }
    try partial.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator.completedMigrations(db) == ["v1"])
      #expect(try migrator.appliedMigrations(db) == ["v1", "v3"])
      #expect(try migrator.hasCompletedMigrations(db) == false)
    }
  }

  @Test("the user version can be used independently", arguments: TestEngine.allCases)
  func userVersion(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    for _ in 1...2 {
      try dbQueue.write { db in
        if try db.userVersion < 1 {
          try db.create(table: "users") { t in t.column("age", .integer) }
          try db.setUserVersion(1)
        }
        if try db.userVersion < 2 {
          try db.alter(table: "users") { t in t.rename(column: "age", to: "birth_year") }
          try db.setUserVersion(2)
        }
      }
    }
    try dbQueue.read { db throws in
      #expect(try db.userVersion == 2)
      #expect(try db.columns(in: "users").map(\.name) == ["birth_year"])
    }
  }
}
