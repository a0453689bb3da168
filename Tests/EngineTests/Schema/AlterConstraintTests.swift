import Migrator
import SQLSyntax
import TestEngines
import Testing

/// The effect of engines' own statements on constraints differs from a rebuild in some cases.
@Suite("Altering tables: unchanged parts of a definition")
struct AlterConstraintTests {
  private func alter(
    _ engine: TestEngine, _ sql: String, _ table: String = "t", _ body: (TableAlteration) throws -> Void,
    check: (Database) throws -> Void
  ) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; \(sql)")
      try db.inTransaction {
        try db.alter(table: table, body: body)
        return .commit
      }
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
      try check(db)
    }
  }

  private func definition(_ db: Database) throws -> String {
    SQLNormalization.canonicalText(of: try #require(try db.schema().object(.table, named: "t")?.sql))
  }

  @Test("an added CHECK accepts rows for which it is NULL, as in a new table", arguments: TestEngine.allCases)
  func nullCheck(engine: TestEngine) throws {
    try alter(engine, "CREATE TABLE t(a, b); INSERT INTO t VALUES (NULL, 1), (2, 3)") { t in
      t.addCheck(sql: "a > 0")
      t.rename(column: "b", to: "c")
      t.addCheck(sql: "c + a > 0", named: "sum")
    } check: { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 2)
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (0, 1)") }
    }
  }

  @Test("an existing NOT NULL remains unchanged", arguments: TestEngine.allCases)
  func notNull(engine: TestEngine) throws {
    let sql = "CREATE TABLE t(a CONSTRAINT n NOT NULL ON CONFLICT IGNORE UNIQUE, b)"
    try alter(engine, sql) { t in
      t.change(column: "a") { c in c.notNull() }
    } check: { db throws in
      #expect(try definition(db) == SQLNormalization.canonicalText(of: sql))
    }
  }

  @Test("a foreign key is removed together with its deferral", arguments: TestEngine.allCases)
  func deferral(engine: TestEngine) throws {
    let sql = """
      CREATE TABLE t(
        a REFERENCES p NOT DEFERRABLE, b CONSTRAINT fk REFERENCES p ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        c CONSTRAINT one REFERENCES p DEFERRABLE CONSTRAINT two REFERENCES t NOT DEFERRABLE INITIALLY IMMEDIATE)
      """
    try alter(engine, sql) { t in
      t.drop(constraint: "fk")
      t.drop(constraint: "two")
      t.dropForeignKey(["a"])
    } check: { db throws in
      #expect(try definition(db) == "create table t ( a , b , c constraint one references p deferrable )")
    }
  }

  @Test("columns given as SQL are added by a rebuild if ADD COLUMN refuses them", arguments: TestEngine.allCases)
  func columnSQL(engine: TestEngine) throws {
    try alter(engine, "CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1)") { t in
      t.addColumn(sql: "b INTEGER UNIQUE")
      t.addColumn(sql: "c DEFAULT (1 + 1) CHECK (c > 0)")
    } check: { db throws in
      #expect(
        try definition(db) == "create table t ( a integer , b integer unique , c default ( 1 + 1 ) check ( c > 0 ) )")
      #expect(try Int.fetchOne(db, sql: "SELECT c FROM t") == 2)
    }
    try alter(engine, "CREATE TABLE t(a)") { t in
      t.addColumn(sql: "b NOT NULL")
    } check: { db throws in
      #expect(try definition(db) == "create table t ( a , b not null )")
    }
  }

  @Test(
    "a default that violates its own CHECK is not added to existing rows, even if given as SQL",
    arguments: TestEngine.allCases)
  func checkedDefault(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      #expect(throws: DatabaseError.self) {
        try db.alter(table: "t") { t in t.addColumn(sql: "b DEFAULT 0 CHECK (b > 0)") }
      }
      #expect(try db.columns(in: "t").map(\.name) == ["a"])
    }
  }

  @Test(
    "triggers that spell the table's name in another case still work after a column is added",
    arguments: TestEngine.allCases)
  func triggers(engine: TestEngine) throws {
    let sql =
      "CREATE TABLE t(a); CREATE TABLE log(x); CREATE TRIGGER g AFTER INSERT ON T BEGIN INSERT INTO log VALUES (1); END"
    try alter(engine, sql) { t in
      t.add(column: "b")
    } check: { db in
      try db.execute(sql: "INSERT INTO t(a) VALUES (1)")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM log") == 1)
      try db.drop(trigger: "g")
    }
  }

  @Test(
    "a name that would become a string, or invalid, prevents dropping its column", arguments: TestEngine.allCases,
    [
      "CREATE VIEW v AS SELECT a FROM t WHERE \"c\" > 0", "CREATE TABLE p(x REFERENCES t(c))",
      "CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET c = NEW.a WHERE a = 1; END",
      "CREATE TABLE u(a, c, CHECK (\"c\" <> 'x'))", "CREATE TABLE u(a REFERENCES u(c), c)",
    ])
  func quotedNames(engine: TestEngine, sql: String) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; CREATE TABLE t(a, c); \(sql)")
      let before = try Content(db)
      let table = sql.contains("TABLE u") ? "u" : "t"
      let error = #expect(throws: DatabaseError.self) { try db.alter(table: table) { t in t.drop(column: "c") } }
      #expect(error?.condition == .unsupported)
      #expect(try Content(db) == before)
    }
  }

  @Test("a comma in a comment does not prevent dropping a column", arguments: TestEngine.allCases)
  func comment(engine: TestEngine) throws {
    try alter(engine, "CREATE TABLE t(a, /* a, b */ b -- b, too\n)") { t in
      t.drop(column: "b")
    } check: { db throws in
      #expect(try definition(db) == "create table t ( a )")
    }
  }

  @Test("rows whose values cannot be rowids are named", arguments: TestEngine.allCases)
  func rowIDs(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(
        sql: "PRAGMA foreign_keys = OFF; CREATE TABLE t(a INTEGER, b);"
          + " INSERT INTO t(rowid, a) VALUES (1, 5), (3, 'x'), (4, 1.5), (6, '7'), (8, x'31')")
      let error = #expect(throws: DatabaseError.self) {
        try db.inTransaction {
          try db.alter(table: "t") { t in t.setPrimaryKey(["a"]) }
          return .commit
        }
      }
      #expect(error?.condition == .constraint(.dataType))
      #expect(
        error?.message == "a non-integer in \"a\", which becomes the rowid, in 3 rows of \"t\": rowid 3, 4, 8",
        "\(error?.message ?? "")")
    }
  }

  @Test(
    "columns referred to by position keep their positions", arguments: TestEngine.allCases,
    [
      "CREATE VIEW v(x, y, z) AS SELECT * FROM t", "CREATE VIEW v AS SELECT * FROM t UNION SELECT 1, 2, 3",
      "CREATE VIEW v AS WITH w(x, y, z) AS (SELECT * FROM t) SELECT x FROM w",
      "CREATE TABLE log(x, y, z); CREATE TRIGGER g AFTER INSERT ON log BEGIN INSERT INTO log SELECT * FROM t; END",
      "CREATE TABLE log(x); CREATE TRIGGER g AFTER INSERT ON log BEGIN INSERT INTO t VALUES (1, 2, 3); END",
    ])
  func places(engine: TestEngine, sql: String) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; CREATE TABLE t(a, b, c); \(sql)")
      let before = try Content(db)
      let error = #expect(throws: DatabaseError.self) {
        try db.alter(table: "t") { t in t.reorder(columns: ["c"]) }
      }
      #expect(error?.condition == .unsupported)
      let older = #expect(throws: DatabaseError.self) {
        try OlderEngine(db).apply(.alterTable(name: "t", alterations: [.dropColumn(name: "c")]))
      }
      #expect(older?.condition == .unsupported)
      #expect(try Content(db) == before)
    }
  }

  @Test(
    "objects that do not use a column do not prevent dropping it", arguments: TestEngine.allCases,
    [
      "CREATE VIEW v AS SELECT * FROM t", "CREATE VIEW v AS SELECT a AS c FROM t",
      "CREATE VIEW v AS SELECT c FROM other",
      "CREATE VIEW v AS SELECT other.c FROM t JOIN other ON t.a = other.c WHERE EXISTS (SELECT * FROM t)",
      "CREATE VIEW v AS SELECT count(*) AS n FROM t NATURAL JOIN log",
      "CREATE TRIGGER g AFTER INSERT ON other BEGIN UPDATE other SET c = NEW.c WHERE c IN (SELECT a FROM t); END",
      "CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log(x) SELECT c FROM other WHERE c = NEW.a; END",
    ])
  func unused(engine: TestEngine, sql: String) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(
        sql: "PRAGMA foreign_keys = OFF; CREATE TABLE t(a, b, c); CREATE TABLE other(c); CREATE TABLE log(x); \(sql)")
      try OlderEngine(db).apply(.alterTable(name: "t", alterations: [.dropColumn(name: "c")]))
      #expect(try db.columns(in: "t").map(\.name) == ["a", "b"])
      for name in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'view'") {
        _ = try Row.fetchAll(db, sql: "SELECT * FROM \"\(name)\"")
      }
      try db.execute(sql: "INSERT INTO other VALUES (1); INSERT INTO t(a) VALUES (1)")
    }
  }

  @Test(
    "A constraint on a column that an earlier step renamed is checked against its rows", arguments: TestEngine.allCases)
  func renamedBefore(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT DEFAULT 'none', b TEXT DEFAULT 'other');
          INSERT INTO t VALUES (1, NULL, 'x'), (2, 'y', 'z')
          """)
      try db.inTransaction {
        try db.alter(table: "t") { t in
          // The names are swapped, using a third one.
          t.rename(column: "a", to: "c")
          t.rename(column: "b", to: "a")
          t.rename(column: "c", to: "b")
          t.change(column: "b") { c in c.notNull() }
        }
        return .commit
      }
      #expect(try String.fetchAll(db, sql: "SELECT b || a FROM t ORDER BY id") == ["nonex", "yz"])
      #expect(throws: DatabaseError.self) { try db.execute(sql: "UPDATE t SET b = NULL") }
    }
  }
}
