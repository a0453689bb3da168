import Migrator
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("Transactions and settings")
struct TransactionTests {
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

  @Test(
    "The record excludes temporary tables, and a writable schema makes it incomplete", arguments: TestEngine.allCases)
  func recorder(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.execute("CREATE TABLE indexed(a); CREATE TEMP TABLE scratch(a)")
    let recorder = try #require(connection.changeRecorder)
    recorder.start(isContinued: false)
    try connection.execute("INSERT INTO scratch VALUES (1); CREATE INDEX i ON Indexed(a)")
    #expect(recorder.changes.tables.contains("indexed") && !recorder.changes.tables.contains("scratch"))
    #expect(!recorder.changes.isIncomplete)
    try connection.execute("PRAGMA writable_schema = 1")
    #expect(recorder.changes.isIncomplete)
  }
}
