extension DatabaseQueue {
  /// Replaces the database's file with a copy of a backup, and closes the queue.
  ///
  /// The current file is first kept as another backup, and the backup is read with the database's key. Then one rename replaces
  /// the file: after a crash, it is the old one or the restored one. Write-ahead logs and journals of the old file are
  /// removed before. Connections of this or another program that stay open during the call would continue with the old
  /// file, so close them first; in WAL mode the call fails if there are any.
  ///
  /// - Parameter path: A backup of this database, whose write-ahead log counts if there is one beside it; it remains.
  /// - Returns: The path of the backup of the replaced file; nil if the database was empty.
  /// - Throws: ``DatabaseError``: `.busy` if another connection uses the database, `.unsupported` for a database that is not
  ///   a file. The database is then unchanged, and the queue remains open; it is closed if only the last step failed, which
  ///   writes the folder to the disk after the file was replaced.
  @discardableResult
  public func restore(backupAt path: String) throws -> String? {
    let (kept, failure) = try writeWithoutTransaction { db in try db.replaceFile(withCopyOf: path) }
    // The connection has the old file, which no longer has a name.
    try close()
    if let failure { throw failure }
    return kept
  }
}

extension Database {
  /// Replaces the file; returns the path of the backup of the old one, and the error if only the last step failed.
  fileprivate func replaceFile(withCopyOf backup: String) throws -> (kept: String?, failure: DatabaseError?) {
    guard let reader = connection.storedBytesReader, let path = reader.path, canReadBackups else { throw unsupported }
    try readBackup(at: backup) { backup in
      guard try backup.connection.storedBytesReader?.damage() == nil else {
        throw context.error(.corrupt, "the backup is damaged", remedy: "Choose another backup.")
      }
      // No backup is made of a database that was never used: to the engine, an empty file is one.
      guard try !backup.connection.schema().objects.isEmpty || backup.userVersion != 0 else {
        throw context.error(.corrupt, "the backup is empty", remedy: "Choose another backup.")
      }
    }
    var kept: String?
    var failure: DatabaseError?
    try reader.replacing {
      if try !connection.schema().objects.isEmpty {
        kept = try BackupFolder(ofDatabaseAt: path).makeBackup(of: self, at: Ledger.now).path
      }
      failure = try replace(path, withCopyOf: backup)
    }
    return (kept, failure)
  }

  private func replace(_ path: String, withCopyOf backup: String) throws -> DatabaseError? {
    var copy = try BackupFile(path + ".restore", engine: engine.name, like: path)
    do {
      try readBackup(at: backup) { backup in
        // Takes the lock that a transaction of this kind holds only after its first read.
        _ = try backup.connection.schemaVersion()
        guard let reader = backup.connection.storedBytesReader else { throw unsupported }
        try reader.read { bytes in
          try checkCancellation()
          try copy.append(bytes)
        }
      }
      try copy.end()
    } catch {
      copy.discard()
      throw error
    }
    return try copy.finish(replacing: path)
  }

  private var unsupported: DatabaseError {
    context.error(.unsupported, "only a database in a file can be restored from a backup")
  }
}
