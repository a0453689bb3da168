internal import Migrator

/// The backup of a database before it is erased, beside it.
///
/// The core copies and verifies it. The newest three are kept, and an older one that holds more rows than all of these: a
/// few rebuilds in a row, of a database that was empty by then, must not remove the last backup with the user's rows.
struct DatabaseBackup {
  private static let keptCount = 3

  /// The database.
  let target: DatabaseTarget
  /// The migrator's ledger, which does not count as content.
  let ledgerTable: String
  /// The moment, for the name.
  let time: UTCTime
  /// The name of a backup that is not removed, however old: its rows are still to be put back.
  var sparing: String?

  /// Copies the database, from inside a transaction of the writer's lock.
  ///
  /// - Parameter contents: What the database holds, as it was read in the transaction.
  /// - Returns: The backup's path, written as the database's was unless that is a link to another place.
  /// - Throws: ``ToolFailure`` as a refusal: without a backup nothing may be erased. No file is left then.
  func make(of db: Database, _ contents: DatabaseContents) throws(ToolFailure) -> String {
    let file = FileSystem.resolve(target.path)
    let folder = BackupFolder(ofDatabaseAt: file.path)
    do {
      let moment = "\(time.date)T\(time.time).000Z"
      let backup = try folder.makeBackup(of: db, at: moment) { copy in
        guard try DatabaseContents(copy, ledgerTable: ledgerTable) == contents else {
          throw ToolFailure.refused("the copy does not hold what the database holds", remedy: "Try again.")
        }
      }
      removeOutdated(in: folder, newest: contents)
      return FileSystem.isLink(target.path) ? backup.path : target.path + backup.path.dropFirst(file.path.count)
    } catch {
      throw Self.failure(error, path: target.path)
    }
  }

  private func removeOutdated(in folder: BackupFolder, newest: DatabaseContents) {
    var best = newest.rowCount
    var others = folder.backups.suffix(Self.keptCount).dropLast()
    folder.removeOutdated(keeping: Self.keptCount) { name in
      // One that cannot be read, since it has another key perhaps, is kept.
      guard name != sparing, let rows = rowCount(of: name, in: folder) else { return true }
      while rows > best, let other = others.popLast() { best = max(best, rowCount(of: other, in: folder) ?? 0) }
      return rows > best
    }
  }

  /// The rows of a backup; nil when it does not open.
  private func rowCount(of name: String, in folder: BackupFolder) -> Int? {
    var location = target.location
    location.path = "\(folder.path)/\(name)"
    do {
      let backup = try target.open(location, readonly: true)
      let count = try backup.read { try DatabaseContents($0, ledgerTable: ledgerTable).rowCount }
      try backup.close()
      return count
    } catch {
      return nil
    }
  }

  private static func failure(_ error: any Error, path: String) -> ToolFailure {
    let reason: String
    switch error {
    case let error as ToolFailure: reason = ([error.what] + error.why).joined(separator: ": ")
    case let error as DatabaseError: reason = error.message
    default: reason = String(describing: error)
    }
    return .refused(
      "the previous \(path) cannot be kept, so nothing was erased", why: [reason],
      remedy: "Make room beside the database, check the rights of its folder, or move the file away yourself.")
  }
}
