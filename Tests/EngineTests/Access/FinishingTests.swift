import Foundation
import TestEngines
import Testing

@testable import Migrator

@Suite("Work that a cancellation does not interrupt")
struct FinishingTests {
  @Test("it ends as usual, and the next statement does not run", arguments: TestEngine.allCases)
  func cancellation(engine: TestEngine) async throws {
    let dbQueue = try engine.temporaryQueue()
    let (hasBegun, isCanceled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let counts = Log<Int>()
    let task = Task {
      try await dbQueue.write { db in
        try db.finishing {
          hasBegun.signal()
          // The cancellation comes while this statement runs.
          let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500000)"
          counts.add(try Int.fetchOne(db, sql: "\(rows) SELECT count(*) FROM n") ?? 0)
          isCanceled.wait()
        }
        counts.add(try Int.fetchOne(db, sql: "SELECT 1") ?? 0)
      }
    }
    DispatchQueue.global().async {
      hasBegun.wait()
      Thread.sleep(forTimeInterval: 0.02)
      task.cancel()
      isCanceled.signal()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(counts.values == [500_000])
  }
}
