/// A database with a single connection, on which accesses run one after another.
public final class DatabaseQueue: DatabaseWriter {
  /// The configuration with which the database was opened.
  public let configuration: Configuration

  private let connection: ConnectionQueue

  /// Opens a database.
  ///
  /// - Throws: ``DatabaseError``; any error from ``Configuration/prepareDatabase(_:)``.
  public init(_ backend: any DatabaseBackend, configuration: Configuration = Configuration()) throws {
    self.configuration = configuration
    connection = try ConnectionQueue(backend, configuration: configuration)
  }

  /// Runs a read after all earlier accesses have ended; see ``DatabaseReader``.
  public func read<Value>(_ value: (Database) throws -> Value) throws -> Value {
    try connection.sync { db in try db.reading(value) }
  }

  /// Runs a read after all earlier accesses have ended; see ``DatabaseReader``.
  public func read<Value: Sendable>(_ value: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await connection.async { db in try db.reading(value) }
  }

  /// Schedules a read; see ``DatabaseReader``.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    connection.schedule { db, error in
      do {
        if let error { throw error }
        try db.reading { db in value(.success(db)) }
      } catch {
        value(.failure(error))
      }
    }
  }

  /// Writes without a transaction; see ``DatabaseWriter``.
  public func writeWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    try connection.sync { db in try db.writingWithoutTransaction(updates) }
  }

  /// Writes without a transaction; see ``DatabaseWriter``.
  public func writeWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await connection.async { db in try db.writingWithoutTransaction(updates) }
  }

  /// Writes without a transaction; the accesses of a queue always exclude each other.
  public func barrierWriteWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    try writeWithoutTransaction(updates)
  }

  /// Writes without a transaction; the accesses of a queue always exclude each other.
  public func barrierWriteWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await writeWithoutTransaction(updates)
  }

  /// Schedules a write in a transaction; see ``DatabaseWriter``.
  public func asyncWrite<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value,
    completion: @escaping @Sendable (Database, Result<Value, any Error>) -> Void
  ) {
    connection.scheduleWriting(updates, completion: completion)
  }

  /// Schedules a write without a transaction; see ``DatabaseWriter``.
  public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Database, (any Error)?) -> Void) {
    connection.schedule(updates)
  }

  /// Writes without a transaction, as `writeWithoutTransaction` does; this is GRDB's name for that method.
  public func inDatabase<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    try writeWithoutTransaction(updates)
  }

  /// Writes in a transaction, which is committed or rolled back as the result of `updates` specifies; see
  /// ``Database/inTransaction(_:_:)``.
  public func inTransaction(
    _ kind: TransactionKind = .immediate, _ updates: (Database) throws -> TransactionCompletion
  ) throws {
    try writeWithoutTransaction { db in try db.inTransaction(kind) { try updates(db) } }
  }

  /// Interrupts the running statement; see ``DatabaseReader``.
  public func interrupt() { connection.interrupt() }

  /// Closes the database; see ``DatabaseReader``.
  public func close() throws { try connection.close() }
}
