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
      #expect(Set(indexes) == ["player_on_teamId", "player_on_name", "index_player_on_teamId_score"])
    }
  }

  @Test("columns are changed and a table is recreated, with all rows", arguments: TestEngine.allCases)
  func changes(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("create") { db in
      try SchemaWords.create(db)
      try db.execute(sql: "INSERT INTO team (name) VALUES ('Reds')")
      try db.execute(sql: "INSERT INTO player (teamId, name) VALUES (1, 'Arthur')")
      try SchemaWords.alter(db)
    }
    migrator.registerMigration("change") { db in try SchemaWords.change(db) }
    migrator.registerMigration("recreate") { db in try SchemaWords.recreate(db) }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.write { db throws in
      #expect(try String.fetchOne(db, sql: "SELECT note FROM player") == "")
      #expect(try String.fetchOne(db, sql: "SELECT title FROM team WHERE name = 'Reds'") == "REDS")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "UPDATE player SET note = NULL") }
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO player (teamId, name, note) VALUES (1, 'Arthur', '')")
      }
    }
  }

  @Test("views, triggers and full-text tables are created", arguments: TestEngine.allCases)
  func more(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in
      try SchemaWords.create(db)
      try SchemaWords.more(db)
      try SchemaWords.search(db)
      try db.execute(
        sql: """
          INSERT INTO team (name) VALUES ('Reds');
          INSERT INTO player (teamId, name) VALUES (1, 'Arthur');
          UPDATE player SET score = 2
          """)
      #expect(try String.fetchOne(db, sql: "SELECT name FROM ranking") == "Arthur")
      #expect(try String.fetchOne(db, sql: "SELECT name FROM team") == "Reds!")
      guard db.engine.abilities.contains(.fts5) else { return }
      #expect(
        try Int.fetchOne(db, sql: "SELECT rowid FROM player_text WHERE player_text MATCH 'arthur'") == 1)
    }
  }
}
