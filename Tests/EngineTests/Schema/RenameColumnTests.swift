import Migrator
import SQLSyntax
import TestEngines
import Testing

@Suite("Renaming columns")
struct RenameColumnTests {
  @Test("a renamed column keeps its uses, its rows and its neighbors", arguments: TestEngine.allCases)
  func uses(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: RichSchema.sql)
      try db.inTransaction {
        try db.alter(table: "team") { t in t.rename(column: "name", to: "full \"name\"") }
        return .commit
      }
      #expect(try db.columns(in: "team").map(\.name) == ["id", "full \"name\"", "parent", "size"])
      #expect(try String.fetchAll(db, sql: "SELECT \"full \"\"name\"\"\" FROM team ORDER BY id") == ["a", "b"])
      #expect(try db.foreignKeys(on: "player").first?.destinationColumns == ["full \"name\""])
      #expect(try Set(db.foreignKeys(on: "team").map(\.destinationColumns)) == [["full \"name\""], ["name", "size"]])
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
      try db.checkForeignKeys()
      // The CHECK still applies to the column, and the trigger still reads it.
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO team VALUES (3, '', NULL, 1)") }
      try db.execute(sql: "UPDATE team SET \"full \"\"name\"\"\" = 'c' WHERE id = 2")
      #expect(try String.fetchAll(db, sql: "SELECT text FROM log ORDER BY rowid") == ["b to c"])
    }
  }

  @Test("several steps follow one another", arguments: TestEngine.allCases)
  func steps(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t(a, b); CREATE INDEX i ON t(a); INSERT INTO t VALUES (1, 2)")
      let before = try db.connection.schemaVersion()
      try db.alter(table: "t") { t in
        t.rename(column: "a", to: "x")
        t.rename(column: "b", to: "a")
        t.rename(column: "x", to: "X")
        t.add(column: "c").defaults(to: 3)
        t.rename(column: "c", to: "b")
      }
      #expect(try db.connection.schemaVersion() > before)
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
      #expect(row.columnNames == ["X", "a", "b"])
      #expect(try [row["X"], row["a"], row["b"]] as [Int] == [1, 2, 3])
      try db.create(index: "j", on: "t", columns: ["b"])
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
    }
  }

  /// Since SQLite 3.54, the engine's own statements neither rename nor drop such a column, except in WITHOUT ROWID tables.
  @Test(
    "a column that hides the rowid is renamed and dropped without the engine's statements",
    arguments: TestEngine.allCases,
    ["rowid", "OID", "_rowid_"])
  func hiddenRowID(engine: TestEngine, name: String) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t(a, \(name), b);
          CREATE INDEX i ON t(\(name));
          CREATE VIEW v AS SELECT \(name) FROM t;
          CREATE TABLE u(a, \(name));
          INSERT INTO t VALUES (1, 2, 3);
          INSERT INTO u VALUES (1, 2);
          """)
    }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("rename", foreignKeyChecks: .deferred) { db in
      try db.alter(table: "t") { t in t.rename(column: name.lowercased(), to: "c") }
      try db.alter(table: "u") { t in t.drop(column: name) }
    }
    let statements = try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows) }.statements.map(\.sql)
    #expect(statements.contains { $0.contains("\"c\"") })
    for words in ["RENAME COLUMN", "DROP COLUMN"] { #expect(!statements.contains { $0.contains(words) }) }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try db.columns(in: "t").map(\.name) == ["a", "c", "b"])
      #expect(try Int.fetchAll(db, sql: "SELECT c FROM t") == [2])
      #expect(try Int.fetchAll(db, sql: "SELECT * FROM v") == [2])
      #expect(try db.columns(in: "u").map(\.name) == ["a"])
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM u") == [1])
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
    }
  }

  @Test("other connections, open or new, see the new name", arguments: TestEngine.allCases)
  func otherConnections(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("names.db")
    let writer = try engine.queue(path: path)
    try writer.write { db in try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)") }
    let reader = try engine.queue(path: path)
    #expect(try reader.read { db in try Int.fetchOne(db, sql: "SELECT a FROM t") } == 1)
    try writer.write { db in try db.alter(table: "t") { t in t.rename(column: "a", to: "z") } }
    #expect(try reader.read { db in try Int.fetchOne(db, sql: "SELECT t.z FROM t") } == 1)
    let later = try engine.queue(path: path)
    #expect(try later.read { db in try db.columns(in: "t").map(\.name) } == ["z", "b"])
  }

  @Test("missing and existing names are reported", arguments: TestEngine.allCases)
  func mistakes(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t(a, b)")
      for (table, name, newName) in [("t", "x", "y"), ("t", "a", "B"), ("missing", "a", "c")] {
        let error = #expect(throws: DatabaseError.self) {
          try db.alter(table: table) { t in t.rename(column: name, to: newName) }
        }
        #expect(error?.condition == .statement)
      }
      #expect(try db.columns(in: "t").map(\.name) == ["a", "b"])
    }
  }

  @Test(
    "an engine without RENAME COLUMN refuses uncertain uses",
    .enabled(if: TestEngine.lacking(.renameColumn) != nil, "every engine has it"), arguments: UncertainUse.all)
  func uncertain(use: UncertainUse) throws {
    let dbQueue = try #require(TestEngine.lacking(.renameColumn)).inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t(a, b); CREATE TABLE other(a, c); \(use.sql)")
      let before = try db.schema()
      let error = #expect(throws: DatabaseError.self) {
        try db.alter(table: "t") { t in t.rename(column: "a", to: "z") }
      }
      #expect(error?.condition == .unsupported)
      #expect(error?.message.contains(use.name) == true)
      #expect(try db.schema() == before)
    }
  }

  @Test(
    "triggers and views that certainly refer to another column remain unchanged",
    arguments: TestEngine.allCases,
    [
      "CREATE VIEW v AS SELECT a FROM other",
      "CREATE TRIGGER g AFTER INSERT ON other BEGIN INSERT INTO log VALUES (NEW.a); UPDATE t SET b = NEW.a; END",
      "CREATE TRIGGER g AFTER UPDATE OF a ON other BEGIN DELETE FROM t WHERE b = 1; END",
      "CREATE VIEW v AS SELECT b || 'a' AS c FROM t WHERE b = 'a'",
    ])
  func certain(engine: TestEngine, sql: String) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t(a, b); CREATE TABLE other(a, c); CREATE TABLE log(x); \(sql)")
      try db.alter(table: "t") { t in t.rename(column: "a", to: "z") }
      let stored = try #require(try db.schema().objects.last?.sql)
      #expect(SQLNormalization.canonicalText(of: stored) == SQLNormalization.canonicalText(of: sql))
    }
  }

  @Test("views and triggers that use the column are rewritten as by the newest engine", arguments: CertainUse.all)
  func everywhere(use: CertainUse) throws {
    let setup = "CREATE TABLE t(a, b); CREATE TABLE other(a, c); CREATE TABLE log(x, y UNIQUE); \(use.sql)"
    var results: [[String]] = []
    for engine in [TestEngine.sqlCipher3, .sqlCipher4] {
      results.append(
        try engine.inMemoryQueue().write { db in
          try db.execute(sql: setup)
          try db.alter(table: "t") { t in t.rename(column: "a", to: "z") }
          // All names are resolved now.
          for name in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'view'") {
            _ = try Row.fetchAll(db, sql: "SELECT * FROM \"\(name)\"")
          }
          try db.execute(sql: "INSERT INTO t VALUES (1, 2); UPDATE t SET z = 3; DELETE FROM t")
          let stored = "SELECT sql FROM sqlite_master UNION ALL SELECT sql FROM sqlite_temp_master"
          return try String.fetchAll(db, sql: "SELECT sql FROM (\(stored)) WHERE sql IS NOT NULL")
            .map { SQLNormalization.canonicalText(of: $0).replacing("create temp ", with: "create ") }.sorted()
        })
    }
    #expect(results[0] == results[1])
  }

  @Test("a virtual table that reads the column by name is updated, too", arguments: [TestEngine.sqlite])
  func virtualTables(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t(a, b); CREATE VIRTUAL TABLE f USING fts5(a, content='t')")
      let error = #expect(throws: DatabaseError.self) {
        try db.alter(table: "t") { t in t.rename(column: "a", to: "z") }
      }
      #expect(error?.condition == .unsupported && error?.message.contains("\"f\"") == true)
    }
  }
}

/// A use of column `a` whose meaning older engines cannot determine with certainty.
struct UncertainUse: Sendable, CustomTestStringConvertible {
  let name: String
  let sql: String
  var testDescription: String { sql }

  static let all = [
    UncertainUse(name: "view \"v\"", sql: "CREATE VIEW v AS SELECT * FROM t NATURAL JOIN other"),
    UncertainUse(name: "view \"v\"", sql: "CREATE VIEW v AS SELECT b FROM t JOIN other USING (a)"),
    UncertainUse(name: "view \"v\"", sql: "CREATE VIEW v AS SELECT a FROM t JOIN missing"),
    UncertainUse(name: "view \"v\"", sql: "CREATE VIEW v AS SELECT a, b AS z FROM t"),
    UncertainUse(
      name: "view \"w\"", sql: "CREATE VIEW v AS SELECT a + 1 FROM t; CREATE VIEW w AS SELECT \"a + 1\" FROM v"),
    UncertainUse(
      name: "trigger \"g\"", sql: "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT * FROM t NATURAL JOIN other; END"),
    UncertainUse(name: "trigger \"g\"", sql: "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT x.a FROM t; END"),
    UncertainUse(name: "index \"i\"", sql: "CREATE INDEX i ON t(b) WHERE b <> \"z\""),
    UncertainUse(
      name: "trigger \"g\"",
      sql: "CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE other SET c = (SELECT \"z\" FROM t); END"
    ),
  ]
}

/// A schema that uses column `name` of table `team` in every certain way.
enum RichSchema {
  static let sql = """
    CREATE TABLE log(text);
    CREATE TABLE team( -- name of the team
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      "name" TEXT NOT NULL COLLATE nocase DEFAULT "name" CHECK (team.name <> '' /* name */ AND "name" <> 'name'),
      parent TEXT REFERENCES Team(name), [size] INTEGER CHECK (length(NAME) < 100 OR CAST(name AS name) = 1),
      CONSTRAINT name CHECK (`name` IS NOT NULL) UNIQUE ('name' COLLATE nocase, size),
      FOREIGN KEY (parent, size) REFERENCES other(name, size)
    );
    CREATE UNIQUE INDEX name ON team([name]);
    CREATE INDEX byExpression ON team(lower(name) DESC, size) WHERE "name" > 'name';
    CREATE TABLE other(name TEXT, size INTEGER, UNIQUE(name, size));
    CREATE TABLE player(
      id INTEGER PRIMARY KEY, name TEXT, teamName TEXT REFERENCES "team" ( "name" ) ON DELETE CASCADE
    );
    CREATE TRIGGER log_name AFTER UPDATE OF id, name ON team WHEN OLD.name <> NEW."name"
    BEGIN INSERT INTO log VALUES (OLD.name || ' to ' || NEW . name); END;
    CREATE VIEW playerNames AS SELECT name FROM player;
    INSERT INTO other VALUES ('a', 1);
    INSERT INTO team VALUES (1, 'a', NULL, 1), (2, 'b', 'a', 1);
    INSERT INTO player VALUES (1, 'x', 'a');
    """
}

/// Uses of column `a` of table `t` that every engine can resolve.
struct CertainUse: Sendable, CustomTestStringConvertible {
  let sql: String
  var testDescription: String { sql }

  static let all = [
    "CREATE INDEX i ON t(('a')); CREATE INDEX j ON t((('a' COLLATE nocase)) DESC, b)",
    "CREATE INDEX i ON t(a COLLATE nocase COLLATE rtrim, ('a' COLLATE nocase COLLATE rtrim))",
    "CREATE VIEW v AS SELECT a FROM t",
    "CREATE VIEW v AS SELECT x.a AS a, x.\"a\" AS q, 'a' AS r, [t].a FROM t AS x, t",
    "CREATE VIEW v AS SELECT * FROM t; CREATE VIEW w AS SELECT a, v.a + 1 AS b FROM v",
    "CREATE VIEW v(a) AS SELECT a FROM t; CREATE VIEW w AS SELECT a FROM v",
    "CREATE VIEW v AS SELECT (SELECT max(a) FROM other WHERE c = t.a), (SELECT a + c FROM other) FROM t",
    "CREATE VIEW v AS SELECT o.a, t.a AS q FROM other AS o JOIN t ON o.a = t.a WHERE b IN (SELECT a FROM t) ORDER BY t.a",
    "CREATE VIEW v AS WITH x AS (SELECT a, b FROM t), y(a) AS (SELECT b FROM t) SELECT x.a, y.a AS r FROM x, y",
    "CREATE VIEW v AS SELECT q.a FROM (SELECT a FROM t UNION ALL SELECT c FROM other) AS q GROUP BY q.a HAVING max(a) > 0",
    "CREATE VIEW v AS SELECT b AS a FROM t ORDER BY a",
    "CREATE VIEW v AS SELECT a FROM t UNION SELECT a FROM other ORDER BY a",
    "CREATE VIEW v AS SELECT count(*) AS n, sum(a) AS s FROM t NATURAL JOIN log",
    "CREATE TRIGGER g AFTER UPDATE OF b, a ON t WHEN NEW.a > OLD.a BEGIN INSERT INTO log(x) SELECT a FROM t WHERE a = NEW.a; END",
    "CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = a + 1, b = (SELECT a FROM other WHERE c = t.a); END",
    "CREATE TRIGGER g AFTER INSERT ON other BEGIN INSERT INTO t(b, a) VALUES (NEW.a, 1); DELETE FROM t WHERE a = NEW.a; END",
    "CREATE TRIGGER g AFTER DELETE ON t BEGIN UPDATE other SET a = OLD.a WHERE a IN (SELECT a FROM t) OR c = a; END",
    "CREATE VIEW v AS SELECT a, b FROM t; CREATE TRIGGER g INSTEAD OF INSERT ON v BEGIN INSERT INTO log(x) VALUES (NEW.b); END",
    "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM other WHERE c = NEW.a; END",
    "CREATE TRIGGER g AFTER INSERT ON other BEGIN UPDATE t SET 'a' = 1; END",
  ].map(CertainUse.init)
}
