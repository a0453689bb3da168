import Foundation
import Migrator
import SQLCipherBackend
import SQLiteEngine
import TestEngines
import Testing

@Suite("Diagnosis: journals and open connections")
struct UndisturbedTests {
  private static let key = TestKey.raw

  private func diagnose(_ engine: TestEngine, _ folder: TemporaryFolder, _ name: String = "db") throws
    -> CipherDiagnosis
  {
    let before = try folder.state()
    let diagnosis = try SQLCipher.diagnose(
      folder.file(name), key: Self.key.encryptionKey, engine: engine.source)
    #expect(try folder.state() == before)
    return diagnosis
  }

  /// Copies a database and the files beside it in the middle of a transaction.
  private func crash(_ engine: TestEngine, _ mode: JournalMode, into copy: TemporaryFolder) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"), key: Self.key, options: ConnectionOptions(journalMode: mode))
    try connection.run("CREATE TABLE t(a)")
    for _ in 0..<60 { try connection.run("INSERT INTO t VALUES (hex(randomblob(700)))") }
    try connection.run("PRAGMA cache_size = 5; PRAGMA cache_spill = 1; PRAGMA wal_autocheckpoint = 0")
    try connection.begin(.immediate)
    try connection.run("UPDATE t SET a = hex(randomblob(800)); DELETE FROM t WHERE rowid > 50")
    // Another process copies the files: closing the file here would drop the engine's locks.
    let process = try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: ["-r", folder.path + "/.", copy.path])
    process.waitUntilExit()
    try connection.rollback()
    try connection.close()
  }

  @Test(
    "A hot journal or a log is neither replayed nor removed, and not reported as damage",
    arguments: TestTier.pairs(TestEngine.encrypting, [JournalMode.delete, .wal]))
  func leftByACrash(engine: TestEngine, mode: JournalMode) throws {
    let folder = try TemporaryFolder()
    try crash(engine, mode, into: folder)
    #expect(try folder.names().contains(mode == .wal ? "db-wal" : "db-journal"))
    #expect([.needsRecovery, .encrypted(CipherSettings())].contains(try diagnose(engine, folder)))
    // An opening with a wrong key recovers the file, like every opening, and harms nothing: it moves encrypted pages.
    let error = try databaseError { _ = try engine.connect(folder.file("db"), key: .otherPassphrase) }
    #expect(error.condition == .wrongKey)
    #expect(try engine.connect(folder.file("db"), key: Self.key).run("SELECT count(*) FROM t") == ["60"])
    #expect(try diagnose(engine, folder) == .encrypted(CipherSettings()))
  }

  @Test(
    "Open connections keep their locks and lose no writes",
    arguments: TestTier.pairs(TestEngine.encrypting, [JournalMode.delete, .wal]))
  func locks(engine: TestEngine, mode: JournalMode) throws {
    let program: OtherProgram = engine == .sqlCipher3 ? .sqlCipher : .pythonSQLCipher
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"), key: Self.key, options: ConnectionOptions(journalMode: mode))
    try connection.run("CREATE TABLE t(a)")
    try connection.begin(.immediate)
    try connection.run("INSERT INTO t VALUES (1)")
    _ = try diagnose(engine, folder)
    #expect(throws: DatabaseError.self) { try engine.connect(folder.file("db"), key: .otherPassphrase) }
    let key = "x'" + (0..<32).map { String($0 + 256, radix: 16).dropFirst() }.joined() + "'"
    let insertion = { try program.run(folder.file("db"), "INSERT INTO t VALUES (2)", key: key) }
    let failure = #expect(throws: OtherProgram.Failure.self) { try insertion() }
    #expect(failure?.complaint.contains("locked") == true, "\(failure?.complaint ?? "")")
    try connection.commit()
    #expect(try insertion() == "")
    #expect(try connection.run("SELECT a FROM t") == ["1", "2"])
    try connection.close()
  }

  @Test("A file that another engine has open in this process is not examined")
  func otherEngine() throws {
    let folder = try TemporaryFolder()
    let holder = try TestEngine.sqlCipher3.connect(folder.file("db"), key: Self.key)
    try holder.run("CREATE TABLE t(a)")
    let error = try databaseError {
      _ = try SQLCipher.diagnose(
        folder.file("db"), key: Self.key.encryptionKey, engine: TestEngine.sqlCipher4.source)
    }
    #expect(error.condition == .openedByAnotherEngine)
    try holder.close()
  }

  @Test("Paths are used literally", arguments: TestEngine.encrypting)
  func paths(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    for name in ["a b?immutable=0", "100%25#ü", "file:db", "'q'"] {
      try engine.connect(folder.file(name), key: Self.key).run("CREATE TABLE t(a)")
      #expect(try diagnose(engine, folder, name) == .encrypted(CipherSettings()))
    }
    #expect(throws: DatabaseError.self) { try SQLCipher.diagnose(folder.path, engine: engine.source) }
    #expect(throws: DatabaseError.self) {
      try SQLCipher.diagnose(folder.file("none/db"), engine: engine.source)
    }
  }
}
