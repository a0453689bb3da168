internal import Dispatch

/// A database with a single connection, on which accesses run one after another.
///
/// `@unchecked Sendable` is correct because `database` and `isClosed` are accessed only on `queue`, by one access at a
/// time.
public final class DatabaseQueue: DatabaseWriter, @unchecked Sendable {
  /// The configuration with which the database was opened.
  public let configuration: Configuration

  let engine: EngineDescription

  private let queue: DispatchQueue
  private let database: Database
  private let interrupter: DatabaseInterrupter
  private var isClosed = false
  /// The thread that is inside an access; nil if there is none.
  private let owner = Lock<ThreadIdentity?>(nil)

  /// Opens a database.
  ///
  /// - Throws: ``DatabaseError``; any error from ``Configuration/prepareDatabase(_:)``.
  public init(_ backend: any DatabaseBackend, configuration: Configuration = Configuration()) throws {
    self.configuration = configuration
    database = try Database(backend, configuration: configuration)
    engine = database.engine
    interrupter = database.interrupter
    queue = DispatchQueue(label: configuration.label ?? "database \(backend.label)")
  }

  /// Runs a read after all earlier accesses have ended; see ``DatabaseReader``.
  public func read<Value>(_ value: (Database) throws -> Value) throws -> Value {
    try sync { db in try db.reading(value) }
  }

  /// Runs a read after all earlier accesses have ended; see ``DatabaseReader``.
  public func read<Value: Sendable>(_ value: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await async { db in try db.reading(value) }
  }

  /// Schedules a read; see ``DatabaseReader``.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    schedule { db, error in
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
    try sync { db in try db.writingWithoutTransaction(updates) }
  }

  /// Writes without a transaction; see ``DatabaseWriter``.
  public func writeWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await async { db in try db.writingWithoutTransaction(updates) }
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
    schedule { db, error in
      completion(
        db,
        Swift.Result {
          if let error { throw error }
          return try db.writing(updates)
        })
    }
  }

  /// Schedules a write without a transaction; see ``DatabaseWriter``.
  public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Database, (any Error)?) -> Void) {
    schedule(updates)
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
  public func interrupt() { interrupter.interrupt() }

  /// Closes the database; see ``DatabaseReader``.
  public func close() throws {
    precondition(!isEntered, "A database cannot be closed inside one of its accesses: it would wait for itself.")
    try queue.sync {
      guard !isClosed else { return }
      isClosed = true
      try database.close()
    }
  }

  deinit {
    // There is no caller to report the error to; the operating system releases the remaining resources.
    try? database.close()
  }
}

extension DatabaseQueue {
  var isEntered: Bool { owner.withLock { $0 == .current } }

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

  /// Runs an access; all accesses to the database go through this method.
  private func access<Result>(_ body: (Database) throws -> Result) throws -> Result {
    owner.withLock { $0 = .current }
    defer { owner.withLock { $0 = nil } }
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
