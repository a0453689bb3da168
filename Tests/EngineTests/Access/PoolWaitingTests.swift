import Dispatch
import Migrator
import TestEngines
import Testing

@Suite("Access: waiting in a pool", .timeLimit(.minutes(30)))
struct PoolWaitingTests {
  @Test(
    "the maximum number of readers run concurrently, and all waiting reads are served", arguments: TestEngine.allCases)
  func maximum(engine: TestEngine) async throws {
    let dbPool = try engine.temporaryPool(readers: 3)
    let running = Lock((now: 0, peak: 0, total: 0))
    let read: @Sendable (Database) throws -> Void = { db in
      running.withLock { running in
        running.now += 1
        running.peak = max(running.peak, running.now)
        running.total += 1
      }
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
      running.withLock { $0.now -= 1 }
    }
    let threads = DispatchGroup()
    for _ in 0..<10 {
      DispatchQueue(label: "a thread").async(group: threads) {
        #expect(throws: Never.self) { try dbPool.read(read) }
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<60 { group.addTask { try await dbPool.read(read) } }
      try await group.waitForAll()
    }
    await withCheckedContinuation { continuation in
      threads.notify(queue: .global()) { continuation.resume() }
    }
    let seen = running.value
    #expect(seen.total == 70)
    #expect(seen.peak <= 3)
    // They do run concurrently: each of them ends only after all have begun.
    for held in (0..<3).map({ _ in HeldRead(dbPool) }) { held.release() }
  }

  @Test("waiting reads are served in order of arrival", arguments: TestEngine.allCases)
  func order(engine: TestEngine) throws {
    let dbPool = try engine.temporaryPool(readers: 1)
    let held = HeldRead(dbPool)
    let order = Log<Int>()
    let finished = DispatchSemaphore(value: 0)
    for number in 0..<50 {
      dbPool.asyncRead { _ in
        order.add(number)
        if number == 49 { finished.signal() }
      }
    }
    held.release()
    finished.wait()
    #expect(order.values == Array(0..<50))
  }

  @Test(
    "a steady stream of reads does not starve a barrier, nor do barriers starve reads", arguments: TestEngine.allCases)
  func fairness(engine: TestEngine) async throws {
    let dbPool = try engine.temporaryPool(readers: 2)
    let state = Lock((isOver: false, isExclusive: false, reads: 0))
    let check: @Sendable () -> Void = {
      let isExclusive = state.withLock { state in
        state.reads += 1
        return state.isExclusive
      }
      #expect(!isExclusive)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          while !state.value.isOver {
            try await dbPool.read { db in
              check()
              _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
              check()
            }
          }
        }
      }
      for _ in 0..<50 {
        let before = state.value.reads
        try await dbPool.barrierWriteWithoutTransaction { db in
          state.withLock { $0.isExclusive = true }
          try db.setUserVersion(try db.userVersion + 1)
          state.withLock { $0.isExclusive = false }
        }
        // Waiting readers get their turn between two barriers: no round passes without a read.
        while state.value.reads == before { await Task.yield() }
      }
      let barriers = Task {
        while !state.value.isOver { try await dbPool.barrierWriteWithoutTransaction { _ in } }
      }
      let goal = state.value.reads + 100
      while state.value.reads < goal { await Task.yield() }
      state.withLock { $0.isOver = true }
      try await barriers.value
      try await group.waitForAll()
    }
    try await dbPool.read { db throws in #expect(try db.userVersion == 50) }
  }

  @Test("a read that arrives after a waiting barrier waits for the barrier", arguments: TestEngine.allCases)
  func barrierFirst(engine: TestEngine) async throws {
    let dbPool = try engine.temporaryPool()
    let held = HeldRead(dbPool)
    let order = Log<String>()
    dbPool.asyncBarrierWriteWithoutTransaction { _, _ in order.add("barrier") }
    // Until the barrier has requested its turn, reads are served at once.
    var isWaiting = false
    while !isWaiting {
      let probe = Task { try await dbPool.read { _ in } }
      let patience = Task {
        try await Task.sleep(for: .milliseconds(200))
        probe.cancel()
      }
      do {
        try await probe.value
      } catch is CancellationError {
        isWaiting = true
      }
      patience.cancel()
    }
    #expect(order.values.isEmpty)
    let read = Task { try await dbPool.read { _ in order.add("read") } }
    held.release()
    try await read.value
    #expect(order.values == ["barrier", "read"])
  }

  @Test("canceling a waiting read ends its wait", arguments: TestEngine.allCases)
  func cancelledWait(engine: TestEngine) async throws {
    let dbPool = try engine.temporaryPool(readers: 1)
    let held = HeldRead(dbPool)
    let waiting = Task { try await dbPool.read { _ in } }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    held.release()
    try await dbPool.read { _ in }
  }

  @Test("canceling a running read interrupts it", arguments: TestEngine.allCases)
  func cancelledRead(engine: TestEngine) async throws {
    let dbPool = try engine.temporaryPool(readers: 1)
    for _ in 0..<20 {
      let work = CancelledWork()
      await #expect(throws: CancellationError.self) {
        try await work.result {
          try await dbPool.read { db in
            work.cancelSoon()
            let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
            while true { _ = try Int.fetchOne(db, sql: endless) }
          }
        }
      }
      #expect(try await dbPool.read { db in try Int.fetchOne(db, sql: "SELECT 1") } == 1)
    }
  }

  @Test("canceling a migration that waits for readers ends its wait", arguments: TestEngine.allCases)
  func cancelledBarrier(engine: TestEngine) async throws {
    let dbPool = try engine.temporaryPool()
    let held = HeldRead(dbPool)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE t (a)") }
    let final = migrator
    let migrating = Task { try await final.migrate(dbPool) }
    migrating.cancel()
    await #expect(throws: CancellationError.self) { try await migrating.value }
    held.release()
    try await final.migrate(dbPool)
    #expect(try await dbPool.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM t") } == 0)
  }
}
