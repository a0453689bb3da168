#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

extension DatabaseQueue {
  /// Replaces the database's file with a copy of a backup, and closes the queue.
  ///
  /// The current file is first kept as another backup, and the backup is read with the database's key. Then one rename replaces
  /// the file: after a crash, it is the old one or the restored one. Write-ahead logs and journals of the old file are
  /// removed before. Connections of this or another program that stay open during the call would continue with the old
  /// file, so close them first; in WAL mode the call fails if there are any.
  ///
  /// - Parameter path: A backup of this database; it remains.
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
    guard let reader = connection.storedBytesReader, let path = reader.path, canReadBackups else {
      throw context.error(.unsupported, "only a database in a file can be restored from a backup")
    }
    try readBackup(at: backup) { backup in
      guard try backup.connection.storedBytesReader?.damage() == nil else {
        throw context.error(.corrupt, "the backup is damaged", remedy: "Choose another backup.")
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
    let source = open(backup, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw unreadable(backup) }
    defer { closeDescriptor(source) }
    var copy = try BackupFile(path + ".restore", engine: engine.name, like: path)
    do {
      var buffer = [UInt8](repeating: 0, count: 1 << 18)
      while true {
        let count = read(source, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw unreadable(backup) }
        guard count > 0 else { break }
        try checkCancellation()
        try buffer[..<count].withUnsafeBytes { try copy.append($0) }
      }
      try copy.end()
    } catch {
      copy.discard()
      throw error
    }
    return try copy.finish(replacing: path)
  }

  private func unreadable(_ path: String) -> DatabaseError {
    context.error(
      .inputOutput, "\(path) cannot be read: \(String(cString: strerror(errno)))", remedy: "Choose another backup.")
  }
}

/// Closes a file; inside the type above, `close` is another function.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
