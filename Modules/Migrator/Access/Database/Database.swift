internal import Dispatch

/// A database inside an access: runs statements, reads rows, changes the schema.
///
/// `read`, `write` and similar methods pass a `Database` to their closure. Use it only inside that closure.
public final class Database {
  /// The configuration with which the database was opened.
  public let configuration: Configuration
  /// The location of the database and the way to open it.
  package let backend: any DatabaseBackend

  /// The connection, which only the core uses.
  package let connection: any DatabaseConnection

  let interrupter: DatabaseInterrupter
  let context: StatementContext
  /// The statements of ``cachedStatement(sql:)`` with their texts, which must have the same bytes to be reused.
  var statementCache: [String: (sql: String, statement: Statement)] = [:]
  var isReading = false
  /// The inspector of the statements that a migration runs; nil outside migrations.
  package var inspector: (any StatementInspector)?

  convenience init(_ backend: any DatabaseBackend, configuration: Configuration) throws {
    try self.init(backend.connect(configuration.connectionOptions), of: backend, configuration: configuration)
  }

  /// Takes over an open connection, and closes it if it cannot be prepared.
  init(_ connection: any DatabaseConnection, of backend: any DatabaseBackend, configuration: Configuration) throws {
    self.backend = backend
    self.configuration = configuration
    self.connection = connection
    interrupter = DatabaseInterrupter(connection.interrupter)
    context = StatementContext(connection, showsArguments: configuration.publicStatementArguments)
    do {
      for prepare in configuration.preparations { try prepare(self) }
    } catch {
      // The caller needs the first error, not that closing failed, too.
      try? connection.close()
      throw error
    }
  }

  /// The engine of this database: its name, version and abilities.
  public var engine: EngineDescription { connection.engine }
  /// The rowid of the row most recently inserted through this connection; zero if there is none.
  public var lastInsertedRowID: Int64 { connection.lastInsertedRowID }
  /// The number of rows changed by the most recent INSERT, UPDATE or DELETE, without those that triggers changed.
  public var changesCount: Int { connection.changesCount }
  /// The number of rows changed since the connection was opened, including those that triggers changed.
  public var totalChangesCount: Int { connection.totalChangesCount }

  /// Rolls back a transaction that an access left open, and closes the connection.
  func close() throws {
    context.endCursors()
    statementCache.removeAll()
    try connection.close()
  }
}

/// An object that examines the statements of a migration before they run.
package protocol StatementInspector: AnyObject {
  /// Called after a statement has been prepared, before it first runs.
  ///
  /// - Parameter isTrusted: Whether the text comes from a backend, which may run statements that a migration may not.
  /// - Throws: An error if the statement must not run.
  func willRun(_ sql: String, isTrusted: Bool) throws

  /// The error to throw for a statement whose transaction has already ended.
  var errorOutsideTransaction: any Error { get }

  /// Called before a statement is prepared.
  func willPrepare()

  /// Called when a statement could not be prepared; the change recorder may have recorded tables that the statement
  /// names.
  func didFailToPrepare(_ sql: String) throws

  /// Called before a savepoint begins; returns the function to call when all changes since then are undone.
  func mark() throws -> () -> Void
}

extension Database {
  /// A number for use by the application, zero in a new database
  /// (https://www.sqlite.org/pragma.html#pragma_user_version).
  public var userVersion: Int32 { get throws { try connection.userVersion() } }

  /// Sets ``userVersion``, within the current transaction if one is open.
  public func setUserVersion(_ version: Int32) throws {
    try requireWriting("the user version")
    try connection.setUserVersion(version)
  }

  /// The application identifier of the file, zero if not set
  /// (https://www.sqlite.org/pragma.html#pragma_application_id).
  public var applicationID: Int32 { get throws { try connection.applicationID() } }

  /// Sets ``applicationID``, within the current transaction if one is open.
  public func setApplicationID(_ identifier: Int32) throws {
    try requireWriting("the application identifier")
    try connection.setApplicationID(identifier)
  }

  private func requireWriting(_ what: String) throws {
    guard isReading else { return }
    throw context.error(
      .readOnly, "\(what) cannot be set in a read-only access",
      remedy: "Write inside `write { db in ... }`.")
  }

