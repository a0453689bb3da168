import Migrator
import TestEngines
import Testing

@Suite("Introspection")
struct IntrospectionTests {
  private func schema(_ engine: TestEngine, _ sql: String) throws -> SchemaSnapshot {
    let dbQueue = try engine.inMemoryQueue()
    return try dbQueue.write { db in
      try db.execute(sql: sql)
      return try db.schema()
    }
  }

  @Test("columns report type, affinity, NOT NULL, default and collation", arguments: TestEngine.allCases)
  func columns(engine: TestEngine) throws {
    let schema = try schema(
      engine,
      """
      CREATE TABLE "the table"(
        a VARCHAR(10) CONSTRAINT needed NOT NULL ON CONFLICT IGNORE DEFAULT 'x,y' COLLATE nocase,
        [b c] "double precision" NULL, 'c' /* a comment, */ DEFAULT (1 + 2), d BLOB, e DECIMAL(10, 5) COLLATE "RTRIM",
        f FLOATING POINT, G INTEGER NOT NULL, "order")
      """)
    let table = try #require(schema.table("THE TABLE"))
    #expect(table.columns.map(\.name) == ["a", "b c", "c", "d", "e", "f", "G", "order"])
    #expect(table.columns.map(\.affinity) == [.text, .real, .blob, .blob, .numeric, .integer, .integer, .blob])
    let first = try #require(table.column("A"))
    #expect(first.declaredType == "VARCHAR(10)")
    #expect((first.isNotNull, first.notNullConflict, first.notNullName) == (true, .ignore, "needed"))
    #expect((first.defaultValueSQL, first.collation) == ("'x,y'", "nocase"))
    #expect(table.column("c")?.defaultValueSQL == "1 + 2")
    #expect(table.column("e")?.collation == "RTRIM")
    #expect(table.column("b c")?.isNotNull == false)
    #expect((table.primaryKey == nil, table.isWithoutRowID, table.isStrict) == (true, false, false))
  }

