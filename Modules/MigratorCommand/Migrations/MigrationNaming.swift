/// Names and fills the next file of a folder, as the files that are there are named and filled.
struct MigrationNaming {
  private let last: MigrationCandidate?
  private let layout: MigrationLayout

  /// Takes the last migration of a folder as the example, from all in their order.
  init(_ candidates: [MigrationCandidate]) {
    // Files without a number come last, and are no example for one.
    last = candidates.last { $0.name.version != nil } ?? candidates.last
    layout = last.map(Self.layout) ?? .plain
  }

  /// The words of a name as they stand in a file's name: letters and digits in lower case, with `_` between.
  static func slug(_ name: String) -> String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
  }

  /// The path of the next file inside the folder.
  func nextFile(slug: String, time: UTCTime) -> String {
    let stem = last?.name.identifier ?? ""
    switch layout {
    case .versioned:
      let digits = stem.dropFirst().prefix { $0.isASCII && $0.isNumber }
      return "\(stem.prefix(1))\(Self.next(String(digits), time))__\(slug).sql"
    case .diesel:
      return "\(Self.dieselPrefix(stem, time))_\(slug)/up.sql"
    case .upDown:
      return "\(numberedStem(stem, slug, time)).up.sql"
    default:
      return "\(numberedStem(stem, slug, time)).sql"
    }
  }

  /// What a new file holds.
  func template(title: String) -> String {
    let comment = "-- \(title.split { $0.isNewline }.joined(separator: " "))"
    return switch layout {
    case .dbmate: "-- migrate:up\n\(comment)\n\n-- migrate:down\n"
    case .goose: "-- +goose Up\n\(comment)\n\n-- +goose Down\n"
    case .sqlMigrate: "-- +migrate Up\n\(comment)\n\n-- +migrate Down\n"
    default: comment + "\n"
    }
  }

  private func numberedStem(_ stem: String, _ slug: String, _ time: UTCTime) -> String {
    let letter = stem.prefix { $0 == "v" || $0 == "V" }
    let digits = stem.dropFirst(letter.count).prefix { $0.isASCII && $0.isNumber }
    guard letter.count < 2, !digits.isEmpty else { return "\(time.date)\(time.time)_\(slug)" }
    let separator = stem.dropFirst(letter.count + digits.count).first.map { $0 == "-" ? "-" : "_" } ?? "_"
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
  private static func incremented(_ digits: String) -> String {
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

  /// diesel writes `2024-01-31-235959`; its first migration has zeros only.
  private static func dieselPrefix(_ stem: String, _ time: UTCTime) -> String {
    let prefix = String(stem.prefix { $0 != "_" })
    if prefix.contains("-") || prefix.allSatisfy({ $0 == "0" }) {
      let (date, clock) = (time.date, time.time)
      let now = "\(date.prefix(4))-\(date.dropFirst(4).prefix(2))-\(date.suffix(2))-\(clock)"
      if now > prefix { return now }
      let parts = prefix.split(separator: "-")
      return parts.dropLast().joined(separator: "-") + "-" + incremented(String(parts.last ?? "0"))
    }
    return next(prefix, time)
  }

  /// The layout that the name tells, or else the sections inside the file.
  private static func layout(of candidate: MigrationCandidate) -> MigrationLayout {
    guard candidate.layout == .plain else { return candidate.layout }
    // A file that cannot be read is no example; its name is.
    guard let reader = try? MigrationFileReader(candidate) else { return .plain }
    return reader.migration().file?.layout ?? .plain
  }
}
