internal import SQLMigrations

/// Names and fills the next file of a folder, as the files that are there are named and filled.
struct MigrationNaming {
  private let last: MigrationName?
  private let layout: MigrationLayout

  /// Takes the last migration of a folder as the example; files with problems count, too, for their names are taken.
  init(_ folder: MigrationFolder) {
    last = folder.files.last?.name
    // A file that cannot be read is no example; its name is.
    layout = folder.files.last.map { $0.problems.isEmpty ? $0.layout : $0.name.layout } ?? .plain
  }

  var lastIdentifier: String? { last?.identifier }

  /// The title as it stands in a file's name: letters and digits in lower case, with `_` between.
  static func slug(_ name: String) -> String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
  }

  /// The path of the next file inside the folder.
  ///
  /// Nil when no file of that name comes after all others, as happens where the last one has no number: a number would come
  /// before it, and the title may.
  func nextFile(slug: String, time: UTCTime) -> String? {
    stems(slug, time).first(where: comesLast).map { $0 + layout.ending }
  }

  func template(title: String) -> String {
    let comment = "-- \(title.split { $0.isNewline }.joined(separator: " "))"
    return layout.template(comment)
  }

  /// The names that continue the last one, the least surprising first.
  private func stems(_ slug: String, _ time: UTCTime) -> [String] {
    guard let last else { return ["\(time.date)\(time.time)_\(slug)"] }
    guard last.version != nil else { return [slug] }
    let stem = last.identifier
    let dated = DatedName(stem)?.following(time) ?? []
    return dated.map { $0 + slug } + [numberedStem(stem, slug, time)]
  }

  /// Whether a migration of that name would be applied after all others.
  private func comesLast(_ stem: String) -> Bool {
    guard let last else { return true }
    // A name such as down.sql is that of no migration.
    guard let name = layout == .diesel ? MigrationName(dieselFolder: stem) : MigrationName(path: stem + layout.ending),
      name.role != .down, name.identifier != last.identifier
    else { return false }
    if layout.requiresUniqueVersions, name.version != nil, name.version == last.version { return false }
    return last.precedes(name)
  }

  /// The name with the number that follows the one at the beginning of another.
  private func numberedStem(_ stem: String, _ slug: String, _ time: UTCTime) -> String {
    let letter = stem.prefix { !$0.isASCIIDigit }
    let digits = stem.dropFirst(letter.count).prefix(while: \.isASCIIDigit)
    if layout == .diesel, digits.allSatisfy({ $0 == "0" }) {
      // diesel's first migration has zeros only; those that follow have a time such as 2024-01-31-235959.
      return "\(time.date(separatedBy: "-"))-\(time.time)_\(slug)"
    }
    let hasDash = stem.dropFirst(letter.count + digits.count).first == "-"
    let separator = layout.separator ?? (hasDash ? "-" : "_")
    return letter + Self.next(String(digits), time) + separator + slug
  }

  /// The number that follows: a moment where the last one is a moment, else one more with as many digits.
  private static func next(_ digits: String, _ time: UTCTime) -> String {
    let following = incremented(digits)
    let now: String? =
      switch digits.count {
      case 14: time.date + time.time
      case 8 where digits.hasPrefix("19") || digits.hasPrefix("20"): time.date
      case 10 where digits.hasPrefix("1") || digits.hasPrefix("2"): String(time.secondsSince1970)
      default: nil
      }
    // The clock of whoever made the last file may go ahead, and two files may be made in one second.
    return now.map { $0 > digits ? $0 : following } ?? following
  }

  /// The decimal number plus one, of any length, with zeros before it as before.
  static func incremented(_ digits: String) -> String {
    var bytes = Array(digits.utf8)
    for index in bytes.indices.reversed() {
      guard bytes[index] == UInt8(ascii: "9") else {
        bytes[index] += 1
        return String(decoding: bytes, as: UTF8.self)
      }
      bytes[index] = UInt8(ascii: "0")
    }
    return "1" + String(decoding: bytes, as: UTF8.self)
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
