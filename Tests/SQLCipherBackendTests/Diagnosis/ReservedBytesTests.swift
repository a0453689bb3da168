import Foundation
import Migrator
import SQLCipherBackend
import TestEngines
import Testing

/// Plain databases whose pages end with reserved bytes: 12 in every file of Apple's SQLite, 8 with the checksum layer.
@Suite("Plain databases with reserved bytes")
struct ReservedBytesTests {
  private static let numbers = [0, 8, 10, 12, 16, 32, 48, 80]

  /// Creates a database with reserved bytes and one row.
  private static func database(_ reserved: Int, pageSize: Int, in folder: TemporaryFolder) throws -> String {
    let path = folder.file("db")
    _ = try OtherProgram.sqlite.run(
      path,
      """
      .filectrl reserve_bytes \(reserved)
      PRAGMA page_size = \(pageSize);
      VACUUM;
      CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL, bytes BLOB);
      INSERT INTO note (text, bytes) VALUES ('one', randomblob(300));

      """)
    #expect(try folder.bytes(of: "db")[20] == UInt8(reserved))
    return path
  }

  @Test(
    "They are diagnosed as plain, a key is refused, and they are encrypted and decrypted",
    arguments: TestEngine.encrypting,
    numbers)
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
      #expect(try OtherProgram.sqlite.run(path, "SELECT text FROM note;\n") == "one\n")
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
}
