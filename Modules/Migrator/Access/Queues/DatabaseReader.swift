/// A database that can be read, from any thread or task.
///
/// Accesses wait for their turn. They cannot be nested: inside one, use the ``Database`` that it was given.
public protocol DatabaseReader: AnyObject, Sendable {
  /// How the database was opened.
  var configuration: Configuration { get }

  /// Reads. All statements of `value` see the same state of the database; writing is refused.
  ///
  /// - Throws: ``DatabaseError``; what `value` throws.
  func read<Value>(_ value: (Database) throws -> Value) throws -> Value

  /// Reads as the synchronous form does. Cancelling the task interrupts it.
  ///
  /// - Throws: ``DatabaseError``; what `value` throws; `CancellationError`.
  func read<Value: Sendable>(_ value: @escaping @Sendable (Database) throws -> Value) async throws -> Value

  /// Reads later; `value` is called on a queue of the database.
  func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Stops the statements that run at this moment: they fail as interrupted.
  func interrupt()

  /// Closes the database. Accesses afterwards fail as misuse; a second call does nothing.
  func close() throws
}
