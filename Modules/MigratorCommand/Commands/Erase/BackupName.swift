/// The names of the files in which previous versions of a database are kept: `NAME.bak-20240131T235959Z`.
struct BackupName: Sendable {
  /// How many previous versions are kept.
  static let keptCount = 3

  /// The database's file name, without its folder.
  let database: String

  /// The name of the version that comes after all others, at a moment.
  ///
  /// It continues the newest one of the same second, and of a later second if the clock was set back: a name that sorted
  /// before others would make the newest version the first to go.
  func next(at time: UTCTime, among names: [String]) -> String {
    let now = ("\(time.date)T\(time.time)Z", 1)
    guard let newest = names.compactMap(stamp).max(by: { $0 < $1 }), newest >= now else {
      return "\(database).bak-\(now.0)"
    }
    return "\(database).bak-\(newest.0)-\(newest.1 + 1)"
  }

  /// Of the names in a folder, the versions of this database, oldest first: those that are too old to be kept, and others.
  func versions(among names: [String]) -> (outdated: [String], kept: [String]) {
    let versions = names.compactMap { name in stamp(of: name).map { (name: name, stamp: $0) } }
    let sorted = versions.sorted { $0.stamp < $1.stamp }.map(\.name)
    return (sorted.dropLast(Self.keptCount), sorted.suffix(Self.keptCount))
  }

  /// Of the names in a folder, those of versions of this database that were never finished, and what an engine left beside
  /// them.
  func unfinished(among names: [String]) -> [String] {
    names.filter { name in
      DatabaseBackup.partialSuffixes.contains { suffix in
        name.hasSuffix(suffix) && stamp(of: String(name.dropLast(suffix.count))) != nil
      }
    }
  }

  /// The time and the attempt in a name; nil for the names of other files, which nobody may remove.
  private func stamp(of name: String) -> (String, Int)? {
    // By bytes: to Swift, names are equal that a file system may tell apart.
    let start = "\(database).bak-".utf8
    guard name.utf8.starts(with: start) else { return nil }
    let parts = name.utf8.dropFirst(start.count).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let pattern = "99999999T999999Z".utf8
    guard let time = parts.first, parts.count < 3, time.count == pattern.count,
      zip(time, pattern).allSatisfy({ $1 == UInt8(ascii: "9") ? Self.isDigit($0) : $0 == $1 })
    else { return nil }
    let text = String(decoding: time, as: UTF8.self)
    guard parts.count == 2 else { return (text, 1) }
    // As it is written, without a sign or zeros before it.
    let attempt = String(decoding: parts[1], as: UTF8.self)
    guard let number = Int(attempt), number > 1, String(number) == attempt else { return nil }
    return (text, number)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
