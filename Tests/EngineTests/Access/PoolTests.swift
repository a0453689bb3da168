import Foundation
import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("Access: pools", .timeLimit(.minutes(30)))
struct PoolTests {
  private struct Custom: Error {}

  @Test("a read sees one snapshot, whatever is committed in the meantime", arguments: TestEngine.allCases)
  func snapshot(engine: TestEngine) throws {
    let dbPool = try engine.temporaryPool()
    try dbPool.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
    try dbPool.read { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
      let written = DispatchSemaphore(value: 0)
      dbPool.asyncWrite { db in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
      } completion: { _, result in
        #expect(throws: Never.self) { try result.get() }
        written.signal()
      }
      written.wait()
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
    }
    #expect(try dbPool.number("SELECT count(*) FROM t") == 1)
  }

  @Test("readers never see a partial write", arguments: TestEngine.allCases)
  func consistency(engine: TestEngine) async throws {
    let dbPool = try engine.temporaryPool()
    try await dbPool.write { db in
      try db.execute(sql: "CREATE TABLE account (balance INTEGER); INSERT INTO account VALUES (500), (500)")
    }
    let total = "SELECT sum(balance) FROM account"
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<30 {
            let sums = try await dbPool.read { db in
              [try Int.fetchOne(db, sql: total), try Int.fetchOne(db, sql: total)]
            }
            #expect(sums == [1000, 1000])
          }
        }
      }
      for amount in 1...60 {
        try await dbPool.write { db in
          try db.execute(sql: "UPDATE account SET balance = balance - ? WHERE rowid = 1", arguments: [amount])
          try db.execute(sql: "UPDATE account SET balance = balance + ? WHERE rowid = 2", arguments: [amount])
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("connections for readers are opened on demand, are read-only, and are reused")
  func laziness() throws {
    let backend = RecordingBackend(try TestEngine.sqlite.temporaryBackend())
    var configuration = Configuration()
    configuration.maximumReaderCount = 3
    let dbPool = try DatabasePool(backend, configuration: configuration)
    var openings: [BorderCall] {
      backend.calls.filter { if case .connect = $0 { true } else { false } }
    }
    #expect(openings == [.connect(isReadOnly: false)])
    for _ in 0..<5 { try dbPool.read { _ in } }
    #expect(openings == [.connect(isReadOnly: false), .connect(isReadOnly: true)])
    let held = (0..<3).map { _ in HeldRead(dbPool) }
    for read in held { read.release() }
    for _ in 0..<5 { try dbPool.read { _ in } }
    #expect(openings.count == 4)
  }

  @Test("a read refuses to write", arguments: TestEngine.allCases)
  func readOnlyAccess(engine: TestEngine) throws {
    let dbPool = try engine.temporaryPool()
    let error = #expect(throws: DatabaseError.self) {
      try dbPool.read { db in try db.execute(sql: "CREATE TABLE t (a)") }
    }
    #expect(error?.condition == .readOnly)
  }

  @Test("inside a write, a read sees the last committed state", arguments: TestEngine.allCases)
  func readInsideWrite(engine: TestEngine) throws {
    let dbPool = try engine.temporaryPool()
    try dbPool.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
    try dbPool.write { db throws in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      #expect(try dbPool.number("SELECT count(*) FROM t") == 0)
    }
    try dbPool.writeWithoutTransaction { db throws in
      try db.execute(sql: "INSERT INTO t VALUES (2)")
      #expect(try dbPool.number("SELECT count(*) FROM t") == 2)
    }
  }

  @Test("a reader that cannot be opened fails one access, and the next access opens it", arguments: TestEngine.allCases)
  func failingReader(engine: TestEngine) async throws {
    let isBroken = Lock(true)
    var configuration = Configuration()
    configuration.maximumReaderCount = 1
    configuration.prepareDatabase { db in
      if db.configuration.readonly, isBroken.value { throw Custom() }
    }
    let dbPool = try engine.temporaryPool(configuration)
    #expect(throws: Custom.self) { try dbPool.read { _ in } }
    await #expect(throws: Custom.self) { try await dbPool.read { _ in } }
    isBroken.withLock { $0 = false }
    #expect(try dbPool.number("SELECT 1") == 1)
  }

  @Test("a read's error is thrown, and the reader serves the next access", arguments: TestEngine.allCases)
  func throwingRead(engine: TestEngine) async throws {
    let dbPool = try engine.temporaryPool(readers: 1)
    #expect(throws: Custom.self) { try dbPool.read { _ in throw Custom() } }
    await #expect(throws: Custom.self) { try await dbPool.read { _ in throw Custom() } }
    #expect(try await dbPool.read { db in try Int.fetchOne(db, sql: "SELECT 1") } == 1)
  }

  @Test("interrupting stops the readers' statements", arguments: TestEngine.allCases)
  func interruption(engine: TestEngine) async throws {
    let dbPool = try engine.temporaryPool()
    let isOver = Lock(false)
    let interrupting = Lock(false)
    let reading = Task {
      try await dbPool.read { db in
        defer { isOver.withLock { $0 = true } }
        // From a thread of its own, and repeatedly: an interrupt before the statement runs has no effect.
        interrupting.withLock { $0 = true }
        Thread.detachNewThread {
          while !isOver.value {
            dbPool.interrupt()
            usleep(1000)
          }
          interrupting.withLock { $0 = false }
        }
        _ = try Int.fetchOne(
          db, sql: "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n")
      }
    }
    let error = await #expect(throws: DatabaseError.self) { try await reading.value }
    #expect(error?.condition == .interrupted)
    // Its last call must not interrupt the next statement.
    while interrupting.value { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try await dbPool.read { db in try Int.fetchOne(db, sql: "SELECT 1") } == 1)
  }
}
