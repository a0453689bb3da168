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
  let date: String
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

  /// The beginning of a day; a day past the end of its month is one of the next month.
  init(year: Int, month: Int, day: Int) {
    var parts = tm()
    parts.tm_year = Int32(year - 1900)
    parts.tm_mon = Int32(month - 1)
    parts.tm_mday = Int32(day)
    self.init(secondsSince1970: Int(timegm(&parts)))
  }

  /// `yyyyMMdd` with a separator between its parts, such as `yyyy-MM-dd`.
  func date(separatedBy separator: Character) -> String {
    "\(date.dropLast(4))\(separator)\(date.dropLast(2).suffix(2))\(separator)\(date.suffix(2))"
  }

  private static func digits(_ number: Int32, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
