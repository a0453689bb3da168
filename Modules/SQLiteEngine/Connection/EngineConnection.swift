internal import CSQLiteLoader
package import Migrator
package import SQLiteDialect

/// A connection to a SQLite or SQLCipher database, through any library that provides the engine.
///
/// Only one thread at a time uses the connection, so the engine's own mutexes are switched off
/// (https://www.sqlite.org/threadsafe.html).
package final class EngineConnection: DatabaseConnection, SQLiteConnection {
  /// The library that runs the connection.
  package let library: EngineLibrary
  /// Whether the connection rejects writes.
  package let isReadOnly: Bool
  private(set) var handle: EngineHandle?
  /// The recorder that reports which tables statements access; nil on a borrowed connection.
  let authorizerRecorder: AuthorizerRecorder?
  /// The recorder of a borrowed connection; it uses EXPLAIN because the authorizer belongs to the owner.
  private var explainRecorder: ExplainRecorder?
  /// The state of a borrowed connection at the time it was lent; nil for a connection that the driver opened.
  var loan: Loan?
  var savepoint: SavepointStatements?

  /// Takes ownership of an engine's connection; it is read-only if requested, or if its file cannot be written.
  init(handle: EngineHandle, isReadOnly: Bool) {
    library = handle.library
    self.handle = handle
    self.isReadOnly = isReadOnly || handle.library.functions.db_readonly(handle.database, "main") == 1
    authorizerRecorder = handle.isBorrowed ? nil : AuthorizerRecorder(handle: handle)
    authorizerRecorder?.connection = self
    guard handle.isBorrowed else { return }
    explainRecorder = ExplainRecorder(self)
    handle.recorder = explainRecorder
  }

  /// The engine that runs this connection.
  package var engine: EngineDescription { library.description }
  /// The features of the library's version of SQLite.
  package var features: SQLiteFeatures { library.features }
  /// The rowid of the most recently inserted row; zero if there is none, or after the connection has been closed.
  package var lastInsertedRowID: Int64 { handle.map { library.functions.last_insert_rowid($0.database) } ?? 0 }

  /// The number of rows changed by the most recent statement; engines before 3.37 count up to 2147483647.
  package var changesCount: Int {
    guard let handle else { return 0 }
    if let changes = library.optionalFunctions.changes64 { return Int(changes(handle.database)) }
    return Int(library.functions.changes(handle.database))
  }

  /// The number of rows changed since the connection was opened; engines before 3.37 count up to 2147483647.
  package var totalChangesCount: Int { handle?.totalChangesCount ?? 0 }

  /// The object that interrupts the connection while it runs a statement or waits for a lock.
  package var interrupter: (any ConnectionInterrupter)? { handle?.interrupter }
  /// The object that calls back while statements run, through the engine's progress handler; nil on a borrowed
  /// connection, whose progress handler belongs to its owner.
  package var runningReporter: (any RunningReporter)? {
    handle.flatMap { $0.isBorrowed ? nil : EngineRunningReporter(self) }
  }

  /// The object that restores the connection's state after a migration.
  package var stateKeeper: (any ConnectionStateKeeper)? { SQLiteStateKeeper(self) }
  /// The object that adds collations and functions; nil on a borrowed connection, to which its owner adds them.
  package var extender: (any ConnectionExtender)? { handle.flatMap { $0.isBorrowed ? nil : EngineExtender($0) } }

  /// The object that reads the stored bytes of the database; nil for an in-memory database.
  package var storedBytesReader: (any StoredBytesReader)? {
    guard let handle, EngineFile(handle: handle, kind: .database).isThere else { return nil }
    return EngineBytesReader(self)
  }

  /// The recorder of the tables that statements access; it uses the authorizer, or EXPLAIN on a borrowed connection.
  package var changeRecorder: (any ChangeRecorder)? { authorizerRecorder ?? explainRecorder }

  /// Returns whether a database's file has been moved or removed from its path; false for in-memory databases.
  func hasMoved(_ schema: String = "main") -> Bool { handle?.hasMoved(schema) ?? false }

  /// Returns the engine's connection; throws `.misuse` if it has been closed, and `.outOfMemory`, only once, if a value
  /// was lost (see `EngineHandle.loseValue()`).
  func openHandle() throws(DatabaseError) -> EngineHandle {
    guard let handle else { throw EngineHandle.closedError(library) }
    guard handle.isReady else { throw handle.notReadyError() }
    return handle
  }

  /// Closes the connection; a borrowed connection is restored to its earlier state and returned to its owner.
  ///
  /// Remaining statements are reset and can no longer be used; the file stays open until all of them are released.
  package func close() throws(DatabaseError) {
    guard let handle else { return }
    authorizerRecorder?.disconnect()
    explainRecorder?.stop()
    savepoint = nil
    handle.resetOwnStatements()
    if isInsideTransaction {
      // An error that has already ended the transaction must not prevent the connection from being closed.
      try? rollback()
    }
    defer {
      explainRecorder = nil
      handle.shutDown()
      self.handle = nil
    }
    try loan?.end(self)
  }
}
