/// The backup of the state before a run, made at most once, in a transaction that holds the write lock and has changed
/// nothing.
final class RunBackup {
  private let migrator: DatabaseMigrator
  private let db: Database
  private let events: (MigrationEvent) -> Void
  /// Whether a backup is to be made before the next change, until it is made or turns out not to be needed: the policy
  /// requires it, or rows are watched.
  private(set) var isDue: Bool
  /// The path of the backup; nil if none was made.
  private var path: String?
  /// The losses that are not reported yet, one clause each.
  private(set) var unreportedLosses: [String] = []

  init(_ migrator: DatabaseMigrator, of db: Database, events: @escaping (MigrationEvent) -> Void) {
    (self.migrator, self.db, self.events) = (migrator, db, events)
    isDue = migrator.backup != .none
  }

  /// Returns a review of the rows that migrations remove, except those in batches, for which a backup is made in any
  /// case.
  func reviewRows() -> RowLossReview {
    isDue = true
    let scope = { [migrator] identifier in
      migrator.undoneOnFailure(of: identifier) == .lastBatch ? RemovalScope.nothing : .anyRows
    }
    return RowLossReview(scope: scope) { [self] losses, _ in
      unreportedLosses += losses.map(\.summary)
    }
  }

  /// Warns of the rows that are removed for good, and retains the backup that contains them.
  func reportLosses() {
    if let path { BackupFolder.retain(path) }
    events(.warning(.rowsRemoved(unreportedLosses, backup: path)))
    unreportedLosses = []
  }

  /// Forgets the losses that a rollback has prevented: all but the first ones, of a given number.
  func forgetLosses(after count: Int) {
    unreportedLosses.removeSubrange(min(count, unreportedLosses.count)...)
  }

  /// Makes the backup that is due, unless there is nothing to back up, and removes the oldest backups.
  func make() throws {
    if case .beforeMigrating(let count, let folder) = migrator.backup {
      // A database that was never used needs no backup.
      if try !db.connection.schema().objects.isEmpty || db.userVersion != 0 { try make(keeping: count, in: folder) }
    } else if let path = db.connection.storedBytesReader?.path {
      let contents = try DatabaseContents(db, besides: migrator.ownTables)
      if contents.hasRows { _ = try make(contents, path, sparing: DevelopmentMark.unfinished(in: db)) }
    }
    isDue = false
  }

  private func make(keeping count: Int, in folder: String?) throws {
    let start = ContinuousClock.now
    guard let path = db.connection.storedBytesReader?.path else {
      throw db.context.error(
        .unsupported, "a database in memory, or one of this engine, cannot be backed up before it is migrated",
        remedy: "Set the migrator's backup policy to none.")
    }
    let backups = BackupFolder(ofDatabaseAt: path, in: folder, ledgerTable: migrator.ownLedgerTable)
    let backup = try backups.makeBackup(of: db, at: Ledger.now)
    self.path = backup.path
    let unfinished = try DevelopmentMark.unfinished(in: db)
    backups.removeOutdated(keeping: count) { $0 == unfinished }
    events(.backedUp(path: backup.path, sizeInBytes: backup.sizeInBytes, duration: .now - start))
  }

  /// Makes a backup of a database that will be erased, or whose rows are watched, and returns its path; removes
  /// outdated ones except `sparing`.
  func make(_ contents: DatabaseContents, _ path: String, sparing: String?) throws -> String {
    let start = ContinuousClock.now
    var (count, folder): (Int, String?) = (BackupFolder.keptCount, nil)
    if case .beforeMigrating(let keep, let place) = migrator.backup { (count, folder) = (keep, place) }
    // The note that rows are to be restored contains no folder.
    if case .keepingRows = migrator.erasure { folder = nil }
    let backup = try BackupFolder(ofDatabaseAt: path, in: folder, ledgerTable: migrator.ownLedgerTable)
      .makeBackup(
        of: db, at: Ledger.now, contents, besides: migrator.ownTables, keeping: count, sparing: sparing)
    isDue = false
    self.path = backup.path
    events(.backedUp(path: backup.path, sizeInBytes: backup.sizeInBytes, duration: .now - start))
    return backup.path
  }
}
