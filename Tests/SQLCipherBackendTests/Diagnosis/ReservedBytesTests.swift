import Foundation
import Migrator
import SQLCipherBackend
import SQLiteBackend
import SQLiteDialect
import TestEngines
import Testing

/// Plain databases whose pages end with reserved bytes: 12 in every file of Apple's SQLite, 8 with the checksum layer.
@Suite("Plain databases with reserved bytes")
struct ReservedBytesTests {
  private static let numbers = [0, 8, 10, 12, 16, 32, 48, 80]

  /// Creates a database with reserved bytes and one row.
  private static func database(_ reserved: Int, pageSize: Int, in folder: TemporaryFolder) throws -> String {
    try database(
      reserved, pageSize: pageSize, encoding: "UTF-8",
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL, bytes BLOB);
      INSERT INTO note (text, bytes) VALUES ('one', randomblob(300));

      """, in: folder)
  }

  private static func database(
    _ reserved: Int, pageSize: Int, encoding: String, _ script: String, in folder: TemporaryFolder
  ) throws -> String {
    let path = folder.file("db")
    _ = try OtherProgram.sqlite.run(
      path,
      """
      .filectrl reserve_bytes \(reserved)
      PRAGMA encoding = '\(encoding)';
      PRAGMA page_size = \(pageSize);
      VACUUM;
      \(script)
      """)
    #expect(try folder.bytes(of: "db")[20] == UInt8(reserved))
    return path
  }

  @Test(
    "They are diagnosed as plain, a key is refused, and they are encrypted and decrypted",
    arguments: TestTier.pairs(TestEngine.encrypting, numbers))
  func encrypted(engine: TestEngine, reserved: Int) throws {
    for pageSize in [512, 4096] {
      let folder = try TemporaryFolder()
      let path = try Self.database(reserved, pageSize: pageSize, in: folder)
      let key = TestKey.raw.encryptionKey
      #expect(try SQLCipher.diagnose(path, key: key, engine: engine.source) == .plaintext)
      let refused = try databaseError { _ = try engine.connect(path, key: .raw) }
      #expect(refused.condition == .plaintextDatabase)
      let options = ConversionOptions(patience: .zero, engine: engine.source)
      #expect(try SQLCipher.encrypt(path, key: key, options: options) == .converted(original: nil))
      #expect(try engine.connect(path, key: .raw).run("SELECT text FROM note") == ["one"])
      try SQLCipher.decrypt(path, key: key, options: options)
      #expect(try OtherProgram.sqlite.run(path, "SELECT text FROM note") == "one")
    }
  }

  @Test("An encrypted file with a plaintext header is not taken for plain", arguments: [16, 32, 48, 64, 80, 96])
  func plaintextHeader(size: Int) throws {
    let engine = TestEngine.sqlCipher4
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let settings = CipherSettings.plaintextHeader(bytes: size, salt: Array(0..<16))
    try engine.connect(path, key: .raw, settings: settings).run("CREATE TABLE note (text)")
    let diagnosis = try SQLCipher.diagnose(
      path, key: TestKey.raw.encryptionKey, settings: settings, engine: engine.source)
    #expect(diagnosis == .encrypted(settings))
  }

  @Test("They are backed up, altered, restored, and converted when they are opened", arguments: numbers)
  func library(reserved: Int) throws {
    let folder = try TemporaryFolder()
    let path = try Self.database(reserved, pageSize: 4096, in: folder)
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let plain = try DatabaseQueue(path: path, configuration: configuration)
    try plain.backup(to: folder.file("backup"))
    try plain.write { db in try db.alter(table: "note") { t in t.change(column: "text") { c in c.collate(.nocase) } } }
    #expect(try plain.read { db in try String.fetchOne(db, sql: "PRAGMA integrity_check") } == "ok")
    for name in ["db", "backup"] { #expect(try FirstPage.isPlain(folder.bytes(of: name))) }
    _ = try plain.restore(backupAt: folder.file("backup"))
    let restored = try DatabaseQueue(path: path)
    let definition = try restored.read { db in try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master") }
    #expect(definition?.contains("NOCASE") == false)
    try restored.close()

    let engine = TestEngine.sqlCipher4
    let (old, new) = (TestKey.raw.encryptionKey, TestKey.otherPassphrase.encryptionKey)
    let options = ConversionOptions(patience: .zero, engine: engine.source)
    let refused = try databaseError { _ = try SQLCipher.rekey(path, from: old, to: new, options: options) }
    #expect(refused.condition == .plaintextDatabase)
    let encrypted = try DatabaseQueue(path: path, key: old, converting: .plaintext, conversionOptions: options)
    #expect(try encrypted.read { db in try String.fetchOne(db, sql: "SELECT text FROM note") } == "one")
    #expect(try !FirstPage.hasReadableHeader(folder.bytes(of: "db")))
  }

  /// 416 bytes of a schema with more different values than encrypted ones have.
  @Test("A schema that looks random is plain, in a leaf and after it was split", arguments: [16, 32, 48, 80])
  func randomLookingSchema(reserved: Int) throws {
    // The first and the second bytes of these Chinese characters have no value in common.
    let seconds = (0...255).filter { !(0x4e..<0xa0).contains($0) }.map(UInt16.init)
    // A page of 512 bytes has at most 32 reserved ones; a page of 1024 must be fuller.
    let (pageSize, length) = reserved > 32 ? (1024, 350) : (512, 95)
    let text = String(
      decoding: (0..<length).map { UInt16(0x4e + $0 % 80) << 8 | seconds[$0 % seconds.count] }, as: UTF16.self)
    for count in 1...3 {
      let folder = try TemporaryFolder()
      let tables = (1...count).map { "CREATE TABLE t\($0) (a /* \(text) */);\n" }.joined()
      let path = try Self.database(reserved, pageSize: pageSize, encoding: "UTF-16le", tables, in: folder)
      let bytes = try folder.bytes(of: "db")
      #expect(count > 1 || FirstPage.looksRandom(bytes.prefix(512).dropFirst(96)))
      #expect(bytes[100] == (count == 1 ? 13 : 5))
      let key = TestKey.raw.encryptionKey
      #expect(try SQLCipher.diagnose(path, key: key, engine: TestEngine.sqlCipher4.source) == .plaintext)
    }
  }

  @Test("Damaged and incomplete files are not taken for encrypted ones", arguments: numbers)
  func damaged(reserved: Int) throws {
    let folder = try TemporaryFolder()
    let path = try Self.database(reserved, pageSize: 4096, in: folder)
    let bytes = Array(try folder.bytes(of: "db"))
    func diagnosis(_ bytes: some Collection<UInt8>) throws -> CipherDiagnosis {
      try folder.write(bytes, to: "db")
      #expect(bytes.isEmpty || FirstPage.isPlain(bytes))
      return try SQLCipher.diagnose(path, key: TestKey.raw.encryptionKey, engine: TestEngine.sqlCipher4.source)
    }
    func changed(_ offset: Int, _ values: [UInt8]) -> [UInt8] {
      bytes.prefix(offset) + values + bytes.dropFirst(offset + values.count)
    }
    #expect(try diagnosis([]) == .empty)
    // The payload fractions, the page size, and the kind of the first page.
    #expect(try diagnosis(changed(21, [65])) == .notADatabase)
    #expect(try diagnosis(changed(16, [0, 3])) == .notADatabase)
    #expect(try diagnosis(changed(100, [77])) == .damaged(pages: [1]))
    #expect(try diagnosis(bytes.prefix(20)) == .notADatabase)
    #expect(try diagnosis(bytes.prefix(300)) == .truncated(sizeInBytes: 300))
    #expect(try diagnosis(bytes.prefix(4096)) == .truncated(sizeInBytes: 4096))
  }

  @Test("An encrypted file whose twentieth byte happens to be zero is not taken for plain")
  func encryptedByte() throws {
    var generator = SeededGenerator.announced("encrypted bytes after a plaintext header of 16")
    for _ in 0..<1000 {
      var bytes = Array("SQLite format 3\0".utf8)
      bytes += (bytes.count..<512).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      bytes[20] = 0
      #expect(!FirstPage.isPlain(bytes))
    }
  }
}
