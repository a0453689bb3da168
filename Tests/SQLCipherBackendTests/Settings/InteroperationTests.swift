import Migrator
import SQLCipherBackend
import SQLiteEngine
import TestEngines
import Testing

@Suite("Files created by other programs")
struct InteroperationTests {
  private static let content = """
    CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'naïve'); INSERT INTO t VALUES (2, NULL);
    INSERT INTO t VALUES (3, hex(randomblob(3000)))
    """

  /// Every program with every format that it supports.
  private static let allFormats = OtherProgram.encrypting.flatMap { program in
    (1...program.newestFormat).map { (program, $0) }
  }

  private func engines(format: Int) throws -> [TestEngine] {
    try TestEngine.encrypting.filter { try $0.library().cipherMajorVersion ?? 0 >= format }
  }

  @Test(
    "Each format of each program opens with its settings, is diagnosed, and is written back",
    arguments: allFormats)
  func formats(program: OtherProgram, format: Int) throws {
    let keys = ["correct horse", "x'\(String(repeating: "2f", count: 32))'"]
    for key in TestTier.pick([keys[format % 2]], full: keys) {
      let isRaw = key.hasPrefix("x'")
      let encryptionKey = isRaw ? EncryptionKey.raw(Array(repeating: 0x2f, count: 32)) : .passphrase(key)
      for engine in try engines(format: format) {
        let folder = try TemporaryFolder()
        let path = folder.file("db")
        let pragmas = program.pragmas(format: format)
        #expect(try program.run(path, Self.content, key: key, settings: pragmas) == "")
        let settings = CipherSettings(compatibility: format)
        let connection = try engine.connect(path, key: encryptionKey, settings: settings)
        #expect(try connection.run("SELECT b FROM t WHERE a = 1") == ["naïve"])
        try connection.run("UPDATE t SET b = 'ours' WHERE a = 2")
        try connection.close()
        let major = try engine.library().cipherMajorVersion ?? 0
        // For a raw key, versions 2 and 3 are the same.
        let diagnosed = isRaw && format == 2 ? 3 : format
        let expected = diagnosed == major ? CipherSettings() : CipherSettings(compatibility: diagnosed)
        #expect(
          try SQLCipher.diagnose(path, key: encryptionKey, engine: engine.source) == .encrypted(expected))
        let found = try program.run(path, "SELECT b FROM t WHERE a < 3", key: key, settings: pragmas)
        #expect(found == "naïve\nours")
      }
    }
  }

  @Test("Other programs read our files with all settings")
  func ours() throws {
    var settings = CipherSettings(compatibility: 3)
    settings.pageSizeInBytes = 4096
    settings.kdfIterations = 1000
    let folder = try TemporaryFolder()
    for engine in TestEngine.encrypting {
      let path = folder.file(engine.rawValue)
      try engine.connect(path, key: .passphrase("p"), settings: settings).run(Self.content)
      for program in OtherProgram.encrypting {
        let pragmas =
          program.pragmas(format: 3) + "PRAGMA cipher_page_size = 4096; PRAGMA kdf_iter = 1000;"
        #expect(try program.run(path, "SELECT b FROM t WHERE a = 1", key: "p", settings: pragmas) == "naïve")
      }
    }
    let salt = (0..<16).map { UInt8($0) }
    try TestEngine.sqlCipher4.connect(
      folder.file("header"), key: .passphrase("p"), settings: .plaintextHeader(salt: salt)
    ).run(Self.content)
    #expect(
      try OtherProgram.pythonSQLCipher.run(
        folder.file("header"), "SELECT b FROM t WHERE a = 1", key: "p",
        settings: """
          PRAGMA cipher_plaintext_header_size = 32; PRAGMA cipher_salt = "x'000102030405060708090a0b0c0d0e0f'";
          """) == "naïve")
  }
}