  @Test("an affinity is the one with which the engine stores values", arguments: TestEngine.allCases)
  func affinities(engine: TestEngine) throws {
    let types = [
      "INT", "CHARINT", "POINTER", "VARCHAR", "CLOB", "NTEXT", "BLOB", "", "REAL", "FLOAT", "DOUBLE", "NUMERIC",
      "DATE", "BOOLEAN", "STRING", "BLOBREAL", "TEXTBLOB", "ANY",
    ]
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      for type in types {
        try db.execute(
          sql: "DROP TABLE IF EXISTS t; CREATE TABLE t(a \(type)); INSERT INTO t VALUES ('1'), (1), ('1.0')")
        let stored = try String.fetchAll(db, sql: "SELECT typeof(a) FROM t")
        let expected: [ColumnAffinity: [String]] = [
          .text: ["text", "text", "text"], .blob: ["text", "integer", "text"], .real: ["real", "real", "real"],
          .integer: ["integer", "integer", "integer"], .numeric: ["integer", "integer", "integer"],
        ]
        let affinity = try #require(try db.columns(in: "t").first?.affinity)
        #expect(stored == expected[affinity], "\(type)")
      }
    }
  }

  @Test("keys report order, collation, conflict clause, name and kind", arguments: TestEngine.allCases)
  func keys(engine: TestEngine) throws {
    let schema = try schema(
      engine,
      """
      CREATE TABLE auto(id INTEGER CONSTRAINT pk PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT, a UNIQUE ON CONFLICT FAIL);
      CREATE TABLE down(id INTEGER PRIMARY KEY DESC);
      CREATE TABLE both(a TEXT, b, CONSTRAINT "the key" PRIMARY KEY(b DESC, a COLLATE nocase) ON CONFLICT ROLLBACK,
        CONSTRAINT u UNIQUE (a, b DESC) CONSTRAINT v UNIQUE (b)) WITHOUT ROWID;
      CREATE TABLE typed(id INT PRIMARY KEY);
      CREATE TABLE later(id INTEGER, PRIMARY KEY (id ASC))
      """)
    let auto = try #require(schema.table("auto"))
    #expect(
      auto.primaryKey
        == PrimaryKeyDescription(
          keyColumns: ["id"], onConflict: .replace, name: "pk", isAutoincrement: true, isRowID: true))
    #expect(auto.uniqueKeys == [TableKey(columns: ["a"], onConflict: .fail)])
    #expect(
      schema.table("down")?.primaryKey == PrimaryKeyDescription(keyColumns: [.descending("id")], isRowID: false))
    let both = try #require(schema.table("both"))
    #expect(both.isWithoutRowID)
    #expect(
      both.primaryKey
        == PrimaryKeyDescription(
          keyColumns: [.descending("b"), .ascending("a", collate: "nocase")], onConflict: .rollback, name: "the key"))
    #expect(
      both.uniqueKeys == [
        TableKey(columns: ["a", .descending("b")], name: "u"), TableKey(columns: ["b"] as [KeyColumn], name: "v"),
      ])
    #expect(both.columns.filter { $0.primaryKeyIndex > 0 }.map(\.name) == ["a", "b"])
    #expect(schema.table("typed")?.primaryKey?.isRowID == false)
    #expect(schema.table("later")?.primaryKey?.isRowID == true)
  }

  @Test("foreign keys report actions, deferral and names", arguments: TestEngine.allCases)
  func foreignKeys(engine: TestEngine) throws {
    let schema = try schema(
      engine,
      """
      CREATE TABLE c(
        a REFERENCES p ON DELETE SET NULL MATCH FULL DEFERRABLE INITIALLY DEFERRED,
        b CONSTRAINT second REFERENCES "q"(x) ON UPDATE CASCADE NOT DEFERRABLE INITIALLY DEFERRED,
        d CONSTRAINT third REFERENCES p(y) DEFERRABLE,
        CONSTRAINT "four th" FOREIGN KEY (a, b) REFERENCES c(b, d) ON DELETE RESTRICT ON UPDATE SET DEFAULT
          DEFERRABLE INITIALLY DEFERRED)
      """)
    let keys = try #require(schema.table("c")?.foreignKeys)
    #expect(keys.map(\.id) == [0, 1, 2, 3])
    #expect(keys.map(\.name) == ["four th", "third", "second", nil])
    #expect(keys.map(\.isDeferred) == [true, false, false, true])
    #expect(keys.map(\.onDelete) == [.restrict, .noAction, .noAction, .setNull])
    #expect(keys.map(\.onUpdate) == [.setDefault, .noAction, .cascade, .noAction])
    #expect(keys.map(\.originColumns) == [["a", "b"], ["d"], ["b"], ["a"]])
    #expect(keys.map(\.destinationColumns) == [["b", "d"], ["y"], ["x"], []])
  }

  @Test("CHECKs report expression and name", arguments: TestEngine.allCases)
  func checks(engine: TestEngine) throws {
    let schema = try schema(
      engine,
      """
      CREATE TABLE t(a CHECK (a IN (1, ')')) CONSTRAINT "x y" CHECK(a <> 'CHECK (1)'), b, CHECK (a /* , */ > b),
        CONSTRAINT z CHECK ((a) = (b)))
      """)
    #expect(
      schema.table("t")?.checks == [
        NewCheckDescription("a IN (1, ')')"), NewCheckDescription("a <> 'CHECK (1)'", name: "x y"),
        NewCheckDescription("a /* , */ > b"), NewCheckDescription("(a) = (b)", name: "z"),
      ])
  }

  @Test("indexes report expressions, predicate and origin", arguments: TestEngine.allCases)
  func indexes(engine: TestEngine) throws {
    let schema = try schema(
      engine,
      """
      CREATE TABLE t(a COLLATE NOCASE, b, c UNIQUE, PRIMARY KEY (a, b));
      CREATE UNIQUE INDEX "an index" ON t(lower(b) || ',' DESC, a, b COLLATE rtrim) WHERE c > 0 AND b <> '(';
      CREATE INDEX i ON t(c)
      """)
    let indexes = schema.indexes(on: "T")
    #expect(Set(indexes.map(\.origin)) == [.createIndex, .primaryKey, .uniqueKey])
    let index = try #require(indexes.first { $0.name == "an index" })
    #expect((index.isUnique, index.isPartial, index.condition) == (true, true, "c > 0 AND b <> '('"))
    #expect(
      index.columns == [
        IndexDescription.Column(name: nil, sql: "lower(b) || ','", isDescending: true),
        IndexDescription.Column(name: "a", collation: "NOCASE"),
        IndexDescription.Column(name: "b", collation: "rtrim"),
      ])
    #expect(indexes.first { $0.origin == .primaryKey }?.columns.map(\.name) == ["a", "b"])
  }

  @Test("triggers and views report the tables that they use", arguments: TestEngine.allCases)
  func triggersAndViews(engine: TestEngine) throws {
    let schema = try schema(
      engine,
      """
      CREATE TABLE a(x, y); CREATE TABLE b(x, y); CREATE TABLE "the log"(x);
      CREATE VIEW v(p, q) AS WITH n AS (SELECT x FROM b), m(z) AS (SELECT 1 FROM n)
        SELECT n.x, (SELECT count(*) FROM "the log") FROM n, main.a AS o WHERE y IN (SELECT z FROM m) OR y IN "the log";
      CREATE VIEW broken AS SELECT * FROM nowhere;
      CREATE TRIGGER t BEFORE UPDATE OF "x", y ON a WHEN NEW.x > (SELECT max(x) FROM b) BEGIN
        INSERT INTO "the log" SELECT x FROM a; UPDATE b SET x = 1 WHERE y = OLD.y; DELETE FROM a; END;
      CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN SELECT 1; END;
      CREATE TRIGGER d DELETE ON b BEGIN SELECT * FROM v; END
      """)
    let view = try #require(schema.view("V"))
    #expect(view.columns?.map(\.name) == ["p", "q"])
    #expect(view.tables == ["b", "the log", "a"])
    #expect(view.sql.hasPrefix("WITH n AS"))
    let broken = try #require(schema.view("broken"))
    #expect(broken.columns == nil)
    #expect(broken.tables == ["nowhere"])
    let trigger = try #require(schema.trigger("t"))
    #expect((trigger.table, trigger.timing, trigger.event) == ("a", .before, .update(of: ["x", "y"])))
    #expect(trigger.condition == "NEW.x > (SELECT max(x) FROM b)")
    #expect(trigger.tables == ["b", "the log", "a"])
    #expect(schema.trigger("i")?.timing == .insteadOf)
    #expect(schema.trigger("d")?.timing == .before)
    #expect(schema.trigger("d")?.event == .delete)
  }

  @Test("generated columns, STRICT and virtual tables are reported", arguments: TestEngine.allCases)
  func generatedAndVirtual(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: "CREATE VIRTUAL TABLE \"f\" USING fts4(title, \"body\", tokenize=porter); CREATE TABLE f_other(x)")
      if db.engine.abilities.contains(.generatedColumns) {
        try db.execute(sql: "CREATE TABLE g(a, b INT AS (a + 1), c GENERATED ALWAYS AS (upper(a)) STORED)")
      }
      if db.engine.abilities.contains(.strictTables) {
        try db.execute(sql: "CREATE TABLE s(a ANY, b INTEGER PRIMARY KEY) STRICT, WITHOUT ROWID")
      }
      let schema = try db.schema()
      let table = try #require(schema.table("f"))
      #expect((table.module, table.moduleArguments) == ("fts4", ["title", "\"body\"", "tokenize=porter"]))
      #expect(table.columns.filter { !$0.isHidden }.map(\.name) == ["title", "body"])
      #expect(try db.columns(in: "f").map(\.name) == ["title", "body"])
      #expect(schema.table("f_content")?.shadowOf == "f")
      #expect(schema.table("f_other")?.shadowOf == nil)
      if let table = schema.table("g") {
        #expect(table.columns.map(\.isGenerated) == [false, true, true])
        #expect(table.columns.map(\.isStored) == [false, false, true])
        #expect(table.columns.map(\.generatedSQL) == [nil, "a + 1", "upper(a)"])
      }
      if let table = schema.table("s") { #expect((table.isStrict, table.isWithoutRowID) == (true, true)) }
    }
  }

  @Test("a default is reported as SQL that evaluates to the value of a new row", arguments: TestEngine.allCases)
  func defaults(engine: TestEngine) throws {
    let defaults = [
      "1", "-2.5", "+3", "'it''s'", "x'00ff'", "NULL", "(1 + 2)", "('a' || 'b')", "CURRENT_DATE", "(lower('X'))",
      "1e3", "'-- no comment'", "(-(5))",
    ]
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      let columns = defaults.enumerated().map { "c\($0) DEFAULT \($1)" }.joined(separator: ", ")
      try db.execute(sql: "CREATE TABLE t(\(columns)); INSERT INTO t DEFAULT VALUES")
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
      for (place, column) in try db.columns(in: "t").enumerated() {
        let sql = try #require(column.defaultValueSQL, "\(defaults[place])")
        #expect(
          try Row.fetchOne(db, sql: "SELECT \(sql)")?.databaseValues == [row.databaseValues[place]],
          "\(defaults[place])")
      }
      try db.execute(sql: "CREATE TABLE u(a, b NOT NULL)")
      #expect(try db.columns(in: "u").map(\.defaultValueSQL) == [nil, nil])
    }
  }

  @Test("every module's shadow tables are distinguished from the application's tables", arguments: TestEngine.allCases)
  func shadows(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      let modules = ["fts3(body)", "fts4(body)", "fts5(body)", "rtree(id, x, y)", "rtree_i32(id, x, y)"]
      var made = 0
      for (number, module) in modules.enumerated() {
        // Modules that an engine was built without are skipped.
        guard (try? db.execute(sql: "CREATE VIRTUAL TABLE \"V \(number)\" USING \(module)")) != nil else { continue }
        made += 1
        try db.execute(sql: "CREATE TABLE \"v \(number)_own\"(x); CREATE TABLE \"v \(number)content\"(x)")
      }
      #expect(made >= 3)
      let schema = try db.schema()
      for table in schema.tables {
        let isOwn = table.module != nil || table.name.hasSuffix("_own") || !table.name.contains("_")
        #expect((table.shadowOf == nil) == isOwn, "\(table.name) of \(table.shadowOf ?? "none")")
        if let owner = table.shadowOf { #expect(table.name.hasPrefix(owner)) }
      }
      #expect(schema.tables.filter { $0.shadowOf != nil }.count >= 3 * made)
      #expect(schema.sql().contains("_own") && !schema.sql().contains("_node"))
    }
  }

  @Test("methods for a single table return the same as the snapshot", arguments: TestEngine.allCases)
  func conveniences(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(a COLLATE nocase, p CONSTRAINT k REFERENCES p);
          CREATE INDEX i ON c(lower(a)); CREATE VIEW v AS SELECT 1 AS one; CREATE TRIGGER t AFTER DELETE ON c BEGIN SELECT 1; END
          """)
      let schema = try db.schema()
      #expect(try db.columns(in: "C") == schema.table("c")?.columns)
      #expect(try db.columns(in: "v").map(\.name) == ["one"])
      #expect(try db.indexes(on: "C").map(\.columns) == schema.indexes(on: "c").map(\.columns))
      #expect(try db.foreignKeys(on: "c").map(\.name) == ["k"])
      #expect(try db.primaryKey("P")?.isRowID == true)
      #expect(try db.primaryKey("c") == nil)
      #expect(try db.tableExists("C") && db.viewExists("V") && db.triggerExists("T") && db.indexExists("I"))
      #expect(try !(db.tableExists("v") || db.viewExists("c") || db.triggerExists("i") || db.indexExists("t")))
      for question in [
        { _ = try db.columns(in: "x") }, { _ = try db.primaryKey("x") }, { _ = try db.indexes(on: "x") },
      ] {
        let error = #expect(throws: DatabaseError.self) { try question() }
        #expect(error?.condition == .notFound)
      }
    }
  }
}
