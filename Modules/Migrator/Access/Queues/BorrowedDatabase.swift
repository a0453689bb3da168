/// An open connection that belongs to the application, which lends it for the duration of a call.
///
/// A backend makes one of its engine's own connection. The caller waits while the connection is lent, on its own thread.
/// Nothing is closed, and when the call returns or throws, all that the application has set on the connection is as it
/// was: hooks, handlers, limits, pragmas, prepared statements.
///
/// A connection is lent only while it has no open transaction and runs no statement, and must not be closed meanwhile.
public struct BorrowedDatabase {
  private let backend: any DatabaseBackend

  /// Lends a connection.
  ///
  /// - Parameter backend: Begins a loan when it is asked for a connection, and ends it when that connection is closed.
  package init(_ backend: any DatabaseBackend) { self.backend = backend }

  /// Runs `body` on the caller's thread with the lent connection, and gives the connection back on every exit.
  ///
  /// - Parameter timeout: How long to wait for the locks of other connections before the first read.
  /// - Throws: ``DatabaseError``, as `.misuse` when the connection has an open transaction or runs a statement; what `body`
  ///   throws.
  func lend<Value>(waitingUpTo timeout: Duration, _ body: (Database) throws -> Value) throws -> Value {
    var configuration = Configuration()
    configuration.label = backend.label
    let connection = try LockWait(until: .now + timeout).retrying {
      try backend.connect(configuration.connectionOptions)
    }
    // Scratch databases are to behave as the connection does.
    configuration.foreignKeysEnabled = try connection.enforcesForeignKeys()
    let db = try Database(connection, of: backend, configuration: configuration)
    let result = Result { try body(db) }
    let returning = Result { try db.close() }
    // The first error is the one that matters.
    let value = try result.get()
    try returning.get()
    return value
  }

  /// Runs `body` as the synchronous form does; cancelling the task interrupts it, and it throws `CancellationError`.
  ///
  /// The caller's actor is not left, so that no one else uses its connection meanwhile.
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

/// A connection of an engine is used by one thread at a time.
@available(*, unavailable)
extension BorrowedDatabase: Sendable {}
