extension MigrationRun {
  /// Makes a backup of the state before the run, within a transaction that holds the writer's lock and has changed
  /// nothing, and removes the oldest ones.
  func makeBackup(keeping count: Int, in folder: String?) throws {
    let start = ContinuousClock.now
    // What was never used is not worth a file.
    if try db.connection.schema().objects.isEmpty && db.userVersion == 0 { return }
    guard let path = db.connection.storedBytesReader?.path else {
      throw db.context.error(
        .unsupported, "a database in memory, or of this engine, cannot be backed up before it is migrated",
        remedy: "Set the migrator's backup policy to none.")
    }
    let backups = BackupFolder(ofDatabaseAt: path, in: folder, ledgerTable: migrator.ownLedgerTable)
    let backup = try backups.makeBackup(of: db, at: Ledger.now)
    backups.removeOutdated(keeping: count)
    events(.backedUp(path: backup.path, sizeInBytes: backup.sizeInBytes, duration: .now - start))
  }
}

extension DatabaseMigrator {
  /// The name of the migrator's ledger if it is not the usual one: its backups bear it.
  package var ownLedgerTable: String? {
    ledgerTable.asciiLowercased == DatabaseMigrator().ledgerTable ? nil : ledgerTable
  }
}
