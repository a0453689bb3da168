#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A moment as a calendar shows it in UTC.
struct UTCTime {
  /// The seconds since the beginning of 1970.
  let secondsSince1970: Int
  /// `yyyyMMdd`.
  let date: String
  /// `HHmmss`.
  let time: String

  /// The moment so many seconds after the beginning of 1970.
  init(secondsSince1970 seconds: Int) {
    secondsSince1970 = seconds
    var moment = time_t(seconds)
    var parts = tm()
    gmtime_r(&moment, &parts)
    date = Self.digits(parts.tm_year + 1900, 4) + Self.digits(parts.tm_mon + 1, 2) + Self.digits(parts.tm_mday, 2)
    time = Self.digits(parts.tm_hour, 2) + Self.digits(parts.tm_min, 2) + Self.digits(parts.tm_sec, 2)
  }

  private static func digits(_ number: Int32, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
