extension Database {
  /// Copies the database as it is stored, within the open transaction, which has read and has changed nothing.
  ///
  /// - Returns: The size of the copy in bytes; zero for a database that holds nothing yet.
  func copyStored(to path: String) throws -> Int64 {
    guard let reader = connection.storedBytesReader else {
      throw context.error(
        .unsupported, "a database in memory, or behind this engine, cannot be copied as it is stored",
        remedy: "Copy its content into another database.")
    }
    var file = try BackupFile(path, engine: engine.name)
    do {
      try reader.read { bytes in
        try checkCancellation()
        try file.write(bytes)
      }
      try file.finish()
    } catch {
      file.giveUp()
      throw error
    }
    return file.sizeInBytes
  }
}

extension DatabaseReader {
  /// Copies the database, as it is at this moment, into a new file.
  ///
  /// The copy is what the file is: with the same key and cipher settings where it is encrypted, and the same page size,
  /// encoding, rowids and numbers. Others may read meanwhile, and write where the database has a write-ahead log. A process
  /// that dies leaves no file of that name.
  ///
  /// - Parameter path: The new file.
  /// - Throws: ``DatabaseError``, as misuse when the file exists, `.full` when the disk is, and `.unsupported` for a
  ///   database in memory; then no file is left.
  public func backup(to path: String) throws { try read { db in try db.backUp(to: path) } }

  /// Copies the database into a new file, as the synchronous form does.
  ///
  /// Cancelling the task ends it, and no file is left.
  ///
  /// - Throws: ``DatabaseError``; `CancellationError`.
  public func backup(to path: String) async throws { try await read { db in try db.backUp(to: path) } }
}

extension Database {
  fileprivate func backUp(to path: String) throws {
    // Takes the lock that a transaction of this kind has only from its first read on.
    _ = try connection.schemaVersion()
    _ = try copyStored(to: path)
  }
}
