import Migrator
import TestEngines
import Testing

@Suite("Samples: foreign keys")
struct ForeignKeySampleTests {
  private func teams() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create teams") { db in
      try db.create(table: "team") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text)
      }
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("team", onDelete: .cascade)
        t.column("name", .text)
        t.column("score", .integer)
      }
      try db.execute(
        sql: """
          INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
          INSERT INTO player VALUES (1, 1, 'Arthur', 10), (2, 2, 'O''Brien', 1000);
          """)
    }
    return migrator
  }

  @Test(
    "a table is recreated, and neither its rows nor referring rows are lost", arguments: TestEngine.allCases)
  func recreation(engine: TestEngine) throws {
    var migrator = teams()
    migrator.registerMigration("Add NOT NULL check on team.name") { db in
      try db.create(table: "new_team") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
      try db.execute(sql: "INSERT INTO new_team SELECT * FROM team")
      try db.drop(table: "team")
      try db.rename(table: "new_team", to: "team")
    }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.write { db in
      #expect(try db.columns(in: "team")[1].isNotNull)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM player") == 2)
      #expect(try db.foreignKeys(on: "player").map(\.destinationTable) == ["team"])
      #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
      try db.execute(sql: "DELETE FROM team WHERE id = 1")
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM player") == [2])
    }
  }

  @Test("a table and the column that refers to it are renamed with immediate checks", arguments: TestEngine.allCases)
  func renaming(engine: TestEngine) throws {
    var migrator = teams()
    migrator.registerMigration("Rename team to guild", foreignKeyChecks: .immediate) { db in
      #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
      try db.rename(table: "team", to: "guild")
      try db.alter(table: "player") { t in
        t.rename(column: "teamId", to: "guildId")
      }
      // The new names apply to the rest of the migration.
      try db.execute(sql: "UPDATE player SET guildId = 1 WHERE id = 2")
    }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.write { db in
      let key = try #require(try db.foreignKeys(on: "player").first)
      #expect(key.destinationTable == "guild" && key.originColumns == ["guildId"])
      #expect(try Int.fetchAll(db, sql: "SELECT guildId FROM player ORDER BY id") == [1, 1])
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
      try db.execute(sql: "DELETE FROM guild WHERE id = 1")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM player") == 0)
    }
  }

  @Test("unchecked migrations may check a table themselves", arguments: TestEngine.allCases)
  func unchecked(engine: TestEngine) throws {
    var migrator = teams().disablingDeferredForeignKeyChecks()
    migrator.registerMigration("unchecked") { db in try db.execute(sql: "UPDATE player SET teamId = 9 WHERE id = 1") }
    migrator.registerMigration("checked", foreignKeyChecks: .immediate) { db in
      try db.create(table: "tag") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
    }
    migrator.registerMigration("partially checked") { db in
      try db.checkForeignKeys(in: "team")
      try db.checkForeignKeys(in: "player")
    }
    let dbQueue = try engine.temporaryQueue()
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    let failure = try #require(error?.failure)
    #expect(failure.identifier == "partially checked" && failure.index == 4 && failure.count == 4)
    #expect((failure.underlying as? ForeignKeyViolationError)?.violations.count == 1)
    try dbQueue.read { db throws in
      #expect(try migrator.appliedMigrations(db) == ["Create teams", "unchecked", "checked"])
      #expect(throws: ForeignKeyViolationError.self) { try db.checkForeignKeys() }
    }
  }

  @Test("the deprecated spelling registers a migration with deferred checks", arguments: TestEngine.allCases)
  @available(*, deprecated)
  func deprecatedSpelling(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigrationWithDeferredForeignKeyCheck("v1") { db throws in
      #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == false)
    }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try migrator.appliedMigrations(db) == ["v1"]) }
  }

  @Test("violations are read one at a time and have descriptions", arguments: TestEngine.allCases)
  func violations(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try teams().migrate(dbQueue)
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; UPDATE player SET teamId = 9 WHERE id = 2")
      let violations = try db.foreignKeyViolations()
      let violation = try #require(try violations.next())
      #expect(violation.originTable == "player")
      #expect(violation.originRowID == 2)
      #expect(violation.destinationTable == "team")
      #expect(violation.foreignKeyId == 0)
      #expect(
        String(describing: violation) == "FOREIGN KEY constraint violation - from player to team, in rowid 2")
      #expect(
        try violation.failureDescription(db)
          == "FOREIGN KEY constraint violation - from player(teamId) to team(id), "
          + "in [id:2 teamId:9 name:\"O'Brien\" score:1000]")
      let error = violation.databaseError(db)
      #expect(error.condition == .constraint(.foreignKey) && error.resultCode == 787)
      #expect(!String(describing: error).contains("Brien"))
      #expect(
        String(describing: error).contains(
          "error 19: FOREIGN KEY constraint violation - from player(teamId) to team(id), in rowid 2"))
      #expect(try violations.next() == nil)
      #expect(throws: DatabaseError.self) { try db.checkForeignKeys(in: "no such table") }
      try db.execute(sql: "PRAGMA foreign_keys = ON")
    }
  }
}
