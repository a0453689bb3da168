import Migrator
import SQLCipherBackend
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("Plaintext headers for shared containers")
struct PlaintextHeaderTests {
  private let engine = TestEngine.sqlCipher4
  private let salt = (0..<16).map { UInt8($0 * 3) }

  @Test("The salt is given separately from the key, for every form of key", arguments: [TestKey.passphrase, .raw])
  func externalSalt(key: TestKey) throws {
    let folder = try TemporaryFolder()
    let settings = CipherSettings.plaintextHeader(salt: salt)
    let connection = try engine.connect(folder.file("db"), key: key, settings: settings)
    try connection.run(
      "PRAGMA journal_mode = WAL; CREATE TABLE secret_table(a); INSERT INTO secret_table VALUES (1)")
    try connection.close()
    let bytes = Array(try folder.bytes(of: "db"))
    #expect(bytes.starts(with: Array("SQLite format 3\0".utf8)))
    // iOS examines bytes 18 and 19, the journal mode.
    #expect(bytes[18] == 2 && bytes[19] == 2)
    #expect(bytes.firstRange(of: Array("secret_table".utf8)) == nil)
    #expect(bytes.firstRange(of: salt) == nil)
    #expect(
      try engine.connect(folder.file("db"), key: key, settings: settings).run("SELECT a FROM secret_table") == ["1"])
    // Key derivation does not depend on the source of the salt.
    var backend = SQLCipher(
      path: folder.file("db"), key: key.encryptionKey, settings: settings, engine: engine.source)
    backend.sharesDerivedKeys = false
    #expect(try backend.connect(ConnectionOptions()).run("SELECT a FROM secret_table") == ["1"])
  }

  @Test("A wrong salt is reported as a wrong key, not as damage")
  func otherSalt() throws {
    let folder = try TemporaryFolder()
    let settings = CipherSettings.plaintextHeader(salt: salt)
    try engine.connect(folder.file("db"), settings: settings).run("CREATE TABLE t(a)")
    let bytes = try folder.bytes(of: "db")
    let other = CipherSettings.plaintextHeader(salt: salt.reversed())
    let error = try databaseError { _ = try engine.connect(folder.file("db"), settings: other) }
    #expect(error.condition == .wrongKey)
    #expect(error.diagnosis as? CipherDiagnosis == .wrongKeyOrDamagedFirstPage)
    #expect(try folder.bytes(of: "db") == bytes)
  }

  @Test("A file created without such a header is not opened with one, and stays unchanged")
  func usedOtherwise() throws {
    let folder = try TemporaryFolder()
    try engine.connect(folder.file("db")).run("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let bytes = try folder.bytes(of: "db")
    let error = try databaseError {
      _ = try engine.connect(folder.file("db"), settings: .plaintextHeader(salt: salt))
    }
    #expect(error.condition == .wrongKey)
    #expect(error.diagnosis as? CipherDiagnosis == .encrypted(CipherSettings()))
    #expect(try folder.bytes(of: "db") == bytes)
  }

  @Test(
    "Statements that would destroy an open file fail, without the statement in the error",
    arguments: TestEngine.encrypting)
  func statements(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let dbQueue = try DatabaseQueue(engine.backend(path: folder.file("db"), key: .raw))
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    let refused = [
      "PRAGMA cipher_plaintext_header_size = 32", "PRAGMA cipher_use_hmac=0", "PRAGMA main.cipher_hmac_pgno = be",
      "PRAGMA key = 'another secret'", "PRAGMA rekey = 'another secret'", "PRAGMA \"rekey\"('another secret')",
      "PRAGMA hexkey = '73656372'", "  /* a */ ; pragma kdf_iter = 5", "EXPLAIN PRAGMA cipher_page_size = 8192",
      "EXPLAIN QUERY PLAN PRAGMA rekey = 'another secret'", "PRAGMA cipher_migrate", "PRAGMA cipher_salt = \"x'00'\"",
      "PRAGMA cipher_default_page_size = 8192", "PRAGMA \(String(repeating: " ", count: 2000))rekey = 'x'",
      "EXPLAIN /*\(String(repeating: "*", count: 2000))*/ PRAGMA rekey = 'x'", "PRAGMA temp_store = FILE",
      "PRAGMA temp_store(0)",
      "PRAGMA temp_store_directory = '/tmp'", "SELECT 1; PRAGMA cipher_compatibility = 3",
    ]
    try dbQueue.writeWithoutTransaction { db in
      for sql in refused {
        let error = try databaseError { try db.execute(sql: sql) }
        #expect(error.condition == .denied, "\(sql)")
        #expect(!"\(error)".contains("another secret"))
      }
      try db.execute(
        sql: """
          PRAGMA cipher_version; PRAGMA cipher_page_size; PRAGMA temp_store = MEMORY; PRAGMA temp_store;
          EXPLAIN SELECT 1; INSERT INTO t VALUES (2); PRAGMA foreign_keys = ON
          """)
    }
    try dbQueue.close()
    #expect(try engine.connect(folder.file("db")).run("SELECT a FROM t") == ["1", "2"])
  }
}
