extension BackupFolder {
  /// The number of backups that are retained if no policy says otherwise.
  package static let keptCount = 3

  /// Backs up a database that is about to be erased, or whose rows are watched, within a write transaction that has changed
  /// nothing, and removes outdated backups.
  ///
  /// Also retains the backups that alone contain rows or values that were not restored, which are write-protected, and an
  /// older one if it has more rows than any of the newest: several rebuilds of an empty database must not remove the last
  /// backup of the user's rows.
  ///
  /// - Parameters:
  ///   - moment: The time of the backup, in the ledger's format.
  ///   - contents: The contents of the database, as read in the same transaction, without `ownTables`.
  ///   - sparing: The name of a backup that is never removed, because its rows have not been restored yet; nil for none.
  /// - Throws: ``DatabaseError``. No incomplete backup remains.
  package func makeBackup(
    of db: Database, at moment: String, _ contents: DatabaseContents, besides ownTables: Set<String>,
    keeping count: Int = keptCount, sparing: String?
  ) throws -> (path: String, sizeInBytes: Int64) {
    let backup = try makeBackup(of: db, at: moment) { copy in
      guard try DatabaseContents(copy, besides: ownTables) == contents else {
        throw db.context.error(.inputOutput, "the copy differs from the database", remedy: "Try again.")
      }
    }
    // Nil if the backup cannot be read, perhaps because it has a different key: it is then retained.
    let rowCount = { (name: String) in
      try? db.readBackup(at: "\(path)/\(name)") { try DatabaseContents($0, besides: ownTables).rowCount }
    }
    var best = contents.rowCount
    var others = backups.suffix(count).dropLast()
    // A borrowed connection cannot open other files.
    let canRead = db.canReadBackups
    removeOutdated(keeping: count) { name in
      guard name != sparing, canRead else { return name == sparing }
      guard let rows = rowCount(name) else { return true }
      while rows > best, let other = others.popLast() { best = max(best, rowCount(other) ?? 0) }
      return rows > best
    }
    return backup
  }
}
