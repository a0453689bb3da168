/// A date at the beginning of a migration's name, with what follows it up to the title: `2024-01-31_`, `V2024.01.31.2__`.
struct DatedName {
  /// The `v` before the date, or nothing.
  private let letter: Substring
  private let day: (year: Int, month: Int, day: Int)
  /// The character between the parts of the date.
  private let separator: Character
  /// The numbers after the date, each with the character before it.
  private var numbers: [(joint: Substring, digits: Substring)] = []
  private let titleSeparator: String

  /// Reads the beginning of a name; nil when it is no date of this century or the last one.
  init?(_ name: String) {
    // No number may be a part of a word, as in `31st`.
    guard
      let date = name.prefixMatch(of: /([vV]?)((?:19|20)[0-9]{2})([-_.])([0-9]{2})\3([0-9]{2})(?![\p{L}\p{N}])/),
      let year = Int(date.2), let month = Int(date.4), let day = Int(date.5), (1...12).contains(month),
      (1...31).contains(day)
    else { return nil }
    (letter, separator, self.day) = (date.1, Character(String(date.3)), (year, month, day))
    var rest = name[date.range.upperBound...]
    while let number = rest.prefixMatch(of: /([-_.])([0-9]+)(?![\p{L}\p{N}])/),
      number.1 == date.3 || number.2.count == Self.clockLength
    {
      numbers.append((number.1, number.2))
      rest = rest[number.range.upperBound...]
    }
    let joint = rest.prefix { !$0.isLetter && !$0.isNumber }
    titleSeparator = joint.isEmpty ? "_" : String(joint)
  }

  /// The possible beginnings of the next name, the least surprising first: today's date, a further number on the same day,
  /// the day after it.
  ///
  /// Not all of them sort after this name: it may be of today or of the future, and `2024_01_31_2_a` sorts before
  /// `2024_01_31_b`.
  func following(_ now: UTCTime) -> [String] {
    let today = UTCTime(year: day.year, month: day.month, day: day.day)
    let tomorrow = UTCTime(year: day.year, month: day.month, day: day.day + 1)
    return [(now, clock(now)), (today, increment), (tomorrow, "")].map { time, numbers in
      letter + time.date(separatedBy: separator) + numbers + titleSeparator
    }
  }

  /// The time of day where this name has it, as `2024-01-31-235959_` and diesel's `2024-01-31-235959-0000_` do.
  private func clock(_ now: UTCTime) -> String {
    guard let first = numbers.first, first.digits.count == Self.clockLength else { return "" }
    let zeros = numbers.dropFirst().map { $0.joint + String(repeating: "0", count: $0.digits.count) }
    return first.joint + now.time + zeros.joined()
  }

  /// The numbers with one more in the last of them; the second one where there is none.
  private var increment: String {
    guard let last = numbers.last else { return "\(separator)2" }
    let others = numbers.dropLast().map { $0.joint + $0.digits }
    return others.joined() + last.joint + MigrationNaming.incremented(String(last.digits))
  }

  /// The length of `HHmmss`.
  private static let clockLength = 6
}
