/// An open connection that belongs to the application, which lends it for the duration of a call.
///
/// A backend creates the value from a connection of its engine. The call uses the connection on the caller's thread and
/// does not close it. When the call returns or throws, everything that the application has set on the connection is
/// restored: hooks, handlers, limits, pragmas, prepared statements.
///
/// When it is lent, the connection must have no open transaction and no running statement. Do not close it during the
/// call.
public struct BorrowedDatabase {
  private let backend: any DatabaseBackend

  /// Creates a value from a backend whose `connect` method borrows the connection; closing the connection gives it
  /// back.
  package init(_ backend: any DatabaseBackend) { self.backend = backend }

  /// Runs `body` on the caller's thread with the borrowed connection, then gives the connection back, even if `body`
  /// throws.
  ///
  /// - Parameter timeout: The longest time to wait, before `body` runs, for locks that other connections hold.
  /// - Throws: ``DatabaseError`` with the condition `.misuse` if the connection has an open transaction or a running
  ///   statement; any error that `body` throws.
  func lend<Value>(waitingUpTo timeout: Duration, _ body: (Database) throws -> Value) throws -> Value {
    var configuration = Configuration()
    configuration.label = backend.label
    let connection = try LockWait(until: .now + timeout).retrying {
      try backend.connect(configuration.connectionOptions)
    }
    // Scratch databases are to behave as the connection does.
    configuration.foreignKeysEnabled = try connection.enforcesForeignKeys()
    let db = try Database(connection, of: backend, configuration: configuration)
    return try ending(with: { try db.close() }) { try body(db) }
  }

  /// Runs `body` as the synchronous method does.
  ///
  /// If the task is canceled, `body` is interrupted and this method throws `CancellationError`.
  ///
  /// Stays on the caller's actor, so that no other code of that actor uses the connection in the meantime.
  nonisolated(nonsending) func lend<Value>(
    waitingUpTo timeout: Duration, _ body: (Database) throws -> Value
  ) async throws -> Value {
    let cancellation = AsyncAccess()
    return try await withTaskCancellationHandler {
      try lend(waitingUpTo: timeout) { db in try cancellation.run(on: db, body) }
    } onCancel: {
      cancellation.cancel()
    }
  }
}

/// Not `Sendable`, because only one thread at a time may use an engine's connection.
@available(*, unavailable)
extension BorrowedDatabase: Sendable {}
