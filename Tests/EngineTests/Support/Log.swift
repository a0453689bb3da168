import Migrator

/// Values that several threads record, in order.
final class Log<Value: Sendable>: Sendable {
  private let list = Lock<[Value]>([])

  /// The values recorded so far.
  var values: [Value] { list.withLock { $0 } }

  /// Records a value.
  func add(_ value: Value) { list.withLock { $0.append(value) } }
}

extension Lock where Value: Sendable {
  /// The current value.
  var value: Value { withLock { $0 } }
}
