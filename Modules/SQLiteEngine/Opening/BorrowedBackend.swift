internal import CSQLiteLoader
package import Migrator
internal import SQLiteDialect

/// A backend that uses one connection, borrowed from the application, instead of opening its own.
package struct BorrowedBackend: DatabaseBackend {
  /// A closure that prepares the connection to a scratch database, for example with the application's collations and
  /// functions.
  package typealias Preparation = @Sendable (OpaquePointer) throws -> Void

  /// The address of the connection, which the application keeps open.
  private let address: UInt
  private let family: EngineFamily
  private let engine: EngineSource
  private let preparingScratch: Preparation?

  /// Stores the connection without using it yet.
  package init(
    _ connection: OpaquePointer, of family: EngineFamily, engine: EngineSource, preparingScratch: Preparation?
  ) {
    address = UInt(bitPattern: connection)
    self.family = family
    self.engine = engine
    self.preparingScratch = preparingScratch
  }

  /// The text that stands for the database in messages: only the connection's owner knows the path.
  package var label: String { "borrowed connection" }
  /// Whether all connections open the same database; always false, because there is only one connection.
  package var isShared: Bool { false }

  /// Begins a loan, which ends when the connection is closed; of the options, only the busy timeout is used.
  ///
  /// - Throws: ``DatabaseError`` as `.misuse` when a transaction is open, a statement is running, or the connection is
  ///   closed; `.libraryUnsuitable` when another copy of the engine owns the connection. After an error, the connection
  ///   is unchanged.
  package func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    let (library, database) = try owner()
    let handle = EngineHandle(
      library: library, database: database, file: nil, isKeyed: family.isEncrypting,
      busyTimeout: options.busyTimeout, isBorrowed: true)
    try requireIdle(handle)
    let connection = EngineConnection(handle: handle, isReadOnly: false)
    if family.isEncrypting { connection.refuseChangesOfEncryption() }
    do throws(DatabaseError) {
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
      connection.loan = try Loan(connection, patience: options.busyTimeout)
    } catch {
      // Nothing has been changed yet; report the first error.
      try? connection.close()
      throw error
    }
    return connection
  }

  /// Returns the backend of an in-memory database, run by the library that owns the connection.
  package func scratch() throws(DatabaseError) -> any DatabaseBackend {
    BorrowersScratch(library: try owner().library, preparing: preparingScratch)
  }

  private func owner() throws(DatabaseError) -> (library: EngineLibrary, database: OpaquePointer) {
    guard let database = OpaquePointer(bitPattern: address) else {
      throw DatabaseError(.misuse, engine: family.name, message: "there is no connection")
    }
    return (try EngineLibrary.load(family, owning: database, from: engine), database)
  }

  /// Throws if the connection's owner is using it at this moment: a rollback would undo the owner's changes.
  private func requireIdle(_ handle: EngineHandle) throws(DatabaseError) {
    func refusal(_ message: String, _ remedy: String) -> DatabaseError {
      DatabaseError(.misuse, engine: handle.library.description.name, message: message, remedy: remedy)
    }
    guard handle.library.functions.get_autocommit(handle.database) != 0 else {
      throw refusal(
        "the connection has an open transaction, and cannot be lent",
        "Commit or roll back first; with GRDB, lend it within barrierWriteWithoutTransaction.")
    }
    for statement in handle.statements where handle.library.functions.stmt_busy(statement) != 0 {
      let sql = handle.library.functions.sql(statement).map { String(cString: $0) } ?? ""
      throw refusal(
        "a statement of the connection is running, which cannot be lent: `\(sql)`",
        "Read it to its end, or reset it, before the connection is lent.")
    }
  }
}

/// The backend of scratch databases for a borrowed connection: in memory, so that nothing decrypted reaches the disk.
private struct BorrowersScratch: DatabaseBackend {
  let library: EngineLibrary
  let preparing: BorrowedBackend.Preparation?

  var label: String { ":memory:" }
  var isShared: Bool { false }

  func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    let connection = try EngineOpener(library: library, place: .memory, options: options).open()
    let handle = try connection.openHandle()
    handle.remedyForMissing = """
      Migrations are also tried on an empty database, which lacks what the application adds to its own connections: add \
      it there too, with `preparingScratch:`.
      """
    do {
      if library.cipherVersion != nil { try connection.execute("PRAGMA temp_store = MEMORY") }
      try preparing?(handle.database)
    } catch {
      // Report the first error; the database in memory is empty and disappears with its connection.
      try? connection.close()
      throw error as? DatabaseError
        ?? DatabaseError(
          .other, engine: library.description.name, message: "the scratch database could not be prepared: \(error)")
    }
    return connection
  }

  func scratch() throws(DatabaseError) -> any DatabaseBackend { self }
}
