import Dispatch
import Migrator
import SQLCipherBackend
import SQLiteEngine
import TestEngines
import Testing

@Suite("Deriving a key once", .timeLimit(.minutes(30)))
struct DerivationTests {
  /// Returns settings that derive keys differently.
  private func variants(_ engine: TestEngine) throws -> [CipherSettings] {
    let major = try engine.library().cipherMajorVersion ?? 0
    var variants = [CipherSettings()] + (1...major).map { CipherSettings(compatibility: $0) }
    var counted = CipherSettings()
    counted.kdfIterations = 1234
    variants.append(counted)
    guard major >= 4 else { return variants }
    for algorithm in CipherSettings.Algorithm.allCases {
      var settings = CipherSettings()
      settings.kdfAlgorithm = algorithm
      variants.append(settings)
    }
    return variants
  }

  private func backend(
    _ engine: TestEngine, _ path: String, _ key: EncryptionKey, _ settings: CipherSettings = CipherSettings(),
    shares: Bool = true
  ) -> SQLCipher {
    var backend = SQLCipher(path: path, key: key, settings: settings, engine: engine.source)
    backend.sharesDerivedKeys = shares
    return backend
  }

  /// Opens all readers of a pool.
  private func useAllReaders(of dbPool: DatabasePool) {
    let count = dbPool.configuration.maximumReaderCount
    let begun = DispatchSemaphore(value: 0)
    let release = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      dbPool.asyncRead { result in
        #expect(throws: Never.self) { try String.fetchAll(result.get(), sql: "SELECT a FROM t") }
        begun.signal()
        release.wait()
      }
    }
    for _ in 0..<count { begun.wait() }
    for _ in 0..<count { release.signal() }
  }

  @Test(
    "A pool derives one key for its writer and all readers, no matter how often it is opened",
    arguments: TestEngine.encrypting)
  func pool(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let key = EncryptionKey.passphrase(TestKey.passphraseText)
    for round in 0..<3 {
      let dbPool = try DatabasePool(backend(engine, folder.file("db"), key))
      if round == 0 { try dbPool.write { db in try db.execute(sql: "CREATE TABLE t (a)") } }
      useAllReaders(of: dbPool)
      try dbPool.close()
    }
    #expect(key.derivationCount == 1)
  }

  @Test("A key that was released is derived again", arguments: TestEngine.encrypting)
  func forgotten(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let passphrase = "p \(UInt64.random(in: .min ... .max))"
    for _ in 0..<2 {
      let key = EncryptionKey.passphrase(passphrase)
      let connection = try backend(engine, folder.file("db"), key).connect(ConnectionOptions())
      try connection.run("CREATE TABLE IF NOT EXISTS t (a)")
      try connection.close()
      #expect(key.derivationCount == 1)
    }
  }

  @Test("Without sharing, each connection derives its own", arguments: TestEngine.encrypting)
  func unshared(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let key = EncryptionKey.passphrase(TestKey.passphraseText)
    let dbPool = try DatabasePool(backend(engine, folder.file("db"), key, shares: false))
    try dbPool.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
    useAllReaders(of: dbPool)
    #expect(key.derivationCount == 6)
  }

  @Test("A raw key needs no derivation", arguments: TestEngine.encrypting, [TestKey.raw, .rawWithSalt])
  func raw(engine: TestEngine, kind: TestKey) throws {
    let folder = try TemporaryFolder()
    let key = kind.encryptionKey
    let dbPool = try DatabasePool(backend(engine, folder.file("db"), key))
    try dbPool.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
    useAllReaders(of: dbPool)
    #expect(key.derivationCount == 0)
  }

  @Test("SQLCipher itself derives the same key, for all parameters", arguments: TestEngine.encrypting)
  func sameKey(engine: TestEngine) throws {
    for settings in try variants(engine) {
      for sharesAtCreation in [true, false] {
        let folder = try TemporaryFolder()
        let path = folder.file("db")
        let first = EncryptionKey.passphrase("a naïve passphrase")
        let creator = try backend(engine, path, first, settings, shares: sharesAtCreation).connect(ConnectionOptions())
        try creator.run("CREATE TABLE t (a); INSERT INTO t VALUES ('text')")
        try creator.close()
        let second = EncryptionKey.passphrase("a naïve passphrase")
        let opener = try backend(engine, path, second, settings, shares: !sharesAtCreation).connect(ConnectionOptions())
        #expect(try opener.run("SELECT a FROM t") == ["text"])
        try opener.close()
        #expect(first.derivationCount == 1, "\(settings)")
        #expect(second.derivationCount == 1, "\(settings)")
      }
    }
  }

  @Test("Each new file has a different salt", arguments: TestEngine.encrypting)
  func salts(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let key = EncryptionKey.passphrase(TestKey.passphraseText)
    for name in ["a", "b"] {
      try backend(engine, folder.file(name), key).connect(ConnectionOptions()).run("CREATE TABLE t (a)")
    }
    #expect(try folder.bytes(of: "a").prefix(16) != folder.bytes(of: "b").prefix(16))
    #expect(key.derivationCount == 2)
  }

  @Test("A file that was replaced opens with a separately derived key", arguments: TestEngine.encrypting)
  func replaced(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let key = EncryptionKey.passphrase(TestKey.passphraseText)
    for name in ["db", "other"] {
      let connection = try backend(engine, folder.file(name), key).connect(ConnectionOptions())
      try connection.run("CREATE TABLE t (a); INSERT INTO t VALUES ('\(name)')")
      try connection.close()
    }
    try folder.rename("other", to: "new")
    try folder.rename("db", to: "old")
    try folder.rename("new", to: "db")
    let connection = try backend(engine, folder.file("db"), key).connect(ConnectionOptions())
    #expect(try connection.run("SELECT a FROM t") == ["other"])
    #expect(key.derivationCount == 2)
  }

  @Test("A wrong passphrase is reported as such, after SQLCipher itself has tried it", arguments: TestEngine.encrypting)
  func wrong(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    try engine.connect(folder.file("db"), key: .passphrase).run("CREATE TABLE t (a)")
    let bytes = try folder.bytes(of: "db")
    let key = EncryptionKey.passphrase("another one")
    let error = try databaseError { _ = try backend(engine, folder.file("db"), key).connect(ConnectionOptions()) }
    #expect(error.condition == .wrongKey)
    #expect(key.derivationCount == 2)
    #expect(try folder.bytes(of: "db") == bytes)
  }

  @Test("Connections that are opened at the same time wait for one key", arguments: TestEngine.encrypting)
  func simultaneousOpening(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    try engine.connect(folder.file("db"), key: .passphrase).run("CREATE TABLE t (a)")
    let key = EncryptionKey.passphrase(TestKey.passphraseText)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      #expect(throws: Never.self) {
        try backend(engine, folder.file("db"), key).connect(ConnectionOptions()).close()
      }
    }
    #expect(key.derivationCount == 1)
  }

  @Test(
    "Connections that create a file at the same time agree, with one key value or several",
    arguments: TestTier.pairs(TestEngine.encrypting, [true, false]))
  func simultaneousCreation(engine: TestEngine, isOneValue: Bool) throws {
    let shared = EncryptionKey.passphrase("p")
    var quick = CipherSettings()
    quick.kdfIterations = 100
    let settings = quick
    for _ in 0..<10 {
      let folder = try TemporaryFolder()
      DispatchQueue.concurrentPerform(iterations: 8) { number in
        #expect(throws: Never.self) {
          let key = isOneValue ? shared : .passphrase("p")
          var options = ConnectionOptions()
          options.journalMode = .wal
          let connection = try backend(engine, folder.file("db"), key, settings).connect(options)
          try connection.begin(.immediate)
          try connection.run("CREATE TABLE t\(number) (a)")
          try connection.commit()
          try connection.close()
        }
      }
      let judge = try backend(engine, folder.file("db"), .passphrase("p"), settings, shares: false)
        .connect(ConnectionOptions())
      #expect(try judge.schema().objects.count == 8)
    }
  }
}
