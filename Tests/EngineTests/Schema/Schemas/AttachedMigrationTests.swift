import Migrator
import TestEngines
import Testing

/// A configuration that attaches a file to each connection, and migrations that alter its tables.
@Suite("Other schemas: migrations")
struct AttachedMigrationTests {
  private func queue(_ engine: TestEngine, _ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { db in try db.execute(literal: "ATTACH \(path + "-other") AS other") }
    return try DatabaseQueue(engine.backend(path: path), configuration: configuration)
  }

  private func migrator(failing: Bool = false) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("create") { db in
      try db.create(table: "team", inSchema: "other") { t in t.autoIncrementedPrimaryKey("id") }
      try db.create(table: "player", inSchema: "other") { t in
        t.belongsTo("team", onDelete: .cascade)
        t.column("name", .text)
      }
      try db.execute(sql: "INSERT INTO other.team VALUES (7); INSERT INTO other.player VALUES (7, 'Ann'), (7, NULL)")
    }
    migrator.registerMigration("alter") { db in
      try db.alter(table: "team", inSchema: "other") { t in
        t.add(column: "title", .text).unique()
        t.rename(column: "id", to: "code")
      }
      try db.alter(table: "player", inSchema: "other") { t in
        t.change(column: "name") { c in
          c.notNull()
          if !failing { c.copying(sql: "coalesce(name, 'unknown')") }
        }
      }
    }
    return migrator
  }

  @Test(
    "a migration alters tables of an attached file, and the changes are there when it is reopened",
    arguments: TestEngine.allCases)
  func altered(engine: TestEngine) throws {
    let path = try engine.temporaryPath()
    let dbQueue = try queue(engine, path)
    try migrator().migrate(dbQueue)
    try dbQueue.close()
    let again = try queue(engine, path)
    try again.write { db in
      #expect(try db.schema().objects.map(\.name) == ["migrator_history"])
      #expect(try db.columns(in: "team", in: "other").map(\.name) == ["code", "title"])
      #expect(try db.foreignKeys(on: "player", in: "other").map(\.destinationColumns) == [["code"]])
      #expect(try db.indexExists("player_on_teamId", in: "other"))
      #expect(try String.fetchAll(db, sql: "SELECT name FROM other.player") == ["Ann", "unknown"])
      try db.execute(sql: "DELETE FROM other.team")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM other.player") == 0)
    }
  }

  @Test("a migration that fails leaves the attached file unchanged", arguments: TestEngine.allCases)
  func failed(engine: TestEngine) throws {
    let dbQueue = try queue(engine, engine.temporaryPath())
    #expect(throws: MigrationError.self) { try migrator(failing: true).migrate(dbQueue) }
    try dbQueue.read { db throws in
      #expect(try migrator().appliedMigrations(db) == ["create"])
      #expect(try db.columns(in: "team", in: "other").map(\.name) == ["id"])
      #expect(try db.columns(in: "player", in: "other").map(\.isNotNull) == [false, false])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM other.player") == 2)
    }
  }
}
