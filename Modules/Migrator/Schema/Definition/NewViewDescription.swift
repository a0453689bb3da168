/// The definition of a new view.
public struct NewViewDescription: Sendable, Equatable {
  /// The view's name.
  public var name: String
  /// The schema of an attached database in which to create the view; nil for the main schema.
  public var schema: String?
  /// Options for creating the view.
  public var options: ViewOptions
  /// The names of the view's columns; nil to use the column names of the query.
  public var columns: [String]?
  /// The view's query, as SQL.
  public var sql: String

  /// Creates a definition.
  public init(name: String, schema: String? = nil, options: ViewOptions = [], columns: [String]? = nil, sql: String) {
    self.name = name
    self.schema = schema
    self.options = options
    self.columns = columns
    self.sql = sql
  }
}

/// Options for creating a view.
public struct ViewOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public let rawValue: UInt8
  /// Creates a set of options from bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The view is dropped when the connection closes.
  public static let temporary = ViewOptions(rawValue: 1 << 0)
  /// Nothing is done if the view exists.
  public static let ifNotExists = ViewOptions(rawValue: 1 << 1)
}

/// The definition of a new trigger (https://www.sqlite.org/lang_createtrigger.html).
public struct NewTriggerDescription: Sendable, Equatable {
  /// The time at which a trigger runs.
  public enum Timing: String, Sendable, Hashable, Encodable {
    /// Before the row changes.
    case before = "BEFORE"
    /// After the row has changed.
    case after = "AFTER"
    /// Instead of the change, for views.
    case insteadOf = "INSTEAD OF"
  }

  /// The event that fires a trigger.
  public enum Event: Sendable, Equatable, Encodable {
    /// A row is inserted.
    case insert
    /// A row is deleted.
    case delete
    /// A row is updated.
    ///
    /// If `of` names columns, the trigger fires only for statements that set at least one of them.
    case update(of: [String] = [])
  }

  /// The trigger's name.
  public var name: String
  /// The schema of an attached database that contains the trigger and its table; nil for the main schema.
  public var schema: String?
  /// Options for creating the trigger.
  public var options: TriggerOptions
  /// The time at which the trigger runs.
  public var timing: Timing
  /// The event that fires the trigger.
  public var event: Event
  /// The table or view whose changes fire the trigger.
  public var table: String
  /// The `WHEN` condition: the trigger fires only for rows for which this SQL expression is true; nil for every row.
  public var condition: String?
  /// The statements that the trigger runs, as SQL.
  public var statements: String

  /// Creates a definition.
  public init(
    name: String, schema: String? = nil, options: TriggerOptions = [], timing: Timing, event: Event, table: String,
    condition: String? = nil, statements: String
  ) {
    self.name = name
    self.schema = schema
    self.options = options
    self.timing = timing
    self.event = event
    self.table = table
    self.condition = condition
    self.statements = statements
  }
}

/// Options for creating a trigger.
public struct TriggerOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public let rawValue: UInt8
  /// Creates a set of options from bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The trigger is dropped when the connection closes.
  public static let temporary = TriggerOptions(rawValue: 1 << 0)
  /// Nothing is done if the trigger exists.
  public static let ifNotExists = TriggerOptions(rawValue: 1 << 1)
}
