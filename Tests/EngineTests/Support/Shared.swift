import Migrator

/// A value that several threads and tasks use.
final class Shared<Value: Sendable>: Sendable {
  private let mutex: Lock<Value>

  /// Creates it with a first value.
  init(_ value: Value) { mutex = Lock(value) }

  /// The current value.
  var value: Value { mutex.withLock { $0 } }

  /// Calls `body` with exclusive access to the value.
  func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { mutex.withLock { body(&$0) } }
}
