/// A database that can be read and written, from any thread or task.
///
/// Accesses throw what those of ``DatabaseReader`` do.
public protocol DatabaseWriter: DatabaseReader {
  /// Writes without a transaction around `updates`; one that it leaves open is rolled back, and reported unless it throws.
  func writeWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value

  /// Writes as the synchronous form does.
  func writeWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value

  /// Writes without a transaction while no other access of this writer runs, readers included.
  func barrierWriteWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value

  /// Writes as the synchronous form does.
  func barrierWriteWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value

  /// Writes later, in a transaction; `updates` is called on a queue of the database, and `completion` after the
  /// commit or the rollback.
  func asyncWrite<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value,
    completion: @escaping @Sendable (Database, Result<Value, any Error>) -> Void)

  /// Writes later, without a transaction, while no other access of this writer runs.
  ///
  /// - Parameter updates: Gets an error when the database is closed by then, and must not use it.
  func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Database, (any Error)?) -> Void)
}

extension DatabaseWriter {
  /// Writes in a transaction, which is committed when `updates` returns and rolled back when it throws.
  public func write<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    try writeWithoutTransaction { db in try db.writing(updates) }
  }

  /// Writes as the synchronous form does; cancelling the task rolls back.
  public func write<Value: Sendable>(_ updates: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await writeWithoutTransaction { db in try db.writing(updates) }
  }

  /// Removes every object and every row, in one transaction; settings of the file stay as they are.
  ///
  /// - Throws: ``DatabaseError``; then nothing was removed.
  public func erase() throws { try barrierWriteWithoutTransaction { db in try db.erase() } }

  /// Removes every object and every row, as the synchronous form does.
  public func erase() async throws { try await barrierWriteWithoutTransaction { db in try db.erase() } }

  /// Rebuilds the file without the room that deleted rows left (https://www.sqlite.org/lang_vacuum.html).
  ///
  /// - Throws: ``DatabaseError``; then the file is as it was.
  public func vacuum() throws { try barrierWriteWithoutTransaction { db in try db.execute(sql: "VACUUM") } }

  /// Rebuilds the file, as the synchronous form does.
  public func vacuum() async throws { try await barrierWriteWithoutTransaction { db in try db.execute(sql: "VACUUM") } }
}

/// A database that can be read, from any thread or task.
///
/// Accesses wait for their turn. They cannot be nested: inside one, use the ``Database`` that it was given.
///
/// Accesses throw ``DatabaseError`` and what their functions throw. Cancelling the task of an asynchronous one
/// interrupts it, and it throws `CancellationError`.
public protocol DatabaseReader: AnyObject, Sendable {
  /// How the database was opened.
  var configuration: Configuration { get }

  /// Reads. All statements of `value` see the same state of the database; writing is refused.
  func read<Value>(_ value: (Database) throws -> Value) throws -> Value

  /// Reads as the synchronous form does.
  func read<Value: Sendable>(_ value: @escaping @Sendable (Database) throws -> Value) async throws -> Value

  /// Reads later; `value` is called on a queue of the database.
  func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Stops the statements that run at this moment: they fail as interrupted.
  func interrupt()

  /// Closes the database. Accesses afterwards fail as misuse; a second call does nothing.
  func close() throws
}
