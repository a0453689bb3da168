import FoundationEssentials
import Glibc
import Migrator
import SQLiteBackend
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("Opening files")
struct OpeningTests {
  private func condition(
    _ engine: TestEngine, _ path: String, _ options: ConnectionOptions = ConnectionOptions()
  ) throws -> DatabaseError.Condition {
    try databaseError { _ = try engine.connect(path, options) }.condition
  }

  @Test("Each obstacle has its own condition, and nothing is created", arguments: TestEngine.allCases)
  func obstacles(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    try folder.write("x".utf8, to: "file")
    #expect(try condition(engine, folder.path) == .isDirectory)
    #expect(try condition(engine, folder.file("missing/db")) == .folderMissing)
    #expect(try condition(engine, folder.file("file/db")) == .folderMissing)
    #expect(try condition(engine, folder.file("db"), ConnectionOptions(isReadOnly: true)) == .fileMissing)
    #expect(try condition(engine, "") == .cannotOpen)
    #expect(try condition(engine, folder.file("a\0b")) == .cannotOpen)
    #expect(try condition(engine, "/dev/null") == .cannotOpen)
    #expect(try folder.names() == ["file"])
  }

  @Test("A file that is not a database stays unchanged")
  func notADatabase() throws {
    let folder = try TemporaryFolder()
    let bytes = Array("This is a letter, not a database.\n".utf8)
    for (name, content) in [("short", bytes), ("long", Array(repeating: bytes, count: 1000).flatMap { $0 })] {
      let path = try folder.write(content, to: name)
      let error = try databaseError { _ = try TestEngine.sqlite.connect(path) }
      #expect(error.condition == .notADatabase)
      #expect(error.remedy?.contains("SQLCipher") == true)
      #expect(try Array(folder.bytes(of: name)) == content)
    }
    #expect(try folder.names() == ["long", "short"])
  }

  @Test(
    "A file of a newer format, a cut-off one and one of zeros are not called encrypted",
    arguments: [
      (patch: [47: 5], size: nil, message: "unsupported file format"),
      ([18: 3, 19: 3], nil, "has version 3 of the file format"), ([19: 9], nil, "has version 9 of the file format"),
      ([:], 16, "is cut off: it has only 16 bytes"),
      (Dictionary(uniqueKeysWithValues: (0..<8192).map { ($0, 0) }), nil, "begins with zeros"),
    ] as [(patch: [Int: UInt8], size: Int?, message: String)])
  func unusualHeaders(patch: [Int: UInt8], size: Int?, message: String) throws {
    let folder = try TemporaryFolder()
    let connection = try TestEngine.sqlite.connect(folder.file("db"))
    try connection.execute("CREATE TABLE t (a)")
    try connection.close()
    var bytes = Array(try folder.bytes(of: "db"))
    for (offset, byte) in patch where offset < bytes.count { bytes[offset] = byte }
    let path = try folder.write(bytes.prefix(size ?? bytes.count), to: "other")
    let error = try databaseError { _ = try TestEngine.sqlite.connect(path) }
    #expect(error.message.contains(message), "\(error)")
    #expect(error.condition != .notADatabase && error.remedy?.contains("backup") == true, "\(error)")
    #expect(try Array(folder.bytes(of: "other")) == Array(bytes.prefix(size ?? bytes.count)))
  }

  @Test("An encrypted file without a key is not a database, and stays unchanged", arguments: TestEngine.encrypting)
  func encryptedWithoutKey(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let connection = try engine.connect(path)
    try connection.execute("CREATE TABLE t(a)")
    try connection.close()
    let bytes = try folder.bytes(of: "db")
    #expect(try condition(.sqlite, path, ConnectionOptions(journalMode: .wal)) == .notADatabase)
    #expect(try folder.bytes(of: "db") == bytes)
    #expect(try folder.names() == ["db"])
  }

  @Test("An empty file is a new database", arguments: TestEngine.allCases)
  func emptyFile(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([], to: "db")
    let reader = try engine.connect(path, ConnectionOptions(isReadOnly: true))
    #expect(try reader.schema().objects.isEmpty)
    try reader.close()
    #expect(try folder.bytes(of: "db").isEmpty)
    try engine.connect(path).execute("CREATE TABLE t(a)")
    #expect(try engine.connect(path).schema().objects.count == 1)
  }

