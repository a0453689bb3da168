/// A type whose values can be stored in a column and read back.
public protocol DatabaseValueConvertible {
  /// The value as it is stored.
  var databaseValue: DatabaseValue { get }

  /// The value that was stored, nil when `value` is none of this type. NULL gives nil for all but optional types.
  static func fromDatabaseValue(_ value: DatabaseValue) -> Self?

  /// Reads the current row's value in a column; nil as ``fromDatabaseValue(_:)``.
  ///
  /// There is a default that reads the whole ``DatabaseValue`` first; types that are read often do without.
  static func fromColumn(_ column: Int, of statement: any DatabaseStatement) -> Self?
}

extension DatabaseValueConvertible {
  /// Reads the current row's value by way of a ``DatabaseValue``.
  public static func fromColumn(_ column: Int, of statement: any DatabaseStatement) -> Self? {
    fromDatabaseValue(DatabaseValue(statement, column: column))
  }
}

extension DatabaseValue: DatabaseValueConvertible {
  /// The value itself.
  public var databaseValue: DatabaseValue { self }
  /// The value itself, NULL included.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseValue? { value }
}
