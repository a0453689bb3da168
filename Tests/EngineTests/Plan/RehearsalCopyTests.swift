import Migrator
import TestEngines
import Testing

@Suite("The copy of a rehearsal equals the database")
struct RehearsalCopyTests {
  /// Runs `look` as a migration on a copy of the database that the SQL creates.
  @discardableResult
  private func copying(
    _ engine: TestEngine, _ sql: String, _ copy: RehearsalCopy = .allRows,
    look: @escaping @Sendable (Database) throws -> Void
  ) throws -> MigrationRehearsal {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.writeWithoutTransaction { db in try db.execute(sql: sql) }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("look", migrate: look)
    let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: copy) }
    #expect(rehearsal.failure == nil, "\(rehearsal)")
    return rehearsal
  }

  @Test("every definition is the same, character by character", arguments: TestEngine.allCases)
  func definitions(engine: TestEngine) throws {
    let sql = """
      CREATE TABLE "a b" (x /* first */ INTEGER PRIMARY KEY, y VARCHAR(10) DEFAULT (1+2) COLLATE NOCASE, CHECK (y <> ''));
      CREATE INDEX "i j" ON "a b" (y DESC) WHERE y > 0;
      CREATE VIEW v(p) AS SELECT x FROM "a b";
      CREATE TRIGGER g INSTEAD OF INSERT ON v BEGIN INSERT INTO "a b"(x) VALUES (new.p); END;
      CREATE TABLE child (p REFERENCES missing, q UNIQUE);
      CREATE VIRTUAL TABLE search USING fts4 (body, tokenize=porter);
      """
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in try db.execute(sql: sql) }
    let expected = try dbQueue.read { db in Set(try db.schema().objects) }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("look") { db throws in
      let found = try db.schema().objects.filter { $0.tableName != "migrator_history" }
      #expect(Set(found) == expected)
    }
    for copy in [RehearsalCopy.schemaOnly, .allRows] {
      let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: copy) }
      #expect(rehearsal.failure == nil && rehearsal.gaps.isEmpty && rehearsal.schemaDifference?.isEmpty == true)
    }
  }

  @Test("values of each kind keep their kind", arguments: TestEngine.allCases)
  func values(engine: TestEngine) throws {
    let query = "SELECT a, typeof(a), length(a), quote(a) FROM t ORDER BY rowid"
    let rehearsal = try copying(
      engine,
      """
      CREATE TABLE t (a);
      INSERT INTO t VALUES (NULL), (1), (-9223372036854775808), (1.5), (9e999), ('text'), ('1'), (''), (x''), (x'00ff');
      INSERT INTO t VALUES (CAST(x'610062' AS TEXT));
      """
    ) { db throws in
      let kinds = try Row.fetchAll(db, sql: query).map { try $0[1] as String }
      #expect(
        kinds == [
          "null", "integer", "integer", "real", "real", "text", "text", "text", "blob", "blob", "text",
        ])
      #expect(try Bool.fetchOne(db, sql: "SELECT a = CAST(x'610062' AS TEXT) FROM t WHERE rowid = 11") == true)
    }
    #expect(rehearsal.gaps.isEmpty)
  }

  @Test("rowids, counters and version numbers are kept, triggers do not fire", arguments: TestEngine.allCases)
  func identity(engine: TestEngine) throws {
    let rehearsal = try copying(
      engine,
      """
      CREATE TABLE plain (rowid TEXT, b); INSERT INTO plain (_rowid_, b) VALUES (7, 'seven'), (3, 'three');
      CREATE TABLE auto (id INTEGER PRIMARY KEY AUTOINCREMENT);
      INSERT INTO auto VALUES (5), (90); DELETE FROM auto WHERE id = 90;
      CREATE TABLE keyed (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO keyed VALUES ('b', 1), ('a', 2);
      CREATE TABLE replacing (x UNIQUE ON CONFLICT REPLACE); INSERT INTO replacing VALUES (1), (2);
      CREATE TABLE log (x);
      CREATE TRIGGER g AFTER INSERT ON plain BEGIN INSERT INTO log VALUES (1); END;
      PRAGMA user_version = 42; PRAGMA application_id = 43;
      """
    ) { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT _rowid_ FROM plain ORDER BY 1") == [3, 7])
      try db.execute(sql: "INSERT INTO auto DEFAULT VALUES")
      #expect(db.lastInsertedRowID == 91)
      #expect(try String.fetchAll(db, sql: "SELECT k FROM keyed") == ["a", "b"])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM replacing") == 2)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM log") == 0)
      #expect(try db.userVersion == 42 && db.applicationID == 43)
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
    }
    #expect(rehearsal.gaps.isEmpty)
  }

  @Test("generated columns are computed again", arguments: TestEngine.allCases)
  func generated(engine: TestEngine) throws {
    guard try engine.engineDescription().abilities.contains(.generatedColumns) else { return }
    let sql = """
      CREATE TABLE t (a INTEGER, b AS (a * 2) STORED, c AS (a * 3), d); INSERT INTO t (a, d) VALUES (2, 'd');
      CREATE INDEX i ON t (c);
      """
    let rehearsal = try copying(engine, sql) { db throws in
      #expect(
        try Row.fetchOne(db, sql: "SELECT * FROM t")?.databaseValues == [
          .integer(2), .integer(4), .integer(6), .text("d"),
        ])
    }
    #expect(rehearsal.gaps.isEmpty)
  }

  @Test("virtual tables are copied with their storage", arguments: TestEngine.allCases, ["fts4", "rtree"])
  func virtualTables(engine: TestEngine, module: String) throws {
    let isText = module == "fts4"
    let sql =
      isText
      ? """
      CREATE TABLE doc (id INTEGER PRIMARY KEY, body); INSERT INTO doc VALUES (5, 'hello world'), (9, 'goodbye');
      CREATE VIRTUAL TABLE own USING fts4 (body); INSERT INTO own (docid, body) SELECT * FROM doc;
      CREATE VIRTUAL TABLE external USING fts4 (content="doc", body);
      INSERT INTO external (docid, body) SELECT * FROM doc;
      VACUUM;
      """
      : "CREATE VIRTUAL TABLE box USING rtree (id, x0, x1); INSERT INTO box VALUES (4, 0, 10), (6, 20, 30)"
    let rehearsal = try copying(engine, sql) { db throws in
      guard isText else {
        #expect(try Int.fetchAll(db, sql: "SELECT id FROM box WHERE x1 > 15") == [6])
        try db.execute(sql: "INSERT INTO box VALUES (8, 40, 50)")
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM box") == 3)
        return
      }
      for table in ["own", "external"] {
        #expect(try Int.fetchAll(db, sql: "SELECT docid FROM \(table) WHERE \(table) MATCH 'world'") == [5])
        try db.execute(sql: "INSERT INTO \(table) (docid, body) VALUES (11, 'new world')")
        #expect(try Int.fetchAll(db, sql: "SELECT docid FROM \(table) WHERE \(table) MATCH 'world'") == [5, 11])
        try db.execute(sql: "INSERT INTO \(table) (\(table)) VALUES ('optimize')")
      }
    }
    #expect(rehearsal.gaps.isEmpty)
  }

  @Test("FTS5 tables are copied with their storage, contentless ones too", arguments: [TestEngine.sqlite, .sqlCipher4])
  func fts5(engine: TestEngine) throws {
    let sql = """
      CREATE VIRTUAL TABLE own USING fts5 (body); INSERT INTO own (rowid, body) VALUES (5, 'hello world');
      CREATE VIRTUAL TABLE bare USING fts5 (body, content=''); INSERT INTO bare (rowid, body) VALUES (6, 'hello world');
      """
    let rehearsal = try copying(engine, sql) { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM own WHERE own MATCH 'world'") == [5])
      #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM bare WHERE bare MATCH 'world'") == [6])
      for table in ["own", "bare"] {
        try db.execute(sql: "INSERT INTO \(table) (rowid, body) VALUES (7, 'old world')")
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table) WHERE \(table) MATCH 'world'") == 2)
        try db.execute(sql: "INSERT INTO \(table) (\(table)) VALUES ('integrity-check')")
      }
    }
    #expect(rehearsal.gaps.isEmpty)
  }

  @Test("objects that cannot be copied are reported", arguments: TestEngine.allCases)
  func gaps(engine: TestEngine) throws {
    let sql = """
      CREATE TABLE t (a CHECK (a > 0), b); INSERT INTO t VALUES (1, 1);
      PRAGMA ignore_check_constraints = 1; INSERT INTO t VALUES (-1, 2); PRAGMA ignore_check_constraints = 0;
      CREATE TABLE hidden (rowid, _rowid_, oid);
      CREATE VIRTUAL TABLE search USING fts4 (body); INSERT INTO search VALUES ('x');
      CREATE INDEX i ON t (b);
      PRAGMA writable_schema = 1;
      UPDATE sqlite_master SET sql = 'CREATE INDEX i ON t (b COLLATE missing)' WHERE name = 'i';
      PRAGMA writable_schema = 0;
      """
    let all = try copying(engine, sql) { _ in }
    #expect(all.gaps.prefix(2) == [.rows(table: "t", count: 1), .rowIDs(table: "hidden")])
    let some = try copying(engine, sql, .rows(limitPerTable: 1)) { _ in }
    #expect(some.gaps.contains { if case .virtualTableRows("search", _) = $0 { true } else { false } })
  }

  @Test("the ledger and adopted histories are copied even without other rows", arguments: TestEngine.allCases)
  func histories(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql:
          "CREATE TABLE grdb_migrations (identifier TEXT); INSERT INTO grdb_migrations VALUES ('a'); CREATE TABLE a (x)"
      )
    }
    var migrator = DatabaseMigrator()
    migrator.adopt(.grdb)
    migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    migrator.registerMigration("b") { db in try db.execute(sql: "CREATE TABLE b (x)") }
    #expect(try dbQueue.read { db in try migrator.rehearse(db) }.applied == ["b"])
    try migrator.migrate(dbQueue)
    migrator.registerMigration("c") { db in try db.execute(sql: "CREATE TABLE c (x)") }
    #expect(try dbQueue.read { db in try migrator.rehearse(db) }.applied == ["c"])
  }

  @Test(
    "objects that a configuration creates on each connection do not prevent the copy", arguments: TestEngine.allCases)
  func prepared(engine: TestEngine) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      guard !db.isInsideTransaction, try !db.tableExists("cache") else { return }
      try db.execute(sql: "CREATE TABLE cache (x); INSERT INTO cache VALUES ('of this connection')")
    }
    let dbQueue = try engine.temporaryQueue(configuration)
    try dbQueue.write { db in try db.execute(sql: "UPDATE cache SET x = 'kept'") }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("look") { db throws in
      #expect(try String.fetchAll(db, sql: "SELECT x FROM cache") == ["kept"])
    }
    let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows) }
    #expect(rehearsal.failure == nil && rehearsal.gaps.isEmpty)
  }
}
