import Migrator
import SQLCipherBackend
import SQLiteEngine
import TestEngines
import Testing

@Suite("Cipher settings")
struct SettingsTests {
  @Test(
    "SQLCipher 4 reads and writes files of version 3, and 3 reads those that 4 writes",
    .enabled(if: TestEngine.hasSQLCipher3, "the system's SQLCipher is version 4"))
  func acrossVersions() throws {
    let folder = try TemporaryFolder()
    let old = CipherSettings(compatibility: 3)
    for key in [TestKey.passphrase, .raw, .rawWithSalt] {
      let path = folder.file(key.rawValue)
      var connection = try TestEngine.sqlCipher3.connect(path, key: key)
      try connection.run("CREATE TABLE t(a); INSERT INTO t VALUES ('from 3')")
      try connection.close()
      #expect(try databaseError { _ = try TestEngine.sqlCipher4.connect(path, key: key) }.condition == .wrongKey)
      connection = try TestEngine.sqlCipher4.connect(path, key: key, settings: old)
      try connection.run("INSERT INTO t VALUES ('from 4')")
      try connection.close()
      #expect(try TestEngine.sqlCipher3.connect(path, key: key).run("SELECT a FROM t") == ["from 3", "from 4"])
    }
    try TestEngine.sqlCipher4.connect(folder.file("new")).close()
    #expect(try databaseError { _ = try TestEngine.sqlCipher3.connect(folder.file("new")) }.condition == .wrongKey)
  }

  @Test(
    "The formats of versions 1 and 2 are the same for both engines",
    .enabled(if: TestEngine.hasSQLCipher3, "the system's SQLCipher is version 4"), arguments: [1, 2])
  func olderFormats(version: Int) throws {
    let folder = try TemporaryFolder()
    let settings = CipherSettings(compatibility: version)
    try TestEngine.sqlCipher3.connect(folder.file("db"), settings: settings).run("CREATE TABLE t(a)")
    #expect(try TestEngine.sqlCipher4.connect(folder.file("db"), settings: settings).schema().objects.count == 1)
    #expect(try databaseError { _ = try TestEngine.sqlCipher4.connect(folder.file("db")) }.condition == .wrongKey)
  }

  @Test("Each setting is needed to open the file again", arguments: TestEngine.encrypting)
  func settings(engine: TestEngine) throws {
    var all: [CipherSettings] = []
    for change in [
      { (settings: inout CipherSettings) in settings.pageSizeInBytes = 8192 },
      { (settings: inout CipherSettings) in settings.kdfIterations = 5000 },
      { (settings: inout CipherSettings) in settings.usesHMAC = false },
      { (settings: inout CipherSettings) in settings.fastKDFIterations = 3 },
      { (settings: inout CipherSettings) in settings.hmacPageNumberOrder = .bigEndian },
    ] {
      var settings = CipherSettings()
      change(&settings)
      all.append(settings)
    }
    if try engine.library().cipherMajorVersion ?? 0 >= 4 {
      var settings = CipherSettings(compatibility: 3)
      settings.hmacAlgorithm = .sha256
      settings.kdfAlgorithm = .sha512
      settings.kdfIterations = 1000
      all.append(settings)
    }
    let folder = try TemporaryFolder()
    for (number, settings) in all.enumerated() {
      let path = folder.file("\(number)")
      let key = settings.kdfIterations == nil ? TestKey.raw : .passphrase
      try engine.connect(path, key: key, settings: settings).run("CREATE TABLE t(a)")
      #expect(try engine.connect(path, key: key, settings: settings).schema().objects.count == 1)
      #expect(try databaseError { _ = try engine.connect(path, key: key) }.condition == .wrongKey)
    }
    var paged = CipherSettings()
    paged.pageSizeInBytes = 8192
    #expect(try engine.connect(folder.file("0"), settings: paged).run("PRAGMA page_size") == ["8192"])
  }

  @Test(
    "Invalid or unsupported settings are rejected and create no file",
    arguments: TestEngine.encrypting)
  func refused(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let major = try #require(try engine.library().cipherMajorVersion)
    var cases: [(CipherSettings, DatabaseError.Condition)] = [
      (CipherSettings(compatibility: 0), .unsupported), (CipherSettings(compatibility: major + 1), .unsupported),
    ]
    var settings = CipherSettings()
    settings.pageSizeInBytes = 1000
    cases.append((settings, .misuse))
    settings = CipherSettings()
    settings.kdfIterations = 0
    cases.append((settings, .misuse))
    settings = CipherSettings()
    settings.plaintextHeaderSizeInBytes = 32
    cases.append((settings, major < 4 ? .unsupported : .misuse))
    for change in [
      { (settings: inout CipherSettings) in settings.hmacAlgorithm = .sha512 },
      { (settings: inout CipherSettings) in settings.secureMemory = true },
      { (settings: inout CipherSettings) in settings.salt = Array(repeating: 1, count: 16) },
    ] where major < 4 {
      settings = CipherSettings()
      change(&settings)
      cases.append((settings, .unsupported))
    }
    for change in Self.contradictions {
      settings = CipherSettings()
      change(&settings)
      cases.append((settings, major < 4 && settings.salt != nil ? .unsupported : .misuse))
    }
    for (settings, condition) in cases {
      #expect(
        try databaseError { _ = try engine.connect(folder.file("db"), settings: settings) }.condition == condition)
    }
    #expect(try folder.names().isEmpty)
  }

  /// Settings that contradict each other or are invalid.
  private static let contradictions: [@Sendable (inout CipherSettings) -> Void] = [
    {
      $0.usesHMAC = false
      $0.hmacPageNumberOrder = .bigEndian
    },
    {
      $0.compatibility = 1
      $0.fastKDFIterations = 4
    },
    { $0.fastKDFIterations = 0 },
    { $0.salt = Array(repeating: 1, count: 16) },
    { $0 = .plaintextHeader(bytes: 32, salt: [1, 2, 3]) },
    // The schema begins at byte 100.
    { $0 = .plaintextHeader(bytes: 112, salt: Array(repeating: 1, count: 16)) },
    { $0 = .plaintextHeader(bytes: 33, salt: Array(repeating: 1, count: 16)) },
  ]

  @Test("A plaintext header is written, and read again with the key and its salt")
  func plaintextHeader() throws {
    let folder = try TemporaryFolder()
    var settings = CipherSettings()
    settings.plaintextHeaderSizeInBytes = 32
    let engine = TestEngine.sqlCipher4
    try engine.connect(folder.file("db"), key: .rawWithSalt, settings: settings).run("CREATE TABLE secret_table(a)")
    let bytes = try folder.bytes(of: "db")
    #expect(bytes.starts(with: Array("SQLite format 3\0".utf8)))
    #expect(bytes.firstRange(of: Array("secret_table".utf8)) == nil)
    #expect(try engine.connect(folder.file("db"), key: .rawWithSalt, settings: settings).schema().objects.count == 1)
    #expect(try databaseError { _ = try engine.connect(folder.file("db"), key: .rawWithSalt) }.condition == .wrongKey)
  }
}
