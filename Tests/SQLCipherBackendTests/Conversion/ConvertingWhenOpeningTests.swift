import Migrator
import SQLCipherBackend
import TestEngines
import Testing

@Suite("Converting on opening")
struct ConvertingWhenOpeningTests {
  private static let key = TestConversion.encrypt.after(.sqlCipher4).key ?? .raw([])

  private func queue(
    _ trial: ConversionTrial, _ sources: ConvertibleSources, key: EncryptionKey = key,
    configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try DatabaseQueue(
      path: trial.path, key: key, converting: sources,
      conversionOptions: ConversionOptions(patience: .seconds(30), engine: trial.engine.source),
      configuration: configuration)
  }

  @Test(
    "A database of another form is converted before it is opened", arguments: TestEngine.encrypting,
    [TestConversion.encrypt, .upgrade])
  func converted(engine: TestEngine, conversion: TestConversion) throws {
    let trial = try ConversionTrial(engine, conversion, hasLog: true)
    try trial.reset()
    var configuration = Configuration()
    configuration.journalMode = .wal
    for _ in 0..<2 {
      let dbQueue = try queue(trial, [.plaintext, .olderFormats], configuration: configuration)
      try dbQueue.writeWithoutTransaction { db throws in
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM big") == 4)
        #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal")
      }
      try dbQueue.close()
    }
    #expect(try trial.folder.names() == ["db"])
    let options = ConversionOptions(engine: engine.source)
    let dbPool = try DatabasePool(path: trial.path, key: Self.key, converting: .plaintext, conversionOptions: options)
    try dbPool.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM big") == 4) }
    try dbPool.close()
    #expect(try trial.state() == .new)
  }

  @Test("Files that must not or cannot be converted are rejected", arguments: TestEngine.encrypting)
  func refused(engine: TestEngine) throws {
    let plain = try ConversionTrial(engine, .encrypt, hasLog: false)
    let older = try ConversionTrial(engine, .upgrade, hasLog: false)
    try plain.reset()
    try older.reset()
    #expect(try databaseError { _ = try queue(plain, .olderFormats) }.condition == .plaintextDatabase)
    #expect(try databaseError { _ = try queue(older, .plaintext) }.condition == .wrongKey)
    let wrong = EncryptionKey.raw([UInt8](repeating: 7, count: 32))
    #expect(
      try databaseError { _ = try queue(older, [.plaintext, .olderFormats], key: wrong) }.condition == .wrongKey)
    var reading = Configuration()
    reading.readonly = true
    #expect(
      try databaseError { _ = try queue(plain, .plaintext, configuration: reading) }.condition == .plaintextDatabase)
    #expect(try plain.isUntouched())
    #expect(try older.isUntouched())
  }

  @Test("A file that does not exist is created", arguments: TestEngine.encrypting)
  func created(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: false)
    let dbQueue = try queue(trial, [.plaintext, .olderFormats])
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
    try dbQueue.close()
    #expect(try trial.folder.names() == ["db"])
  }

  @Test("Of many connections that open a file at once, one converts it", arguments: TestEngine.encrypting)
  func many(engine: TestEngine) async throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: false)
    try trial.reset()
    let path = trial.path
    let options = ConversionOptions(patience: .seconds(120), engine: engine.source)
    var configuration = Configuration()
    configuration.busyMode = .timeout(.seconds(120))
    try await withThrowingTaskGroup(of: Void.self) { [configuration] group in
      for number in 0..<6 {
        group.addTask {
          let dbQueue = try DatabaseQueue(
            path: path, key: Self.key, converting: .plaintext, conversionOptions: options,
            configuration: configuration)
          try await dbQueue.write { db in try db.execute(sql: "INSERT INTO gaps VALUES ('opened \(number)')") }
          try dbQueue.close()
        }
      }
      try await group.waitForAll()
    }
    let connection = try TestConversion.encrypt.after(engine).connect(path, engine)
    #expect(try connection.run("SELECT count(*) FROM gaps WHERE a LIKE 'opened%'") == ["6"])
    #expect(try trial.folder.names() == ["db"])
  }
}
