public import Migrator

/// A backend that records each call on the border, in order, and forwards it to another backend.
///
/// Connections and scratch databases that come of it write into the same record. Copies share it, too.
public struct RecordingBackend: DatabaseBackend {
  private let base: InterceptedBackend
  private let record: CallRecord

  /// Wraps a backend; the record is empty.
  public init(_ base: any DatabaseBackend) {
    record = CallRecord()
    self.base = InterceptedBackend(base, interceptor: record)
  }

  /// The calls so far, in the order in which they began.
  public var calls: [BorderCall] { record.calls }

  /// Empties the record.
  public func forget() { record.forget() }

  /// The label of the wrapped backend.
  public var label: String { base.label }
  /// Whether all connections open one and the same database, as the wrapped backend says.
  public var isShared: Bool { base.isShared }

  /// Opens a connection whose calls are recorded.
  public func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    try base.connect(options)
  }

  /// A scratch database whose calls are recorded.
  public func scratch() throws(DatabaseError) -> any DatabaseBackend { try base.scratch() }
}

/// The record that a backend, its connections and their statements share.
private final class CallRecord: CallInterceptor {
  private let list = Lock<[BorderCall]>([])

  var calls: [BorderCall] { list.withLock { $0 } }

  func forget() { list.withLock { $0.removeAll() } }

  func note(_ call: BorderCall) { list.withLock { $0.append(call) } }

  func admit(_ call: BorderCall) throws(DatabaseError) { note(call) }
}
