/// The names of the files in which previous versions of a database are kept: `NAME.bak-20240131T235959Z`.
struct BackupName: Sendable {
  /// How many previous versions are kept.
  static let keptCount = 3

  /// The database's file name, without its folder.
  let database: String

  /// The name of a version, at a moment.
  ///
  /// - Parameter attempt: 1 for the first version of that second; more adds a suffix.
  func name(at time: UTCTime, attempt: Int) -> String {
    "\(database).bak-\(time.date)T\(time.time)Z" + (attempt > 1 ? "-\(attempt)" : "")
  }

  /// Of the names in a folder, the versions of this database that are too old to be kept, oldest first.
  func outdated(among names: [String]) -> [String] {
    let versions = names.compactMap { name in stamp(of: name).map { (name: name, stamp: $0) } }
    return versions.sorted { $0.stamp < $1.stamp }.dropLast(Self.keptCount).map(\.name)
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
