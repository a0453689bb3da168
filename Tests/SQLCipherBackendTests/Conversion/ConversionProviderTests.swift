import Migrator
import SQLCipherBackend
import TestEngines
import Testing

@Suite("Conversions with key providers")
struct ConversionProviderTests {
  /// Stores one key, which it creates when asked for a new one, and counts the requests.
  private final class Keychain: Sendable {
    private let state: Lock<(key: EncryptionKey?, requests: [KeyRequest])>
    private let makes: UInt8

    init(_ key: EncryptionKey? = nil, makes: UInt8 = 7) {
      state = Lock((key, []))
      self.makes = makes
    }

    var key: EncryptionKey? { state.withLock { $0.key } }
    var requests: [KeyRequest] { state.withLock { $0.requests } }

    /// The key, requested at each use of this value.
    var provided: EncryptionKey {
      .provided { request in
        self.state.withLock { state in
          state.requests.append(request)
          if state.key == nil, !request.databaseExists {
            state.key = .raw(Array(repeating: self.makes, count: 32))
          }
          return state.key.map { .key($0) } ?? .missing
        }
      }
    }
  }

  private func options(_ engine: TestEngine) -> ConversionOptions {
    ConversionOptions(patience: .zero, engine: engine.source)
  }

  @Test(
    "All conversions accept providers, which may create a key if the file has none", arguments: TestEngine.encrypting)
  func all(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: true)
    try trial.reset()
    let (first, second, path, options) = (Keychain(), Keychain(makes: 8), trial.path, options(engine))
    var smaller = CipherSettings()
    smaller.pageSizeInBytes = 2048
    #expect(
      try SQLCipher.encrypt(path, key: first.provided, options: options) == .converted(original: nil))
    #expect(try SQLCipher.encrypt(path, key: first.provided, options: options) == .alreadyConverted)
    #expect(first.requests.map(\.databaseExists) == [false, true])
    for _ in 0..<2 {
      let outcome = try SQLCipher.rekey(
        path, from: first.provided, to: second.provided, options: options)
      #expect((outcome == .alreadyConverted) == (second.requests.count > 1))
    }
    #expect(second.requests.map(\.databaseExists) == [false, false])
    try SQLCipher.upgrade(path, key: second.provided, from: CipherSettings(), to: smaller, options: options)
    try SQLCipher.decrypt(path, key: second.provided, settings: smaller, options: options)
    #expect(try trial.state() == .old)
  }

  @Test("The asynchronous functions accept providers too", arguments: TestEngine.encrypting)
  func asynchronous(engine: TestEngine) async throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: true)
    try trial.reset()
    let (first, second, path, options) = (Keychain(), Keychain(makes: 8), trial.path, options(engine))
    var smaller = CipherSettings()
    smaller.pageSizeInBytes = 2048
    try await SQLCipher.encrypt(path, key: first.provided, options: options)
    try await SQLCipher.rekey(path, from: first.provided, to: second.provided, options: options)
    try await SQLCipher.upgrade(
      path, key: second.provided, from: CipherSettings(), to: smaller, options: options)
    try await SQLCipher.decrypt(path, key: second.provided, settings: smaller, options: options)
    #expect(try trial.state() == .old)
    #expect(first.requests.allSatisfy { $0.path == path })
  }

  @Test("Without a key nothing is converted, and the error names the missing key", arguments: TestEngine.encrypting)
  func withoutKey(engine: TestEngine) throws {
    let options = options(engine)
    let no: [(KeyProvider, DatabaseError.Condition)] = [
      ({ _ in .missing }, .keyMissing), ({ _ in .notAvailableNow(reason: "locked") }, .keyNotAvailable),
    ]
    for conversion in TestConversion.allCases {
      let trial = try ConversionTrial(engine, conversion, hasLog: true)
      try trial.reset()
      let path = trial.path
      for (provider, condition) in no {
        let key = EncryptionKey.provided(by: provider)
        let error = try databaseError {
          switch conversion {
          case .encrypt: try SQLCipher.encrypt(path, key: key, options: options)
          case .decrypt: try SQLCipher.decrypt(path, key: key, options: options)
          case .rekey:
            try SQLCipher.rekey(
              path, from: .provided { _ in .key(conversion.before(engine).key ?? .raw([])) }, to: key, options: options)
          case .upgrade, .downgrade, .resize:
            try SQLCipher.upgrade(path, key: key, options: options)
          }
        }
        #expect(error.condition == condition)
        let isNew = conversion == .encrypt || conversion == .rekey
        #expect(condition == .keyNotAvailable || error.message.contains("new key") == isNew, "\(error)")
        #expect(try trial.isUntouched())
        #expect(try trial.folder.names() == ["db", "db-wal"])
      }
    }
  }

  @Test(
    "Opening with a provider converts the database and calls the provider once",
    arguments: TestEngine.encrypting)
  func opening(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: true)
    try trial.reset()
    let keychain = Keychain()
    for round in 1...2 {
      let dbQueue = try DatabaseQueue(
        path: trial.path, key: keychain.provided, converting: [.plaintext, .olderFormats],
        conversionOptions: options(engine))
      #expect(try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM big") } == 4)
      try dbQueue.close()
      #expect(keychain.requests.count == round)
    }
    let dbPool = try DatabasePool(
      path: trial.path, key: keychain.provided, converting: .plaintext, conversionOptions: options(engine))
    #expect(try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM big") } == 4)
    try dbPool.close()
    #expect(keychain.requests.map(\.databaseExists) == [false, true, true])

    // For the provider, a file that must stay unchanged has a key.
    try trial.reset()
    let other = Keychain()
    let error = try databaseError {
      _ = try DatabaseQueue(
        path: trial.path, key: other.provided, converting: .olderFormats, conversionOptions: options(engine))
    }
    #expect(error.condition == .keyMissing)
    #expect(try trial.isUntouched())
  }
}