  func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
    isReading = true
    defer { isReading = false }
    try connection.begin(.deferred)
    return try ending(with: { try connection.rollback() }) { try body(self) }
  }

  /// Runs `body` on one snapshot of the database, so that changes by other connections are not visible to it.
  ///
  /// `body` cannot write unless a transaction was already open.
  func onOneState<Value>(_ body: () throws -> Value) throws -> Value {
    guard !isInsideTransaction else { return try body() }
    return try reading { _ in try body() }
  }

  func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
    var value: Value?
    try inTransaction(.immediate) {
      value = try body(self)
      guard isInsideTransaction else {
        throw context.error(
          .misuse, "the closure passed to `write` ended the transaction",
          remedy: "Do not run COMMIT or ROLLBACK inside `write`; throw an error to roll back.")
      }
      return .commit
    }
    guard let value else { preconditionFailure("A transaction ended without its body.") }
    return value
  }

  func writingWithoutTransaction<Value>(_ body: (Database) throws -> Value) throws -> Value {
    let result = Result { try body(self) }
    guard isInsideTransaction else { return try result.get() }
    let rollback = Result { try connection.rollback() }
    // The error from `body` explains more than the open transaction that it left.
    _ = try result.get()
    try rollback.get()
    throw context.error(
      .misuse, "the access left a transaction open, which was rolled back",
      remedy: "Commit or roll back before the access ends, or use `write`.")
  }

  /// Removes every object and every row, in one transaction.
  package func erase() throws {
    try withoutForeignKeys {
      try inTransaction(.immediate) {
        try eraseInTransaction()
        return .commit
      }
    }
  }

  /// Removes every object and every row within the open transaction.
  package func eraseInTransaction() throws {
    statementCache.removeAll()
    try connection.eraseEverything()
  }

  /// Runs `body` without foreign key enforcement, and restores the setting even if `body` throws.
  package func withoutForeignKeys<Value>(_ body: () throws -> Value) throws -> Value {
    guard try connection.enforcesForeignKeys() else { return try body() }
    return try ending(with: { try connection.setEnforcesForeignKeys(true) }) {
      // If this fails, it may have changed the setting.
      try connection.setEnforcesForeignKeys(false)
      return try body()
    }
  }

  /// Adds a collation to this connection.
  ///
  /// To add it to every connection, call this method in ``Configuration/prepareDatabase(_:)``:
  ///
  ///     configuration.prepareDatabase { db in
  ///       try db.add(collation: DatabaseCollation("localized") { one, other in one.localizedCompare(other) })
  ///     }
  ///
  /// - Throws: ``DatabaseError`` with the condition `.unsupported` if the engine does not support custom collations, or
  ///   if the connection is borrowed.
  public func add(collation: DatabaseCollation) throws { try extender().add(collation) }

  /// Adds an SQL function to this connection; the rules of ``add(collation:)`` apply.
  public func add(function: DatabaseFunction) throws { try extender().add(function) }

  private func extender() throws -> any ConnectionExtender {
    if let extender = connection.extender { return extender }
    throw context.error(
      .unsupported, "collations and functions cannot be added to this connection",
      remedy: "Add them to a borrowed connection where the application opens it, and to its scratch databases with "
        + "`preparingScratch:`.")
  }
}

/// Runs `body` and then `end`, even if `body` throws; if both throw, the caller gets the first error.
func ending<Value>(with end: () throws -> Void, _ body: () throws -> Value) throws -> Value {
  let result = Result { try body() }
  let ending = Result { try end() }
  let value = try result.get()
  try ending.get()
  return value
}

/// The way in which a transaction or savepoint ends.
public enum TransactionCompletion: Sendable, Equatable {
  /// The changes are committed.
  case commit
  /// The changes are rolled back.
  case rollback
}

extension Database {
  /// Whether a transaction is open.
  public var isInsideTransaction: Bool { connection.isInsideTransaction }

