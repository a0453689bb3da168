#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Adds collations and functions of the application to a connection.
///
/// Optional: an engine that cannot call back has no extender. What was added stays until the connection is closed.
public protocol ConnectionExtender: AnyObject {
  /// Adds a collation, or replaces the one of that name.
  func add(_ collation: DatabaseCollation) throws(DatabaseError)

  /// Adds a function, or replaces the one of that name and number of arguments.
  func add(_ function: DatabaseFunction) throws(DatabaseError)
}

/// An order of texts that the application defines, for `COLLATE` in SQL.
///
///     let localized = DatabaseCollation("localized") { one, other in one.localizedCompare(other) }
public struct DatabaseCollation: Sendable {
  /// The name in SQL, whose ASCII case does not matter.
  public var name: String
  /// The comparison, which must always order the same texts in the same way: indexes are stored in this order.
  public var compare: @Sendable (_ one: String, _ other: String) -> ComparisonResult

  /// Creates a collation.
  public init(_ name: String, compare: @escaping @Sendable (_ one: String, _ other: String) -> ComparisonResult) {
    self.name = name
    self.compare = compare
  }
}

/// A function that the application defines, for expressions in SQL.
///
///     let shout = DatabaseFunction("shout", argumentCount: 1, pure: true) { values in
///       String.fromDatabaseValue(values[0])?.uppercased()
///     }
public struct DatabaseFunction: Sendable {
  /// The name in SQL, whose ASCII case does not matter.
  public var name: String
  /// The number of arguments; nil for any number.
  public var argumentCount: Int?
  /// Whether the result depends on the arguments alone, as indexes and generated columns require.
  public var isPure: Bool
  /// Returns the function's value, nil for NULL; an error that it throws fails the statement.
  public var evaluate: @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?

  /// Creates a function.
  public init(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false,
    function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
  ) {
    self.name = name
    self.argumentCount = argumentCount
    isPure = pure
    evaluate = function
  }
}
