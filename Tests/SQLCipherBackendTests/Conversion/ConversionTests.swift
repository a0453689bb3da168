import Foundation
import Migrator
import SQLCipherBackend
import SQLiteBackend
import TestEngines
import Testing

@Suite("Conversions")
struct ConversionTests {
  static let old = EncryptionKey.passphrase("the old one")
  static let new = EncryptionKey.passphrase("the new one")

  private func options(_ engine: TestEngine) -> ConversionOptions {
    ConversionOptions(patience: .zero, engine: engine.source)
  }

  @Test(
    "Encrypting and decrypting change only the file's form",
    arguments: TestTier.pairs(
      TestEngine.encrypting,
      [
        "", "PRAGMA encoding = 'UTF-16le'; PRAGMA page_size = 1024", "PRAGMA journal_mode = WAL",
        "PRAGMA auto_vacuum = 2",
      ]))
  func plaintext(engine: TestEngine, before: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    try ConversionFixture.makePlaintext(path, engine, before: before)
    let original = try ConversionFixture.plaintext(path, engine)
    let contents = try ConversionFixture.contents(original)
    try original.close()

    #expect(try SQLCipher.encrypt(path, key: Self.old, options: options(engine)) == .converted(original: nil))
    #expect(try folder.names() == ["db"])
    let encrypted = try engine.connect(path, key: Self.old)
    #expect(try ConversionFixture.contents(encrypted) == contents)
    try encrypted.close()
    #expect(try !folder.bytes(of: "db").contains(ConversionFixture.marker))
    #expect(try databaseError { _ = try ConversionFixture.plaintext(path, engine) }.condition == .notADatabase)
    #expect(try databaseError { _ = try engine.connect(path, key: Self.new) }.condition == .wrongKey)
    #expect(try SQLCipher.encrypt(path, key: Self.old, options: options(engine)) == .alreadyConverted)

    #expect(try SQLCipher.decrypt(path, key: Self.old, options: options(engine)) == .converted(original: nil))
    #expect(try folder.names() == ["db"])
    let decrypted = try ConversionFixture.plaintext(path, engine)
    #expect(try ConversionFixture.contents(decrypted) == contents)
    try decrypted.close()
    #expect(try SQLCipher.decrypt(path, key: Self.old, options: options(engine)) == .alreadyConverted)
  }

