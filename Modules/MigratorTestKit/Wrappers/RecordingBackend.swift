public import Migrator

/// A backend that records the calls from the core, in order, and forwards them to another backend.
///
/// Its connections, its scratch databases and its copies all use the same record.
public struct RecordingBackend: DatabaseBackend {
  private let base: InterceptedBackend
  private let record: CallRecord

  /// Wraps a backend; the record is empty at first.
  public init(_ base: any DatabaseBackend) {
    record = CallRecord()
    self.base = InterceptedBackend(base, interceptor: record)
  }

  /// The calls so far, in the order in which they began.
  public var calls: [BorderCall] { record.list.withLock { $0 } }

  /// Empties the record.
  public func forget() { record.list.withLock { $0.removeAll() } }

  /// The label of the wrapped backend.
  public var label: String { base.label }
  /// Whether all connections open the same database, as the wrapped backend reports.
  public var isShared: Bool { base.isShared }

  /// Opens a connection whose calls are recorded.
  public func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    try base.connect(options)
  }

  /// Returns a scratch database whose calls are recorded.
  public func scratch() throws(DatabaseError) -> any DatabaseBackend { try base.scratch() }
}

private final class CallRecord: CallInterceptor {
  let list = Lock<[BorderCall]>([])

  func note(_ call: BorderCall) { list.withLock { $0.append(call) } }

  func admit(_ call: BorderCall) throws(DatabaseError) { note(call) }
}
