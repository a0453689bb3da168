internal import SQLSyntax

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The backups of one database in a folder: `NAME.backup-20260131T235959.123Z`, by their moment in UTC.
///
/// Those of a migrator with a separate ledger have its name before the moment,
/// `NAME.backup-library_history-20260131T235959.123Z`, so that two migrators do not remove each other's. Older versions
/// of the tool called theirs `NAME.bak-20260131T235959Z`; these count, too.
package struct BackupFolder {
  /// The folder's path, without a slash at its end.
  package let path: String
  private let prefix: String
  /// What the names began with in older versions of the tool.
  private let olderPrefix: String

  /// The backups of a database.
  ///
  /// - Parameters:
  ///   - folder: The folder; nil for the database's own.
  ///   - ledgerTable: The ledger of a migrator that has a separate one; nil otherwise.
  package init(ofDatabaseAt database: String, in folder: String? = nil, ledgerTable: String? = nil) {
    path = folder ?? database.containingFolder
    let name = database.utf8.lastIndex(of: UInt8(ascii: "/")).map {
      String(database[database.utf8.index(after: $0)...])
    }
    prefix = "\(name ?? database).backup-" + (ledgerTable.map { Self.escaped($0) + "-" } ?? "")
    olderPrefix = "\(name ?? database).bak-"
  }

  /// Makes a backup, within a transaction of the database that holds the writer's lock and has changed nothing: no
  /// other connection can change anything between the backup and what the transaction does next.
  ///
  /// It is opened, as the database was, and read before it gets its name.
  ///
  /// - Parameters:
  ///   - moment: As the ledger writes dates.
  ///   - verify: Looks at the open copy, and throws when it is not what it has to be.
  /// - Returns: The path and the size of the backup.
  /// - Throws: ``DatabaseError``; what `verify` throws. No file is left then.
  package func makeBackup(
    of db: Database, at moment: String, verify: (Database) throws -> Void = { _ in }
  ) throws -> (path: String, sizeInBytes: Int64) {
    // The lock keeps every other process from making a backup here at this moment: a dead one has left these.
    let names = names
    for name in names where isUnfinished(name) { remove(name) }
    let backup = "\(path)/\(name(at: moment, among: names))"
    return (backup, try db.copyStored(to: backup, verify: verify))
  }

  /// The names of the backups, oldest first.
  package var backups: [String] {
    names.compactMap { name in stamp(of: name).map { (name: name, stamp: $0) } }
      .sorted { $0.stamp < $1.stamp }.map(\.name)
  }

  /// Removes the oldest backups, the newest `count` and those that `isKept` retains aside.
  package func removeOutdated(keeping count: Int, unless isKept: (String) -> Bool = { _ in false }) {
    for name in backups.dropLast(count) where !isKept(name) { remove(name) }
  }

  /// The moment of a backup, and its number among those of the same moment.
  struct Stamp: Comparable {
    /// `20260131T235959.123Z`.
    let moment: String
    /// From 1.
    let number: Int

    static func < (one: Stamp, other: Stamp) -> Bool { (one.moment, one.number) < (other.moment, other.number) }
  }

  /// The name of a backup that comes after all others.
  ///
  /// It continues the newest one of the same moment, and of a later moment if the clock was set back: a name that
  /// sorted before others would make the newest backup the first to be removed.
  func name(at date: String, among names: [String]) -> String {
    let moment = String(date.unicodeScalars.filter { $0 != "-" && $0 != ":" })
    guard let newest = names.compactMap(stamp).max(), newest.moment >= moment else { return prefix + moment }
    return "\(prefix)\(newest.moment)-\(newest.number + 1)"
  }

  /// The stamp in a backup's name; nil for the names of other files, which must not be removed.
  func stamp(of name: String) -> Stamp? {
    stamp(of: name, after: prefix, pattern: "99999999T999999.999Z")
      ?? stamp(of: name, after: olderPrefix, pattern: "99999999T999999Z")
  }

  private func stamp(of name: String, after prefix: String, pattern: String) -> Stamp? {
    // By bytes: to Swift, names are equal that a file system may distinguish.
    guard name.utf8.starts(with: prefix.utf8) else { return nil }
    let parts = name.utf8.dropFirst(prefix.utf8.count)
      .split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let moment = parts.first, moment.count == pattern.utf8.count,
      zip(moment, pattern.utf8).allSatisfy({ $1 == UInt8(ascii: "9") ? (0x30...0x39).contains($0) : $0 == $1 })
    else { return nil }
    let text = String(decoding: moment.prefix(15), as: UTF8.self)
    let milliseconds = moment.count == 16 ? ".000Z" : String(decoding: moment.dropFirst(15), as: UTF8.self)
    guard parts.count == 2 else { return Stamp(moment: text + milliseconds, number: 1) }
    // As it is written, without a sign or zeros before it.
    let digits = String(decoding: parts[1], as: UTF8.self)
    guard let number = Int(digits), number > 1, String(number) == digits else { return nil }
    return Stamp(moment: text + milliseconds, number: number)
  }

  /// Whether the name is of a backup that was never finished, or of what an engine left beside one.
  func isUnfinished(_ name: String) -> Bool {
    for unfinished in [BackupFile.unfinishedSuffix, ".partial"] {
      for suffix in ["", "-wal", "-shm", "-journal"].map({ unfinished + $0 }) where name.hasSuffix(suffix) {
        return stamp(of: String(name.dropLast(suffix.count))) != nil
      }
    }
    return false
  }

  /// The names in the folder; none when it cannot be read, which making a backup reports.
  private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

  /// Removes a file; one that stays takes room, and is tried again the next time.
  private func remove(_ name: String) { try? FileManager.default.removeItem(atPath: "\(path)/\(name)") }

  /// A table's name as a part of a file's name: characters with a meaning there are written as their codes.
  private static func escaped(_ table: String) -> String {
    table.asciiLowercased.utf8.map { byte in
      switch byte {
      case 0x30...0x39, 0x61...0x7a, UInt8(ascii: "_"): String(Unicode.Scalar(byte))
      default: "%" + String(byte, radix: 16)
      }
    }.joined()
  }
}
