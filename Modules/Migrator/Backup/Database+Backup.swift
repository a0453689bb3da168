extension Database {
  /// Copies the stored bytes of the database into a new file, and verifies the copy before it gets its final name.
  ///
  /// The open transaction must have read from the database and must have changed nothing.
  ///
  /// - Parameters:
  ///   - path: The new file.
  ///   - model: The file whose owner, group and permissions the new file gets; nil for a file of this process that only
  ///     its owner can read. A file that cannot get this owner and group can be read only by its owner, too.
  ///   - verify: A function that examines the open copy, and throws an error if the copy is not correct.
  /// - Returns: The size of the copy in bytes; zero for a database that is still empty.
  func copyStored(
    to path: String, like model: String? = nil, verify: (Database) throws -> Void = { _ in }
  ) throws -> Int64 {
    guard let reader = connection.storedBytesReader else {
      throw context.error(
        .unsupported, "a database in memory, or one of this engine, cannot be backed up",
        remedy: "Copy its contents into another database.")
    }
    var file = try BackupFile(path, engine: engine.name, like: model)
    do {
      try reader.read { bytes in
        try checkCancellation()
        try file.append(bytes)
      }
      // The engine must not open a file that other code has open: closing it would release the engine's locks.
      try file.end()
      if file.sizeInBytes > 0 { try verifyCopy(at: file.unfinishedPath, verify) }
      try file.finish()
    } catch {
      file.discard()
      throw error
    }
    return file.sizeInBytes
  }

  /// Opens a copy with the settings of this database, and compares the schemas.
  private func verifyCopy(at path: String, _ verify: (Database) throws -> Void) throws {
    guard canReadBackups else { return }
    try readBackup(at: path) { copy in
      guard try copy.connection.schema() == connection.schema() else {
        throw context.error(.inputOutput, "the copy of the database differs from the database", remedy: "Try again.")
      }
      try verify(copy)
    }
  }
}

extension DatabaseReader {
  /// Copies the current state of the database into a new file.
  ///
  /// The copy has the same key and cipher settings if the database is encrypted, and the same page size, encoding,
  /// rowids and version numbers. Other connections may read during the copy and, with a write-ahead log, also write. A
  /// process that dies leaves no file with that name.
  ///
  /// - Throws: ``DatabaseError`` with the condition `.misuse` if the file exists, `.full` if the disk is full, and
  ///   `.unsupported` for a database in memory. In these cases, no file is left.
  public func backup(to path: String) throws { try read { db in try db.backUp(to: path) } }

  /// Copies the database into a new file, as the synchronous method does; if the task is canceled, no file is left.
  ///
  /// - Throws: ``DatabaseError``; `CancellationError`.
  public func backup(to path: String) async throws { try await read { db in try db.backUp(to: path) } }
}

extension Database {
  fileprivate func backUp(to path: String) throws {
    // Takes the lock that a transaction of this kind holds only after its first read.
    _ = try connection.schemaVersion()
    _ = try copyStored(to: path)
  }

  /// Whether the backend can open a copy of the database in another file.
  var canReadBackups: Bool { backend is any FileBackend }

  /// Opens a backup of the database, with the same key and settings and without creating files next to it, and reads from it.
  ///
  /// No connection writes to a backup. It may come from elsewhere, so its definitions are not trusted.
  package func readBackup<Value>(at path: String, _ body: (Database) throws -> Value) throws -> Value {
    guard let backend = backend as? any FileBackend else {
      throw context.error(.unsupported, "this connection cannot open other files", remedy: nil)
    }
    // Without the app's configuration, whose functions may write to or attach other files.
    var configuration = Configuration()
    configuration.readonly = true
    configuration.isUnchanging = true
    configuration.trustsSchema = false
    let backup = try DatabaseQueue(backend.forCopy(at: path), configuration: configuration)
    return try ending(with: { try backup.close() }) { try backup.read(body) }
  }
}
