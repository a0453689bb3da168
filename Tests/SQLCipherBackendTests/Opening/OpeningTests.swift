import Migrator
import SQLCipherBackend
import SQLiteBackend
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("Opening encrypted files")
struct OpeningTests {
  @Test(
    "A key for a plain database is reported, even if the database is already open", arguments: TestEngine.encrypting)
  func plaintext(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let plain = SQLite(path: folder.file("db"), engine: .library(try engine.loadablePath()))
    let holder = try plain.connect(ConnectionOptions())
    try holder.run("CREATE TABLE t(a)")
    let bytes = try folder.bytes(of: "db")
    #expect(try databaseError { _ = try engine.connect(folder.file("db")) }.condition == .plaintextDatabase)
    try holder.close()
    #expect(try databaseError { _ = try engine.connect(folder.file("db")) }.condition == .plaintextDatabase)
    #expect(try folder.bytes(of: "db") == bytes)
  }

  @Test(
    "A too short file is not a database; a longer one may be, with another key",
    arguments: TestEngine.encrypting)
  func otherFiles(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let short = Array("a letter".utf8)
    let long = [UInt8](repeating: 0x5a, count: 8192)
    try folder.write(short, to: "short")
    try folder.write(long, to: "long")
    try folder.write(long.dropLast(100), to: "cut")
    #expect(try databaseError { _ = try engine.connect(folder.file("short")) }.condition == .notADatabase)
    let error = try databaseError { _ = try engine.connect(folder.file("long")) }
    #expect(error.condition == .wrongKey)
    #expect(error.diagnosis as? CipherDiagnosis == .notADatabase)
    let cut = try databaseError { _ = try engine.connect(folder.file("cut")) }
    #expect(cut.condition == .wrongKey)
    #expect(cut.message.contains("8092 bytes"))
    #expect(try Array(folder.bytes(of: "long")) == long)
    #expect(try folder.names() == ["cut", "long", "short"])
  }

  @Test("A read-only connection creates no file, and a wrong key changes none", arguments: TestEngine.encrypting)
  func readOnly(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let reading = ConnectionOptions(isReadOnly: true)
    #expect(try databaseError { _ = try engine.connect(folder.file("db"), options: reading) }.condition == .fileMissing)
    try engine.connect(folder.file("db")).run("CREATE TABLE t(a)")
    let reader = try engine.connect(folder.file("db"), options: reading)
    #expect(reader.isReadOnly)
    #expect(try databaseError { try reader.run("INSERT INTO t VALUES (1)") }.condition == .readOnly)
    let bytes = try folder.bytes(of: "db")
    let wal = ConnectionOptions(journalMode: .wal)
    #expect(
      try databaseError { _ = try engine.connect(folder.file("db"), key: .passphrase, options: wal) }.condition
        == .wrongKey)
    #expect(try folder.bytes(of: "db") == bytes)
  }

  @Test(
    "Only the database is written to disk, despite sorting and temporary tables", arguments: TestEngine.encrypting)
  func temporaryFiles(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"))
    #expect(try connection.run("PRAGMA temp_store") == ["2"])
    let scratch = try engine.backend(path: folder.file("db")).scratch()
    #expect(scratch.label == ":memory:")
    let other = try scratch.connect(ConnectionOptions())
    try other.run("CREATE TABLE t(a)")
    #expect(other.engine == connection.engine)
    #expect(try connection.schema().objects.isEmpty)
    #expect(try folder.names() == ["db"])
  }

  @Test(
    "Connections that create one file at the same time agree on its key", arguments: TestEngine.encrypting,
    [nil, JournalMode.wal])
  func creationRace(engine: TestEngine, mode: JournalMode?) async throws {
    let folder = try TemporaryFolder()
    var settings = CipherSettings()
    settings.kdfIterations = 1000
    let quick = settings
    for round in 0..<4 {
      let path = folder.file("db\(round)")
      let options = ConnectionOptions(busyTimeout: .seconds(30), journalMode: mode)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<6 {
          group.addTask {
            let connection = try engine.connect(path, settings: quick, options: options)
            try connection.begin(.immediate)
            try connection.run("CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (1)")
            try connection.commit()
            try connection.close()
          }
        }
        try await group.waitForAll()
      }
      #expect(try engine.connect(path, settings: quick).run("SELECT count(*) FROM t") == ["6"])
    }
  }

  @Test("A queue opens an encrypted file by path and key")
  func queue() throws {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.file("db"), key: .passphrase("secret"))
    try queue.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
    try queue.close()
    #expect(throws: DatabaseError.self) { try DatabaseQueue(path: folder.file("db"), key: .passphrase("other")) }
    #expect(throws: DatabaseError.self) { try DatabaseQueue(path: folder.file("db")) }
  }
}
