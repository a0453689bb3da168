import Dispatch
import Foundation
import Migrator
import SQLiteDialect
import TestEngines
import Testing

@testable import SQLiteEngine

@Suite("Locks, interruptions and progress")
struct LockTests {
  static let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"

  @Test(
    "A progress handler is called, and can stop a statement", .timeLimit(.minutes(30)), arguments: TestEngine.allCases)
  func progress(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    var calls = 0
    connection.setProgressHandler {
      calls += 1
      return calls < 10
    }
    #expect(try databaseError { try connection.execute(Self.endless) }.condition == .interrupted)
    #expect(calls == 10)
    connection.setProgressHandler(nil)
    #expect(
      try connection.integer(
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 100000) SELECT max(x) FROM c") == 100_000)
    #expect(calls == 10)
  }

  @Test(
    "Many connections switch a new database to WAL mode at once", .timeLimit(.minutes(30)),
    arguments: TestEngine.allCases)
  func journalModeRace(engine: TestEngine) async throws {
    let folder = try TemporaryFolder()
    for round in 0..<5 {
      let path = folder.file("db\(round)")
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let connection = try engine.connect(path, ConnectionOptions(busyTimeout: .seconds(20), journalMode: .wal))
            defer { try? connection.close() }
            try connection.begin(.immediate)
            try connection.execute("CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (1)")
            try connection.commit()
            return try connection.journalMode()
          }
        }
        for try await mode in group { #expect(mode == "wal") }
      }
      #expect(try engine.connect(path).integer("SELECT count(*) FROM t") == 8)
    }
  }

  @Test("A snapshot is stale after another connection writes", arguments: TestEngine.allCases)
  func stale(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let one = try engine.connect(folder.file("db"), ConnectionOptions(journalMode: .wal))
    let other = try engine.connect(folder.file("db"), ConnectionOptions(journalMode: .wal))
    try one.execute("CREATE TABLE t(a)")
    try one.begin(.deferred)
    #expect(try one.integer("SELECT count(*) FROM t") == 0)
    try other.execute("INSERT INTO t VALUES (1)")
    #expect(try databaseError { try one.execute("INSERT INTO t VALUES (2)") }.condition == .stale)
  }

  @Test("Without a snapshot that it could lose, a connection can only be busy", arguments: TestEngine.allCases)
  func notStale(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"))
    let handle = try connection.openHandle()
    // BUSY_SNAPSHOT (https://www.sqlite.org/rescode.html#busy_snapshot).
    let lostSnapshot: Int32 = 517
    #expect(handle.error(lostSnapshot).condition == .busy)
    try connection.begin(.deferred)
    #expect(handle.error(lostSnapshot).condition == .stale)
  }

  @Test("A transaction that begins while others write can only find a lock", arguments: TestEngine.allCases)
  func beginning(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let one = try engine.connect(folder.file("db"), ConnectionOptions(busyTimeout: .zero, journalMode: .wal))
    let other = try engine.connect(folder.file("db"), ConnectionOptions(journalMode: .wal))
    try other.begin(.immediate)
    let statement = try #require(try one.prepareStatement("BEGIN IMMEDIATE", utf8Offset: 0).0)
    #expect(try databaseError { _ = try statement.step() }.condition == .busy)
    // The engine could have returned this code, and the statement has not been reset.
    let lostSnapshot: Int32 = 517
    let handle = try one.openHandle()
    #expect(handle.error(lostSnapshot, of: statement.openStatement).condition == .busy)
    try other.rollback()
    statement.reset()

    try other.execute("CREATE TABLE t(a)")
    try other.close()
    let isOver = Lock(false)
    let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      defer { hasEnded.signal() }
      let other = try? engine.connect(folder.file("db"))
      hasBegun.signal()
      guard let other else { return }
      while !isOver.withLock({ $0 }) { try? other.execute("INSERT INTO t VALUES (1)") }
    }
    defer {
      isOver.withLock { $0 = true }
      hasEnded.wait()
    }
    hasBegun.wait()
    var counts: [DatabaseError.Condition: Int] = [:]
    for _ in 0..<20_000 {
      do {
        try one.begin(.immediate)
        try one.rollback()
      } catch {
        counts[error.condition, default: 0] += 1
      }
    }
    // Without a lock in the way, nothing would be tested.
    #expect(Set(counts.keys) == [.busy], "\(counts)")
  }

  @Test("Replacing the file of an open connection is reported at the next write", arguments: TestEngine.allCases)
  func replaced(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let connection = try engine.connect(folder.file("db"))
    try connection.execute("CREATE TABLE t(a)")
    try folder.rename("db", to: "moved")
    #expect(try databaseError { try connection.execute("INSERT INTO t VALUES (1)") }.condition == .fileReplaced)
  }
}
