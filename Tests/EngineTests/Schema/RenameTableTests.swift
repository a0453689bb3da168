import Migrator
import TestEngines
import Testing

@Suite("Renaming tables")
struct RenameTableTests {
  @Test(
    "references follow a renamed table, foreign keys enforced or not", arguments: TestEngine.allCases, [true, false])
  func references(engine: TestEngine, enforcesForeignKeys: Bool) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = \(enforcesForeignKeys ? "ON" : "OFF");
          CREATE TABLE team(
            id INTEGER PRIMARY KEY AUTOINCREMENT, parent REFERENCES Team(id), team TEXT CHECK (team.team <> ''));
          CREATE TABLE player(
            id INTEGER PRIMARY KEY, teamId REFERENCES "team" ON DELETE CASCADE, FOREIGN KEY (id) REFERENCES team(id));
          CREATE INDEX team_on_parent ON team(parent) WHERE team.id > 0;
          CREATE TABLE log(x);
          CREATE TRIGGER one AFTER INSERT ON team BEGIN UPDATE team SET parent = id WHERE team.id = NEW.id; END;
          CREATE TRIGGER two AFTER DELETE ON player BEGIN DELETE FROM team WHERE id = OLD.teamId; END;
          CREATE VIEW names AS SELECT team.id FROM main.team JOIN player ON player.teamId = team.id;
          INSERT INTO team VALUES (1, 1, 'a'); INSERT INTO player VALUES (1, 1);
          """)
      try db.inTransaction {
        try db.rename(table: "team", to: "guild")
        return .commit
      }
      #expect(try Set(db.foreignKeys(on: "player").map(\.destinationTable)) == ["guild"])
      #expect(try db.foreignKeys(on: "guild").map(\.destinationTable) == ["guild"])
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM names") == [1])
      try db.execute(sql: "PRAGMA foreign_keys = ON; INSERT INTO guild(team) VALUES ('b')")
      #expect(try Int.fetchOne(db, sql: "SELECT parent FROM guild WHERE id = 2") == 2)
      try db.execute(sql: "DELETE FROM player")
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM guild") == [2])
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
    }
  }

  @Test("a table created anew takes the place of the old one", arguments: TestEngine.allCases)
  func recreation(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text)
      }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", onDelete: .cascade)
      }
      try db.execute(
        sql: """
          INSERT INTO author VALUES (1, 'a'); INSERT INTO book VALUES (1, 1);
          CREATE VIEW authors AS SELECT * FROM author;
          CREATE VIEW names AS SELECT name FROM authors;
          CREATE TRIGGER touch AFTER INSERT ON book BEGIN UPDATE author SET name = 'touched'; END;
          """)
    }
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.inTransaction {
        try db.create(table: "new_author") { t in
          t.autoIncrementedPrimaryKey("id")
          t.column("name", .text).notNull()
          t.belongsTo("mentor", inTable: "new_author")
          t.check(sql: "new_author.name <> ''")
        }
        try db.execute(sql: "INSERT INTO new_author SELECT *, NULL FROM author")
        try db.drop(table: "author")
        try db.rename(table: "new_author", to: "author")
        return .commit
      }
      try db.execute(sql: "PRAGMA foreign_keys = ON")
      #expect(try db.foreignKeys(on: "book").map(\.destinationTable) == ["author"])
      #expect(try db.foreignKeys(on: "author").map(\.destinationTable) == ["author"])
      try db.execute(sql: "INSERT INTO book(authorId) VALUES (1)")
      #expect(try String.fetchAll(db, sql: "SELECT name FROM names") == ["touched"])
      try db.execute(sql: "DELETE FROM author")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM book") == 0)
      if let legacy = try Int.fetchOne(db, sql: "PRAGMA legacy_alter_table") { #expect(legacy == 0) }
    }
  }

  @Test("a name can change in case only", arguments: TestEngine.allCases)
  func caseOnly(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: "CREATE TABLE team(id INTEGER PRIMARY KEY); CREATE TABLE p(t REFERENCES team); INSERT INTO team VALUES (1)"
      )
      try db.execute(sql: "CREATE VIEW v AS SELECT * FROM team")
      try db.rename(table: "TEAM", to: "Team")
      #expect(try db.schema().object(.table, named: "team")?.name == "Team")
      #expect(try db.foreignKeys(on: "p").first?.destinationTable.lowercased() == "team")
      #expect(try Int.fetchAll(db, sql: "SELECT * FROM v") == [1])
      let before = try db.schema()
      try db.rename(table: "team", to: "Team")
      #expect(try db.schema() == before)
    }
  }

  @Test(
    "an engine that leaves triggers and views alone refuses what is not certain",
    arguments: [
      "CREATE VIEW v AS SELECT * FROM log, team", "CREATE VIEW v AS SELECT team FROM team",
      "CREATE VIEW v AS SELECT team.id FROM log AS team", "CREATE TEMP VIEW v AS SELECT * FROM team",
      "CREATE VIEW v AS WITH team AS (SELECT 1) SELECT * FROM team",
      "CREATE VIEW v AS SELECT * FROM team JOIN log AS guild",
    ])
  func uncertain(sql: String) throws {
    let dbQueue = try TestEngine.sqlCipher3.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE team(id, team); CREATE TABLE log(id); \(sql)")
      let before = try db.schema()
      let error = #expect(throws: DatabaseError.self) { try db.rename(table: "team", to: "guild") }
      #expect(error?.condition == .unsupported)
      #expect(error?.message.contains("view \"v\"") == true)
      #expect(try db.schema() == before)
    }
  }

  @Test("temporary and virtual tables, and what is no table", arguments: TestEngine.allCases)
  func others(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "t", options: .temporary) { t in t.column("a") }
      try db.rename(table: "t", to: "u")
      #expect(try String.fetchAll(db, sql: "SELECT name FROM sqlite_temp_master") == ["u"])
      try db.execute(sql: "CREATE VIEW v AS SELECT 1")
      for name in ["v", "missing"] {
        let error = #expect(throws: DatabaseError.self) { try db.rename(table: name, to: "w") }
        #expect(error?.condition == .statement)
      }
    }
  }
}
