/// A view as the engine and its definition describe it.
public struct ViewDescription: Sendable, Equatable, Encodable {
  /// The view's name as written.
  public var name: String
  /// The columns in order; nil if the engine cannot determine them because the view refers to a missing object.
  public var columns: [ColumnDescription]?
  /// The tables and views that the query uses, in the order of their first mention.
  public var tables: [String]
  /// The query, as SQL.
  public var sql: String

  /// Creates a description.
  public init(name: String, columns: [ColumnDescription]?, tables: [String], sql: String) {
    self.name = name
    self.columns = columns
    self.tables = tables
    self.sql = sql
  }
}

/// A trigger as its definition describes it.
public struct TriggerDescription: Sendable, Equatable, Encodable {
  /// The trigger's name as written.
  public var name: String
  /// The table or view whose rows fire the trigger.
  public var table: String
  /// The time at which the trigger runs.
  public var timing: NewTriggerDescription.Timing
  /// The event that fires the trigger.
  public var event: NewTriggerDescription.Event
  /// The `WHEN` condition, an SQL expression; nil if the trigger fires for every row.
  public var condition: String?
  /// The tables and views that the trigger's statements use, in the order of their first mention.
  public var tables: [String]

  /// Creates a description.
  public init(
    name: String, table: String, timing: NewTriggerDescription.Timing, event: NewTriggerDescription.Event,
    condition: String?,
    tables: [String]
  ) {
    self.name = name
    self.table = table
    self.timing = timing
    self.event = event
    self.condition = condition
    self.tables = tables
  }
}
