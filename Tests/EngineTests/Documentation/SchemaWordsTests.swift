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
    migrator.registerMigration("change") { db in try SchemaWords.change(db) }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try db.columns(in: "player").map(\.name) == ["id", "name", "teamId", "points", "note"])
      #expect(try Int.fetchOne(db, sql: "SELECT points FROM player") == 7)
      let indexes = try db.schema().objects.filter { $0.kind == .index && $0.sql != nil }.map(\.name)
      #expect(Set(indexes) == ["player_on_teamId", "player_on_name", "player_on_teamId_score"])
    }
  }

  @Test("views, triggers and full-text tables are created", arguments: TestEngine.allCases)
  func more(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in
      try SchemaWords.create(db)
      try SchemaWords.more(db)
      if db.engine.abilities.contains(.fts5) { try SchemaWords.search(db) }
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

  @Test("a table gets another definition and keeps its rows", arguments: TestEngine.allCases)
  func recreating(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("create") { db in
      try SchemaWords.create(db)
      try SchemaWords.alter(db)
      try db.execute(sql: "INSERT INTO player (id, name, points) VALUES (7, 'Arthur', 900)")
    }
    migrator.registerMigration("recreate") { db in try SchemaWords.recreate(db) }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try db.columns(in: "player").map(\.name) == ["id", "teamId", "name", "points"])
      #expect(try Int.fetchOne(db, sql: "SELECT points FROM player WHERE id = 7") == 500)
    }
  }

  @Test("a suggested migration leads from one schema to the other", arguments: TestEngine.allCases)
  func suggesting(engine: TestEngine) throws {
    let (installed, wanted) = (try engine.temporaryQueue(), try engine.temporaryQueue())
    for dbQueue in [installed, wanted] { try dbQueue.write { db in try SchemaWords.create(db) } }
    try wanted.write { db in
      try db.rename(table: "team", to: "club")
      try db.alter(table: "player") { t in t.add(column: "note", .text) }
    }
    let suggestion = try SchemaWords.suggest(
      from: installed.read { db in try db.schema() }, to: wanted.read { db in try db.schema() })
    #expect(suggestion.losses.isEmpty)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("suggested") { db in try db.execute(sql: suggestion.sql) }
    try installed.write { db in try db.execute(sql: "INSERT INTO team (name) VALUES ('Reds')") }
    try migrator.migrate(installed)
    #expect(try installed.number("SELECT count(*) FROM club") == 1)
    let difference = SchemaDifference(
      from: try installed.read { db in try db.schema() }, to: try wanted.read { db in try db.schema() },
      leavingOut: ["migrator_history"])
    #expect(difference.isEmpty)
  }
}
