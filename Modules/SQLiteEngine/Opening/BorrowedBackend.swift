internal import CSQLite
package import Migrator
internal import SQLiteDialect

/// A connection of the application, as a backend whose only connection it is, for as long as it is lent.
package struct BorrowedBackend: DatabaseBackend {
  /// Prepares the connection of a scratch database, such as with collations and functions of the application.
  package typealias Preparation = @Sendable (OpaquePointer) throws -> Void

  /// The address of the connection, which the application keeps open.
  private let address: UInt
  private let family: EngineFamily
  private let library: String?
  private let preparingScratch: Preparation?

  /// Names a connection; nothing is done with it yet.
  ///
  /// - Parameters:
  ///   - connection: The engine's connection, which must stay open until all uses of the backend have ended.
  ///   - library: The library that owns it; nil for the one that does.
  ///   - preparingScratch: Is called with each scratch database.
  package init(
    _ connection: OpaquePointer, of family: EngineFamily, library: String?, preparingScratch: Preparation?
  ) {
    address = UInt(bitPattern: connection)
    self.family = family
    self.library = library
    self.preparingScratch = preparingScratch
  }

  /// The words that stand for the database, whose path its owner knows.
  package var label: String { "borrowed connection" }
  /// False: there is one connection.
  package var isShared: Bool { false }

  /// Begins a loan, which closing the connection ends; the options are the owner's.
  ///
  /// - Throws: ``DatabaseError`` as `.misuse` when a transaction is open, a statement runs, or the connection is closed;
  ///   `.libraryUnsuitable` when another copy of the engine owns it. The connection is as it was then.
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
      // Nothing was changed yet; the first error is the one that matters.
      try? connection.close()
      throw error
    }
    return connection
  }

  /// A database in memory, run by the library that owns the connection.
  package func scratch() throws(DatabaseError) -> any DatabaseBackend {
    BorrowersScratch(library: try owner().library, preparing: preparingScratch)
  }

  private func owner() throws(DatabaseError) -> (library: EngineLibrary, database: OpaquePointer) {
    guard let database = OpaquePointer(bitPattern: address) else {
      throw DatabaseError(.misuse, engine: family.name, message: "there is no connection")
    }
    return (try EngineLibrary.load(family, owning: database, path: library), database)
  }

  /// Refuses a connection that its owner is using at this moment: what would be rolled back is the owner's.
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

/// The scratch databases of a borrowed connection: in memory, so that nothing of an encrypted database reaches the disk.
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
      // The first error matters; an empty database in memory goes with its connection.
      try? connection.close()
      throw error as? DatabaseError
        ?? DatabaseError(
          .other, engine: library.description.name, message: "the scratch database could not be prepared: \(error)")
    }
    return connection
  }

  func scratch() throws(DatabaseError) -> any DatabaseBackend { self }
}
