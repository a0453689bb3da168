import Foundation
import Migrator
import TestEngines

/// Work in a task that is canceled while the work does something that never ends.
///
/// A thread of its own cancels the task: all threads of Swift concurrency may be busy with other tests for minutes, in which
/// an endless statement would take the processor from them.
final class CancelledWork: Sendable {
  private let cancel = Lock<(@Sendable () -> Void)?>(nil)

  /// Lets the task be canceled in a moment; called by the work just before the part that never ends.
  func cancelSoon() {
    Thread.detachNewThread { [cancel] in
      repeat { Thread.sleep(forTimeInterval: 0.02) } while cancel.value == nil
      cancel.value?()
    }
  }

  /// Returns the result of the work.
  func result<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task { try await work() }
    cancel.withLock { $0 = { task.cancel() } }
    return try await task.value
  }
}
