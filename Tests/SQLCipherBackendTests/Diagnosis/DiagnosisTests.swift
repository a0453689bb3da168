import Foundation
import Migrator
import SQLCipherBackend
import SQLiteBackend
import SQLiteEngine
import TestEngines
import Testing

@Suite("Diagnosis: the state of a file")
struct DiagnosisTests {
  /// A raw key, which needs no derivation.
  private static let key = TestKey.raw

  /// Returns the diagnosis of a file, after verifying that it changed nothing and that a failed opening reports the
  /// same.
  private func diagnosis(
    _ engine: TestEngine, _ folder: TemporaryFolder, key: EncryptionKey? = key.encryptionKey,
    settings: CipherSettings = CipherSettings(), checksPages: Bool = true
  ) throws -> CipherDiagnosis {
    let before = try folder.state()
    let diagnosis = try SQLCipher.diagnose(
      folder.file("db"), key: key, settings: settings, checksPages: checksPages, engine: engine.source)
    #expect(try folder.state() == before)
    return diagnosis
  }

  /// Returns the diagnosis in the error of a failed opening, which must not change anything either.
  private func carried(
    _ engine: TestEngine, _ folder: TemporaryFolder, key: EncryptionKey = key.encryptionKey
  ) throws -> (condition: DatabaseError.Condition, diagnosis: CipherDiagnosis?, remedy: String?) {
    let before = try folder.state()
    let error = try databaseError { _ = try engine.connect(folder.file("db"), key: key) }
    #expect(try folder.state() == before)
    #expect(error.remedy?.isEmpty == false)
    return (error.condition, error.diagnosis as? CipherDiagnosis, error.remedy)
  }

  /// Creates a file with some pages.
  private func make(
    _ engine: TestEngine, _ folder: TemporaryFolder, key: TestKey = key, settings: CipherSettings = CipherSettings()
  ) throws -> (bytes: [UInt8], pageSize: Int) {
    let connection = try engine.connect(folder.file("db"), key: key, settings: settings)
    try connection.run("CREATE TABLE t(a)")
    try connection.begin(.immediate)
    for _ in 0..<80 { try connection.run("INSERT INTO t VALUES (hex(randomblob(700)))") }
    try connection.commit()
    let pageSize = try #require(Int(connection.run("PRAGMA cipher_page_size").first ?? ""))
    try connection.close()
    return (Array(try folder.bytes(of: "db")), pageSize)
  }

