#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension String: DatabaseValueConvertible {
  /// The text.
  @inlinable
  public var databaseValue: DatabaseValue { .text(self) }

  /// The text, if text was stored.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> String? {
    if case .text(let text) = value { text } else { nil }
  }

  /// Reads the text without a detour.
  @inlinable
  public static func fromColumn(_ index: Int, of row: Row) -> String? {
    if case .text(let bytes) = row.storage[index] { String(columnText: bytes) } else { nil }
  }
}

extension Data: DatabaseValueConvertible {
  /// The bytes.
  @inlinable
  public var databaseValue: DatabaseValue { .blob(self) }

  /// The bytes, if bytes were stored, or the UTF-8 bytes of text.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Data? {
    switch value {
    case .blob(let data): data
    case .text(let text): Data(text.utf8)
    default: nil
    }
  }
}

extension UUID: DatabaseValueConvertible {
  /// The 16 bytes.
  public var databaseValue: DatabaseValue { withUnsafeBytes(of: uuid) { .blob(Data($0)) } }

  /// The UUID, if 16 bytes or the usual text form were stored.
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
  /// The form that SQLite's date functions read and that sorts by time: `2026-01-31 23:59:59.123`, in UTC.
  ///
  /// https://www.sqlite.org/lang_datefunc.html
  private static var storedStyle: ISO8601FormatStyle {
    ISO8601FormatStyle(dateTimeSeparator: .space, includingFractionalSeconds: true).year().month().day()
      .time(includingFractionalSeconds: true)
  }

  /// Text in UTC with milliseconds, such as `2026-01-31 23:59:59.123`.
  public var databaseValue: DatabaseValue { .text(formatted(Self.storedStyle)) }

  /// The date, from text in one of SQLite's forms, or from a number of seconds since 1970.
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
