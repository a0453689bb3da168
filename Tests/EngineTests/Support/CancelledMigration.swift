import Dispatch
import Migrator
import Testing

/// A run whose task is canceled while one of its migrations is at a certain point.
final class CancelledMigration: Sendable {
  private let isThere: AsyncStream<Void>
  private let arrival: AsyncStream<Void>.Continuation
  private let isCancelled = DispatchSemaphore(value: 0)

  init() { (isThere, arrival) = AsyncStream.makeStream() }

  /// The point, called by the migration: waits until the task was canceled.
  func wait() {
    arrival.finish()
    isCancelled.wait()
    // The next run does not wait here.
    isCancelled.signal()
  }

  /// Starts the migrator, and cancels its task at the point.
  func migrate(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) async {
    let task = Task { try await migrator.migrate(dbQueue) }
    for await _ in isThere {}
    task.cancel()
    isCancelled.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
