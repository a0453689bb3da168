#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An object that adds collations and functions of the application to a connection.
///
/// Optional: an engine that cannot call the application's code has no extender. Collations and functions remain
/// available until the connection is closed.
public protocol ConnectionExtender: AnyObject {
  /// Adds a collation, or replaces the existing collation of that name.
  func add(_ collation: DatabaseCollation) throws(DatabaseError)

  /// Adds a function, or replaces the existing function with the same name and number of arguments.
  func add(_ function: DatabaseFunction) throws(DatabaseError)
}

/// A collation that the application defines: a rule for ordering text, for `COLLATE` in SQL.
///
///     let localized = DatabaseCollation("localized") { one, other in one.localizedCompare(other) }
public struct DatabaseCollation: Sendable {
  /// The name in SQL; ASCII case is ignored.
  public var name: String
  /// The comparison.
  ///
  /// It must always give the same result for the same texts, because indexes are stored in this order.
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
  /// The name in SQL; ASCII case is ignored.
  public var name: String
  /// The number of arguments; nil for any number.
  public var argumentCount: Int?
  /// Whether the result depends on the arguments alone, as indexes and generated columns require.
  public var isPure: Bool
  /// The closure that returns the function's value, or nil for NULL.
  ///
  /// If it throws an error, the statement fails.
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
