#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

struct UTCTime {
  let secondsSince1970: Int
  /// The date as `yyyyMMdd`.
  let date: String
  /// The time of day as `HHmmss`.
  let time: String

  init(secondsSince1970 seconds: Int) {
    secondsSince1970 = seconds
    let digits = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601).filter(\.isNumber)
    date = String(digits.prefix(8))
    time = String(digits.dropFirst(8))
  }

  /// Creates the time at which a day begins, in UTC.
  ///
  /// If the month has fewer days, the result is in the next month.
  init(year: Int, month: Int, day: Int) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let date = calendar.date(from: DateComponents(year: year, month: month, day: day)) ?? .distantPast
    self.init(secondsSince1970: Int(date.timeIntervalSince1970))
  }

  /// Returns the date with a separator between its parts, such as `yyyy-MM-dd`.
  func date(separatedBy separator: String) -> String {
    "\(date.dropLast(4))\(separator)\(date.dropLast(2).suffix(2))\(separator)\(date.suffix(2))"
  }
}
