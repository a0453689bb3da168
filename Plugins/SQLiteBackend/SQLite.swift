public import Migrator
package import SQLiteEngine

/// An unencrypted database, in a file or in memory, run by SQLite.
///
///     let dbQueue = try DatabaseQueue(SQLite(path: "library.sqlite"))
public struct SQLite: DatabaseBackend {
  private let path: String
  private let library: String?

  /// Describes a database in a file, which is created when it is first opened for writing.
  ///
  /// - Parameters:
  ///   - path: The path of the file. As in SQLite, `:memory:` means an in-memory database.
  ///   - library: The SQLite library to load, as a path or as a name that `dlopen` can find; nil to search for the
  ///     usual names, and then for a SQLite that is linked into the program.
  public init(path: String, library: String? = nil) {
    self.path = path
    self.library = library
  }

  /// An in-memory database; each connection has a separate database, which is initially empty.
  public static let inMemory = SQLite(path: ":memory:")

  /// Returns an in-memory database that the given library runs; see ``init(path:library:)``.
  public static func inMemory(library: String?) -> SQLite { SQLite(path: ":memory:", library: library) }

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
    let engine = try EngineLibrary.load(.sqlite, path: library)
    return try EngineOpener(library: engine, place: isShared ? .file(path) : .memory, options: options).open()
  }

  /// Returns an in-memory database that the same library runs.
  public func scratch() throws(DatabaseError) -> any DatabaseBackend { SQLite.inMemory(library: library) }
}

extension SQLite: FileBackend {
  /// Returns a database in another file that the same library runs.
  public func forCopy(at path: String) -> any DatabaseBackend { SQLite(path: path, library: library) }
}

extension EngineFamily {
  /// SQLite, with the names of its library in Debian and on Apple systems, or linked into the program.
  package static let sqlite = EngineFamily(
    name: "SQLite",
    libraryNames: ["libsqlite3.so.0", "libsqlite3.so", "/usr/lib/libsqlite3.dylib", "libsqlite3.dylib", nil],
    debianPackage: "libsqlite3-dev", isEncrypting: false)
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
  ///   - library: The SQLite library that owns the connection, as a path or as a name that `dlopen` can find; nil to
  ///     search for the owner.
  ///   - preparingScratch: Called with the connection of each empty database in which migrations are tried. It adds
  ///     what the migrations need: collations, functions, modules.
  public static func borrowing(
    _ connection: OpaquePointer, library: String? = nil,
    preparingScratch: (@Sendable (_ scratch: OpaquePointer) throws -> Void)? = nil
  ) -> BorrowedDatabase {
    BorrowedDatabase(
      BorrowedBackend(connection, of: .sqlite, library: library, preparingScratch: preparingScratch))
  }
}