  @Test(
    "A definition that uses what the library lacks is named, with the part that is missing",
    arguments: TestTier.pairs(
      TestEngine.encrypting,
      [
        ["TABLE t (x CHECK (of_app(x)))", "table \"t\" uses the function \"of_app\""],
        ["TABLE t (x); CREATE INDEX i ON t (of_app(x))", "index \"i\" uses the function \"of_app\""],
        [
          "TABLE t (x); CREATE TABLE u (y); CREATE INDEX i ON u (y) WHERE of_app(y)",
          "index \"i\" uses the function \"of_app\"",
        ],
        ["TABLE t (x TEXT COLLATE of_app UNIQUE)", "table \"t\" uses the collation \"of_app\""],
        [
          "TABLE t (x); CREATE INDEX j ON t (x); CREATE INDEX i ON t (x COLLATE of_app)",
          "index \"i\" uses the collation \"of_app\"",
        ],
      ]))
  func missingRoutine(engine: TestEngine, definition: [String]) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.add(function: DatabaseFunction("of_app", argumentCount: 1, pure: true) { $0[0] })
      try db.add(
        collation: DatabaseCollation("of_app") {
          $0 < $1 ? .orderedAscending : $0 == $1 ? .orderedSame : .orderedDescending
        })
    }
    let queue = try TestEngine.sqlite.queue(path: path, configuration: configuration)
    try queue.write { db in try db.execute(sql: "CREATE \(definition[0]); INSERT INTO t VALUES (1)") }
    try queue.close()
    let bytes = try folder.bytes(of: "db")
    let error = try databaseError { _ = try SQLCipher.encrypt(path, key: Self.old, options: options(engine)) }
    #expect(error.condition == .unsupported && error.message.contains(definition[1]), "\(error)")
    #expect(error.remedy?.contains("Convert the file with a library that has it") ?? false, "\(error)")
    #expect(try folder.bytes(of: "db") == bytes && folder.names() == ["db"])
  }

  @Test("A file whose schema has an object of an unknown kind is not converted", arguments: TestEngine.encrypting)
  func unknownKind(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let queue = try TestEngine.sqlite.queue(path: path)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (x); PRAGMA writable_schema = 1; UPDATE sqlite_master SET type = 'tabel';
          PRAGMA writable_schema = 0
          """)
    }
    try queue.close()
    let bytes = try folder.bytes(of: "db")
    let error = try databaseError { _ = try SQLCipher.encrypt(path, key: Self.old, options: options(engine)) }
    // Newer engines cannot read such a schema; with the older ones, the conversion itself finds the object.
    #expect(error.condition == .corrupt, "\(error)")
    #expect(try folder.bytes(of: "db") == bytes && folder.names() == ["db"])
  }

  @Test("Another name of the plaintext file, such as a backup's, keeps its content", arguments: TestEngine.encrypting)
  func otherName(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    try ConversionFixture.makePlaintext(path, engine)
    let bytes = try folder.bytes(of: "db")
    try FileManager.default.linkItem(atPath: path, toPath: folder.file("backup"))
    #expect(try SQLCipher.encrypt(path, key: Self.old, options: options(engine)) == .converted(original: nil))
    #expect(try folder.bytes(of: "backup") == bytes)
    try engine.connect(path, key: Self.old).close()

    // The original that an earlier conversion kept before it was killed.
    let next = folder.file("next")
    try ConversionFixture.makePlaintext(next, engine)
    try FileManager.default.linkItem(atPath: next, toPath: next + "-original")
    let original = try folder.bytes(of: "next")
    #expect(
      try SQLCipher.encrypt(next, key: Self.old, options: options(engine)) == .converted(original: next + "-original"))
    #expect(try folder.bytes(of: "next-original") == original)
  }

  @Test(
    "A new key opens the database and the old one does not",
    arguments: TestTier.pairs(TestEngine.encrypting, [false, true]))
  func rekey(engine: TestEngine, isRaw: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let new = isRaw ? TestKey.rawWithSalt.encryptionKey : Self.new
    try ConversionFixture.makeEncrypted(path, engine, key: Self.old, before: "PRAGMA journal_mode = WAL")
    let original = try engine.connect(path, key: Self.old)
    let contents = try ConversionFixture.contents(original)
    try original.close()
    #expect(try SQLCipher.rekey(path, from: Self.old, to: new, options: options(engine)) == .converted(original: nil))
    #expect(try databaseError { _ = try engine.connect(path, key: Self.old) }.condition == .wrongKey)
    let rekeyed = try engine.connect(path, key: new)
    #expect(try ConversionFixture.contents(rekeyed) == contents)
    try rekeyed.close()
    #expect(try folder.names() == ["db"])
    #expect(try SQLCipher.rekey(path, from: Self.old, to: new, options: options(engine)) == .alreadyConverted)
  }

  @Test(
    "A raw key's salt may change, although the key alone opens the file before and after",
    arguments: TestEngine.encrypting)
  func salt(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let bytes = (0..<32).map { UInt8($0) }
    let salt = (0..<16).map { UInt8(200 - $0) }
    let (key, salted) = (EncryptionKey.raw(bytes), EncryptionKey.rawWithSalt(bytes + salt))
    try ConversionFixture.makeEncrypted(path, engine, key: key)
    #expect(try Array(folder.bytes(of: "db").prefix(16)) != salt)
    #expect(try SQLCipher.rekey(path, from: key, to: salted, options: options(engine)) == .converted(original: nil))
    #expect(try Array(folder.bytes(of: "db").prefix(16)) == salt)
    #expect(try SQLCipher.rekey(path, from: key, to: salted, options: options(engine)) == .alreadyConverted)
    for key in [key, salted] {
      let connection = try engine.connect(path, key: key)
      #expect(try connection.run("SELECT count(*) FROM big") == ["4"])
      try connection.close()
    }
    // No byte of the file depends on the number of iterations of a derivation that does not happen.
    var settings = CipherSettings()
    settings.kdfIterations = 5000
    #expect(
      try SQLCipher.upgrade(path, key: key, from: CipherSettings(), to: settings, options: options(engine))
        == .alreadyConverted)
    let connection = try engine.connect(path, key: key, settings: settings)
    #expect(try connection.run("SELECT count(*) FROM big") == ["4"])
  }

  @Test("A database of an older format is converted to the newest format and back", arguments: [3, 2, 1])
  func upgrade(format: Int) throws {
    let engine = TestEngine.sqlCipher4
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let settings = CipherSettings(compatibility: format)
    // Deriving a key takes long; the everyday run does it once, and InteroperationTests for each format.
    let key = TestTier.isFull || format == 3 ? Self.old : TestKey.raw.encryptionKey
    // The older library writes it, if it can.
    try ConversionFixture.makeEncrypted(path, .sqlCipher3, key: key, settings: settings)
    // Each engine formats numbers as text differently.
    func contents(_ engine: TestEngine) throws -> [String] {
      let original = try engine.connect(path, key: key, settings: settings)
      defer { try? original.close() }
      return try ConversionFixture.contents(original)
    }
    let (old, new) = (try contents(.sqlCipher3), try contents(engine))
    #expect(try SQLCipher.upgrade(path, key: key, options: options(engine)) == .converted(original: nil))
    #expect(try SQLCipher.upgrade(path, key: key, options: options(engine)) == .alreadyConverted)
    let upgraded = try engine.connect(path, key: key)
    #expect(try ConversionFixture.contents(upgraded) == new)
    try upgraded.close()
    try SQLCipher.upgrade(path, key: key, to: settings, options: options(engine))
    let downgraded = try TestEngine.sqlCipher3.connect(path, key: key, settings: settings)
    #expect(try ConversionFixture.contents(downgraded) == old)
  }
}
