internal import SQLSyntax

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The backups of one database in a folder, with their times in UTC: `NAME.backup-20260131T235959.123Z`.
///
/// Those of a migrator with a separate ledger have the ledger's name before the time,
/// `NAME.backup-library_history-20260131T235959.123Z`, so that two migrators do not remove each other's backups.
package struct BackupFolder {
  /// The folder's path, without a trailing slash.
  package let path: String
  /// The database's path.
  private let database: String
  private let prefix: String

  /// Creates a value for the backups of a database, without reading the folder; nil stands for the folder of the
  /// database, and for the default ledger.
  package init(ofDatabaseAt database: String, in folder: String? = nil, ledgerTable: String? = nil) {
    path = folder ?? database.containingFolder
    self.database = database
    let name = database.lastPathComponent
    prefix = "\(name).backup-" + (ledgerTable.map { Self.escaped($0) + "-" } ?? "")
  }

  /// Makes a backup.
  ///
  /// The open transaction must hold the write lock and must have changed nothing. Then no other connection can change
  /// anything between the backup and the transaction's next change.
  ///
  /// The backup is opened and read, with the settings of the database, before it gets its final name.
  ///
  /// - Parameters:
  ///   - moment: The time of the backup, in the ledger's format.
  ///   - verify: A function that examines the open copy, and throws an error if the copy is not correct.
  /// - Returns: The path and the size of the backup.
  /// - Throws: ``DatabaseError``; any error that `verify` throws. In both cases, no file remains.
  package func makeBackup(
    of db: Database, at moment: String, verify: (Database) throws -> Void = { _ in }
  ) throws -> (path: String, sizeInBytes: Int64) {
    // The write lock keeps other processes from making a backup here now, so unfinished files are from a dead process.
    let folder = OpenFolder(path)
    let names = names
    // If the removal fails, the next backup tries again.
    if let folder, folder.isAt(path) { for name in names where isUnfinished(name) { folder.remove(name) } }
    let backup = "\(path)/\(name(at: moment, among: names))"
    return (backup, try db.copyStored(to: backup, like: database, verify: verify))
  }

  /// The names of the backups, oldest first.
  package var backups: [String] {
    names.compactMap { name in stamp(of: name).map { (name: name, stamp: $0) } }
      .sorted { $0.stamp < $1.stamp }.map(\.name)
  }

  /// Removes the oldest backups, except the newest `count`, write-protected ones, and those for which `isKept` returns true.
  ///
  /// Of two equal newest ones, the older one is removed: a run that fails again and again must not displace the backups of
  /// other states.
  package func removeOutdated(keeping count: Int, unless isKept: (String) -> Bool = { _ in false }) {
    guard let folder = OpenFolder(path) else { return }
    func canRemove(_ name: String) -> Bool { !folder.isWriteProtected(name) && !isKept(name) }
    var backups = backups
    let repeated = repeatedBackup(among: backups).flatMap { canRemove($0) ? $0 : nil }
    backups.removeAll { $0 == repeated }
    let outdated = backups.dropLast(count).filter(canRemove) + (repeated.map { [$0] } ?? [])
    guard folder.isAt(path) else { return }
    for name in outdated {
      // Opening a backup in WAL mode with another program may have left files beside it.
      for suffix in ["-wal", "-shm", ""] { folder.remove(name + suffix) }
    }
  }

  /// Returns the second newest backup if the newest one has the same contents; nil if it may have others in a log.
  private func repeatedBackup(among backups: [String]) -> String? {
    guard let newest = backups.last, let older = backups.dropLast().last else { return nil }
    let paths = [older, "\(older)-wal", "\(older)-journal"].map { "\(path)/\($0)" }
    let hasLog = paths.dropFirst().contains(where: FileManager.default.fileExists)
    return !hasLog && FileManager.default.contentsEqual(atPath: paths[0], andPath: "\(path)/\(newest)") ? older : nil
  }

  /// Write-protects a backup that alone contains rows or values, so that it is never removed as outdated.
  ///
  /// A sign in the database would be lost when the user removes or restores the database.
  package static func retain(_ path: String) {
    // On a file system without permissions, the backup is removed as the others are.
    _ = OpenFolder(path.containingFolder)?.writeProtect(path)
  }

  /// Returns whether a file name, given without its folder, is the name of a backup of any database.
  package static func isBackup(_ name: String) -> Bool {
    !name.utf8.contains(UInt8(ascii: "/"))
      && name.ranges(of: ".backup-").last.map { start in
        BackupFolder(ofDatabaseAt: String(name[..<start.lowerBound])).stamp(of: name) != nil
      } ?? false
  }

  /// The time of a backup, and its number among the backups with the same time.
  struct Stamp: Comparable {
    /// The time in UTC, such as `20260131T235959.123Z`.
    let moment: String
    /// The number among the backups with the same time, starting at 1.
    let number: Int

    static func < (one: Stamp, other: Stamp) -> Bool { (one.moment, one.number) < (other.moment, other.number) }
  }

  /// Returns the name for a new backup; it sorts after the names of all existing backups, even if the clock was set
  /// back: otherwise, the new backup would be the first to be removed.
  func name(at date: String, among names: [String]) -> String {
    let moment = String(date.unicodeScalars.filter { $0 != "-" && $0 != ":" })
    guard let newest = names.compactMap(stamp).max(), newest.moment >= moment else { return prefix + moment }
    return "\(prefix)\(newest.moment)-\(newest.number + 1)"
  }

  /// Returns the stamp in a backup's name; nil for the names of other files, which must not be removed.
  func stamp(of name: String) -> Stamp? {
    // Compares bytes: Swift considers some names equal that a file system may distinguish.
    guard name.utf8.starts(with: prefix.utf8) else { return nil }
    let parts = name.utf8.dropFirst(prefix.utf8.count)
      .split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
    let pattern = "99999999T999999.999Z".utf8
    guard let moment = parts.first, moment.count == pattern.count,
      zip(moment, pattern).allSatisfy({ $1 == UInt8(ascii: "9") ? (0x30...0x39).contains($0) : $0 == $1 })
    else { return nil }
    let text = String(decoding: moment, as: UTF8.self)
    guard parts.count == 2 else { return Stamp(moment: text, number: 1) }
    // The number as the code writes it, without a sign or leading zeros.
    let digits = String(decoding: parts[1], as: UTF8.self)
    guard let number = Int(digits), number > 1, String(number) == digits else { return nil }
    return Stamp(moment: text, number: number)
  }

  /// Returns whether a name belongs to an unfinished backup, or to a file that an engine left next to it.
  func isUnfinished(_ name: String) -> Bool {
    let suffixes = ["", "-wal", "-shm", "-journal"].map { BackupFile.unfinishedSuffix + $0 }
    guard let suffix = suffixes.first(where: name.hasSuffix) else { return false }
    return stamp(of: String(name.dropLast(suffix.count))) != nil
  }

  /// The names in the folder; empty if it cannot be read, in which case making the backup throws an error.
  private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

  /// Returns a table's name as part of a file name, with special characters escaped.
  private static func escaped(_ table: String) -> String {
    table.asciiLowercased.utf8.map { byte in
      switch byte {
      case 0x30...0x39, 0x61...0x7a, UInt8(ascii: "_"): String(Unicode.Scalar(byte))
      default: "%" + String(byte, radix: 16)
      }
    }.joined()
  }
}
