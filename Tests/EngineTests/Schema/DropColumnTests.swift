import Migrator
import TestEngines
import Testing

@Suite("Dropping columns")
struct DropColumnTests {
  @Test("dropping a column leaves everything else unchanged", arguments: TestEngine.allCases)
  func everythingElse(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          CREATE TABLE log(x);
          CREATE TABLE team(
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, note,
            motto CHECK (motto <> ''), UNIQUE (name), CHECK (team.name <> ''));
          CREATE TABLE player(name PRIMARY KEY, team REFERENCES team(id) ON DELETE CASCADE, note) WITHOUT ROWID;
          CREATE TABLE bag(x, y, z, UNIQUE (x) ON CONFLICT REPLACE);
          CREATE INDEX team_name ON team(name DESC) WHERE team.id > 0;
          CREATE TRIGGER team_log AFTER INSERT ON team BEGIN INSERT INTO log VALUES (NEW.name); END;
          CREATE TRIGGER player_log AFTER INSERT ON player BEGIN
            UPDATE team SET name = upper(name) WHERE id = NEW.team; END;
          CREATE TEMP TRIGGER team_temporary AFTER DELETE ON team BEGIN INSERT INTO log VALUES ('temporary'); END;
          CREATE VIEW names AS SELECT name FROM team;
          INSERT INTO team VALUES (1, 'a', 1, 'x'), (7, 'b', 2, 'y'), (50, 'c', 3, 'z');
          DELETE FROM team WHERE id = 50;
          INSERT INTO player VALUES ('p', 7, 'n');
          INSERT INTO bag(rowid, x, y, z) VALUES (5, 1, 2, 3), (9, 4, 5, 6);
          ANALYZE;
          """)
      let statistics = try Row.fetchAll(db, sql: "SELECT * FROM sqlite_stat1 ORDER BY tbl, idx").description
      try db.inTransaction {
        try db.alter(table: "team") { t in
          t.drop(column: "note")
          t.rename(column: "motto", to: "slogan")
          t.drop(column: "slogan")
        }
        try db.alter(table: "player") { t in t.drop(column: "note") }
        try db.alter(table: "bag") { t in t.drop(column: "y") }
        return .commit
      }
      #expect(try db.columns(in: "team").map(\.name) == ["id", "name"])
      #expect(try db.columns(in: "player").map(\.name) == ["name", "team"])
      #expect(try String.fetchAll(db, sql: "SELECT rowid || x || z FROM bag ORDER BY rowid") == ["513", "946"])
      let names = try db.schema().objects.filter { $0.sql != nil }.map(\.name).sorted()
      #expect(
        names == ["bag", "log", "names", "player", "player_log", "team", "team_log", "team_name"])
      #expect(try Row.fetchAll(db, sql: "SELECT * FROM sqlite_stat1 ORDER BY tbl, idx").description == statistics)
      try db.execute(sql: "PRAGMA foreign_keys = ON; DELETE FROM log; INSERT INTO team(name) VALUES ('new')")
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM team ORDER BY id") == [1, 7, 51])
      try db.execute(sql: "INSERT INTO player VALUES ('q', 7); DELETE FROM team WHERE id = 7")
      #expect(try String.fetchAll(db, sql: "SELECT x FROM log ORDER BY rowid") == ["new", "temporary"])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM player") == 0)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM temp.sqlite_temp_master") == 1)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%migrator_old%'") == 0)
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
    }
  }

  @Test("objects that use the column are named, and nothing is changed", arguments: TestEngine.allCases, ColumnUser.all)
  func used(engine: TestEngine, user: ColumnUser) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; CREATE TABLE other(x, y); \(user.sql)")
      let before = try db.schema()
      let error = #expect(throws: DatabaseError.self) { try db.alter(table: "t") { t in t.drop(column: "a") } }
      if !db.engine.abilities.contains(.dropColumn) {
        #expect(error?.condition == .unsupported)
        #expect(error?.message.contains(user.name) == true, "\(error.map { "\($0)" } ?? "")")
      }
      #expect(try db.schema() == before)
    }
  }

  @Test(
    "an engine that has to rebuild refuses while foreign keys are enforced",
    .enabled(if: TestEngine.lacking(.dropColumn) != nil, "every engine has DROP COLUMN"))
  func enforcedForeignKeys() throws {
    let dbQueue = try #require(TestEngine.lacking(.dropColumn)).inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t(a, b)")
      let error = #expect(throws: DatabaseError.self) { try db.alter(table: "t") { t in t.drop(column: "a") } }
      #expect(error?.condition == .unsupported)
      #expect(error?.remedy?.contains(".deferred") == true)
    }
  }

  @Test("a column used by an index can be dropped after the index is dropped", arguments: TestEngine.allCases)
  func indexFirst(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.create(table: "author") { t in t.autoIncrementedPrimaryKey("id") }
      try db.create(table: "book") { t in
        t.column("title")
        t.belongsTo("author")
      }
      let error = #expect(throws: DatabaseError.self) {
        try db.alter(table: "book") { t in t.drop(column: "authorId") }
      }
      #expect(error?.remedy?.contains("drop(index: \"book_on_authorId\")") == true)
      try db.drop(indexOn: "book", columns: ["authorId"])
      try db.alter(table: "book") { t in t.drop(column: "authorId") }
      #expect(try db.schema().object(.table, named: "book")?.sql == "CREATE TABLE \"book\" (\"title\")")
    }
  }
}

/// An object that prevents dropping column `a` of table `t`.
struct ColumnUser: Sendable, CustomTestStringConvertible {
  let name: String
  let sql: String
  var testDescription: String { sql }

  static let all = [
    ColumnUser(name: "primary key", sql: "CREATE TABLE t(a PRIMARY KEY, b)"),
    ColumnUser(name: "primary key", sql: "CREATE TABLE t(a, b, PRIMARY KEY(b, a))"),
    ColumnUser(name: "UNIQUE", sql: "CREATE TABLE t(a UNIQUE, b)"),
    ColumnUser(name: "UNIQUE", sql: "CREATE TABLE t(a, b, UNIQUE('a'))"),
    ColumnUser(name: "CHECK", sql: "CREATE TABLE t(a, b CHECK (a > 0))"),
    ColumnUser(name: "CHECK", sql: "CREATE TABLE t(a, b, CHECK (t.a > 0))"),
    ColumnUser(name: "foreign key", sql: "CREATE TABLE t(a, b, FOREIGN KEY(a) REFERENCES other(x))"),
    ColumnUser(name: "index \"i\"", sql: "CREATE TABLE t(a, b); CREATE INDEX i ON t(b, a)"),
    ColumnUser(name: "index \"i\"", sql: "CREATE TABLE t(a, b); CREATE INDEX i ON t(abs(a))"),
    ColumnUser(name: "index \"i\"", sql: "CREATE TABLE t(a, b); CREATE INDEX i ON t(('a' COLLATE nocase))"),
    ColumnUser(name: "index \"i\"", sql: "CREATE TABLE t(a, b); CREATE INDEX i ON t(b) WHERE \"a\" = 1"),
    ColumnUser(name: "view \"v\"", sql: "CREATE TABLE t(a, b); CREATE VIEW v AS SELECT a FROM t"),
    ColumnUser(
      name: "trigger \"g\"",
      sql: "CREATE TABLE t(a, b); CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE other SET x = NEW.a; END"),
    ColumnUser(name: "only column", sql: "CREATE TABLE t(a)"),
  ]
}
