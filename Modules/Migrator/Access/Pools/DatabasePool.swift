/// A database with one connection that writes and several that read concurrently.
///
/// The database is kept in WAL mode (https://www.sqlite.org/wal.html): readers wait neither for the writer nor for each
/// other, and each read sees one snapshot. Migrations and other barrier writes exclude readers while they run.
///
///     let dbPool = try DatabasePool(path: "library.sqlite")
///     try migrator.migrate(dbPool)
///     let count = try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM author") }
///
/// Code inside `write` and `writeWithoutTransaction` may read from the pool and sees the last committed state. Any
/// other nested access stops the program, since the accesses could deadlock.
public final class DatabasePool: DatabaseWriter {
  /// The configuration with which the database was opened.
  public let configuration: Configuration

  // Declared before the writer, so that it is released first: the last connection to close checkpoints the log and
  // deletes it, which a read-only connection cannot (https://www.sqlite.org/wal.html#the_wal_file).
  let readers: SnapshotReaders

  let writer: DatabaseQueue

  /// Opens a database; connections for readers are opened when needed.
  ///
  /// - Parameter configuration: The settings. Functions added with ``Configuration/prepareDatabase(_:)`` run on each
  ///   connection, including those of readers. If the configuration is read-only, the journal mode remains unchanged.
  /// - Throws: ``DatabaseError`` with the condition `.unsupported` for a database in memory or a ``QueueOnlyBackend``,
  ///   `.misuse` for a configuration with a journal mode other than WAL or with no readers; any error from
  ///   ``Configuration/prepareDatabase(_:)``.
  public init(_ backend: any DatabaseBackend, configuration: Configuration = Configuration()) throws {
    try Self.check(backend, configuration)
    self.configuration = configuration
    var writing = configuration
    writing.journalMode = .wal
    writer = try DatabaseQueue(backend, configuration: writing)
    readers = SnapshotReaders(backend, configuration: configuration, engine: writer.engine.name)
  }

  /// Reads a snapshot; see ``DatabaseReader``.
  ///
  /// Waits while the maximum number of reads are running, and while a barrier write is running or was requested
  /// earlier.
  public func read<Value>(_ value: (Database) throws -> Value) throws -> Value {
    precondition(
      !readers.isReading,
      "Database accesses cannot be nested: use the `db` parameter of the outer read instead of the pool.")
    precondition(
      !readers.isExcluding,
      "A pool cannot be read inside a barrier write or a migration: use its `db` parameter instead.")
    return try readers.read(value)
  }

  /// Reads a snapshot without blocking a thread while the access waits; see ``DatabaseReader``.
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

  /// Schedules a read of a snapshot; see ``DatabaseReader``.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    readers.schedule { db in
      value(.success(db))
    } completion: { result in
      if case .failure(let error) = result { value(.failure(error)) }
    }
  }

  /// Interrupts the running statements on all connections; see ``DatabaseReader``.
  public func interrupt() {
    writer.interrupt()
    readers.interrupt()
  }

  /// Closes all connections once the running and waiting accesses have ended; see ``DatabaseReader``.
  public func close() throws {
    precondition(
      !readers.isReading && !writer.isEntered,
      "A database cannot be closed inside one of its accesses: it would wait for itself.")
    try ending(with: writer.close, readers.close)
  }

  private static func check(_ backend: any DatabaseBackend, _ configuration: Configuration) throws(DatabaseError) {
    func error(_ condition: DatabaseError.Condition, _ message: String, _ remedy: String) -> DatabaseError {
      DatabaseError(condition, engine: "\(type(of: backend))", message: message, remedy: remedy)
    }
    guard backend.isShared else {
      throw error(
        .unsupported, "a pool cannot open a database in memory: each connection would open a separate database",
        "Use a DatabaseQueue, or a file.")
    }
    if let backend = backend as? any QueueOnlyBackend {
      throw error(.unsupported, backend.reasonAgainstPools, "Use a DatabaseQueue.")
    }
    if let mode = configuration.journalMode, mode != .wal {
      throw error(
        .misuse, "a pool requires the journal mode wal, but the configuration sets \(mode.rawValue)",
        "Do not set the journal mode, or use a DatabaseQueue.")
    }
    guard configuration.maximumReaderCount > 0 else {
      throw error(
        .misuse, "a pool cannot work with \(configuration.maximumReaderCount) readers",
        "Set maximumReaderCount to at least 1.")
    }
  }
}

extension DatabasePool {
  /// Writes without a transaction, concurrently with readers; see ``DatabaseWriter``.
  public func writeWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    requireOutsideOfReads()
    return try writer.writeWithoutTransaction(updates)
  }

  /// Writes without a transaction, concurrently with readers; see ``DatabaseWriter``.
  public func writeWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await writer.writeWithoutTransaction(updates)
  }

  /// Writes in a transaction, which is committed or rolled back as the result of `updates` specifies; see
  /// ``Database/inTransaction(_:_:)``.
  public func writeInTransaction(
    _ kind: TransactionKind = .immediate, _ updates: (Database) throws -> TransactionCompletion
  ) throws {
    try writeWithoutTransaction { db in try db.inTransaction(kind) { try updates(db) } }
  }

  /// Writes without a transaction, after all running and waiting reads have ended; later reads wait.
  ///
  /// Readers discard their prepared statements afterwards, so that they use the new schema.
  public func barrierWriteWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    requireOutsideOfReads()
    return try writer.sync { db in try readers.excluding { try db.writingWithoutTransaction(updates) } }
  }

  /// Writes without a transaction while no read runs; canceling the task also ends the wait for running reads.
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

  /// Schedules a write in a transaction, concurrently with readers; see ``DatabaseWriter``.
  public func asyncWrite<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value,
    completion: @escaping @Sendable (Database, Result<Value, any Error>) -> Void
  ) {
    writer.asyncWrite(updates, completion: completion)
  }

  /// Schedules a write that runs without a transaction, and only while no read is running; see ``DatabaseWriter``.
  ///
  /// A transaction that `updates` leaves open is rolled back.
  public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Database, (any Error)?) -> Void) {
    writer.schedule { [readers] db, error in
      guard error == nil else { return updates(db, error) }
      // Without a ticket the wait cannot fail, and `updates` throws nothing; no caller is left to get an open
      // transaction's error.
      try? readers.excluding { try db.writingWithoutTransaction { db in updates(db, nil) } }
    }
  }

  private func requireOutsideOfReads() {
    precondition(
      !readers.isReading,
      "A pool cannot be written inside one of its reads, because the write may wait for the read: end the read first.")
  }
}
