import Migrator
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("Transactions and settings")
struct TransactionTests {
  @Test("A transaction is committed or rolled back as a whole", arguments: TestEngine.allCases)
  func transactions(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.execute("CREATE TABLE t(a)")
    for kind in [TransactionKind.deferred, .immediate, .exclusive] {
      try connection.begin(kind)
      #expect(connection.isInsideTransaction)
      try connection.execute("INSERT INTO t VALUES (1)")
      try connection.rollback()
      #expect(!connection.isInsideTransaction)
    }
    try connection.rollback()
    try connection.begin(.immediate)
    try connection.execute("INSERT INTO t VALUES (2)")
    try connection.commit()
    #expect(try connection.rows("SELECT a FROM t") == [[.integer(2)]])
    #expect(connection.changesCount == 1)
    #expect(connection.totalChangesCount == 4)
    #expect(connection.lastInsertedRowID == 1)
  }

  @Test("Savepoints nest, with any names", arguments: TestEngine.allCases)
  func savepoints(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.execute("CREATE TABLE t(a)")
    let name = "a \"name\"; with 'all' é"
    try connection.beginSavepoint(name)
    #expect(connection.isInsideTransaction)
    try connection.execute("INSERT INTO t VALUES (1)")
    try connection.beginSavepoint(name)
    try connection.execute("INSERT INTO t VALUES (2)")
    try connection.rollbackSavepoint(name)
    #expect(connection.isInsideTransaction)
    try connection.releaseSavepoint(name)
    #expect(!connection.isInsideTransaction)
    #expect(try connection.rows("SELECT a FROM t") == [[.integer(1)]])
  }

  /// SQLCipher 4.19 reads a page back incorrectly about once in 7,000 times, and reports the file as damaged until the
  /// transaction ends.
  @Test(
    "Rolling back a savepoint in which the file grew never damages the pages in memory",
    arguments: TestEngine.encrypting)
  func grownSavepoint(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("grown.db"))
    try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    for _ in 1...TestTier.pick(2_000, full: 20_000) {
      try connection.begin(.immediate)
      try connection.beginSavepoint("s")
      try connection.execute("CREATE TABLE grown(a)")
      try connection.rollbackSavepoint("s")
      try #require(try connection.rows("SELECT a FROM t") == [[.integer(1)]])
      try connection.rollback()
    }
  }

  @Test(
    "Foreign keys are switched outside a transaction, and inside one never silently ignored",
    arguments: TestEngine.allCases)
  func foreignKeys(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    #expect(try connection.enforcesForeignKeys())
    try connection.setEnforcesForeignKeys(false)
    #expect(try !connection.enforcesForeignKeys())
    try connection.begin(.deferred)
    #expect(try databaseError { try connection.setEnforcesForeignKeys(true) }.condition == .denied)
    try connection.setEnforcesForeignKeys(false)
  }

  @Test("Both numbers of the file are stored, including negative ones", arguments: TestEngine.allCases)
  func numbers(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"))
    #expect(try connection.userVersion() == 0)
    #expect(try connection.applicationID() == 0)
    try connection.setUserVersion(-5)
    try connection.setApplicationID(.max)
    try connection.close()
    let again = try engine.connect(folder.file("db"))
    #expect(try again.userVersion() == -5)
    #expect(try again.applicationID() == .max)
  }

  @Test("Closing rolls back an open transaction", arguments: TestEngine.allCases)
  func closing(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"))
    try connection.execute("CREATE TABLE t(a)")
    try connection.begin(.immediate)
    try connection.execute("INSERT INTO t VALUES (1)")
    let select = try connection.statement("SELECT * FROM t")
    #expect(try select.step())
    try connection.close()
    #expect(try engine.connect(folder.file("db")).integer("SELECT count(*) FROM t") == 0)
    #expect(select.sql == "SELECT * FROM t")
  }

  @Test("A read-only connection rejects every write", arguments: TestEngine.allCases)
  func readOnly(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    try engine.connect(folder.file("db")).execute("CREATE TABLE t(a)")
    let connection = try engine.connect(folder.file("db"), ConnectionOptions(isReadOnly: true, journalMode: .wal))
    #expect(connection.isReadOnly)
    #expect(try databaseError { try connection.execute("INSERT INTO t VALUES (1)") }.condition == .readOnly)
    #expect(try connection.journalMode() == "delete")
  }

  @Test("The record contains the tables that statements change", arguments: TestEngine.allCases)
  func recorder(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.execute(
      """
      CREATE TABLE Parent(id INTEGER PRIMARY KEY); CREATE TABLE child(p REFERENCES parent ON DELETE CASCADE);
      CREATE TABLE log(a); CREATE TABLE idle(a); CREATE TABLE indexed(a);
      CREATE TRIGGER t AFTER DELETE ON parent BEGIN INSERT INTO log VALUES (1); END; CREATE TEMP TABLE scratch(a);
      """)
    let recorder = try #require(connection.changeRecorder)
    let early = try connection.statement("DELETE FROM parent")
    recorder.start(isContinued: false)
    #expect(try !early.step())
    #expect(recorder.changes.tables.isSuperset(of: ["parent", "child", "log"]))
    try connection.execute("SELECT * FROM idle; INSERT INTO scratch VALUES (1); CREATE INDEX i ON Indexed(a)")
    try connection.execute("ALTER TABLE log ADD COLUMN b; CREATE TABLE New(a)")
    #expect(recorder.changes.tables.isSuperset(of: ["indexed", "log", "new"]))
    #expect(recorder.changes.tables.isDisjoint(with: ["idle", "scratch"]))
    #expect(!recorder.changes.isIncomplete)
    try connection.execute("PRAGMA writable_schema = 1")
    #expect(recorder.changes.isIncomplete)
    recorder.start(isContinued: false)
    #expect(recorder.changes == RecordedChanges())
    recorder.stop()
    try connection.execute("INSERT INTO idle VALUES (1)")
    #expect(recorder.changes == RecordedChanges())
  }
}
