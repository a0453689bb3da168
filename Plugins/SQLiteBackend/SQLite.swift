public import Migrator
package import SQLiteEngine

/// A database without encryption, in a file or in memory, run by SQLite.
///
///     let dbQueue = try DatabaseQueue(SQLite(path: "library.sqlite"))
public struct SQLite: DatabaseBackend {
  private let place: EngineOpener.Place
  private let library: String?

  /// Names a database in a file, which is created when it is first opened for writing.
  ///
  /// - Parameters:
  ///   - path: The file. The path `:memory:` stands for a database in memory, as it does for SQLite.
  ///   - library: The SQLite library to load, as a path or as a name that the system's loader knows; nil to search for
  ///     the usual names, and then for a SQLite that is linked into the program.
  public init(path: String, library: String? = nil) {
    place = path == ":memory:" ? .memory : .file(path)
    self.library = library
  }

  /// A database in memory: each connection has one of its own, empty at first.
  public static let inMemory = SQLite(path: ":memory:")

  /// A database in memory, run by a library that is named; see ``init(path:library:)``.
  public static func inMemory(library: String?) -> SQLite { SQLite(path: ":memory:", library: library) }

  /// The path of the file, or `:memory:`.
  public var label: String {
    switch place {
    case .file(let path): path
    case .memory: ":memory:"
    }
  }

  /// Whether the database is in a file.
  public var isShared: Bool { place != .memory }

  /// Opens a connection.
  ///
  /// - Throws: ``DatabaseError`` as `.libraryMissing`, `.libraryUnsuitable`, `.folderMissing`, `.fileMissing`,
  ///   `.isDirectory`, `.permissionDenied`, `.notADatabase`, `.openedByAnotherEngine` and others. The file is as it was.
  public func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    let engine = try EngineLibrary.load(.sqlite, path: library)
    return try EngineOpener(library: engine, place: place, options: options).open()
  }

  /// A database in memory, run by the same library.
  public func scratch() throws(DatabaseError) -> any DatabaseBackend { SQLite.inMemory(library: library) }
}

extension SQLite: FileBackend {
  /// A database in another file, run by the same library.
  public func forCopy(at path: String) -> any DatabaseBackend { SQLite(path: path, library: library) }
}

extension EngineFamily {
  /// SQLite, as Debian and Apple name its library, or linked into the program.
  package static let sqlite = EngineFamily(
    name: "SQLite",
    libraryNames: ["libsqlite3.so.0", "libsqlite3.so", "/usr/lib/libsqlite3.dylib", "libsqlite3.dylib", nil],
    debianPackage: "libsqlite3-dev", isEncrypting: false)
}
