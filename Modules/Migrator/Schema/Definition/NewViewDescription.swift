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
