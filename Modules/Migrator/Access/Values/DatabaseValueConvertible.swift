/// A type whose values can be stored in a column and read back.
public protocol DatabaseValueConvertible {
  /// The value as it is stored.
  var databaseValue: DatabaseValue { get }

  /// The value that was stored, nil when `value` is none of this type. NULL gives nil for all but optional types.
  static func fromDatabaseValue(_ value: DatabaseValue) -> Self?

  /// Reads the value in a column of a row; nil as ``fromDatabaseValue(_:)``.
  ///
  /// There is a default that reads the whole ``DatabaseValue`` first; types that are read often do without.
  static func fromColumn(_ index: Int, of row: Row) -> Self?
}

extension DatabaseValueConvertible {
  /// Reads the value by way of a ``DatabaseValue``.
  @inlinable
  public static func fromColumn(_ index: Int, of row: Row) -> Self? {
    fromDatabaseValue(row.storage.value(at: index))
  }
}

extension DatabaseValue: DatabaseValueConvertible {
  /// The value itself.
  public var databaseValue: DatabaseValue { self }
  /// The value itself, NULL included.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseValue? { value }
}
