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
  let recorder: AuthorizerRecorder

  /// Takes ownership of a connection of the engine; it is read-only if requested, or if its file allows nothing else.
  init(handle: EngineHandle, isReadOnly: Bool) {
    library = handle.library
    self.handle = handle
    self.isReadOnly = isReadOnly || handle.library.functions.db_readonly(handle.database, "main") == 1
    recorder = AuthorizerRecorder(handle: handle)
    recorder.connection = self
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

  /// The number of rows changed since the connection was opened; engines before 3.37 count up to 2147483647.
  package var totalChangesCount: Int {
    guard let handle else { return 0 }
    if let changes = library.optionalFunctions.total_changes64 { return Int(changes(handle.database)) }
    return Int(library.functions.total_changes(handle.database))
  }

  /// The object that interrupts running statements and waits of this connection.
  package var interrupter: (any ConnectionInterrupter)? { handle?.interrupter }
  /// The object that calls back while statements run, through the engine's progress handler.
  package var runningReporter: (any RunningReporter)? { handle.map { _ in EngineRunningReporter(self) } }

  /// The object that restores the connection after a migration.
  package var stateKeeper: (any ConnectionStateKeeper)? { SQLiteStateKeeper(self) }

  /// The object that reads the stored bytes of the database; nil for an in-memory database.
  package var storedBytesReader: (any StoredBytesReader)? {
    guard let handle, EngineFile(handle: handle, kind: .database).isThere else { return nil }
    return EngineBytesReader(self)
  }

  /// The object that reports the tables that statements access, through the engine's authorizer.
  package var changeRecorder: (any ChangeRecorder)? { recorder }
  /// Whether the database's file is no longer at its path; false for in-memory databases.
  var hasMoved: Bool { handle?.hasMoved ?? false }

  /// Returns the engine's connection; throws `.misuse` after it was closed.
  func openHandle() throws(DatabaseError) -> EngineHandle {
    guard let handle else { throw EngineHandle.closedError(library) }
    return handle
  }

  /// Closes the connection.
  ///
  /// Statements that still exist are reset and can no longer be used; the file stays open until they are released.
  package func close() throws(DatabaseError) {
    guard let handle else { return }
    recorder.disconnect()
    if isInsideTransaction {
      // An error that has already ended the transaction must not keep the connection open.
      try? rollback()
    }
    handle.shutDown()
    self.handle = nil
  }
}
