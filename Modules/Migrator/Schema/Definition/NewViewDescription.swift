/// What a new view is made of.
public struct NewViewDescription: Sendable, Hashable {
  /// The view's name.
  public var name: String
  /// The schema of an attached database that the view goes to; nil for the main schema.
  public var schema: String?
  /// How the view is created.
  public var options: ViewOptions
  /// The columns' names; nil for those of the query.
  public var columns: [String]?
  /// The query.
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

/// How a view is created.
public struct ViewOptions: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The view is gone when the connection closes.
  public static let temporary = ViewOptions(rawValue: 1 << 0)
  /// Nothing happens when the view exists.
  public static let ifNotExists = ViewOptions(rawValue: 1 << 1)
}

/// What a new trigger is made of (https://www.sqlite.org/lang_createtrigger.html).
public struct NewTriggerDescription: Sendable, Hashable {
  /// When a trigger runs.
  public enum Timing: String, Sendable, Hashable, Codable {
    /// Before the row changes.
    case before = "BEFORE"
    /// After the row has changed.
    case after = "AFTER"
    /// In place of the change, for views.
    case insteadOf = "INSTEAD OF"
  }

  /// What a trigger waits for.
  public enum Event: Sendable, Hashable, Codable {
    /// A row is inserted.
    case insert
    /// A row is deleted.
    case delete
    /// A row is updated; with columns, only by statements that set one of them.
    case update(of: [String] = [])
  }

  /// The trigger's name.
  public var name: String
  /// The schema of an attached database that holds trigger and table; nil for the main schema.
  public var schema: String?
  /// How the trigger is created.
  public var options: TriggerOptions
  /// When it runs.
  public var timing: Timing
  /// What it waits for.
  public var event: Event
  /// The table or view.
  public var table: String
  /// An expression that chooses the rows, given as SQL; nil for all.
  public var condition: String?
  /// The statements that run, given as SQL.
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

/// How a trigger is created.
public struct TriggerOptions: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The trigger is gone when the connection closes.
  public static let temporary = TriggerOptions(rawValue: 1 << 0)
  /// Nothing happens when the trigger exists.
  public static let ifNotExists = TriggerOptions(rawValue: 1 << 1)
}
