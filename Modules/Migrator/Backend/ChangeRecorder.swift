/// Tells which tables and objects the statements of a connection touch, as they are prepared.
///
/// An ability: engines that cannot tell give no recorder, and the core falls back to checking every table.
public protocol ChangeRecorder: AnyObject {
  /// Begins to record with an empty record.
  func start()

  /// Ends recording.
  func stop()

  /// What was touched since ``start()``. Complete for a statement once it has been prepared; a superset is allowed.
  var changes: RecordedChanges { get }
}

/// What a ``ChangeRecorder`` has seen.
public struct RecordedChanges: Sendable, Hashable {
  /// The tables whose rows or definition may have changed, names folded to ASCII lower case.
  public var tables: Set<String>

  /// A claim that the record does not tell all: anything may have changed.
  public var isIncomplete: Bool

  /// Creates a record.
  public init(tables: Set<String> = [], isIncomplete: Bool = false) {
    self.tables = tables
    self.isIncomplete = isIncomplete
  }
}