  /// Runs `body` in a transaction.
  ///
  /// - Parameters:
  ///   - kind: The lock that the transaction takes when it begins; immediate by default, so that the transaction cannot
  ///     fail later because another connection wrote in the meantime.
  ///   - body: The function to run, which returns how the transaction ends. If it throws, the transaction is rolled
  ///     back.
  /// - Throws: ``DatabaseError`` with the condition `.misuse` if a transaction is already open; any error that `body`
  ///   throws.
  public func inTransaction(_ kind: TransactionKind = .immediate, _ body: () throws -> TransactionCompletion) throws {
    guard !isInsideTransaction else {
      throw context.error(.misuse, "a transaction is already open", remedy: "Use inSavepoint, which can be nested.")
    }
    try connection.begin(kind)
    do {
      switch try body() {
      case .commit: try connection.commit()
      case .rollback: try connection.rollback()
      }
    } catch {
      // The caller needs the first error, and an engine may have rolled back on its own.
      try? connection.rollback()
      throw error
    }
  }

  /// Runs `body` in a savepoint, which can be nested; outside a transaction, the savepoint opens one.
  ///
  /// - Parameter body: The function to run, which returns how the savepoint ends. If it throws, the savepoint is rolled
  ///   back.
  /// - Throws: ``DatabaseError``; any error that `body` throws.
  public func inSavepoint(_ body: () throws -> TransactionCompletion) throws {
    let name = "migrator_savepoint"
    let didRollBack = try inspector?.mark()
    try connection.beginSavepoint(name)
    func rollBack() throws {
      didRollBack?()
      try connection.rollbackSavepoint(name)
    }
    do {
      switch try body() {
      case .commit: try connection.releaseSavepoint(name)
      case .rollback: try rollBack()
      }
    } catch {
      // If the engine has rolled back the whole transaction on its own, the savepoint no longer exists.
      if isInsideTransaction { try? rollBack() }
      throw error
    }
  }
}

/// A wait for other connections to release their locks, which can last longer than the engine's busy timeout, or for a
/// server.
struct LockWait {
  let until: ContinuousClock.Instant
  var conditions: [DatabaseError.Condition] = [.busy]

  /// Runs `body`, and repeats it as long as it fails with one of the conditions and the deadline has not passed;
  /// `check` is called between two attempts, and ends the wait with an error.
  func retrying<Value>(_ body: () throws -> Value, check: () throws -> Void = {}) throws -> Value {
    while true {
      do {
        return try body()
      } catch let error as DatabaseError where conditions.contains(error.condition) {
        guard .now < until else { throw error }
        try check()
        Self.pause()
      }
    }
  }

  /// Waits between two attempts.
  ///
  /// An engine may be configured not to wait at all, and none of its calls reports that a lock is free, or that a server
  /// can be reached.
  static func pause() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(5)) }
}

extension Database {
  /// Runs `body`, and repeats it while it fails with the condition `.busy`, until a deadline.
  ///
  /// A connection that is configured not to wait for others does not wait here, either.
  func waitingForLock<Value>(until deadline: ContinuousClock.Instant, _ body: () throws -> Value) throws -> Value {
    guard waitsForOthers else { return try body() }
    return try LockWait(until: deadline).retrying(body) { try checkCancellation() }
  }

  /// Whether the busy mode lets this connection wait for others.
  var waitsForOthers: Bool { ![.immediateError, .timeout(.zero)].contains(configuration.busyMode) }
}

final class DatabaseInterrupter: ConnectionInterrupter {
  private struct Scratch {
    weak var database: AnyObject?
    let interrupt: @Sendable () -> Void
  }

  private let connection: (any ConnectionInterrupter)?
  private let scratches = Lock<[Scratch]>([])
  private let interruptions = Lock(0)

  /// The number of interruptions so far, which also end waits of the core.
  var interruptionCount: Int { interruptions.withLock { $0 } }

  init(_ connection: (any ConnectionInterrupter)?) { self.connection = connection }

  /// Adds a scratch database: until it is released, its statements are interrupted together with the connection's.
  ///
  /// - Parameter interrupt: The function that interrupts the scratch database; it must not retain the database.
  func add(_ database: any AnyObject & Sendable, interrupt: @escaping @Sendable () -> Void) {
    scratches.withLock { scratches in
      scratches.removeAll { $0.database == nil }
      scratches.append(Scratch(database: database, interrupt: interrupt))
    }
  }

  func interrupt() {
    interruptions.withLock { $0 += 1 }
    connection?.interrupt()
    // Outside the lock: a scratch database may have scratch databases, too.
    for interrupt in scratches.withLock({ $0.map(\.interrupt) }) { interrupt() }
  }
}
