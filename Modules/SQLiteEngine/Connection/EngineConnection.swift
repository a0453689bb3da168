internal import CSQLite
package import Migrator
package import SQLiteDialect

/// A connection to a database of the SQLite family, through any of its libraries.
///
/// Like every connection, it is used by one thread at a time, so the engine's own mutexes are off
/// (https://www.sqlite.org/threadsafe.html).
package final class EngineConnection: DatabaseConnection, SQLiteConnection {
  /// The library that runs the connection.
  package let library: EngineLibrary
  /// Whether writes are rejected.
  package let isReadOnly: Bool
  /// The engine's connection; nil after it was closed.
  private(set) var handle: EngineHandle?
  /// Reports to the core what statements touch; nil on a borrowed connection.
  let authorizerRecorder: AuthorizerRecorder?
  /// The recorder of a borrowed connection, whose authorizer belongs to its owner.
  private var explainRecorder: ExplainRecorder?
  /// The state in which the owner lent the connection; nil for a connection that the driver opened.
  var loan: Loan?

  /// Takes ownership of a connection of the engine; it is read-only if requested, or if its file allows nothing else.
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
  /// The rowid of the most recently inserted row; zero when there is none, or after the connection was closed.
  package var lastInsertedRowID: Int64 { handle.map { library.functions.last_insert_rowid($0.database) } ?? 0 }

  /// The number of rows changed by the most recent statement; engines before 3.37 count up to 2147483647.
  package var changesCount: Int {
    guard let handle else { return 0 }
    if let changes = library.optionalFunctions.changes64 { return Int(changes(handle.database)) }
    return Int(library.functions.changes(handle.database))
  }

  /// The rows changed since the connection was opened; engines before 3.37 count up to 2147483647.
  package var totalChangesCount: Int { handle?.totalChangesCount ?? 0 }

  /// The object that interrupts running statements and waits of this connection.
  package var interrupter: (any ConnectionInterrupter)? { handle?.interrupter }
  /// Calls back while statements run, through the engine's progress handler; nil on a borrowed connection, whose handler
  /// is its owner's.
  package var runningReporter: (any RunningReporter)? {
    handle.flatMap { $0.isBorrowed ? nil : EngineRunningReporter(self) }
  }

  /// The object that restores the connection after a migration.
  package var stateKeeper: (any ConnectionStateKeeper)? { SQLiteStateKeeper(self) }

  /// The object that reads the stored bytes of the database; nil for an in-memory database.
  package var storedBytesReader: (any StoredBytesReader)? {
    guard let handle, EngineFile(handle: handle, kind: .database).isThere else { return nil }
    return EngineBytesReader(self)
  }

  /// Reports which tables statements touch: through the engine's authorizer, or on a borrowed connection by EXPLAIN.
  package var changeRecorder: (any ChangeRecorder)? { authorizerRecorder ?? explainRecorder }
  /// Whether the database's file is no longer at its path; false for databases in memory.
  var hasMoved: Bool { handle?.hasMoved ?? false }

  /// Returns the engine's connection; throws `.misuse` after it was closed, `.outOfMemory` once after a value was lost.
  func openHandle() throws(DatabaseError) -> EngineHandle {
    guard let handle else { throw EngineHandle.closedError(library) }
    guard handle.isReady else { throw handle.notReadyError() }
    return handle
  }

  /// Closes the connection, or gives a borrowed one back as it was.
  ///
  /// Statements that are still alive are reset and of no more use; the file itself stays open until they are gone.
  ///
  /// - Throws: ``DatabaseError`` when a borrowed connection could not be restored.
  package func close() throws(DatabaseError) {
    guard let handle else { return }
    authorizerRecorder?.disconnect()
    explainRecorder?.stop()
    handle.resetOwnStatements()
    if isInsideTransaction {
      // An error that has already ended the transaction must not keep the connection open.
      try? rollback()
    }
    let restoring = Result { () throws(DatabaseError) in try loan?.end(self) }
    explainRecorder = nil
    handle.shutDown()
    self.handle = nil
    try restoring.get()
  }
}
