extension Database {
  /// Copies the database as it is stored into a new file, within the open transaction, which has read and has changed
  /// nothing; and opens the copy before it gets its name.
  ///
  /// - Returns: The size of the copy in bytes; zero for a database that holds nothing yet.
  func copyStored(to path: String, verify: (Database) throws -> Void = { _ in }) throws -> Int64 {
    guard let reader = connection.storedBytesReader else {
      throw context.error(
        .unsupported, "a database in memory, or of this engine, cannot be copied as it is stored",
        remedy: "Copy its content into another database.")
    }
    var file = try BackupFile(path, engine: engine.name)
    do {
      try reader.read { bytes in
        try checkCancellation()
        try file.append(bytes)
      }
      // An engine must not meet a file that other code has open: closing it would drop the engine's locks.
      try file.end()
      if file.sizeInBytes > 0 { try verifyCopy(at: file.unfinishedPath, verify) }
      try file.finish()
    } catch {
      file.discard()
      throw error
    }
    return file.sizeInBytes
  }

  /// Opens a copy as this database was opened, and compares the schemas.
  private func verifyCopy(at path: String, _ verify: (Database) throws -> Void) throws {
    guard let backend = backend as? any FileBackend else { return }
    // Not with the app's configuration, whose functions may write or attach other files.
    let copy = try DatabaseQueue(backend.forCopy(at: path))
    do {
      try copy.read { copy in
        guard try copy.connection.schema() == connection.schema() else {
          throw context.error(
            .inputOutput, "the copy of the database does not hold what the database holds", remedy: "Try again.")
        }
        try verify(copy)
      }
    } catch {
      // What failed first is what the caller must know.
      try? copy.close()
      throw error
    }
    try copy.close()
  }
}

extension DatabaseReader {
  /// Copies the database, as it is at this moment, into a new file.
  ///
  /// The copy is what the file is: with the same key and cipher settings where it is encrypted, and the same page size,
  /// encoding, rowids and numbers. Others may read meanwhile, and write where the database has a write-ahead log. A
  /// process that dies leaves no file of that name.
  ///
  /// - Throws: ``DatabaseError``, as misuse when the file exists, `.full` when the disk is, and `.unsupported` for a
  ///   database in memory; then no file is left.
  public func backup(to path: String) throws { try read { db in try db.backUp(to: path) } }

  /// Copies the database into a new file, as the synchronous form does; cancelling the task ends it without a file.
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
