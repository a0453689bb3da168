extension DatabaseValueConvertible where Self: FixedWidthInteger {
  /// The number as an integer.
  ///
  /// A number beyond 64 signed bits is stored as text, so that no digit is lost.
  @inlinable
  public var databaseValue: DatabaseValue { Int64(exactly: self).map { .integer($0) } ?? .text(String(self)) }

  /// The number, if it was stored as an integer, or as a floating-point number without a fraction, and fits.
  @inlinable
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    switch value {
    case .integer(let integer): Self(exactly: integer)
    case .real(let real): Self(exactly: real)
    case .text(let text) where Self.max > Int64.max: Self(text)
    default: nil
    }
  }

  /// Reads the number without a detour.
  @inlinable
  public static func fromColumn(_ index: Int, of row: Row) -> Self? {
    if case .integer(let integer) = row.storage[index] { return Self(exactly: integer) }
    return fromOtherColumn(index, of: row)
  }

  /// Reads what is not stored as an integer, apart from what is read often.
  @inline(never)
  @usableFromInline
  static func fromOtherColumn(_ index: Int, of row: Row) -> Self? {
    fromDatabaseValue(row.storage.value(at: index))
  }
}

extension Int: DatabaseValueConvertible {
  /// Reads the number without a detour, and without the call that the compiler makes for integers in general.
  @inlinable
  public static func fromColumn(_ index: Int, of row: Row) -> Int? {
    if case .integer(let integer) = row.storage[index] { return Int(exactly: integer) }
    return fromOtherColumn(index, of: row)
  }
}
extension Int8: DatabaseValueConvertible {}
extension Int16: DatabaseValueConvertible {}
extension Int32: DatabaseValueConvertible {}
extension Int64: DatabaseValueConvertible {
  /// Reads the number without a detour, and without the call that the compiler makes for integers in general.
  @inlinable
  public static func fromColumn(_ index: Int, of row: Row) -> Int64? {
    if case .integer(let integer) = row.storage[index] { return integer }
    return fromOtherColumn(index, of: row)
  }
}
extension UInt: DatabaseValueConvertible {}
extension UInt8: DatabaseValueConvertible {}
extension UInt16: DatabaseValueConvertible {}
extension UInt32: DatabaseValueConvertible {}
extension UInt64: DatabaseValueConvertible {}

extension Bool: DatabaseValueConvertible {
  /// 1 for true, 0 for false.
  @inlinable
  public var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }

  /// False for zero, true for any other number.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Bool? {
    switch value {
    case .integer(let integer): integer != 0
    case .real(let real): real != 0
    default: nil
    }
  }
}

extension Double: DatabaseValueConvertible {
  /// The number.
  ///
  /// Databases hold no NaN: SQLite stores it as NULL.
  @inlinable
  public var databaseValue: DatabaseValue { .real(self) }

  /// The number, if any number was stored.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Double? {
    switch value {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }

  /// Reads the number without a detour.
  @inlinable
  public static func fromColumn(_ index: Int, of row: Row) -> Double? {
    switch row.storage[index] {
    case .real(let real): real
    case .integer(let integer): Double(integer)
    default: nil
    }
  }
}

extension Float: DatabaseValueConvertible {
  /// The number with twice its precision.
  public var databaseValue: DatabaseValue { .real(Double(self)) }
  /// The nearest number of this type, if any number was stored.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Float? {
    Double.fromDatabaseValue(value).map { Float($0) }
  }
}
