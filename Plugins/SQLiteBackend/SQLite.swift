public import Migrator
package import SQLiteEngine

#if canImport(Darwin)
  internal import CSystemSQLite
#endif

/// An unencrypted database, in a file or in memory, run by SQLite.
///
///     let dbQueue = try DatabaseQueue(SQLite(path: "library.sqlite"))
public struct SQLite: DatabaseBackend {
  private let path: String
  private let engine: EngineSource

  /// Describes a database in a file, which is created when it is first opened for writing.
  ///
  /// - Parameters:
  ///   - path: The path of the file. As in SQLite, `:memory:` means an in-memory database.
  ///   - engine: The SQLite that runs the database. By default, the system's: linked on Apple platforms, and loaded by its
  ///     usual names elsewhere.
  public init(path: String, engine: EngineSource = .automatic) {
    self.path = path
    self.engine = engine
  }

  /// An in-memory database; each connection has a separate database, which is initially empty.
  public static let inMemory = SQLite(path: ":memory:")

  /// Returns an in-memory database that the given SQLite runs; see ``init(path:engine:)``.
  public static func inMemory(engine: EngineSource) -> SQLite { SQLite(path: ":memory:", engine: engine) }

  /// The path of the file, or `:memory:`.
  public var label: String { path }

  /// Whether all connections open the same database, as is true for a database in a file.
  public var isShared: Bool { path != ":memory:" }

  /// Opens a connection.
  ///
  /// - Throws: ``DatabaseError`` as `.libraryMissing`, `.libraryUnsuitable`, `.folderMissing`, `.fileMissing`,
  ///   `.isDirectory`, `.permissionDenied`, `.notADatabase`, `.openedByAnotherEngine` and others. The file is
  ///   unchanged.
  public func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    let library = try EngineLibrary.load(.sqlite, from: engine)
    return try EngineOpener(library: library, place: isShared ? .file(path) : .memory, options: options).open()
  }

  /// Returns an in-memory database that the same library runs.
  public func scratch() throws(DatabaseError) -> any DatabaseBackend { SQLite.inMemory(engine: engine) }
}

extension SQLite: FileBackend {
  /// Returns a database in another file that the same library runs.
  public func forCopy(at path: String) -> any DatabaseBackend { SQLite(path: path, engine: engine) }
}

extension EngineFamily {
  #if canImport(Darwin)
    /// SQLite, which belongs to the system.
    package static let sqlite = EngineFamily(
      name: "SQLite", libraryNames: [], systemTable: UInt(bitPattern: csqlite_system()),
      advice: "Pass a library, or a SQLite that is linked into the program, as `engine:`", isEncrypting: false)
  #else
    /// SQLite, with the names of its library, or exported by the program.
    package static let sqlite = EngineFamily(
      name: "SQLite", libraryNames: ["libsqlite3.so.0", "libsqlite3.so", nil],
      advice: "Install it, on Debian and Ubuntu with `apt-get install libsqlite3-0`, or name the library's path",
      isEncrypting: false)
  #endif
}

extension SQLite {
  /// Returns a database that uses an open connection of the application, such as one from GRDB, SQLite.swift, FMDB or
  /// C, to run migrations.
  ///
  ///     try migrator.migrate(SQLite.borrowing(connection))
  ///
  /// - Parameters:
  ///   - connection: The engine's connection, a `sqlite3 *`. It must stay open until all calls that use it have
  ///     returned, and no other thread may use it in the meantime.
  ///   - engine: The SQLite that owns the connection; by default, it is searched for in the process, which finds every
  ///     SQLite that exports its functions.
  ///   - preparingScratch: Called with the connection of each empty database in which migrations are tried. It adds
  ///     what the migrations need: collations, functions, modules.
  public static func borrowing(
    _ connection: OpaquePointer, engine: EngineSource = .automatic,
    preparingScratch: (@Sendable (_ scratch: OpaquePointer) throws -> Void)? = nil
  ) -> BorrowedDatabase {
    BorrowedDatabase(
      BorrowedBackend(connection, of: .sqlite, engine: engine, preparingScratch: preparingScratch))
  }
}
