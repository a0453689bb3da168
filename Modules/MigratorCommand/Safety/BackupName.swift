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

  /// The time and the attempt in a name; nil for the names of other files, which nobody may remove.
  private func stamp(of name: String) -> (String, Int)? {
    guard name.hasPrefix(database + ".bak-") else { return nil }
    let parts = name.dropFirst(database.count + 5).split(separator: "-", omittingEmptySubsequences: false)
    guard let time = parts.first, time.count == 16, time.hasSuffix("Z"), parts.count < 3 else { return nil }
    let digits = time.dropLast().split(separator: "T", omittingEmptySubsequences: false)
    guard digits.map(\.count) == [8, 6], digits.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    guard parts.count == 2 else { return (String(time), 1) }
    return Int(parts[1]).map { (String(time), $0) }
  }
}
