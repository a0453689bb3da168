import Migrator
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("Erasing everything")
struct ErasingTests {
  /// A schema that every engine supports.
  static let hairySchema = """
    CREATE TABLE sqliteX(id INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE);
    INSERT INTO sqliteX(a) VALUES ('SECRET-1');
    CREATE TABLE "a ""table"" with; odd 'name'"(a);
    CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
    INSERT INTO w VALUES ('SECRET-2', zeroblob(50000));
    CREATE VIRTUAL TABLE f4 USING fts4(a); INSERT INTO f4 VALUES ('SECRET-4 words');
    CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES (1, 2, 3);
    CREATE VIEW v AS SELECT * FROM sqliteX; CREATE VIEW broken AS SELECT * FROM missing;
    CREATE TRIGGER t1 AFTER DELETE ON w BEGIN SELECT RAISE(ABORT, 'no'); END;
    CREATE TRIGGER t2 INSTEAD OF INSERT ON v BEGIN SELECT * FROM missing; END;
    CREATE TABLE parent(id INTEGER PRIMARY KEY); CREATE TABLE child(p REFERENCES parent ON DELETE RESTRICT);
    INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1);
    CREATE TABLE orphan(p REFERENCES missing(x)); CREATE INDEX i ON w(v);
    ANALYZE;
    """

  /// Creates everything that the engine supports.
  private func fill(_ connection: EngineConnection) throws {
    try connection.execute(Self.hairySchema)
    if connection.hasModule("fts5") {
      try connection.execute("CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('SECRET-3 words')")
    }
    if connection.engine.abilities.contains(.strictTables) {
      try connection.execute(
        "CREATE TABLE s(a INTEGER, b INTEGER AS (a + 1), c INTEGER AS (a) STORED) STRICT; INSERT INTO s VALUES (1)")
    }
  }

  /// Erases like the core.
  private func erase(_ connection: EngineConnection) throws {
    try connection.setEnforcesForeignKeys(false)
    try connection.begin(.immediate)
    try connection.eraseEverything()
    try connection.commit()
  }

  private func expectEmpty(_ connection: EngineConnection) throws {
    let left = try connection.texts("SELECT name FROM sqlite_master")
    #expect(left.isEmpty || left == ["sqlite_sequence"])
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    if !left.isEmpty { #expect(try connection.integer("SELECT count(*) FROM sqlite_sequence") == 0) }
  }

  @Test(
    "A complex schema is erased completely, before and after VACUUM",
    arguments: TestTier.pairs(TestEngine.allCases, [false, true]))
  func hairySchema(engine: TestEngine, vacuums: Bool) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"))
    try fill(connection)
    if vacuums { try connection.execute("VACUUM") }
    try erase(connection)
    try expectEmpty(connection)
    try fill(connection)
    #expect(try connection.integer("SELECT id FROM sqliteX") == 1)
    try connection.close()
    let again = try engine.connect(folder.file("db"))
    try erase(again)
    try expectEmpty(again)
  }

  @Test("The settings of the file are kept", arguments: TestEngine.allCases)
  func settings(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"))
    if !engine.isEncrypted { try connection.execute("PRAGMA page_size = 1024") }
    try connection.execute("PRAGMA encoding = 'UTF-16le'; PRAGMA auto_vacuum = FULL; PRAGMA user_version = 7")
    try connection.execute("PRAGMA application_id = 8; PRAGMA journal_mode = WAL")
    try fill(connection)
    let pageSize = try connection.integer("PRAGMA page_size")
    try erase(connection)
    try connection.close()
    let again = try engine.connect(folder.file("db"))
    #expect(try again.text("PRAGMA encoding") == "UTF-16le")
    #expect(try again.integer("PRAGMA page_size") == pageSize)
    #expect(try again.userVersion() == 7)
    #expect(try again.applicationID() == 8)
    #expect(try again.journalMode() == "wal")
    try expectEmpty(again)
  }

