import Migrator
import TestEngines
import Testing

@Suite("Schema files")
struct DumpTests {
  /// Dumps, loads and dumps again.
  private func roundTrip(_ engine: TestEngine, _ sql: String) throws {
    let (one, other) = (try engine.inMemoryQueue(), try engine.inMemoryQueue())
    let before = try one.write { db in
      try db.execute(sql: sql)
      return try db.schema()
    }
    let after = try other.write { db in
      try db.execute(sql: before.sql())
      return try db.schema()
    }
    #expect(hasSameElements(after.objects, before.objects) && hasSameElements(after.tables, before.tables))
    #expect(hasSameElements(after.indexes, before.indexes) && hasSameElements(after.views, before.views))
    #expect(hasSameElements(after.triggers, before.triggers))
    #expect(after.sql() == before.sql())
    #expect(SchemaDifference(from: before, to: after).isEmpty)
  }

  /// Whether two lists have the same elements, in any order.
  private func hasSameElements<Element: Equatable>(_ one: [Element], _ other: [Element]) -> Bool {
    one.count == other.count && one.allSatisfy(other.contains)
  }

  @Test("complicated schemas survive a round trip", arguments: TestEngine.allCases)
  func hairySchemas(engine: TestEngine) throws {
    try roundTrip(engine, "")
    try roundTrip(
      engine,
      """
      CREATE TABLE sqlitedata_x(a INTEGER PRIMARY KEY AUTOINCREMENT, b DEFAULT 'it''s; "x"' -- why; not
        , c /* ; */ CHECK (c <> ';'));
      INSERT INTO sqlitedata_x(b) VALUES (1); ANALYZE;
      CREATE TABLE "b ""c"(a TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE INDEX zz ON sqlitedata_x(b) WHERE b > 1 -- open end
      ;
      CREATE INDEX aa ON sqlitedata_x(c DESC, lower(b));
      CREATE VIEW z AS SELECT * FROM y; CREATE VIEW y AS SELECT 1 AS one; CREATE VIEW broken AS SELECT * FROM nowhere;
      CREATE TRIGGER t INSTEAD OF INSERT ON z BEGIN SELECT 'END; '; SELECT CASE WHEN 1 THEN 2 END; END;
      CREATE VIRTUAL TABLE a_terms USING fts4aux(search); CREATE VIRTUAL TABLE search USING fts4(title, body);
      CREATE VIRTUAL TABLE area USING rtree(id, minX, maxX); INSERT INTO search VALUES ('a', 'b');
      """)
  }

  @Test("a definition that ends with a comment does not hide the next one", arguments: TestEngine.allCases)
  func finalComments(engine: TestEngine) throws {
    let (original, copy) = (try engine.inMemoryQueue(), try engine.inMemoryQueue())
    for ending in ["/* the end", "/* the end *", "/*/", "-- the end", ""] {
      try original.write { db in
        try db.execute(sql: "CREATE TABLE t (a); CREATE VIEW a AS SELECT a FROM t \(ending)")
        try db.execute(sql: "CREATE INDEX i ON t(a) \(ending)")
        try db.execute(sql: "CREATE VIEW z AS SELECT a FROM t")
      }
      let schema = try original.read { try $0.schema() }
      try copy.write { db in
        try db.execute(sql: schema.sql())
        #expect(try db.schema().objects.map(\.name).sorted() == ["a", "i", "t", "z"], "\(ending)")
      }
      for queue in [original, copy] { try queue.erase() }
    }
  }

  @Test("a table named like a full-text shadow table, but unrelated, is kept", arguments: TestEngine.allCases)
  func namedLikeShadows(engine: TestEngine) throws {
    let hasFTS5 = try engine.engineDescription().abilities.contains(.fts5)
    for module in ["fts4(content=\"docs_content\", body)"] + (hasFTS5 ? ["fts5(body, CONTENT = 'docs_content')"] : []) {
      let sql = """
        CREATE TABLE docs_content(id INTEGER PRIMARY KEY, body TEXT); CREATE VIRTUAL TABLE docs USING \(module);
        INSERT INTO docs_content VALUES (7, 'mine'); INSERT INTO docs(docs) VALUES ('rebuild');
        """
      try roundTrip(engine, sql)
      let dbQueue = try engine.inMemoryQueue()
      try dbQueue.write { db in
        try db.execute(sql: sql)
        let before = try db.schema()
        #expect(before.sql().contains("docs_content(id"))
        #expect(before.table("docs_content")?.shadowOf == nil && before.table("docs_docsize")?.shadowOf == "docs")
        try db.execute(sql: "ALTER TABLE docs_content ADD COLUMN more")
        #expect(!SchemaDifference(from: before, to: try db.schema()).isEmpty)
        #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM docs WHERE docs MATCH 'mine'") == [7])
      }
      try dbQueue.erase()
      #expect(try dbQueue.read { try $0.schema().objects.isEmpty })
    }
  }

  @Test("an index of a full-text shadow table survives a round trip", arguments: TestEngine.allCases)
  func indexOfShadow(engine: TestEngine) throws {
    try roundTrip(
      engine,
      "CREATE VIRTUAL TABLE docs USING fts4(body); CREATE INDEX i ON docs_content(c0body); CREATE VIEW v AS SELECT 1")
  }

  @Test("a dump without a full-text table has no index of its shadow tables", arguments: TestEngine.allCases)
  func omittedShadow(engine: TestEngine) throws {
    let schema = try engine.inMemoryQueue().write { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE docs USING fts4(body); CREATE INDEX i ON docs_content(c0body)")
      return try db.schema()
    }
    #expect(schema.sql(leavingOut: ["Docs"]).isEmpty)
  }

  @Test(
    "synchronized full-text tables survive a round trip with their triggers, and work", arguments: TestEngine.allCases)
  func fullText(engine: TestEngine) throws {
    let one = try engine.inMemoryQueue()
    let dump = try one.write { db in
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("title", .text)
      }
      let define = { (t: FullTextTableDefinition) in
        t.column("title")
        t.synchronize(withTable: "book")
      }
      try db.create(virtualTable: "a_four", using: FTS4(), body: define)
      if db.engine.abilities.contains(.fts5) { try db.create(virtualTable: "a_five", using: FTS5(), body: define) }
      return try db.schema().sql()
    }
    #expect(!dump.contains("sqlite_sequence") && !dump.contains("_segdir") && !dump.contains("a_five_data"))
    let other = try engine.inMemoryQueue()
    try other.write { db in
      try db.execute(sql: dump)
      #expect(try db.schema().sql() == dump)
      try db.execute(sql: "INSERT INTO book(title) VALUES ('Walden')")
      #expect(try Int.fetchOne(db, sql: "SELECT docid FROM a_four WHERE a_four MATCH 'walden'") == 1)
    }
  }

  @Test("random schemas survive a round trip", arguments: TestEngine.allCases)
  func randomSchemas(engine: TestEngine) throws {
    let abilities = try engine.engineDescription().abilities
    for number in 0..<UInt64(SchemaTrials.count(40)) {
      let seed = SchemaTrials.firstSeed &+ number
      let sql = RandomDefinitions(seed: seed, abilities: abilities).sql
      do { try roundTrip(engine, sql) } catch { Issue.record("seed \(seed): \(error)\n\(sql)") }
    }
  }
}
