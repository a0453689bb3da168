import Dispatch
import Migrator
import SQLCipherBackend
import SQLiteEngine
import TestEngines
import Testing

@Suite("Key providers")
struct ProviderTests {
  /// Returns a given answer, and records the requests.
  private final class Keychain: Sendable {
    private let state: Lock<(answer: KeyAnswer, requests: [KeyRequest])>

    init(_ answer: KeyAnswer) { state = Lock((answer, [])) }

    var requests: [KeyRequest] { state.withLock { $0.requests } }

    func answers(_ answer: KeyAnswer) { state.withLock { $0.answer = answer } }

    func backend(_ engine: TestEngine, _ path: String) -> SQLCipher {
      let key = EncryptionKey.provided { request in
        self.state.withLock { state in
          state.requests.append(request)
          return state.answer
        }
      }
      return SQLCipher(path: path, key: key, engine: engine.source)
    }
  }

  private static let key = EncryptionKey.raw(Array(repeating: 7, count: 32))

  @Test(
    "A pool calls the provider once for all connections, and again when it is reopened",
    arguments: TestEngine.encrypting)
  func pool(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let keychain = Keychain(.key(Self.key))
    let backend = keychain.backend(engine, folder.file("db"))
    for round in 1...2 {
      let dbPool = try DatabasePool(backend)
      try dbPool.write { db in try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (a)") }
      let gate = DispatchSemaphore(value: 0)
      let begun = DispatchSemaphore(value: 0)
      for _ in 0..<dbPool.configuration.maximumReaderCount {
        dbPool.asyncRead { _ in
          begun.signal()
          gate.wait()
        }
      }
      for _ in 0..<dbPool.configuration.maximumReaderCount { begun.wait() }
      for _ in 0..<dbPool.configuration.maximumReaderCount { gate.signal() }
      try dbPool.close()
      #expect(keychain.requests.count == round)
    }
    #expect(keychain.requests.map(\.databaseExists) == [false, true])
    #expect(keychain.requests.allSatisfy { $0.path == folder.file("db") })
  }

  @Test("An open database shares its key with connections opened meanwhile", arguments: TestEngine.encrypting)
  func shared(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let keychain = Keychain(.key(Self.key))
    let backend = keychain.backend(engine, folder.file("db"))
    let first = try DatabaseQueue(backend)
    let second = try DatabaseQueue(backend)
    try first.close()
    let third = try DatabaseQueue(backend)
    #expect(keychain.requests.count == 1)
    try second.close()
    try third.close()
    keychain.answers(.missing)
    #expect(try databaseError { _ = try DatabaseQueue(backend) }.condition == .keyMissing)
    #expect(keychain.requests.count == 2)
  }

  @Test(
    "Without a key nothing is opened, created, changed or erased, and the error explains it",
    arguments: TestEngine.encrypting)
  func withoutKey(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let keychain = Keychain(.missing)
    let backend = keychain.backend(engine, folder.file("db"))
    var migrator = DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = true
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE t (a)") }
    func condition() throws -> DatabaseError.Condition {
      try databaseError { try migrator.migrate(DatabaseQueue(backend)) }.condition
    }
    #expect(try condition() == .keyMissing)
    keychain.answers(.notAvailableNow(reason: "-25308"))
    #expect(try condition() == .keyNotAvailable)
    #expect(try folder.names().isEmpty)

    keychain.answers(.key(Self.key))
    try migrator.migrate(DatabaseQueue(backend))
    let bytes = try folder.bytes(of: "db")
    keychain.answers(.notAvailableNow())
    #expect(try condition() == .keyNotAvailable)
    keychain.answers(.missing)
    #expect(try condition() == .keyMissing)
    #expect(throws: DatabaseError.self) { try DatabasePool(backend) }
    #expect(try folder.bytes(of: "db") == bytes)
    #expect(try folder.names() == ["db"])
    #expect(keychain.requests.map(\.databaseExists) == [false, false, false, true, true, true])

    // A provider that creates a key for an existing file gets the error of a wrong key.
    keychain.answers(.key(.raw(Array(repeating: 8, count: 32))))
    #expect(try condition() == .wrongKey)
    #expect(try folder.bytes(of: "db") == bytes)
  }

  @Test("A queue and a pool accept a provider instead of a key")
  func spellings() throws {
    let folder = try TemporaryFolder()
    let dbQueue = try DatabaseQueue(path: folder.file("db"), key: .provided { _ in .key(Self.key) })
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
    try dbQueue.close()
    let dbPool = try DatabasePool(path: folder.file("db"), key: .provided { _ in .key(Self.key) })
    #expect(try dbPool.read { db in try db.tableExists("t") })
    #expect(!"\(SQLCipher(path: "db", key: .provided { _ in .key(Self.key) }))".contains("SecretBytes"))
  }

  @Test("One value may provide the keys of several files, each requested by its path", arguments: TestEngine.encrypting)
  func severalFiles(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let requests = Lock<[KeyRequest]>([])
    let key = EncryptionKey.provided { request in
      requests.withLock { $0.append(request) }
      return .key(.raw(Array(repeating: request.path.hasSuffix("a") ? 1 : 2, count: 32)))
    }
    let databases = try ["a", "b", "a"].map { name in
      try DatabaseQueue(SQLCipher(path: folder.file(name), key: key, engine: engine.source))
    }
    for database in databases { try database.close() }
    #expect(requests.withLock { $0.map(\.path) } == [folder.file("a"), folder.file("b")])
    for (name, byte) in [("a", UInt8(1)), ("b", 2)] {
      let raw = EncryptionKey.raw(Array(repeating: byte, count: 32))
      #expect(throws: Never.self) {
        try SQLCipher(path: folder.file(name), key: raw, engine: engine.source).connect(ConnectionOptions())
          .close()
      }
    }
  }

  @Test("An unusable key is reported as such", arguments: TestEngine.encrypting)
  func unusable(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let backend = Keychain(.key(.raw([1, 2, 3]))).backend(engine, folder.file("db"))
    #expect(try databaseError { _ = try DatabaseQueue(backend) }.condition == .invalidKey)
    #expect(try folder.names().isEmpty)
  }
}
