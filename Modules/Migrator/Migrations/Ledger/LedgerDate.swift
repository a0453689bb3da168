/// Writes moments as a ledger holds them.
///
/// A general formatter takes longer than all else that is done for a ledger's entry.
enum LedgerDate {
  /// UTC by the Gregorian calendar, as `2026-01-31T23:59:59.123Z`.
  ///
  /// - Parameter milliseconds: Counted from 1970; moments before that year count as its beginning.
  static func text(millisecondsSince1970 milliseconds: Int64) -> String {
    let (days, time) = max(milliseconds, 0).quotientAndRemainder(dividingBy: 86_400_000)
    let date = civil(daysSince1970: days)
    return String(unsafeUninitializedCapacity: 24) { text in
      var end = 0
      func append(_ number: Int64, _ width: Int, _ mark: Unicode.Scalar) {
        var rest = number
        for place in (end..<(end + width)).reversed() {
          text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        text[end + width] = UInt8(ascii: mark)
        end += width + 1
      }
      append(date.year, 4, "-")
      append(date.month, 2, "-")
      append(date.day, 2, "T")
      append(time / 3_600_000, 2, ":")
      append(time / 60_000 % 60, 2, ":")
      append(time / 1000 % 60, 2, ".")
      append(time % 1000, 3, "Z")
      return end
    }
  }

  /// https://howardhinnant.github.io/date_algorithms.html#civil_from_days, for days that are not negative: years begin in
  /// March, so that the leap day is the last one, and 400 years have 146,097 days.
  private static func civil(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
