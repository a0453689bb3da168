import Dispatch
import Migrator
import Testing

/// A run whose task is cancelled while one of its migrations is at a certain place.
final class CancelledMigration: Sendable {
  private let isThere: AsyncStream<Void>
  private let arrival: AsyncStream<Void>.Continuation
  private let isCancelled = DispatchSemaphore(value: 0)

  init() { (isThere, arrival) = AsyncStream.makeStream() }

  /// The place, called by the migration: waits until the task was cancelled.
  func wait() {
    arrival.finish()
    isCancelled.wait()
    // The next run does not wait here.
    isCancelled.signal()
  }

  /// Migrates, and cancels that at the place.
  func migrate(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) async {
    let task = Task { try await migrator.migrate(dbQueue) }
    for await _ in isThere {}
    task.cancel()
    isCancelled.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
