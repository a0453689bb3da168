import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("Access: queues, transactions, cancellation")
struct QueueTests {
  private struct Custom: Error {}

  @Test("a write is committed, and rolled back when it throws", arguments: TestEngine.allCases)
  func write(engine: TestEngine) async throws {
    let dbQueue = try engine.temporaryQueue()
    try await dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
    await #expect(throws: Custom.self) {
      try await dbQueue.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        throw Custom()
      }
    }
    try await dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(try await dbQueue.read { db in try Int.fetchAll(db, sql: "SELECT a FROM t") } == [2])
  }

  @Test("a read refuses to write", arguments: TestEngine.allCases)
  func readOnlyAccess(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
    for write in [
      { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }, { db in try db.setUserVersion(3) },
      { db in try db.execute(sql: "DROP TABLE t") },
    ] as [(Database) throws -> Void] {
      let error = #expect(throws: DatabaseError.self) { try dbQueue.read(write) }
      #expect(error?.condition == .readOnly)
    }
    try dbQueue.read { db throws in #expect(try db.userVersion == 0) }
  }

  @Test("savepoints nest, and each undoes its own changes", arguments: TestEngine.allCases)
  func savepoints(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t (a)")
      try db.inSavepoint {
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO t VALUES (2)")
          return .rollback
        }
        try? db.inSavepoint {
          try db.execute(sql: "INSERT INTO t VALUES (3)")
          throw Custom()
        }
        return .commit
      }
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
      #expect(throws: DatabaseError.self) { try db.inTransaction { .commit } }
    }
  }

  @Test("a transaction that an access leaves open is rolled back and reported", arguments: TestEngine.allCases)
  func leftOpen(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    let error = #expect(throws: DatabaseError.self) {
      try dbQueue.writeWithoutTransaction { db in try db.execute(sql: "BEGIN; CREATE TABLE t (a)") }
    }
    #expect(error?.condition == .misuse)
    try dbQueue.read { db throws in #expect(try db.schema().objects.isEmpty) }
  }

  @Test("an error from an access takes precedence over a failed rollback", arguments: TestEngine.allCases)
  func failingRollback(engine: TestEngine) throws {
    let error = DatabaseError(.inputOutput, engine: "test", message: "the disk went away")
    var lastCallCount = 0
    func leaveOpen(failingCall number: Int) throws -> FailingBackend {
      let failing = FailingBackend(try engine.temporaryBackend(), failingCall: number, with: error)
      let dbQueue = try DatabaseQueue(failing)
      #expect(throws: Custom.self) {
        try dbQueue.writeWithoutTransaction { db in
          try db.execute(sql: "BEGIN; CREATE TABLE t (a)")
          lastCallCount = failing.callCount
          throw Custom()
        }
      }
      try dbQueue.read { db throws in #expect(try db.schema().objects.isEmpty) }
      return failing
    }
    _ = try leaveOpen(failingCall: .max)
    #expect(try leaveOpen(failingCall: lastCallCount + 1).failedCall == .rollback)
  }

  @Test("a read whose transaction cannot be ended fails", arguments: TestEngine.allCases)
  func failingEndOfRead(engine: TestEngine) throws {
    let error = DatabaseError(.outOfMemory, engine: "test", message: "out of memory")
    var lastCallCount = 0
    func read(failingCall number: Int) throws -> FailingBackend {
      let failing = FailingBackend(engine.inMemoryBackend, failingCall: number, with: error)
      let dbQueue = try DatabaseQueue(failing)
      let result = Result { try dbQueue.read { _ in lastCallCount = failing.callCount } }
      #expect((failing.failedCall == nil) == ((try? result.get()) != nil))
      try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
      return failing
    }
    _ = try read(failingCall: .max)
    #expect(try read(failingCall: lastCallCount + 1).failedCall == .rollback)
  }

  @Test("using a closed database is a typed error, and closing twice has no effect", arguments: TestEngine.allCases)
  func closed(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.close()
    try dbQueue.close()
    dbQueue.interrupt()
    let error = #expect(throws: DatabaseError.self) { try dbQueue.read { _ in } }
    #expect(error?.condition == .misuse)
  }

  @Test("canceling a task interrupts its statement and rolls back", arguments: TestEngine.allCases)
  func cancellation(engine: TestEngine) async throws {
    let dbQueue = try engine.temporaryQueue()
    let work = CancelledWork()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE t (a)") }
    migrator.registerMigration("v2") { db in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      work.cancelSoon()
      try db.execute(
        sql: "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO t SELECT i FROM n")
    }
    let final = migrator
    await #expect(throws: CancellationError.self) { try await work.result { try await final.migrate(dbQueue) } }
    try await dbQueue.read { db throws in
      #expect(try final.appliedMigrations(db) == ["v1"])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
      #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
    }
  }

  @Test(
    "nested accesses stop the program with an explanation instead of waiting forever",
    .disabled(if: Sanitizer.isPresent, "an optimized build, as Tools/sanitize makes it, stops without the text"))
  func reentrancy() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let dbQueue = try TestEngine.sqlite.temporaryQueue()
      try dbQueue.read { _ in try dbQueue.read { _ in } }
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(text?.contains("cannot be nested") == true)
    #expect(text?.contains("call `migrate` outside of `read` and `write`") == true)
  }

  @Test(
    "registering an identifier twice stops the program with an explanation",
    .disabled(if: Sanitizer.isPresent, "an optimized build, as Tools/sanitize makes it, stops without the text"))
  func registeredTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("v1") { _ in }
      migrator.registerMigration("v1") { _ in }
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(text?.contains("\"v1\" is registered twice") == true)
  }

  @Test("a configuration's preparations apply to each connection", arguments: TestEngine.allCases)
  func prepared(engine: TestEngine) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA cache_size = 123") }
    let dbQueue = try engine.temporaryQueue(configuration)
    try dbQueue.read { db throws in #expect(try Int.fetchOne(db, sql: "PRAGMA cache_size") == 123) }
    configuration.prepareDatabase { _ in throw Custom() }
    #expect(throws: Custom.self) { try engine.temporaryQueue(configuration) }
  }
}
