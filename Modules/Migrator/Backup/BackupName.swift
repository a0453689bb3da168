/// The names of the files in which a migrator keeps earlier states: `NAME.backup-20260131T235959.123Z`.
struct BackupName {
  private static let mark = ".backup-"

  /// The database's file name, without its folder.
  let database: String

  /// The name of a state, at a moment.
  ///
  /// - Parameter date: As the ledger writes dates.
  func name(at date: String) -> String {
    database + Self.mark + String(date.unicodeScalars.filter { $0 != "-" && $0 != ":" })
  }

  /// Of the names in a folder, the states of this database that are too old to be kept.
  ///
  /// Names of other files, which nobody may remove, are none of them.
  func outdated(among names: [String], keeping count: Int) -> [String] {
    // Written so that the order of texts is the order of time.
    Array(names.filter(isState).sorted().dropLast(count))
  }

  /// Of the names in a folder, the ones of states that were never finished.
  func unfinished(among names: [String]) -> [String] {
    names.filter { name in
      name.hasSuffix(BackupFile.unfinishedSuffix) && isState(String(name.dropLast(BackupFile.unfinishedSuffix.count)))
    }
  }

  private func isState(_ name: String) -> Bool {
    guard name.hasPrefix(database + Self.mark) else { return false }
    let pattern = "99999999T999999.999Z".utf8
    let date = name.utf8.dropFirst(database.utf8.count + Self.mark.utf8.count)
    return date.count == pattern.count
      && zip(date, pattern).allSatisfy { $1 == UInt8(ascii: "9") ? (0x30...0x39).contains($0) : $0 == $1 }
  }
}
