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
  ///   a file. The database is then unchanged, and the queue remains open.
  @discardableResult
  public func restore(backupAt path: String) throws -> String? {
    let kept = try writeWithoutTransaction { db in try db.replaceFile(withCopyOf: path) }
    try close()
    return kept
  }
}

extension Database {
  fileprivate func replaceFile(withCopyOf backup: String) throws -> String? {
    guard let path = connection.storedBytesReader?.path, canReadBackups else {
      throw context.error(.unsupported, "only a database in a file can be restored from a backup")
    }
    try readBackup(at: backup) { backup in
      guard try String.fetchOne(backup, sql: "PRAGMA quick_check(1)") == "ok" else {
        throw context.error(.corrupt, "the backup is damaged", remedy: "Choose another backup.")
      }
    }
    // Moves the log into the file and removes it, which requires that no other connection is open
    // (https://www.sqlite.org/pragma.html#pragma_journal_mode).
    _ = try String.fetchOne(self, sql: "PRAGMA main.journal_mode = DELETE")
    try connection.begin(.exclusive)
    let result = Result {
      // Takes the lock, and reads the header that another process may have changed.
      guard try String.fetchOne(self, sql: "PRAGMA main.journal_mode") != "wal" else {
        throw context.error(.busy, "another connection uses the database", remedy: "Close it, and try again.")
      }
      let kept =
        try connection.schema().objects.isEmpty
        ? nil : BackupFolder(ofDatabaseAt: path).makeBackup(of: self, at: Ledger.now).path
      try replace(path, withCopyOf: backup)
      return kept
    }
    // The transaction has changed nothing, and holds the lock of the replaced file.
    try connection.rollback()
    return try result.get()
  }

  private func replace(_ path: String, withCopyOf backup: String) throws {
    let unchanged = "Nothing was changed: check the disk and the permissions of the folder, and try again."
    func failure(_ what: String, remedy: String = unchanged) -> DatabaseError {
      context.error(.inputOutput, "\(what): \(String(cString: strerror(errno)))", remedy: remedy)
    }
    guard let folder = OpenFolder(path.containingFolder) else {
      throw failure("the folder of \(path) cannot be opened")
    }
    let source = open(backup, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw failure("\(backup) cannot be read") }
    defer { closeDescriptor(source) }
    let unfinished = path + ".restore" + BackupFile.unfinishedSuffix
    // The remains of a dead process: this one has the lock.
    folder.remove(unfinished)
    let copy = folder.openFile(unfinished, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    guard copy >= 0 else { throw failure("\(unfinished) cannot be created") }
    var isDone = false
    defer {
      closeDescriptor(copy)
      if !isDone { folder.remove(unfinished) }
    }
    FileOwner.setWithPermissions(of: copy, likeFileAt: path)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("\(backup) cannot be read") }
      guard count > 0 else { break }
      try checkCancellation()
      var rest = buffer[..<count]
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(copy, $0.baseAddress, $0.count) }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { throw failure("\(unfinished) cannot be written") }
        rest = rest.dropFirst(written)
      }
    }
    errno = DiskSync.file(copy)
    guard errno == 0 else { throw failure("\(unfinished) cannot be written") }
    guard folder.rename(unfinished, to: path) else { throw failure("\(path) cannot be replaced") }
    isDone = true
    errno = folder.sync()
    guard errno == 0 else {
      throw failure(
        "the folder of \(path) cannot be written to the disk",
        remedy: "The file was replaced, but after a power cut the old one may be there: restore the backup again.")
    }
  }
}

/// Closes a file; inside the types above, `close` is another function.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
