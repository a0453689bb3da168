import Migrator
import SQLCipherBackend
import SQLiteEngine
import TestEngines
import Testing

@Suite("Keys")
struct KeyTests {
  @Test(
    "A file opens only with the key that it was created with",
    arguments: TestTier.pairs(TestEngine.encrypting, TestKey.allCases))
  func roundTrip(engine: TestEngine, key: TestKey) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"), key: key)
    try connection.run("CREATE TABLE t(a); INSERT INTO t VALUES ('a text of the table')")
    try connection.close()
    let bytes = try folder.bytes(of: "db")
    #expect(bytes.firstRange(of: Array("a text of the table".utf8)) == nil)
    #expect(!bytes.starts(with: Array("SQLite".utf8)))
    // The file begins with the salt.
    if key == .rawWithSalt { #expect(Array(bytes.prefix(16)) == Array(32..<48)) }
    #expect(try engine.connect(folder.file("db"), key: key).run("SELECT a FROM t") == ["a text of the table"])
    // Once the file has its salt, a raw key is the same with and without the salt.
    for other in TestKey.allCases where other != key && !(other == .raw && key == .rawWithSalt) {
      guard !(other == .rawWithSalt && key == .raw) else { continue }
      let error = try databaseError { _ = try engine.connect(folder.file("db"), key: other) }
      #expect(error.condition == .wrongKey)
    }
    #expect(try folder.bytes(of: "db") == bytes)
    #expect(try folder.names() == ["db"])
  }

  @Test(
    "Passphrases are bytes: with NUL characters, invalid UTF-8, of any length",
    arguments: TestEngine.encrypting)
  func oddPassphrases(engine: TestEngine) throws {
    let passphrases: [[UInt8]] = [
      [0], [0, 1], Array("a\0b".utf8), Array("a\0c".utf8), [0xff, 0xfe], Array("it's \"quoted\"".utf8),
      Array(repeating: 0x61, count: 2000), Array("x'0g'".utf8),
    ]
    let folder = try TemporaryFolder()
    var settings = CipherSettings()
    settings.kdfIterations = 10
    for (number, passphrase) in passphrases.enumerated() {
      let path = folder.file("\(number)")
      try engine.connect(path, key: .passphrase(passphrase), settings: settings).run("CREATE TABLE t(a)")
      for other in passphrases.indices where TestTier.isFull || other == number || other == number + 1 {
        let opens = (try? engine.connect(path, key: .passphrase(passphrases[other]), settings: settings)) != nil
        #expect(opens == (other == number))
      }
    }
  }

  @Test("A passphrase is the same when given as text and as bytes")
  func textAndBytes() throws {
    let folder = try TemporaryFolder()
    try TestEngine.sqlCipher4.connect(folder.file("db"), key: .passphrase("naïve")).run("CREATE TABLE t(a)")
    #expect(
      try TestEngine.sqlCipher4.connect(folder.file("db"), key: .passphrase(Array("naïve".utf8))).schema().objects.count
        == 1)
  }

  @Test("Unusable keys are rejected before any file is created", arguments: TestEngine.encrypting)
  func invalidKeys(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let hex = String(repeating: "0A", count: 32)
    let keys: [EncryptionKey] = [
      .passphrase(""), .passphrase([]), .raw([]), .raw(Array(repeating: 1, count: 31)),
      .raw(Array(repeating: 1, count: 48)), .rawWithSalt(Array(repeating: 1, count: 32)),
      .passphrase("x'\(hex)'"), .passphrase("X'\(hex)\(hex)'"), .passphrase("x''"),
    ]
    for key in keys {
      let error = try databaseError { _ = try engine.connect(folder.file("db"), key: key) }
      #expect(error.condition == .invalidKey)
      #expect(!"\(error)".contains(hex))
    }
    #expect(try folder.names().isEmpty)
  }

  @Test("No description, dump or error shows a key", arguments: TestEngine.encrypting)
  func descriptions(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let key = TestKey.passphrase.encryptionKey
    let backend = SQLCipher(path: folder.file("db"), key: key, engine: engine.source)
    var dumps = ""
    dump(key, to: &dumps)
    dump(backend, to: &dumps)
    dump([key], to: &dumps)
    try backend.connect(ConnectionOptions()).run("CREATE TABLE t(a)")
    let error = try databaseError { _ = try engine.connect(folder.file("db"), key: .otherPassphrase) }
    for text in [
      "\(key)", String(reflecting: key), dumps, "\(backend)", backend.label, "\(error)", String(reflecting: error),
    ] {
      #expect(!text.contains(TestKey.passphraseText))
      #expect(!text.contains("another one"))
      #expect(!text.contains("SecretBytes"))
    }
    #expect("\(key)" == "EncryptionKey(…)")
  }

  @Test("A key cannot be encoded, hashed or compared, by mistake or otherwise")
  func conformances() {
    let key: Any = EncryptionKey.passphrase("secret")
    #expect(!(key is any Encodable))
    #expect(!(key is any Decodable))
    #expect(!(key is any Hashable))
    #expect(!(key is any Equatable))
    #expect(!(key is any LosslessStringConvertible))
    #expect(Mirror(reflecting: key).children.isEmpty)
  }

  @Test("A key's bytes are passed to one reader at a time, unchanged")
  func secretBytes() throws {
    let secret = try #require(
      SecretBytes(count: 5000) { $0.copyBytes(from: (0..<5000).map { UInt8(truncatingIfNeeded: $0) }) })
    #expect(secret.withBytes { Array($0) } == (0..<5000).map { UInt8(truncatingIfNeeded: $0) })
    let empty = try #require(SecretBytes(count: 0) { _ in })
    #expect(empty.withBytes { $0.count } == 0)
  }
}
