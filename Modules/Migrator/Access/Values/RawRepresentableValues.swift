extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
  /// The raw value as it is stored.
  public var databaseValue: DatabaseValue { rawValue.databaseValue }

  /// The value of a stored raw value; nil when it is none of this type's.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(value).flatMap { Self(rawValue: $0) }
  }
}
