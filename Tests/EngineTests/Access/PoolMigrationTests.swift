import Dispatch
import Migrator
import TestEngines
import Testing

@Suite("Access: migrating through a pool", .timeLimit(.minutes(30)))
struct PoolMigrationTests {
  private let columns: @Sendable (Database) throws -> [String] = { db in
    try db.cachedStatement(sql: "SELECT * FROM t").columnNames
  }

  @Test("readers wait for the whole run, and see all of it afterwards", arguments: TestEngine.allCases)
  func exclusion(engine: TestEngine) throws {
    let dbPool = try engine.temporaryPool()
    let seen = Log<Int?>()
    let finished = DispatchSemaphore(value: 0)
    let read: @Sendable (Result<Database, any Error>) -> Void = { result in
      seen.add((try? Int.fetchOne(result.get(), sql: "SELECT count(*) FROM t")) ?? nil)
      finished.signal()
    }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
      dbPool.asyncRead(read)
    }
    for number in 2...20 {
      migrator.registerMigration("v\(number)") { db in
        #expect(seen.values.isEmpty)
        try db.execute(sql: "INSERT INTO t VALUES (\(number))")
        dbPool.asyncRead(read)
      }
    }
    try migrator.migrate(dbPool)
    for _ in 1...20 { finished.wait() }
    #expect(seen.values == Array(repeating: 20, count: 20))
  }

  @Test("a reader's cached statement uses the schema that a migration left", arguments: TestEngine.allCases)
  func migratedSchema(engine: TestEngine) throws {
    let dbPool = try engine.temporaryPool(readers: 1)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    try migrator.migrate(dbPool)
    #expect(try dbPool.read(columns) == ["a"])
    migrator.registerMigration("v2") { db in try db.alter(table: "t") { t in t.add(column: "b", .text) } }
    try migrator.migrate(dbPool)
    #expect(try dbPool.read(columns) == ["a", "b"])
    #expect(try dbPool.read { db in try Row.fetchOne(db, sql: "SELECT * FROM t")?.count } == 2)
  }

  @Test(
    "a reader's cached statement uses the schema after an ordinary write, also by another pool",
    arguments: TestEngine.allCases)
  func writtenSchema(engine: TestEngine) throws {
    let path = try engine.temporaryPath()
    var configuration = Configuration()
    configuration.maximumReaderCount = 1
    let dbPool = try DatabasePool(engine.backend(path: path), configuration: configuration)
    let other = try DatabasePool(engine.backend(path: path))
    try dbPool.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
    #expect(try dbPool.read(columns) == ["a"])
    try dbPool.write { db in try db.execute(sql: "ALTER TABLE t ADD COLUMN b") }
    #expect(try dbPool.read(columns) == ["a", "b"])
    try other.write { db in try db.execute(sql: "ALTER TABLE t ADD COLUMN c") }
    #expect(try dbPool.read(columns) == ["a", "b", "c"])
    try dbPool.write { db in try db.execute(sql: "DROP TABLE t; CREATE TABLE t (z)") }
    #expect(try dbPool.read(columns) == ["z"])
  }

  @Test("the asynchronous methods also migrate, erase and rebuild the file", arguments: TestEngine.allCases)
  func asynchronous(engine: TestEngine) async throws {
    let dbPool = try engine.temporaryPool()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    let final = migrator
    try await final.migrate(dbPool)
    // If a continuation resumes before its task waits, the thread sanitizer does not see that the value was written before.
    let applied = Lock<[String]>([])
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      final.asyncMigrate(dbPool) { result in
        continuation.resume(
          with: Result {
            let identifiers = try final.appliedMigrations(try result.get())
            applied.withLock { $0 = identifiers }
          })
      }
    }
    #expect(applied.withLock { $0 } == ["v1"])
    try await dbPool.vacuum()
    try await dbPool.erase()
    #expect(try await dbPool.read { db in try db.schema().objects.isEmpty })
  }

  @Test("a transaction that a scheduled barrier leaves open is rolled back", arguments: TestEngine.allCases)
  func leftOpen(engine: TestEngine) throws {
    let dbPool = try engine.temporaryPool()
    dbPool.asyncBarrierWriteWithoutTransaction { db, _ in try? db.execute(sql: "BEGIN; CREATE TABLE t (a)") }
    try dbPool.write { db throws in #expect(try db.schema().objects.isEmpty) }
  }

  @Test(
    "accesses that would deadlock stop the program with an explanation",
    .disabled(if: Sanitizer.isPresent, "an optimized build, as Tools/sanitize makes it, stops without the text"))
  func nesting() async {
    var texts: [String] = []
    func add(_ result: ExitTest.Result?) {
      texts.append(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
    }
    add(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let dbPool = try TestEngine.sqlite.temporaryPool()
        try dbPool.read { _ in try dbPool.read { _ in } }
      })
    add(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let dbPool = try TestEngine.sqlite.temporaryPool()
        try dbPool.read { _ in try dbPool.write { _ in } }
      })
    add(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let dbPool = try TestEngine.sqlite.temporaryPool()
        try dbPool.barrierWriteWithoutTransaction { _ in try dbPool.read { _ in } }
      })
    add(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let dbPool = try TestEngine.sqlite.temporaryPool()
        try dbPool.write { _ in try dbPool.close() }
      })
    for (text, words) in zip(
      texts, ["cannot be nested", "inside one of its reads", "inside a barrier", "closed inside"])
    {
      #expect(text.contains(words))
    }
  }
}
