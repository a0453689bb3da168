/// The backup of the state before a run, which is made at most once.
///
/// It is made in a transaction that holds the write lock and has changed nothing.
final class RunBackup {
  private let migrator: DatabaseMigrator
  private let db: Database
  private let events: (MigrationEvent) -> Void
  /// Whether the state has been backed up, or did not need a backup.
  private var isMade = false

  init(_ migrator: DatabaseMigrator, of db: Database, events: @escaping (MigrationEvent) -> Void) {
    (self.migrator, self.db, self.events) = (migrator, db, events)
  }

  /// Makes the backup that the policy requires, if any, and removes the oldest backups.
  func make() throws {
    guard !isMade else { return }
    // A database that was never used needs no backup.
    if case .beforeMigrating(let count, let folder) = migrator.backup,
      try !db.connection.schema().objects.isEmpty || db.userVersion != 0
    {
      try make(keeping: count, in: folder)
    }
    isMade = true
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
    let unfinished = try DevelopmentMark.unfinished(in: db)
    backups.removeOutdated(keeping: count) { $0 == unfinished }
    events(.backedUp(path: backup.path, sizeInBytes: backup.sizeInBytes, duration: .now - start))
  }

  /// Makes a backup of a database that will be erased, and returns its path.
  ///
  /// - Parameters:
  ///   - path: The path of the database's file.
  ///   - sparing: The name of a backup that is not removed; nil for none.
  func makeBeforeErasing(_ contents: DatabaseContents, _ path: String, sparing: String?) throws -> String {
    let start = ContinuousClock.now
    var (count, folder): (Int, String?) = (ErasureBackup.keptCount, nil)
    if case .beforeMigrating(let keep, let place) = migrator.backup { (count, folder) = (keep, place) }
    // The note that rows are to be restored contains no folder.
    if case .keepingRows = migrator.erasure { folder = nil }
    let backup = try ErasureBackup(
      in: BackupFolder(ofDatabaseAt: path, in: folder, ledgerTable: migrator.ownLedgerTable),
      ownTables: migrator.ownTables, keeping: count, sparing: sparing
    ).make(of: db, at: Ledger.now, contents)
    isMade = true
    events(.backedUp(path: backup.path, sizeInBytes: backup.sizeInBytes, duration: .now - start))
    return backup.path
  }
}
