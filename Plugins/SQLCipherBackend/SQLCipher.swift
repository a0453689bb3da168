public import Migrator
internal import SQLiteEngine

/// An encrypted database, run by SQLCipher.
///
///     let dbQueue = try DatabaseQueue(SQLCipher(path: "library.db", key: .passphrase(secret)))
///
/// Before any byte is written, opening proves that the library is SQLCipher and that the key opens the file. Temporary
/// tables and indexes stay in memory, so that nothing reaches the disk without encryption.
public struct SQLCipher: DatabaseBackend {
  private enum Place: Sendable {
    case file(path: String, key: EncryptionKey, settings: CipherSettings)
    case memory
  }

  private let place: Place
  private let library: String?

  private init(_ place: Place, library: String?) {
    self.place = place
    self.library = library
  }

  /// Names an encrypted database in a file, which is created when it is first opened for writing.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: The key that opens it.
  ///   - settings: What its encryption does not have in common with the running SQLCipher's defaults.
  ///   - library: The SQLCipher library to load, as a path or as a name that the system's loader knows; nil to search for
  ///     the usual names.
  public init(path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(), library: String? = nil) {
    self.init(.file(path: path, key: key, settings: settings), library: library)
  }

  /// A database in memory, which needs no key: each connection has one of its own, empty at first.
  public static let inMemory = SQLCipher(.memory, library: nil)

  /// A database in memory, run by a library that is named; see ``init(path:key:settings:library:)``.
  public static func inMemory(library: String?) -> SQLCipher { SQLCipher(.memory, library: library) }

  /// The path of the file, or `:memory:`; never the key.
  public var label: String {
    switch place {
    case .file(let path, _, _): path
    case .memory: ":memory:"
    }
  }

  /// Opens a connection.
  ///
  /// - Throws: ``DatabaseError`` as `.libraryMissing`, `.libraryUnsuitable`, `.invalidKey`, `.wrongKey`,
  ///   `.plaintextDatabase`, `.folderMissing`, `.fileMissing`, `.isDirectory`, `.permissionDenied`,
  ///   `.openedByAnotherEngine` and others. The file is as it was.
  public func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    switch place {
    case .file(let path, let key, let settings):
      // First of all: without a usable key nothing may be opened, let alone created.
      let engineKey = try key.engineKey()
      let engine = try EngineLibrary.load(.sqlCipher, path: library)
      try settings.check(engine, form: key.form)
      let keying = EngineOpening.Keying { (connection: EngineConnection) throws(DatabaseError) in
        try Self.silence(connection)
        try connection.setKey(engineKey)
        try settings.apply(to: connection)
        try Self.keepTemporariesInMemory(connection)
      }
      return try EngineOpening(library: engine, place: .file(path), options: options, keying: keying).open()
    case .memory:
      let engine = try EngineLibrary.load(.sqlCipher, path: library)
      let connection = try EngineOpening(library: engine, place: .memory, options: options).open()
      try Self.keepTemporariesInMemory(connection)
      return connection
    }
  }

  /// A database in memory, run by the same library; nothing of it reaches the disk.
  public func scratch() throws(DatabaseError) -> any DatabaseBackend { SQLCipher.inMemory(library: library) }

  /// Keeps SQLCipher 4.6 and newer from writing its own warnings to the standard error output; older ones pass over it
  /// (https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_log_level).
  private static func silence(_ connection: EngineConnection) throws(DatabaseError) {
    try connection.execute("PRAGMA cipher_log_level = NONE")
  }

  /// Makes sure that there are no temporary files, which SQLCipher does not encrypt
  /// (https://www.zetetic.net/sqlcipher/design/).
  ///
  /// One way of building SQLite makes the setting of no effect (https://www.sqlite.org/tempfiles.html).
  private static func keepTemporariesInMemory(_ connection: EngineConnection) throws(DatabaseError) {
    try connection.execute("PRAGMA temp_store = MEMORY")
    let ignores = try connection.integer("SELECT sqlite_compileoption_used('TEMP_STORE=0')") == 1
    let isInMemory = try connection.integer("PRAGMA temp_store") == 2
    guard ignores || !isInMemory else { return }
    throw connection.error(
      .libraryUnsuitable, "this SQLCipher keeps temporary tables in files, without encryption",
      remedy: "Use one that was built with SQLITE_TEMP_STORE=2.")
  }
}
