internal import SQLMigrations

/// The next migration file of a folder; its name and template follow the pattern of the existing files.
struct NextMigrationFile {
  private let last: MigrationName?
  private let layout: MigrationLayout

  /// Uses the last migration of the folder as the pattern, even if its file is not valid, since its name is in use.
  init(_ folder: MigrationFolder) {
    last = folder.files.last?.name
    // An invalid file provides the name for the pattern, but not the contents.
    layout = folder.files.last.map { $0.problems.isEmpty ? $0.layout : $0.name.layout } ?? .plain
  }

  var lastIdentifier: String? { last?.identifier }

  /// Converts a title to the form for file names: lowercase letters and digits, separated by `_`.
  static func slug(_ name: String) -> String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
  }

  /// Returns the path of the next file inside the folder; nil if none of the candidates would be the last in order.
  func path(slug: String, time: UTCTime) -> String? {
    stems(slug, time).first(where: comesLast).map { $0 + layout.ending }
  }

  /// Returns the text of the file: a comment with the title, and statements, which end with a line break.
  func template(title: String, sql: String = "") -> String {
    layout.template(("-- \(title.split { $0.isNewline }.joined(separator: " "))\n" + sql).trimmingWhitespace)
  }

  /// Returns the candidates for the next name, the preferred one first.
  private func stems(_ slug: String, _ time: UTCTime) -> [String] {
    guard let last else { return ["\(time.date)\(time.time)_\(slug)"] }
    guard last.version != nil else { return [slug] }
    let stem = last.identifier
    let dated = DatedName(stem)?.following(time) ?? []
    return dated.map { $0 + slug } + Self.lastPartCounted(stem, slug) + [numberedStem(stem, slug, time)]
  }

  /// Returns whether a migration with this name would come after all others.
  private func comesLast(_ stem: String) -> Bool {
    // Names such as down.sql are for files that undo a migration.
    guard let name = layout.name(ofNew: stem), name.role != .down, !name.isOnlyDirection else { return false }
    guard let last else { return true }
    guard name.identifier != last.identifier else { return false }
    if layout.requiresUniqueVersions, name.version != nil, name.version == last.version { return false }
    return last.precedes(name)
  }

  /// Returns the possible next names after a name whose version has several parts, such as `V0.31.2__x`.
  ///
  /// The last part of the version is incremented. Empty for other names.
  private static func lastPartCounted(_ stem: String, _ slug: String) -> [String] {
    // Single underscores separate the parts of a version only if two underscores follow the version.
    guard
      let match = stem.prefixMatch(of: /([vV]?[0-9]+(?:\.[0-9]+)*\.)([0-9]+)(__|_|-)(?![0-9])/)
        ?? stem.prefixMatch(of: /(V[0-9]+(?:[._][0-9]+)*[._])([0-9]+)(__)/)
    else { return [] }
    return ["\(match.output.1)\(incremented(String(match.output.2)))\(match.output.3)\(slug)"]
  }

  private func numberedStem(_ stem: String, _ slug: String, _ time: UTCTime) -> String {
    let letter = stem.prefix { !$0.isASCIIDigit }
    let digits = stem.dropFirst(letter.count).prefix(while: \.isASCIIDigit)
    if let separator = layout.timeSeparator, digits.allSatisfy({ $0 == "0" }) {
      // The first migration of diesel and Prisma may have only zeros; later ones have a time such as 2024-01-31-235959.
      return time.date(separatedBy: separator) + separator + time.time + "_" + slug
    }
    let hasDash = stem.dropFirst(letter.count + digits.count).first == "-"
    let separator = layout.separator ?? (hasDash ? "-" : "_")
    return letter + Self.next(String(digits), time) + separator + slug
  }

  /// Returns the next number: the current time if the last number is a time, otherwise the next integer with as many
  /// digits.
  private static func next(_ digits: String, _ time: UTCTime) -> String {
    let following = incremented(digits)
    let now: String? =
      switch digits.count {
      case 14: time.date + time.time
      case 8 where digits.hasPrefix("19") || digits.hasPrefix("20"): time.date
      case 10 where digits.hasPrefix("1") || digits.hasPrefix("2"): String(time.secondsSince1970)
      default: nil
      }
    // The clock of the last file's author may be fast, and two files may be created within a second.
    return now.map { $0 > digits ? $0 : following } ?? following
  }

  /// Returns a decimal number of any length, incremented by one, with the same number of digits.
  fileprivate static func incremented(_ digits: String) -> String {
    let nines = digits.reversed().prefix { $0 == "9" }.count
    let zeros = String(repeating: "0", count: nines)
    guard let digit = digits.dropLast(nines).last?.wholeNumberValue else { return "1" + zeros }
    return "\(digits.dropLast(nines + 1))\(digit + 1)\(zeros)"
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

/// The date at the start of a migration's name, with everything up to the title, such as `2024-01-31_` or
/// `V2024.01.31.2__`.
private struct DatedName {
  /// The `v` before the date; empty if there is none.
  private let letter: Substring
  private let day: (year: Int, month: Int, day: Int)
  private let separator: Character
  /// The numbers after the date, each with the separator that precedes it.
  private var numbers: [(joint: Substring, digits: Substring)] = []
  private let titleSeparator: String

  /// Parses the start of a name; nil if it is not a date from 1900 through 2099.
  init?(_ name: String) {
    // The day must not be part of a word, as in `31st`.
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

  /// Returns the candidates for the start of the next name, the preferred one first.
  ///
  /// They begin with today's date, with this name's date and another number, and with the day after this name's date.
  /// Some candidates do not sort after this name: its date may be today or later, and `2024_01_31_2_a` sorts before
  /// `2024_01_31_b`.
  func following(_ now: UTCTime) -> [String] {
    let today = UTCTime(year: day.year, month: day.month, day: day.day)
    let tomorrow = UTCTime(year: day.year, month: day.month, day: day.day + 1)
    return [(now, clock(now)), (today, increment), (tomorrow, "")].map { time, numbers in
      letter + time.date(separatedBy: String(separator)) + numbers + titleSeparator
    }
  }

  /// Returns the current time of day if this name has one, as in `2024-01-31-235959_` and `2024-01-31-235959-0000_`.
  ///
  /// Empty for a name without a time of day.
  private func clock(_ now: UTCTime) -> String {
    guard let first = numbers.first, first.digits.count == Self.clockLength else { return "" }
    let zeros = numbers.dropFirst().map { $0.joint + String(repeating: "0", count: $0.digits.count) }
    return first.joint + now.time + zeros.joined()
  }

  /// The numbers after the date, with the last one incremented; 2 if there is no number.
  private var increment: String {
    guard let last = numbers.last else { return "\(separator)2" }
    let others = numbers.dropLast().map { $0.joint + $0.digits }
    return others.joined() + last.joint + NextMigrationFile.incremented(String(last.digits))
  }

  /// The number of digits in `HHmmss`.
  private static let clockLength = 6
}
