import Migrator
import TestEngines
import Testing

@Suite("The documentation's samples: schema changes")
struct SchemaWordsTests {
  @Test("tables are created and altered", arguments: TestEngine.allCases)
  func words(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("create") { db in
      try SchemaWords.create(db)
      try db.execute(sql: "INSERT INTO team (name) VALUES ('Reds')")
      try db.execute(sql: "INSERT INTO player (teamId, name, score) VALUES (1, 'Arthur', 7)")
    }
    migrator.registerMigration("alter") { db in try SchemaWords.alter(db) }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try db.columns(in: "player").map(\.name) == ["id", "teamId", "name", "points", "note"])
      #expect(try Int.fetchOne(db, sql: "SELECT points FROM player") == 7)
      let indexes = try db.schema().objects.filter { $0.kind == .index && $0.sql != nil }.map(\.name)
      #expect(Set(indexes) == ["player_on_teamId", "player_on_name", "player_on_teamId_score"])
    }
  }
}
