import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("The documentation's samples: testing migrations")
struct TestingMigrationsTests {
  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create players") { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    }
    migrator.registerMigration("Cut names in two") { db in
      try db.execute(
        sql: """
          ALTER TABLE player ADD COLUMN firstName TEXT;
          ALTER TABLE player ADD COLUMN lastName TEXT;
          UPDATE player SET firstName = substr(name, 1, instr(name, ' ') - 1), lastName = substr(name, instr(name, ' ') + 1)
          """)
    }
    return migrator
  }

  @Test("rows of an old version are followed through a migration", arguments: TestEngine.allCases)
  func stepByStep(engine: TestEngine) throws {
    #expect(
      try TestingMigrations.stepByStep(Self.migrator, engine.temporaryQueue()) == ["Ada|Lovelace"])
  }

  @Test("every version is upgraded", arguments: TestEngine.allCases)
  func matrix(engine: TestEngine) throws {
    try TestingMigrations.matrix(Self.migrator) { engine.inMemoryBackend }
  }

  @Test("the schema agrees with the records, until a migration changes it", arguments: TestEngine.allCases)
  func records(engine: TestEngine) throws {
    try TestingMigrations.records(Self.migrator) { engine.inMemoryBackend }
    var migrator = Self.migrator
    migrator.registerMigration("Add teams") { db in
      try db.alter(table: "player") { t in t.rename(column: "name", to: "fullName") }
    }
    #expect(throws: SchemaMismatch.self) { try TestingMigrations.records(migrator) { engine.inMemoryBackend } }
  }

  @Test("a migration whose result depends on the starting version is detected", arguments: TestEngine.allCases)
  func failing(engine: TestEngine) throws {
    var migrator = Self.migrator
    migrator.registerMigration("Drop what is empty") { db in
      guard try Int.fetchOne(db, sql: "SELECT count(*) FROM player") == 0 else { return }
      try db.execute(sql: "DROP TABLE player")
    }
    #expect(throws: UpgradeMatrixFailure.self) {
      try TestingMigrations.matrix(migrator) { engine.inMemoryBackend }
    }
  }
}
