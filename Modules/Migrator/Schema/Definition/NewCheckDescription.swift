/// A CHECK constraint of a table or column (https://www.sqlite.org/lang_createtable.html#check_constraints).
public struct NewCheckDescription: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
  /// The expression, given as SQL.
  public var sql: String
  /// The constraint's name; nil for none.
  public var name: String?

  /// Creates a constraint.
  public init(_ sql: String, name: String? = nil) {
    self.sql = sql
    self.name = name
  }

  /// Creates a constraint without a name.
  public init(stringLiteral value: String) { self.init(value) }
}
