/// A database with one connection that writes and several that read at the same time.
///
/// The database is kept in WAL mode (https://www.sqlite.org/wal.html): readers wait neither for the writer nor for each
/// other, and each read sees one snapshot. Migrations and other barrier writes keep the readers out while they run.
///
///     let dbPool = try DatabasePool(path: "library.sqlite")
///     try migrator.migrate(dbPool)
///     let count = try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM author") }
///
/// Reading inside `write` and `writeWithoutTransaction` is allowed, and sees what was committed before. All other
/// accesses inside an access stop the program, since they could wait for each other for ever.
public final class DatabasePool: DatabaseWriter {
  /// How the database was opened.
  public let configuration: Configuration

  // Before the writer, so that it is released first: the last connection to be closed copies the log into the database
  // and removes it, which one that only reads cannot (https://www.sqlite.org/wal.html#the_wal_file).
  let readers: SnapshotReaders

  let writer: ConnectionQueue

  /// Opens a database; connections that read are opened when they are needed.
  ///
  /// - Parameter configuration: Its functions for new connections run on each of them, also on those that only read.
  ///   Where it is read-only, the journal mode stays as it is.
  /// - Throws: ``DatabaseError``, as `.unsupported` for a database in memory, `.misuse` for a configuration with another
  ///   journal mode or without readers; what a function given to ``Configuration/prepareDatabase(_:)`` throws.
  public init(_ backend: any DatabaseBackend, configuration: Configuration = Configuration()) throws {
    try Self.check(backend, configuration)
    self.configuration = configuration
    var writing = configuration
    writing.journalMode = .wal
    writer = try ConnectionQueue(backend, configuration: writing)
    readers = SnapshotReaders(backend, configuration: configuration, engine: writer.engine.name)
  }

  /// Reads a snapshot; see ``DatabaseReader``.
  ///
  /// Waits while as many reads run as there may be readers, and while a barrier write runs or has waited for longer.
  public func read<Value>(_ value: (Database) throws -> Value) throws -> Value {
    precondition(
      !readers.isReading,
      "Database accesses cannot be nested: use the `db` that the outer read was given instead of the pool.")
    precondition(
      !readers.isExcluding,
      "A pool cannot be read inside a barrier write or a migration: use the `db` that it was given instead.")
    return try readers.read(value)
  }

  /// Reads a snapshot, and blocks no thread while the access waits for its turn; see ``DatabaseReader``.
  public func read<Value: Sendable>(_ value: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    let access = AsyncAccess()
    let ticket = AccessGate.Ticket()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        readers.schedule(ticket) { db in
          try access.run(on: db, value)
        } completion: { result in
          continuation.resume(with: result)
        }
      }
    } onCancel: {
      readers.cancel(ticket)
      access.cancel()
    }
  }

  /// Reads a snapshot later; see ``DatabaseReader``.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    readers.schedule { db in
      value(.success(db))
    } completion: { result in
      if case .failure(let error) = result { value(.failure(error)) }
    }
  }

  /// Stops the statements that run at this moment, on all connections; see ``DatabaseReader``.
  public func interrupt() {
    writer.interrupt()
    readers.interrupt()
  }

  /// Closes all connections after the accesses that run or wait at this moment; see ``DatabaseReader``.
  public func close() throws {
    precondition(
      !readers.isReading && !writer.isEntered,
      "A database cannot be closed inside one of its accesses, whose end it would wait for.")
    let closing = Result { try readers.close() }
    try writer.close()
    try closing.get()
  }

  private static func check(_ backend: any DatabaseBackend, _ configuration: Configuration) throws(DatabaseError) {
    func error(_ condition: DatabaseError.Condition, _ message: String, _ remedy: String) -> DatabaseError {
      DatabaseError(condition, engine: "\(type(of: backend))", message: message, remedy: remedy)
    }
    guard backend.isShared else {
      throw error(
        .unsupported, "a database in memory cannot have a pool: each connection would have another one",
        "Use a DatabaseQueue, or a file.")
    }
    if let mode = configuration.journalMode, mode != .wal {
      throw error(
        .misuse, "a pool needs the journal mode wal, and the configuration asks for \(mode.rawValue)",
        "Leave the journal mode out, or use a DatabaseQueue.")
    }
    guard configuration.maximumReaderCount > 0 else {
      throw error(
        .misuse, "a pool cannot do with \(configuration.maximumReaderCount) readers",
        "Set maximumReaderCount to at least 1.")
    }
  }
}

extension DatabasePool {
  /// Writes without a transaction, beside the readers; see ``DatabaseWriter``.
  public func writeWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    requireOutsideOfReads()
    return try writer.sync { db in try db.writingWithoutTransaction(updates) }
  }

  /// Writes without a transaction, beside the readers; see ``DatabaseWriter``.
  public func writeWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await writer.async { db in try db.writingWithoutTransaction(updates) }
  }

  /// Writes without a transaction after the reads that run or wait already, while no other read begins.
  ///
  /// Readers forget their prepared statements afterwards, so that they meet the schema as it is then.
  public func barrierWriteWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    requireOutsideOfReads()
    return try writer.sync { db in try readers.excluding { try db.writingWithoutTransaction(updates) } }
  }

  /// Writes without a transaction while no read runs; cancelling the task also ends the wait for the readers.
  public func barrierWriteWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    let ticket = AccessGate.Ticket()
    return try await withTaskCancellationHandler {
      try await writer.async { [readers] db in
        try readers.excluding(ticket) { try db.writingWithoutTransaction(updates) }
      }
    } onCancel: {
      readers.cancel(ticket)
    }
  }

  /// Writes later, in a transaction, beside the readers; see ``DatabaseWriter``.
  public func asyncWrite<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value,
    completion: @escaping @Sendable (Database, Result<Value, any Error>) -> Void
  ) {
    writer.scheduleWriting(updates, completion: completion)
  }

  /// Writes later, without a transaction, while no read runs; see ``DatabaseWriter``.
  ///
  /// A transaction that `updates` leaves open is rolled back.
  public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Database, (any Error)?) -> Void) {
    writer.schedule { [readers] db, error in
      guard error == nil else { return updates(db, error) }
      // Without a ticket waiting cannot fail, and `updates` throws nothing; a transaction left open has no one to know.
      try? readers.excluding { try db.writingWithoutTransaction { db in updates(db, nil) } }
    }
  }

  private func requireOutsideOfReads() {
    precondition(
      !readers.isReading,
      "A pool cannot be written inside one of its reads, which the write may wait for: end the read first.")
  }
}
