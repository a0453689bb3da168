#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type whose values can be stored in a column and read back.
public protocol DatabaseValueConvertible {
  /// The value as it is stored.
  var databaseValue: DatabaseValue { get }

  /// Converts a stored value to this type; returns nil if the value is NULL or of another type.
  static func fromDatabaseValue(_ value: DatabaseValue) -> Self?

  /// Reads the value in a column of the current row without copying it first; returns nil if it is of another type.
  ///
  /// The default implementation creates a ``DatabaseValue``; implement this method for types that are read often.
  static func fromColumn(_ column: ColumnValue) -> Self?
}

extension DatabaseValueConvertible {
  /// Creates a ``DatabaseValue`` from the column, and converts it to this type.
  @inlinable
  public static func fromColumn(_ column: ColumnValue) -> Self? { fromDatabaseValue(DatabaseValue(column)) }
}

extension DatabaseValue: DatabaseValueConvertible {
  /// The value itself.
  public var databaseValue: DatabaseValue { self }
  /// Returns the value itself, including NULL.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseValue? { value }
}

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
  /// The raw value as it is stored.
  public var databaseValue: DatabaseValue { rawValue.databaseValue }

  /// Returns the value of this type whose raw value was stored; nil if there is none.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(value).flatMap { Self(rawValue: $0) }
  }
}

extension DatabaseValueConvertible where Self: FixedWidthInteger {
  /// The number as an integer.
  ///
  /// A number that does not fit into a signed 64-bit integer is stored as text, so that no digit is lost.
  @inlinable
  public var databaseValue: DatabaseValue { Int64(exactly: self).map { .integer($0) } ?? .text(String(self)) }

  /// Returns the stored number; nil if this type cannot represent it, or if no number was stored.
  ///
  /// A floating-point number must have no fraction. Types with values above `Int64.max` also read numbers stored
  /// as text.
  @inlinable
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    switch value {
    case .integer(let integer): Self(exactly: integer)
    case .real(let real): Self(exactly: real)
    case .text(let text) where Self.max > Int64.max: Self(text)
    default: nil
    }
  }

  /// Reads an integer directly from the column, without creating a `DatabaseValue` first.
  @inlinable
  public static func fromColumn(_ column: ColumnValue) -> Self? {
    if case .integer(let integer) = column { Self(exactly: integer) } else { fromDatabaseValue(DatabaseValue(column)) }
  }
}

extension Int: DatabaseValueConvertible {}
extension Int8: DatabaseValueConvertible {}
extension Int16: DatabaseValueConvertible {}
extension Int32: DatabaseValueConvertible {}
extension Int64: DatabaseValueConvertible {}
extension UInt: DatabaseValueConvertible {}
extension UInt8: DatabaseValueConvertible {}
extension UInt16: DatabaseValueConvertible {}
extension UInt32: DatabaseValueConvertible {}
extension UInt64: DatabaseValueConvertible {}

extension Bool: DatabaseValueConvertible {
  /// The integer 1 for true, 0 for false.
  @inlinable
  public var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }

  /// Returns false for zero, true for any other number, and nil for other values.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Bool? {
    switch value {
    case .integer(let integer): integer != 0
    case .real(let real): real != 0
    default: nil
    }
  }
}

extension Double: DatabaseValueConvertible {
  /// The number as a floating-point value; SQLite stores NaN as NULL.
  @inlinable
  public var databaseValue: DatabaseValue { .real(self) }

  /// Returns the stored number, whether it is an integer or a floating-point number; nil for other values.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Double? {
    switch value {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }

  /// Reads a number directly from the column, without creating a `DatabaseValue` first.
  @inlinable
  public static func fromColumn(_ column: ColumnValue) -> Double? {
    switch column {
    case .real(let real): real
    case .integer(let integer): Double(integer)
    default: nil
    }
  }
}

extension Float: DatabaseValueConvertible {
  /// The number in double precision.
  public var databaseValue: DatabaseValue { .real(Double(self)) }
  /// Returns the number of this type that is nearest to the stored number; nil if no number was stored.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Float? {
    Double.fromDatabaseValue(value).map { Float($0) }
  }
}

extension String: DatabaseValueConvertible {
  /// The text, stored unchanged.
  @inlinable
  public var databaseValue: DatabaseValue { .text(self) }

  /// Returns the stored text; nil for other values.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> String? {
    if case .text(let text) = value { text } else { nil }
  }

  /// Reads text directly from the column, without creating a `DatabaseValue` first.
  @inlinable
  public static func fromColumn(_ column: ColumnValue) -> String? {
    if case .text(let bytes) = column { String(decoding: bytes, as: UTF8.self) } else { nil }
  }
}

extension Data: DatabaseValueConvertible {
  /// The bytes, stored as a BLOB.
  @inlinable
  public var databaseValue: DatabaseValue { .blob(self) }

  /// Returns the stored bytes, or the UTF-8 bytes of stored text; nil for other values.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Data? {
    switch value {
    case .blob(let data): data
    case .text(let text): Data(text.utf8)
    default: nil
    }
  }
}

extension UUID: DatabaseValueConvertible {
  /// The 16 bytes of the UUID, stored as a BLOB.
  public var databaseValue: DatabaseValue { withUnsafeBytes(of: uuid) { .blob(Data($0)) } }

  /// Returns the UUID if 16 bytes or its standard text form were stored; nil for other values.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> UUID? {
    switch value {
    case .blob(let data) where data.count == 16:
      data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    case .text(let text): UUID(uuidString: text)
    default: nil
    }
  }
}

extension Date: DatabaseValueConvertible {
  /// The sortable form in UTC that SQLite's date functions read (https://www.sqlite.org/lang_datefunc.html).
  private static var storedStyle: ISO8601FormatStyle {
    ISO8601FormatStyle(dateTimeSeparator: .space, includingFractionalSeconds: true).year().month().day()
      .time(includingFractionalSeconds: true)
  }

  /// Text in UTC with milliseconds, such as `2026-01-31 23:59:59.123`.
  public var databaseValue: DatabaseValue { .text(formatted(Self.storedStyle)) }

  /// Returns the date, from text in one of SQLite's formats or from a number of seconds since 1970;
  /// nil for other values.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Date? {
    switch value {
    case .integer(let seconds): Date(timeIntervalSince1970: Double(seconds))
    case .real(let seconds): Date(timeIntervalSince1970: seconds)
    case .text(let text): parse(text)
    default: nil
    }
  }

  private static func parse(_ text: String) -> Date? {
    let full = text.replacing("T", with: " ", maxReplacements: 1).filter { $0 != "Z" }
    let day = ISO8601FormatStyle().year().month().day()
    let seconds = ISO8601FormatStyle(dateTimeSeparator: .space).year().month().day()
      .time(includingFractionalSeconds: false)
    let styles = [storedStyle, seconds, day]
    return styles.lazy.compactMap { try? $0.parse(full) }.first
  }
}