  @Test("Files that need no decryption", arguments: TestEngine.encrypting)
  func withoutKey(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator.announced("random bytes in place of a database")
    #expect(try diagnosis(engine, folder) == .missing)
    try folder.write([UInt8](), to: "db")
    #expect(try diagnosis(engine, folder) == .empty)
    #expect(try diagnosis(engine, folder, key: nil) == .empty)
    for (bytes, expected) in [
      (Array("a letter".utf8), CipherDiagnosis.notADatabase),
      (Array(String(repeating: "a longer letter\n", count: 512).utf8), .notADatabase),
      ([UInt8](repeating: 0, count: 8192), .notADatabase),
      (Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 4080), .notADatabase),
      ((0..<8192).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, .wrongKeyOrDamagedFirstPage),
    ] {
      try folder.write(bytes, to: "db")
      #expect(try diagnosis(engine, folder) == expected)
      let failure = try carried(engine, folder)
      #expect(failure.diagnosis == expected)
      #expect([.wrongKey, .notADatabase, .plaintextDatabase].contains(failure.condition))
    }
  }

  @Test("A database without encryption, and one without its key", arguments: TestEngine.encrypting)
  func plaintextAndNoKey(engine: TestEngine) throws {
    let plain = try TemporaryFolder()
    try SQLite(path: plain.file("db"), engine: .library(engine.loadablePath())).connect(ConnectionOptions())
      .run("CREATE TABLE t(a)")
    #expect(try diagnosis(engine, plain) == .plaintext)
    #expect(try diagnosis(engine, plain, key: nil) == .plaintext)
    let failure = try carried(engine, plain)
    #expect(failure.condition == .plaintextDatabase && failure.diagnosis == .plaintext)

    let folder = try TemporaryFolder()
    _ = try make(engine, folder)
    #expect(try diagnosis(engine, folder, key: nil) == .noKey)
    #expect(try diagnosis(engine, folder) == .encrypted(CipherSettings()))
    #expect(try diagnosis(engine, folder, key: .passphrase("another one")) == .wrongKeyOrDamagedFirstPage)
    let refused = try carried(engine, folder, key: .passphrase("another one"))
    #expect(refused.condition == .wrongKey && refused.diagnosis == .wrongKeyOrDamagedFirstPage)
  }

  @Test(
    "A library that is older than the file says so before anything else",
    .enabled(if: TestEngine.hasSQLCipher3, "the system's SQLCipher is version 4"))
  func newerFile() throws {
    let folder = try TemporaryFolder()
    _ = try make(.sqlCipher4, folder)
    let refused = try carried(.sqlCipher3, folder)
    #expect(refused.condition == .wrongKey)
    #expect(refused.remedy?.hasPrefix("SQLCipher 3.4.1 cannot open files that SQLCipher 4 or later created") == true)
    let other = try carried(.sqlCipher4, folder, key: .passphrase("another one"))
    #expect(other.remedy?.hasPrefix("Check the key.") == true)
  }

  @Test(
    "A correct key with other settings is reported, with those settings",
    arguments: TestTier.pairs(TestEngine.encrypting, [TestKey.passphrase, .raw]))
  func otherSettings(engine: TestEngine, key: TestKey) throws {
    let major = try #require(try engine.library().cipherMajorVersion)
    // For a raw key, versions 2 and 3 are the same.
    var all = (1..<major).filter { key == .passphrase || $0 != 2 }.map { CipherSettings(compatibility: $0) }
    var paged = CipherSettings()
    paged.pageSizeInBytes = 8192
    all.append(paged)
    if major > 3 {
      paged.compatibility = 3
      all.append(paged)
    }
    for settings in all {
      let folder = try TemporaryFolder()
      _ = try make(engine, folder, key: key, settings: settings)
      #expect(try diagnosis(engine, folder, key: key.encryptionKey) == .encrypted(settings))
      // The given settings come first.
      #expect(try diagnosis(engine, folder, key: key.encryptionKey, settings: settings) == .encrypted(settings))
      let failure = try carried(engine, folder, key: key.encryptionKey)
      #expect(failure.condition == .wrongKey && failure.diagnosis == .encrypted(settings))
      #expect(
        try engine.connect(folder.file("db"), key: key, settings: settings).run("SELECT count(*) FROM t") == ["80"])
    }
  }

  @Test("A plaintext header is reported if the key contains the salt")
  func readableHeader() throws {
    let folder = try TemporaryFolder()
    var settings = CipherSettings()
    settings.plaintextHeaderSizeInBytes = 48
    _ = try make(.sqlCipher4, folder, key: .rawWithSalt, settings: settings)
    #expect(
      try diagnosis(.sqlCipher4, folder, key: TestKey.rawWithSalt.encryptionKey) == .encrypted(settings))
    #expect(try diagnosis(.sqlCipher4, folder, key: nil) == .noKey)
    #expect(try carried(.sqlCipher4, folder, key: TestKey.rawWithSalt.encryptionKey).diagnosis == .encrypted(settings))
  }

  @Test(
    "Damaged pages are listed, including the first one",
    arguments: TestTier.pairs(
      TestEngine.encrypting.filter { $0 != .sqlCipher3 || !TestEngine.hasSQLCipher3 }, [TestKey.passphrase, .raw]))
  func damage(engine: TestEngine, key: TestKey) throws {
    let folder = try TemporaryFolder()
    let (bytes, pageSize) = try make(engine, folder, key: key)
    let count = bytes.count / pageSize
    for pages in [[1], [2], [count], [3, 5, count - 1]] {
      var damaged = bytes
      for page in pages { damaged[(page - 1) * pageSize + 100 + page] ^= 1 }
      try folder.write(damaged, to: "db")
      #expect(try diagnosis(engine, folder, key: key.encryptionKey) == .damaged(pages: pages))
      // Without reading the whole file, only damage to the first page is detected.
      #expect(
        try diagnosis(engine, folder, key: key.encryptionKey, checksPages: false)
          == (pages == [1] ? .wrongKeyOrDamagedFirstPage : .encrypted(CipherSettings())))
    }
    // The vector and the code of a page belong to it; the salt belongs to all pages.
    var damaged = bytes
    damaged[pageSize * 3 - 1] ^= 0x80
    try folder.write(damaged, to: "db")
    #expect(try diagnosis(engine, folder, key: key.encryptionKey) == .damaged(pages: [3]))
    damaged = bytes
    damaged[3] ^= 1
    try folder.write(damaged, to: "db")
    #expect(try diagnosis(engine, folder, key: key.encryptionKey) == .wrongKeyOrDamagedFirstPage)
  }

  @Test("A truncated file is reported, wherever it was cut", arguments: TestEngine.encrypting)
  func truncation(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let (bytes, pageSize) = try make(engine, folder)
    for size in [bytes.count - 100, bytes.count - pageSize, bytes.count / 2 / pageSize * pageSize, pageSize, 700] {
      try folder.write(bytes.prefix(size), to: "db")
      #expect(try diagnosis(engine, folder) == .truncated(sizeInBytes: Int64(size)))
      // An incomplete last page is detected only if it is read.
      if size != bytes.count - 100 {
        #expect(try carried(engine, folder).diagnosis == .truncated(sizeInBytes: Int64(size)))
      }
    }
  }

  @Test(
    "SQLCipher 4 lists the damaged pages of a file of SQLCipher 3, which itself cannot",
    .enabled(if: TestEngine.hasSQLCipher3, "the system's SQLCipher is version 4"))
  func pagesOfSQLCipher3() throws {
    let folder = try TemporaryFolder()
    let (bytes, pageSize) = try make(.sqlCipher3, folder)
    var generator = SeededGenerator.announced("damaged pages")
    for _ in 0..<20 {
      let count = bytes.count / pageSize
      let pages = Set((0..<4).map { _ in Int.random(in: 1...count, using: &generator) }).sorted()
      var damaged = bytes
      for page in pages {
        // Not the padding after the code.
        damaged[(page - 1) * pageSize + Int.random(in: 16..<(pageSize - 12), using: &generator)] ^= 4
      }
      try folder.write(damaged, to: "db")
      #expect(
        try diagnosis(.sqlCipher3, folder)
          == (pages.first == 1 ? .wrongKeyOrDamagedFirstPage : .encrypted(CipherSettings())))
      #expect(
        try diagnosis(.sqlCipher4, folder, settings: CipherSettings(compatibility: 3)) == .damaged(pages: pages))
    }
  }
}
