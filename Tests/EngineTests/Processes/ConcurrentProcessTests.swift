import Migrator
import TestEngines
import Testing

@Suite("Processes: many at once", .serialized)
struct ConcurrentProcessTests {
  @Test(
    "twenty processes that start together on one empty file run each of ten migrations once, and none fails",
    arguments: TestTier.pairs(TestEngine.allCases, [JournalMode.delete, .wal]))
  func twenty(engine: TestEngine, mode: JournalMode) throws {
    let path = try engine.temporaryPath()
    let workers = try (0..<20).map { _ in try WorkerProcess(engine, path, "migrate", "10", "20", mode.rawValue) }
    for worker in workers { worker.waitUntilReady() }
    for worker in workers { try worker.go() }
    var committed: [String] = []
    for worker in workers {
      let (code, output) = try worker.finish()
      #expect(code == 0, "\(output)")
      committed += output.split(separator: "\n").filter { $0.hasPrefix("committed") }.map(String.init)
    }
    #expect(committed.sorted() == (0..<10).map { "committed m\($0)" })
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    try dbQueue.read { db throws in
      #expect(try NumberedMigrations.defect(in: db, count: 10, rows: 20) == nil)
    }
    try dbQueue.writeWithoutTransaction { db throws in
      #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == mode.rawValue)
    }
  }

  @Test(
    "twenty processes, half of them with connections that they have opened by themselves, run each migration once",
    arguments: TestTier.pairs(TestEngine.allCases, [JournalMode.delete, .wal]))
  func halfBorrowed(engine: TestEngine, mode: JournalMode) throws {
    let path = try engine.temporaryPath()
    var configuration = Configuration()
    configuration.journalMode = mode
    // An encrypted file gets its salt from the first program that writes it; applications see to that themselves.
    let dbQueue = try DatabaseQueue(engine.backend(path: path), configuration: configuration)
    try dbQueue.writeWithoutTransaction { db in try db.execute(sql: "CREATE TABLE app (x)") }
    try dbQueue.close()
    let workers = try (0..<20).map { number in
      number.isMultiple(of: 2)
        ? try WorkerProcess(engine, path, "migrate", "10", "20", mode.rawValue)
        : try WorkerProcess(engine, path, "migrate-borrowed", "10", "20")
    }
    for worker in workers { worker.waitUntilReady() }
    for worker in workers { try worker.go() }
    for worker in workers {
      let (code, output) = try worker.finish()
      #expect(code == 0, "\(output)")
    }
    let again = try DatabaseQueue(engine.backend(path: path))
    try again.read { db throws in #expect(try NumberedMigrations.defect(in: db, count: 10, rows: 20) == nil) }
  }
}
