internal import Dispatch

/// A connection and the serial queue that alone uses it.
///
/// `@unchecked Sendable` is right because `database` is touched only inside `queue`, one access after the other.
final class ConnectionQueue: @unchecked Sendable {
  /// What runs behind the connection.
  let engine: EngineDescription

  private let queue: DispatchQueue
  private let database: Database
  private let interrupter: DatabaseInterrupter
  private let state = Lock(State())

  private struct State {
    var owner: ThreadIdentity?
    var isClosed = false
  }

  init(_ backend: any DatabaseBackend, configuration: Configuration) throws {
    database = try Database(backend, configuration: configuration)
    engine = database.engine
    interrupter = database.interrupter
    queue = DispatchQueue(label: configuration.label ?? "database \(backend.label)")
  }

  /// Whether this thread is inside an access.
  var isEntered: Bool { state.withLock { $0.owner == .current } }

  /// Runs an access and waits for its end.
  func sync<Result>(_ body: (Database) throws -> Result) throws -> Result {
    precondition(
      !isEntered,
      "Database accesses cannot be nested: use the `db` that the outer access was given instead of the queue.")
    return try queue.sync { try access(body) }
  }

  /// Runs an access without waiting for it on a thread.
  ///
  /// Cancelling the task interrupts the access.
  func async<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
    let cancellation = AsyncAccess()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
        queue.async { [self] in
          continuation.resume(with: Swift.Result { try access { db in try cancellation.run(on: db, body) } })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Runs an access later; `body` gets an error when the database is closed by then, and must not use it.
  func schedule(_ body: @escaping @Sendable (Database, (any Error)?) -> Void) {
    queue.async { [self] in
      do {
        try access { db in body(db, nil) }
      } catch {
        body(database, error)
      }
    }
  }

  /// Runs a write in a transaction later; `completion` is called behind its commit or rollback.
  func scheduleWriting<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value,
    completion: @escaping @Sendable (Database, Result<Value, any Error>) -> Void
  ) {
    schedule { db, error in
      completion(
        db,
        Swift.Result {
          if let error { throw error }
          return try db.writing(updates)
        })
    }
  }

  func close() throws {
    precondition(!isEntered, "A database cannot be closed inside one of its accesses, whose end it would wait for.")
    try queue.sync {
      let wasClosed = state.withLock { state in
        defer { state.isClosed = true }
        return state.isClosed
      }
      if !wasClosed { try database.close() }
    }
  }

  /// Stops the statement that runs at this moment, from any thread.
  func interrupt() { interrupter.interrupt() }

  deinit {
    // Nobody is left to tell; the operating system gives back what the engine could not.
    try? database.close()
  }

  /// The only place where an access meets the database.
  private func access<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let isClosed = state.withLock { state in
      state.owner = .current
      return state.isClosed
    }
    defer { state.withLock { $0.owner = nil } }
    guard !isClosed else {
      throw database.context.error(.misuse, "the database is closed", remedy: "Open it again.")
    }
    defer { endTransaction() }
    return try body(database)
  }

  /// Ends a transaction that an access should have ended: the next one would find it open.
  ///
  /// An interruption that comes just when a transaction is rolled back stops that, too; it is over when no statement runs
  /// any more (https://www.sqlite.org/c3ref/interrupt.html).
  private func endTransaction() {
    // If it fails again, the next access says so.
    if database.isInsideTransaction { try? database.connection.rollback() }
  }
}
