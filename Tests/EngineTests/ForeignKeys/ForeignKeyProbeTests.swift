import Migrator
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("Large tables are first checked by their keys")
struct ForeignKeyProbeTests {
  private static func withChild(
    _ engine: TestEngine, _ definitions: String, _ rows: String, _ body: (EngineConnection) throws -> Void
  ) throws {
    let backend = engine.inMemoryBackend
    let connection = try backend.connect(ConnectionOptions(enforcesForeignKeys: false))
    let engineConnection = try #require(connection as? EngineConnection)
    try engineConnection.execute(
      """
      \(definitions);
      CREATE TABLE n (i); INSERT INTO n WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      SELECT i FROM n;
      INSERT INTO c \(rows);
      """)
    try body(engineConnection)
    try connection.close()
  }

  private static let parents = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, t TEXT UNIQUE COLLATE nocase, r REAL UNIQUE, a, b, UNIQUE (a, b));
    INSERT INTO p VALUES (1, 'x', 1, 1, 'u'), (2, 'y', 2, 2, 'u')
    """

  @Test(
    "clean indexed keys are recognized without the engine's check", arguments: TestEngine.allCases,
    [
      ("c (k REFERENCES p)", "c (k)", "SELECT 1 + i % 2 FROM n"),
      ("c (k TEXT REFERENCES p)", "c (k)", "SELECT '0' || (1 + i % 2) FROM n"),
      ("c (k TEXT REFERENCES p (t))", "c (k)", "SELECT CASE i % 3 WHEN 0 THEN 'X' WHEN 1 THEN 'y' END FROM n"),
      ("c (k, l, FOREIGN KEY (l, k) REFERENCES p (b, a))", "c (k, l)", "SELECT 1 + i % 2, 'u' FROM n"),
      ("c (k REFERENCES nowhere)", "c (k)", "SELECT NULL FROM n"),
    ])
  func clean(engine: TestEngine, scenario: (table: String, index: String, rows: String)) throws {
    let definitions = "\(Self.parents); CREATE TABLE \(scenario.table); CREATE INDEX i ON \(scenario.index)"
    try Self.withChild(engine, definitions, scenario.rows) { connection in
      #expect(try connection.probeForeignKeys(of: "c") == .clean)
      let next = try connection.foreignKeyViolations(in: "c")
      #expect(try next() == nil)
      try connection.execute("UPDATE c SET k = 'none' WHERE rowid IN (7, 4000)")
      #expect(try connection.probeForeignKeys(of: "c") == .suspicious)
      let nextOfTwo = try connection.foreignKeyViolations(in: "c")
      #expect(try [nextOfTwo()?.originRowID, nextOfTwo()?.originRowID, nextOfTwo()?.originRowID] == [7, 4000, nil])
    }
  }

  @Test(
    "keys that are not certainly equal are left to the engine's check", arguments: TestEngine.allCases,
    [
      ("c (k REFERENCES p (t))", "n (i)", "SELECT 'x' FROM n"),
      ("c (k REFERENCES p (t))", "c (k)", "SELECT 'x' FROM n"),
      ("c (k REAL REFERENCES p (r))", "c (k)", "SELECT 1 FROM n"),
    ])
  func unknown(engine: TestEngine, scenario: (table: String, index: String, rows: String)) throws {
    let definitions = "\(Self.parents); CREATE TABLE \(scenario.table)"
    try Self.withChild(engine, definitions, scenario.rows) { connection in
      try connection.execute("CREATE INDEX i ON \(scenario.index)")
      #expect(try connection.probeForeignKeys(of: "c") == .unknown)
      let next = try connection.foreignKeyViolations(in: "c")
      #expect(try next() == nil)
    }
  }

  @Test(
    "only integers without an index are compared with the parent's rowids",
    arguments: TestEngine.allCases,
    [
      ("SELECT 1 + i % 2 FROM n", ForeignKeyProbe.Answer.clean), ("SELECT NULL FROM n", .clean),
      ("SELECT i % 2 FROM n", .suspicious), ("SELECT 2 + i % 2 FROM n", .suspicious),
      ("SELECT 9223372036854775807 FROM n", .suspicious), ("SELECT -9223372036854775807 - 1 FROM n", .suspicious),
      ("SELECT '1' FROM n", .unknown), ("SELECT 1.0 FROM n", .unknown),
    ])
  func scan(engine: TestEngine, scenario: (rows: String, answer: ForeignKeyProbe.Answer)) throws {
    try Self.withChild(engine, "\(Self.parents); CREATE TABLE c (k REFERENCES p)", scenario.rows) { connection in
      #expect(try connection.probeForeignKeys(of: "c") == scenario.answer)
      // Only the engine's own answer matters.
      let next = try connection.foreignKeyViolations(in: "c")
      let isViolated = try next() != nil
      #expect(scenario.answer == .unknown || isViolated == (scenario.answer == .suspicious))
    }
  }

  @Test(
    "parents with widely spaced or far more rowids are left to the engine", arguments: TestEngine.allCases)
  func scanRange(engine: TestEngine) throws {
    try Self.withChild(
      engine, "\(Self.parents); CREATE TABLE c (k REFERENCES p)", "SELECT 1 + i % 2 FROM n"
    ) { connection in
      for last in ["5000 * 8 + 100", "9223372036854775807"] {
        try connection.execute("INSERT INTO p (id) VALUES (\(last))")
        #expect(try connection.probeForeignKeys(of: "c") == .unknown)
        try connection.execute("DELETE FROM p WHERE id > 2")
      }
      try connection.execute("DELETE FROM p")
      #expect(try connection.probeForeignKeys(of: "c") == .suspicious)
    }
  }

  /// Random histories found this on version 3.15, which damages indexes when it replaces rows in certain ways.
  @Test("an index with entries of missing rows decides nothing, and does not trap", arguments: TestEngine.allCases)
  func damagedIndex(engine: TestEngine) throws {
    let backend = try engine.temporaryBackend()
    func withConnection(_ body: (EngineConnection) throws -> Void) throws {
      let connection = try backend.connect(ConnectionOptions(enforcesForeignKeys: false))
      try body(#require(connection as? EngineConnection))
      try connection.close()
    }
    try withConnection { connection in
      try connection.execute(
        """
        CREATE TABLE p (id INTEGER PRIMARY KEY, a); CREATE INDEX i ON p (a); INSERT INTO p VALUES (1, 1), (2, 2);
        CREATE TABLE q (id INTEGER PRIMARY KEY, a); CREATE INDEX j ON q (a); INSERT INTO q VALUES (1, 1), (900, 2);
        CREATE TABLE c (k REFERENCES p);
        INSERT INTO c WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT 1 + i % 2 FROM n;
        PRAGMA writable_schema = 1;
        UPDATE sqlite_master SET rootpage = (SELECT sum(rootpage) FROM sqlite_master WHERE name IN ('i', 'j')) - rootpage
        WHERE name IN ('i', 'j')
        """)
    }
    try withConnection { connection in
      #expect(try connection.probeForeignKeys(of: "c") == .clean)
      let next = try connection.foreignKeyViolations(in: "c")
      #expect(try next() == nil)
    }
  }

  @Test("the cache size is restored when a check ends or is canceled", arguments: TestEngine.allCases)
  func cache(engine: TestEngine) throws {
    let definitions = "\(Self.parents); CREATE TABLE c (k REFERENCES p)"
    try Self.withChild(engine, definitions, "SELECT i FROM n") { connection in
      try connection.execute("PRAGMA cache_size = 321")
      do {
        let next = try connection.foreignKeyViolations(in: "c")
        #expect(try next() != nil)
        #expect(try connection.integer("PRAGMA cache_size") == -16384)
        while try next() != nil {}
        #expect(try connection.integer("PRAGMA cache_size") == 321)
      }
      _ = try connection.foreignKeyViolations(in: "c")
      #expect(try connection.integer("PRAGMA cache_size") == 321)
      try connection.execute("PRAGMA cache_size = -20000")
      let next = try connection.foreignKeyViolations(in: "c")
      #expect(try next() != nil)
      #expect(try connection.integer("PRAGMA cache_size") == -20000)
    }
  }

  @Test(
    "violations of tables without rowids are found by the values of the key's column", arguments: TestEngine.allCases)
  func withoutRowID(engine: TestEngine) throws {
    let backend = engine.inMemoryBackend
    let connection = try backend.connect(ConnectionOptions(enforcesForeignKeys: false))
    // SQLite 3.15 stores the primary key before the other columns, but does not consider that.
    for statement in [
      "CREATE TABLE p (id INTEGER PRIMARY KEY, t TEXT UNIQUE)", "INSERT INTO p VALUES (1, 'x'), (2, 'y')",
      """
      CREATE TABLE c (note TEXT, p REFERENCES p, t REFERENCES P (t), q REFERENCES p (ID), id TEXT PRIMARY KEY)
      WITHOUT ROWID
      """,
      "INSERT INTO c VALUES ('a', 1, 'x', NULL, 'r'), ('b', 7, 'x', 2, '1'), ('c', '2', 'z', 8, '2')",
    ] {
      let prepared = try connection.prepare(statement, utf8Offset: 0).statement
      while try prepared?.step() == true {}
    }
    for table in ["C", nil] {
      let next = try connection.foreignKeyViolations(in: table)
      var found: [String] = []
      while let violation = try next() {
        #expect(violation.originRowID == nil && violation.originTable == "c")
        found.append("\(violation.foreignKeyId) \(violation.destinationTable)")
      }
      // Keys are numbered from the last one.
      #expect(found.sorted() == ["0 p", "1 P", "2 p"])
      #expect(try next() == nil)
    }
    try connection.close()
  }
}
