/// A database that can be read and written, from any thread or task.
///
/// Accesses throw the same errors as the accesses of a ``DatabaseReader``.
public protocol DatabaseWriter: DatabaseReader {
  /// Writes without opening a transaction.
  ///
  /// A transaction that `updates` leaves open is rolled back and, unless `updates` throws, reported as an error.
  func writeWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value

  /// Writes as the synchronous method does, without blocking a thread.
  func writeWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value

  /// Writes without a transaction while no other access through this writer runs, including reads.
  func barrierWriteWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value

  /// Writes as the synchronous method does, without blocking a thread.
  func barrierWriteWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value

  /// Schedules a write in a transaction; calls `updates` on a queue of the database, and `completion` after the
  /// commit or the rollback.
  func asyncWrite<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value,
    completion: @escaping @Sendable (Database, Result<Value, any Error>) -> Void)

  /// Schedules a write that runs without a transaction, and only while no other access through this writer is running.
  ///
  /// - Parameter updates: The function to call with the database. If the database is closed before the write starts,
  ///   `updates` receives an error and must not use the database.
  func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Database, (any Error)?) -> Void)
}

extension DatabaseWriter {
  /// Writes in a transaction, which is committed if `updates` returns and rolled back if it throws.
  public func write<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    try writeWithoutTransaction { db in try db.writing(updates) }
  }

  /// Writes as the synchronous method does; canceling the task rolls the transaction back.
  public func write<Value: Sendable>(_ updates: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await writeWithoutTransaction { db in try db.writing(updates) }
  }

  /// Removes every object and every row, in one transaction.
  ///
  /// Settings of the file, such as its page size and user version, remain unchanged.
  ///
  /// - Throws: ``DatabaseError``, in which case nothing is removed.
  public func erase() throws { try barrierWriteWithoutTransaction { db in try db.erase() } }

  /// Removes every object and every row, as the synchronous method does.
  public func erase() async throws { try await barrierWriteWithoutTransaction { db in try db.erase() } }

  /// Rebuilds the file to reclaim the space of deleted rows (https://www.sqlite.org/lang_vacuum.html).
  ///
  /// - Throws: ``DatabaseError``, in which case the file is unchanged.
  public func vacuum() throws { try barrierWriteWithoutTransaction { db in try db.execute(sql: "VACUUM") } }

  /// Rebuilds the file, as the synchronous method does.
  public func vacuum() async throws { try await barrierWriteWithoutTransaction { db in try db.execute(sql: "VACUUM") } }
}

/// A database that can be read, from any thread or task.
///
/// Do not nest accesses: inside an access, use the ``Database`` that the access passes to its closure.
///
/// Accesses throw ``DatabaseError`` and any error that their closures throw. If the task of an asynchronous access is
/// canceled, the access is interrupted and throws `CancellationError`.
public protocol DatabaseReader: AnyObject, Sendable {
  /// The configuration with which the database was opened.
  var configuration: Configuration { get }

  /// Calls `value` to read.
  ///
  /// All statements in `value` see the same state of the database, and writes are rejected.
  func read<Value>(_ value: (Database) throws -> Value) throws -> Value

  /// Reads as the synchronous method does, without blocking a thread.
  func read<Value: Sendable>(_ value: @escaping @Sendable (Database) throws -> Value) async throws -> Value

  /// Schedules a read; calls `value` on a queue of the database.
  func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Interrupts the running statements, which fail with the condition `.interrupted`.
  func interrupt()

  /// Closes the database.
  ///
  /// Later accesses fail with the condition `.misuse`; a second call does nothing.
  func close() throws
}