  @Test("Names with a special meaning in SQLite are file names", arguments: TestEngine.allCases)
  func oddNames(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    for name in ["file:db?mode=memory", "a b%20c", "é 🦉", "-db", "?x=y"] {
      try engine.connect(folder.file(name)).execute("CREATE TABLE t(a)")
    }
    #expect(try Set(folder.names()) == ["file:db?mode=memory", "a b%20c", "é 🦉", "-db", "?x=y"])
  }

  @Test("Damage is reported when the file is opened, or when the damaged page is read", arguments: TestEngine.allCases)
  func damage(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"))
    try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000))")
    try connection.close()
    var bytes = Array(try folder.bytes(of: "db"))
    bytes.replaceSubrange(16..<1000, with: repeatElement(0x55, count: 984))
    try folder.write(bytes, to: "db")
    let found = try condition(engine, folder.file("db"))
    #expect(found == (engine.isEncrypted ? .wrongKey : .notADatabase))
  }

  @Test("A journal that a crash left is rolled back by the first read", arguments: TestEngine.allCases)
  func hotJournal(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"))
    try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES ('old')")
    try connection.execute("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE; UPDATE t SET a = 'new'")
    try connection.execute(
      "INSERT INTO t SELECT zeroblob(3000) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9))")
    // The content of the disk at this moment is the state after a crash.
    for name in try folder.names() { try folder.write(folder.bytes(of: name), to: name.replacing("db", with: "copy")) }
    try connection.close()
    #expect(try folder.names().contains("copy-journal"))
    let copy = try engine.connect(folder.file("copy"))
    #expect(try copy.rows("SELECT a FROM t") == [[.text("old")]])
  }

  @Test("Missing permissions are reported, and a read-only file is opened for reading")
  func permissions() throws {
    let folder = try TemporaryFolder()
    try TestEngine.sqlite.connect(folder.file("db")).execute("CREATE TABLE t(a)")
    try TestEngine.sqlite.connect(folder.file("wal"), ConnectionOptions(journalMode: .wal)).execute("CREATE TABLE t(a)")
    for (path, mode) in [("db", 0o444), ("wal", 0o444)] { #expect(chmod(folder.file(path), mode_t(mode)) == 0) }
    #expect(chmod(folder.path, 0o555) == 0)
    defer { chmod(folder.path, 0o755) }
    try withoutPrivileges {
      let reader = try TestEngine.sqlite.connect(folder.file("db"))
      #expect(reader.isReadOnly)
      #expect(try reader.schema().objects.count == 1)
      #expect(try databaseError { try reader.execute("INSERT INTO t VALUES (1)") }.condition == .readOnly)
      #expect(try condition(.sqlite, folder.file("new")) == .permissionDenied)
      let error = try databaseError { _ = try TestEngine.sqlite.connect(folder.file("wal")) }
      #expect(error.condition == .readOnly)
      #expect(error.remedy?.contains("WAL") == true)
    }
    #expect(chmod(folder.file("db"), 0) == 0)
    try withoutPrivileges {
      let found = try condition(.sqlite, folder.file("db"))
      #expect(found == .permissionDenied)
    }
    #expect(chmod(folder.path, 0) == 0)
    try withoutPrivileges {
      let found = try condition(.sqlite, folder.file("db"))
      #expect(found == .permissionDenied)
    }
  }

  /// Runs a closure on this thread as a user who cannot bypass permissions.
  ///
  /// `setfsuid` changes only the permissions of the calling thread (man 2 setfsuid), so other tests are not affected. A
  /// user who is not root needs no change.
  private func withoutPrivileges(_ work: () throws -> Void) throws {
    guard getuid() == 0 else { return try work() }
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setFileSystemUser = unsafeBitCast(symbol, to: (@convention(c) (UInt32) -> Int32).self)
    _ = setFileSystemUser(65534)
    defer { _ = setFileSystemUser(0) }
    try work()
  }
}
