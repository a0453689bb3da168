import Migrator
import SQLSyntax
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

  @Test("views and triggers follow a virtual table", arguments: TestEngine.allCases, ["found", "FULL"])
  func virtualTable(engine: TestEngine, newName: String) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT);
          CREATE VIRTUAL TABLE full USING fts4(content='book', title);
          CREATE TRIGGER added AFTER INSERT ON book BEGIN INSERT INTO full(docid, title) VALUES (NEW.id, NEW.title); END;
          CREATE TRIGGER removed BEFORE DELETE ON book BEGIN DELETE FROM full WHERE docid = OLD.id; END;
          CREATE VIEW titles AS SELECT full.title FROM full JOIN book ON book.id = full.docid;
          INSERT INTO book VALUES (1, 'one');
          """)
      try db.rename(table: "full", to: newName)
      try db.execute(sql: "INSERT INTO book VALUES (2, 'two'); DELETE FROM book WHERE id = 1")
      let found = try Int.fetchAll(db, sql: "SELECT docid FROM \(newName) WHERE title MATCH 'one OR two'")
      #expect(found == [2])
      #expect(try String.fetchAll(db, sql: "SELECT title FROM titles") == ["two"])
      #expect(
        try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE name LIKE 'full%'").count
          == (newName == "FULL" ? 5 : 0))
    }
  }

  @Test("a recreated table replaces the old one", arguments: TestEngine.allCases)
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

  @Test("a rename may change only the case of a name", arguments: TestEngine.allCases)
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
    "an engine that does not rewrite triggers and views refuses uncertain uses, and names the place",
    .enabled(if: TestEngine.lacking(.renameColumn) != nil, "every engine rewrites them"),
    arguments: [
      ("CREATE VIEW v AS SELECT * FROM team JOIN log AS guild", "guild at byte 48 of view \"v\""),
      ("CREATE VIEW v AS SELECT team.id FROM log", "team at byte 24 of view \"v\""),
      ("CREATE VIEW v AS SELECT team.id FROM team JOIN log AS team", "team at byte 24 of view \"v\""),
      ("CREATE VIEW v AS WITH guild AS (SELECT 1) SELECT * FROM team", "guild at byte 22 of view \"v\""),
      (
        "CREATE VIEW v AS SELECT team.id + 1 FROM team; CREATE VIEW w AS SELECT \"team.id + 1\" FROM v",
        "\"team.id + 1\" at byte 24 of view \"w\""
      ),
      (
        "CREATE TRIGGER g AFTER INSERT ON log BEGIN DELETE FROM log WHERE log.id > (SELECT max(team.id)); END",
        "team at byte 86 of trigger \"g\""
      ),
    ])
  func uncertain(sql: String, place: String) throws {
    let dbQueue = try #require(TestEngine.lacking(.renameColumn)).inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE team(id, team); CREATE TABLE log(id); \(sql)")
      let before = try db.schema()
      let error = #expect(throws: DatabaseError.self) { try db.rename(table: "team", to: "guild") }
      #expect(error?.condition == .unsupported)
      #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
      #expect(try db.schema() == before)
    }
  }

  @Test(
    "triggers and views refer to the renamed table as with the newest engine",
    arguments: [
      "CREATE VIEW v AS SELECT * FROM log, team", "CREATE VIEW v AS SELECT team FROM team",
      "CREATE VIEW v AS SELECT team.id FROM log AS team", "CREATE TEMP VIEW v AS SELECT [team].id FROM main.team",
      "CREATE VIEW v AS WITH team AS (SELECT 1 AS id) SELECT team.id FROM team",
      "CREATE VIEW v AS SELECT t.id, (SELECT max(team.id) FROM \"team\" WHERE team.id > t.id) AS m FROM team AS t",
      "CREATE VIEW v AS SELECT team.id FROM Team UNION ALL SELECT log.id FROM log ORDER BY id",
      "CREATE VIEW v AS SELECT q.id FROM (SELECT team.* FROM team) AS q JOIN (team JOIN log ON team.id = log.id)",
      "CREATE VIEW v AS WITH w AS (SELECT id FROM team) SELECT team.id FROM w JOIN team USING (id)",
      "CREATE VIEW v AS SELECT id AS guild FROM team WHERE team <> 'team'",
      "CREATE VIEW team_view AS SELECT team.team FROM team; CREATE VIEW v AS SELECT team FROM team_view",
      "CREATE TEMP TRIGGER g AFTER INSERT ON team BEGIN DELETE FROM team WHERE id < NEW.id - 5; END",
      """
      CREATE TRIGGER g AFTER INSERT ON log BEGIN
        INSERT INTO team(id) SELECT team.id + 1 FROM team WHERE team.id = NEW.id;
        UPDATE team SET id = 5, team = 'team' WHERE team.team = 'team' AND id IN log;
        DELETE FROM team WHERE EXISTS (SELECT 1 FROM log AS team WHERE team.id = 30);
      END
      """,
      "CREATE TRIGGER team AFTER UPDATE OF team ON team WHEN NEW.team > OLD.team BEGIN SELECT team FROM team; END",
    ])
  func everywhere(sql: String) throws {
    var results: [[String]] = []
    for engine in [TestEngine.sqlCipher3, .sqlCipher4] {
      results.append(
        try engine.inMemoryQueue().write { db in
          try db.execute(sql: "CREATE TABLE team(id, team); CREATE TABLE log(id); \(sql)")
          try db.rename(table: "team", to: "guild")
          // All names are resolved now.
          for name in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'view'") {
            _ = try Row.fetchAll(db, sql: "SELECT * FROM \"\(name)\"")
          }
          try db.execute(sql: "INSERT INTO guild VALUES (1, 2); INSERT INTO log VALUES (1); UPDATE guild SET team = 3")
          let stored = "SELECT sql FROM sqlite_master UNION ALL SELECT sql FROM sqlite_temp_master"
          return try String.fetchAll(db, sql: "SELECT sql FROM (\(stored)) WHERE sql IS NOT NULL")
            .map { SQLNormalization.canonicalText(of: $0).replacing("create temp ", with: "create ") }.sorted()
        })
    }
    #expect(results[0] == results[1])
  }

  @Test("a table and a column that a trigger's WITH clause uses are renamed there", arguments: TestEngine.allCases)
  func triggerCommonTable(engine: TestEngine) throws {
    try engine.inMemoryQueue().write { db in
      try db.execute(
        sql: """
          CREATE TABLE team(id, size); CREATE TABLE log(x); INSERT INTO team VALUES (1, 2);
          CREATE TRIGGER g AFTER INSERT ON log BEGIN
            WITH big AS (SELECT team.id AS n FROM team WHERE team.size > 1)
              SELECT RAISE(ABORT, 'big') FROM big WHERE n = NEW.x;
          END
          """)
      try db.rename(table: "team", to: "guild")
      try db.alter(table: "guild") { t in t.rename(column: "size", to: "members") }
      let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'g'") ?? ""
      let text = SQLNormalization.canonicalText(of: sql)
      #expect(!text.contains("team") && text.contains("guild") && text.contains("members"), "\(sql)")
      try db.execute(sql: "INSERT INTO log VALUES (2)")
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO log VALUES (1)") }
      #expect(error?.message.contains("big") == true)
    }
  }

  @Test("a virtual table that reads the table by name is updated, too", arguments: [TestEngine.sqlite])
  func content(engine: TestEngine) throws {
    try engine.inMemoryQueue().write { db in
      try db.execute(sql: "CREATE TABLE t(a, b); CREATE VIRTUAL TABLE f USING fts5(a, content='t')")
      let error = #expect(throws: DatabaseError.self) { try db.rename(table: "t", to: "u") }
      #expect(error?.condition == .unsupported && error?.message.contains("\"f\"") == true)
    }
  }

  @Test("temporary and virtual tables, and objects other than tables", arguments: TestEngine.allCases)
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
