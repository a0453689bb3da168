import Foundation
import TestEngines
import Testing

@Suite("Commands on many databases in one process")
struct FleetThreadTests {
  @Test("They run although their callers block all threads of Swift concurrency")
  func blockedThreads() async throws {
    // There are as many threads as processors.
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount
    let codes = try await withThrowingTaskGroup(of: Int32.self) { group in
      for _ in 0..<count {
        group.addTask {
          let trial = try ToolTrial(.sqlite, ["1_a.sql": "CREATE TABLE a (x)"])
          _ = trial.run("migrate")
          return Self.watched { trial.run("status --databases \(trial.database)", usesDatabase: false).exitCode }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == Array(repeating: 0, count: count))
  }

  /// Ends the process if `body`, for which this thread waits, takes minutes.
  ///
  /// A time limit of the test would itself need one of the blocked threads.
  private static func watched<Value>(_ body: () -> Value) -> Value {
    let watch = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "migrator.blocked-threads"))
    watch.schedule(deadline: .now() + .seconds(300))
    watch.setEventHandler { fatalError("commands with --databases wait for threads that they block themselves") }
    watch.activate()
    defer { watch.cancel() }
    return body()
  }
}
