internal import Dispatch

/// A connection and the serial queue on which it is used.
///
/// `@unchecked Sendable` is correct because `database` is accessed only on `queue`, by one access at a time.
final class ConnectionQueue: @unchecked Sendable {
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

  var isEntered: Bool { state.withLock { $0.owner == .current } }

  func sync<Result>(_ body: (Database) throws -> Result) throws -> Result {
    precondition(
      !isEntered,
      "Database accesses cannot be nested: use the `db` parameter of the outer access instead of the queue; call `migrate` outside "
        + "of `read` and `write`.")
    return try queue.sync { try access(body) }
  }

  /// Runs an access without blocking a thread; canceling the task interrupts the access.
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

  /// Schedules an access.
  ///
  /// If the database is closed before the access starts, `body` receives an error and must not use the database.
  func schedule(_ body: @escaping @Sendable (Database, (any Error)?) -> Void) {
    queue.async { [self] in
      do {
        try access { db in body(db, nil) }
      } catch {
        body(database, error)
      }
    }
  }

  /// Schedules a write in a transaction; `completion` is called after its commit or rollback.
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
    precondition(!isEntered, "A database cannot be closed inside one of its accesses: it would wait for itself.")
    try queue.sync {
      let wasClosed = state.withLock { state in
        defer { state.isClosed = true }
        return state.isClosed
      }
      if !wasClosed { try database.close() }
    }
  }

  func interrupt() { interrupter.interrupt() }

  deinit {
    // There is no caller to report the error to; the operating system releases the remaining resources.
    try? database.close()
  }

  /// Runs an access; all accesses to the database go through this method.
  private func access<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let isClosed = state.withLock { state in
      state.owner = .current
      return state.isClosed
    }
    defer { state.withLock { $0.owner = nil } }
    guard !isClosed else { throw database.context.error(.misuse, "the database is closed", remedy: "Open it again.") }
    defer {
      // Otherwise the next access would find an open transaction. An interrupt during the rollback stops the rollback,
      // too; interrupts end once no statement is running (https://www.sqlite.org/c3ref/interrupt.html). If the second
      // attempt fails as well, the next access reports it.
      if database.isInsideTransaction { try? database.connection.rollback() }
    }
    return try body(database)
  }
}

/// An access that is interrupted if its task is canceled.
final class AsyncAccess: Sendable {
  private enum State {
    case waiting
    case running(AccessCancellation, DatabaseInterrupter)
    case ended
    case cancelled
  }

  private let state = Lock(State.waiting)

  /// Runs the access, unless its task was canceled while the access waited.
  func run<Result>(on db: Database, _ body: (Database) throws -> Result) throws -> Result {
    let cancellation = db.context.cancellation
    let interrupter = db.interrupter
    try state.withLock { state throws(CancellationError) in
      if case .cancelled = state { throw CancellationError() }
      state = .running(cancellation, interrupter)
    }
    defer {
      state.withLock { $0 = .ended }
      cancellation.reset()
    }
    do {
      return try body(db)
    } catch let error as DatabaseError where error.condition == .interrupted && cancellation.isRequested {
      throw CancellationError()
    }
  }

  /// Interrupts the access if it has not ended.
  ///
  /// Holds the lock while it interrupts, so that the interrupt cannot affect the next access.
  func cancel() {
    let isUnnoticed = state.withLock { state in
      switch state {
      case .running(let cancellation, let interrupter):
        cancellation.request()
        guard !cancellation.isNoticed else { return false }
        if !cancellation.isFinishing { interrupter.interrupt() }
        return true
      case .waiting:
        state = .cancelled
        return false
      case .ended, .cancelled: return false
      }
    }
    guard isUnnoticed else { return }
    // An interrupt has no effect on a statement that is about to begin
    // (https://www.sqlite.org/c3ref/interrupt.html), and that statement may run forever.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { self.cancel() }
  }
}
