import Migrator

/// Values that several threads write down, in order.
final class Log<Value: Sendable>: Sendable {
  private let list = Lock<[Value]>([])

  /// What was written so far.
  var values: [Value] { list.withLock { $0 } }

  /// Writes a value down.
  func add(_ value: Value) { list.withLock { $0.append(value) } }
}
