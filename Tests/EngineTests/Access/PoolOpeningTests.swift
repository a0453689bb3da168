import Dispatch
import Migrator
import TestEngines
import Testing

@Suite("Access: opening and closing pools", .timeLimit(.minutes(30)))
struct PoolOpeningTests {
  @Test("a pool keeps its database in WAL mode", arguments: TestEngine.allCases)
  func journalMode(engine: TestEngine) throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    for configuration in [Configuration(), configuration] {
      let dbPool = try engine.temporaryPool(configuration)
      try dbPool.writeWithoutTransaction { db throws in
        #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal")
      }
    }
  }

  @Test("invalid configurations of a pool are refused before any file is created", arguments: TestEngine.allCases)
  func misconfigured(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    var rollback = Configuration()
    rollback.journalMode = .delete
    var empty = Configuration()
    empty.maximumReaderCount = 0
    for configuration in [rollback, empty] {
      let error = #expect(throws: DatabaseError.self) {
        try DatabasePool(engine.backend(path: folder.file("db")), configuration: configuration)
      }
      #expect(error?.condition == .misuse)
    }
    #expect(try folder.names().isEmpty)
  }

  @Test("a database in memory cannot have a pool", arguments: TestEngine.allCases)
  func inMemory(engine: TestEngine) throws {
    let error = #expect(throws: DatabaseError.self) { try DatabasePool(engine.inMemoryBackend) }
    #expect(error?.condition == .unsupported)
    #expect(!engine.inMemoryBackend.isShared)
    #expect(try engine.temporaryBackend().isShared)
  }

  @Test("a file that cannot be opened is a typed error", arguments: TestEngine.allCases)
  func unopenable(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    var error = #expect(throws: DatabaseError.self) {
      try DatabasePool(engine.backend(path: folder.file("missing/db")))
    }
    #expect(error?.condition == .folderMissing)
    var configuration = Configuration()
    configuration.readonly = true
    error = #expect(throws: DatabaseError.self) {
      try DatabasePool(engine.backend(path: folder.file("db")), configuration: configuration)
    }
    #expect(error?.condition == .fileMissing)
  }

  @Test("a read-only pool leaves the journal mode unchanged", arguments: TestEngine.allCases)
  func readOnly(engine: TestEngine) throws {
    let path = try engine.temporaryPath()
    let dbQueue = try engine.queue(path: path)
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    try dbQueue.close()
    var configuration = Configuration()
    configuration.readonly = true
    let dbPool = try DatabasePool(engine.backend(path: path), configuration: configuration)
    #expect(try dbPool.number("SELECT a FROM t") == 1)
    try dbPool.writeWithoutTransaction { db throws in
      #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "delete")
    }
    let error = #expect(throws: DatabaseError.self) {
      try dbPool.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
    }
    #expect(error?.condition == .readOnly)
  }

  @Test("closing leaves a single file; later accesses are typed errors", arguments: TestEngine.allCases)
  func closing(engine: TestEngine) async throws {
    let folder = try TemporaryFolder()
    let dbPool = try DatabasePool(engine.backend(path: folder.file("db")))
    try await dbPool.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
    #expect(try dbPool.number("SELECT count(*) FROM t") == 0)
    #expect(try folder.names() == ["db", "db-shm", "db-wal"])
    try dbPool.close()
    try dbPool.close()
    dbPool.interrupt()
    // The last connection to close deletes the log, unless it is read-only (https://www.sqlite.org/wal.html).
    #expect(try folder.names() == ["db"])
    var errors = accessErrors(dbPool)
    errors.append(await #expect(throws: DatabaseError.self) { try await dbPool.read { _ in } })
    errors.append(
      await #expect(throws: DatabaseError.self) { try await dbPool.barrierWriteWithoutTransaction { _ in } })
    errors.append(
      await withCheckedContinuation { continuation in
        dbPool.asyncRead { result in
          continuation.resume(returning: #expect(throws: DatabaseError.self) { _ = try result.get() })
        }
      })
    for error in errors { #expect(error?.condition == .misuse) }
  }

  private func accessErrors(_ dbPool: DatabasePool) -> [DatabaseError?] {
    [
      #expect(throws: DatabaseError.self) { try dbPool.read { _ in } },
      #expect(throws: DatabaseError.self) { try dbPool.write { _ in } },
      #expect(throws: DatabaseError.self) { try dbPool.barrierWriteWithoutTransaction { _ in } },
    ]
  }

  @Test("a released pool closes its connections", arguments: TestEngine.allCases)
  func release(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    do {
      let dbPool = try DatabasePool(engine.backend(path: folder.file("db")))
      try dbPool.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
      #expect(try dbPool.number("SELECT count(*) FROM t") == 0)
    }
    #expect(try folder.names() == ["db"])
  }

  @Test("closing waits for running reads; waiting reads are served or get an error", arguments: TestEngine.allCases)
  func closingUnderLoad(engine: TestEngine) async throws {
    let dbPool = try engine.temporaryPool(readers: 2)
    let held = HeldRead(dbPool)
    let other = HeldRead(dbPool)
    let outcomes = Log<Bool>()
    let reads = (0..<500).map { _ in
      Task {
        do {
          try await dbPool.read { db in outcomes.add(try Int.fetchOne(db, sql: "SELECT 1") == 1) }
        } catch let error as DatabaseError {
          outcomes.add(error.condition == .misuse)
        }
      }
    }
    let closing = Task.detached { try dbPool.close() }
    held.release()
    other.release()
    try await closing.value
    for read in reads { try await read.value }
    #expect(outcomes.values == Array(repeating: true, count: 500))
  }
}
