/// The backup of a database, in the same folder, made before the database is erased.
///
/// The newest backups are retained, together with those that alone contain rows or values that were not restored, which
/// are write-protected, and with an older one if it has more rows than any of the newest: several rebuilds of an empty
/// database must not remove the last backup of the user's rows.
package struct ErasureBackup {
  /// The number of backups that are retained if no policy says otherwise.
  package static let keptCount = 3

  private let folder: BackupFolder
  private let ownTables: Set<String>
  private let count: Int
  private let sparing: String?

  /// Creates a value without making the backup.
  ///
  /// - Parameters:
  ///   - ownTables: The migrator's and the tool's own tables, whose rows are not counted.
  ///   - sparing: The name of a backup that is never removed, because its rows have not been restored yet; nil for none.
  package init(in folder: BackupFolder, ownTables: Set<String>, keeping count: Int = keptCount, sparing: String?) {
    (self.folder, self.ownTables, self.count, self.sparing) = (folder, ownTables, count, sparing)
  }

  /// Copies the database within a write transaction that has changed nothing, and removes outdated backups.
  ///
  /// - Parameters:
  ///   - moment: The time of the backup, in the ledger's format.
  ///   - contents: The contents of the database, as read in the same transaction.
  /// - Throws: ``DatabaseError``. No incomplete backup remains.
  package func make(
    of db: Database, at moment: String, _ contents: DatabaseContents
  ) throws -> (path: String, sizeInBytes: Int64) {
    let backup = try folder.makeBackup(of: db, at: moment) { copy in
      guard try DatabaseContents(copy, besides: ownTables) == contents else {
        throw db.context.error(.inputOutput, "the copy differs from the database", remedy: "Try again.")
      }
    }
    removeOutdated(db, newest: contents)
    return backup
  }

  private func removeOutdated(_ db: Database, newest: DatabaseContents) {
    // A borrowed connection cannot open other files.
    guard db.canReadBackups else { return folder.removeOutdated(keeping: count) { $0 == sparing } }
    var best = newest.rowCount
    var others = folder.backups.suffix(count).dropLast()
    folder.removeOutdated(keeping: count) { name in
      // A backup that cannot be read, perhaps because it has a different key, is retained.
      guard name != sparing, let rows = rowCount(of: name, db) else { return true }
      while rows > best, let other = others.popLast() { best = max(best, rowCount(of: other, db) ?? 0) }
      return rows > best
    }
  }

  /// Returns the number of rows in a backup; nil if it cannot be read.
  private func rowCount(of name: String, _ db: Database) -> Int? {
    try? db.readBackup(at: "\(folder.path)/\(name)") { try DatabaseContents($0, besides: ownTables).rowCount }
  }
}
