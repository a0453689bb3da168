/// A date at the beginning of a migration's name, with what follows it up to the words: `2024-01-31_`, `V2024.01.31.2__`.
struct DatedName {
  /// The `v` before the date, or nothing.
  private let letter: Substring
  /// The year, the month and the day.
  private let parts: [Int]
  /// What stands between the parts of the date.
  private let separator: Character
  /// The numbers after the date, each with what stands before it.
  private var numbers: [(joint: Character, digits: String)] = []

  private let wordSeparator: String

  /// Reads the beginning of a name; nil when it is no date of this century or the last one.
  init?(_ name: String) {
    letter = name.prefix(1).filter { $0 == "v" || $0 == "V" }[...]
    var rest = name.dropFirst(letter.count)
    guard let year = Self.number(4, &rest), (1900...2099).contains(year),
      let separator = rest.popFirst(), Self.separators.contains(separator),
      let month = Self.number(2, &rest), (1...12).contains(month), rest.popFirst() == separator,
      let day = Self.number(2, &rest), (1...31).contains(day), !rest.beginsWord
    else { return nil }
    self.separator = separator
    parts = [year, month, day]
    while let joint = rest.first, Self.separators.contains(joint) {
      let digits = rest.dropFirst().prefix(while: \.isASCIIDigit)
      let following = rest.dropFirst(1 + digits.count)
      guard !digits.isEmpty, !following.beginsWord else { break }
      guard joint == separator || digits.count == Self.clockLength else { break }
      numbers.append((joint, String(digits)))
      rest = following
    }
    let blanks = rest.prefix { !$0.isLetter && !$0.isNumber }
    wordSeparator = blanks.isEmpty ? "_" : String(blanks)
  }

  /// What a next name may begin with, the least surprising first: today's date, a further number on the same day, the day
  /// after it.
  ///
  /// Not all of them sort after this name: it may be of today or of the future, and `2024_01_31_2_a` sorts before
  /// `2024_01_31_b`.
  func following(_ now: UTCTime) -> [String] {
    let day = UTCTime(year: parts[0], month: parts[1], day: parts[2])
    let nextDay = UTCTime(year: parts[0], month: parts[1], day: parts[2] + 1)
    return [(now, clock(now)), (day, increment), (nextDay, "")].map { time, numbers in
      letter + time.date(separatedBy: separator) + numbers + wordSeparator
    }
  }

  /// The time of day where this name has it, as `2024-01-31-235959_` and diesel's `2024-01-31-235959-0000_` do.
  private func clock(_ now: UTCTime) -> String {
    guard let first = numbers.first, first.digits.count == Self.clockLength else { return "" }
    let zeros = numbers.dropFirst().map { "\($0.joint)" + String(repeating: "0", count: $0.digits.count) }
    return "\(first.joint)\(now.time)" + zeros.joined()
  }

  /// The numbers with one more in the last of them; the second one where there is none.
  private var increment: String {
    guard let last = numbers.last else { return "\(separator)2" }
    let others = numbers.dropLast().map { "\($0.joint)\($0.digits)" }
    return others.joined() + "\(last.joint)\(MigrationNaming.incremented(last.digits))"
  }

  private static let separators: [Character] = ["-", "_", "."]

  /// The digits of `HHmmss`.
  private static let clockLength = 6

  /// Takes a number of so many digits from the beginning of a text.
  private static func number(_ length: Int, _ text: inout Substring) -> Int? {
    let digits = text.prefix(length)
    guard digits.count == length, digits.allSatisfy(\.isASCIIDigit) else { return nil }
    text.removeFirst(length)
    return Int(digits)
  }
}

extension Character {
  var isASCIIDigit: Bool { isASCII && isNumber }
}

extension Substring {
  /// Whether the number before it would be a part of a word, as in `31st`.
  fileprivate var beginsWord: Bool { first.map { $0.isLetter || $0.isNumber } ?? false }
}
