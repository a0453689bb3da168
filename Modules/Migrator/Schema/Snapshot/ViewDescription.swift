/// A view as the engine and its definition describe it.
public struct ViewDescription: Sendable, Hashable, Codable {
  /// The view's name as it was written.
  public var name: String
  /// The columns in their order; nil when the engine cannot tell, since the view names what is not there.
  public var columns: [ColumnDescription]?
  /// The tables and views that the query names, in the order of their first mention.
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
public struct TriggerDescription: Sendable, Hashable, Codable {
  /// The trigger's name as it was written.
  public var name: String
  /// The table or view whose rows it watches.
  public var table: String
  /// When it runs.
  public var timing: NewTriggerDescription.Timing
  /// What it waits for.
  public var event: NewTriggerDescription.Event
  /// The expression that chooses the rows, as SQL; nil for all.
  public var condition: String?
  /// The tables and views that its statements name, in the order of their first mention.
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