  @Test("A later failure restores everything", arguments: TestEngine.allCases)
  func rolledBack(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try fill(connection)
    let before = try connection.schema()
    try connection.setEnforcesForeignKeys(false)
    try connection.begin(.immediate)
    try connection.eraseEverything()
    try connection.rollback()
    #expect(try connection.schema() == before)
    #expect(try connection.integer("SELECT count(*) FROM f4 WHERE f4 MATCH 'words'") == 1)
  }

  @Test("The file's free pages do not contain erased text")
  func overwritten() throws {
    let folder = try TemporaryFolder()
    let connection = try TestEngine.sqlite.connect(folder.file("db"))
    try connection.execute("PRAGMA secure_delete = 0")
    try fill(connection)
    func holdsSecret() throws -> Bool {
      try folder.bytes(of: "db").firstRange(of: Array("SECRET-".utf8)) != nil
    }
    #expect(try holdsSecret())
    try erase(connection)
    #expect(try connection.integer("PRAGMA secure_delete") == 0)
    try connection.close()
    #expect(try !holdsSecret())
  }

  @Test(
    "Free pages contain no data deleted earlier, and the first page no dropped definitions",
    arguments: [512, 4096, 65536])
  func overwrittenBefore(pageSize: Int) throws {
    let folder = try TemporaryFolder()
    let connection = try TestEngine.sqlite.connect(folder.file("db"))
    try connection.execute("PRAGMA page_size = \(pageSize); PRAGMA secure_delete = 0")
    try connection.execute(
      """
      CREATE TABLE a(a DEFAULT 'SECRET-1'); CREATE TABLE b(a); CREATE TABLE migrator_zeros(a);
      INSERT INTO a VALUES ('SECRET-2'), (replace(hex(zeroblob(300000)), '00', 'SECRET-3'));
      INSERT INTO b VALUES (replace(hex(zeroblob(9000)), '00', 'SECRET-4'));
      """)
    for number in 0..<30 { try connection.execute("CREATE VIEW \"SECRET-\(number)\" AS SELECT * FROM b") }
    for number in 0..<30 { try connection.execute("DROP VIEW \"SECRET-\(number)\"") }
    try connection.execute("DROP TABLE a; DELETE FROM b")
    func holdsSecret() throws -> Bool {
      try folder.bytes(of: "db").firstRange(of: Array("SECRET-".utf8)) != nil
    }
    #expect(try holdsSecret())
    let count = try #require(try connection.integer("PRAGMA page_count"))
    try erase(connection)
    #expect(try connection.integer("PRAGMA page_count") ?? 0 <= count + 4)
    try expectEmpty(connection)
    try connection.close()
    #expect(try !holdsSecret())
  }

  @Test("A virtual table whose module is missing is removed, with its shadow tables", arguments: TestEngine.allCases)
  func missingModule(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"))
    try connection.execute(
      """
      CREATE VIRTUAL TABLE f USING fts4(a); CREATE TABLE plain(a); CREATE TABLE migrator_reload(a);
      PRAGMA writable_schema = 1;
      UPDATE sqlite_master SET sql = replace(sql, 'fts4', 'no_such_module') WHERE name = 'f';
      PRAGMA writable_schema = 0;
      """)
    try connection.close()
    let again = try engine.connect(folder.file("db"))
    #expect(throws: DatabaseError.self) { try again.execute("DROP TABLE f") }
    try erase(again)
    try expectEmpty(again)
    try again.execute("CREATE VIRTUAL TABLE f USING fts4(a)")
  }

  @Test("Temporary tables are kept", arguments: TestEngine.allCases)
  func temporaryTables(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.execute("CREATE TABLE t(a); CREATE TEMP TABLE t(a); INSERT INTO temp.t VALUES (1)")
    try erase(connection)
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    try expectEmpty(connection)
  }

  @Test("Erasing outside a transaction, or with foreign keys enforced, fails", arguments: TestEngine.allCases)
  func refused(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try fill(connection)
    #expect(try databaseError { try connection.eraseEverything() }.condition == .misuse)
    try connection.begin(.immediate)
    #expect(try databaseError { try connection.eraseEverything() }.condition == .misuse)
    #expect(try connection.integer("SELECT count(*) FROM child") == 1)
  }
}
