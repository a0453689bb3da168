public import Migrator
internal import SQLiteEngine

/// An encrypted database, run by SQLCipher.
///
///     let dbQueue = try DatabaseQueue(SQLCipher(path: "library.db", key: .passphrase(secret)))
///
/// Before any byte is written, opening proves that the library is SQLCipher and that the key opens the file. Temporary
/// tables and indexes stay in memory, so that nothing reaches the disk without encryption. A passphrase is turned into a
/// key once for all connections to a file, as long as a value that was made of the passphrase is kept.
public struct SQLCipher: DatabaseBackend {
  private enum Place: Sendable {
    case file(path: String, key: KeySource, settings: CipherSettings)
    case memory
  }

  private let place: Place
  private let library: String?

  /// Whether connections share the key that was derived from a passphrase; otherwise the engine derives one for each.
  package var sharesDerivedKeys = true

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
    self.init(.file(path: path, key: .value(key), settings: settings), library: library)
  }

  /// Names an encrypted database in a file, whose key is asked for when it is opened.
  ///
  /// The provider is called once for an opening of a queue or a pool, however many connections that has. The key is in
  /// memory while one of them is open, shared with whatever else opens this value or a copy of it meanwhile, and wiped
  /// when the last is closed; the next opening asks again. When the provider has no key nothing is opened, created or
  /// erased, whether there is a file or not: opening fails as `.keyNotAvailable` or `.keyMissing`.
  ///
  ///     let backend = SQLCipher(path: "library.db") { request in
  ///       if let key = keychain.key(for: "library") { return .key(key) }
  ///       return request.databaseExists ? .missing : .key(keychain.makeKey(for: "library"))
  ///     }
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - settings: As above.
  ///   - library: As above.
  ///   - keyProvider: Says the key. It must not open the database.
  public init(
    path: String, settings: CipherSettings = CipherSettings(), library: String? = nil,
    keyProvider: @escaping KeyProvider
  ) {
    self.init(.file(path: path, key: .provider(ProvidedKey(keyProvider)), settings: settings), library: library)
  }

  init(path: String, source: KeySource, settings: CipherSettings, library: String?) {
    self.init(.file(path: path, key: source, settings: settings), library: library)
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

  /// Whether the database is in a file.
  public var isShared: Bool {
    if case .file = place { return true }
    return false
  }

  /// Opens a connection.
  ///
  /// Statements that would change how the open file is encrypted, or let temporary tables reach the disk, are refused as
  /// `.denied` by the connection.
  ///
  /// - Throws: ``DatabaseError`` as `.libraryMissing`, `.libraryUnsuitable`, `.invalidKey`, `.keyMissing`,
  ///   `.keyNotAvailable`, `.wrongKey`, `.plaintextDatabase`, `.folderMissing`, `.fileMissing`, `.isDirectory`,
  ///   `.permissionDenied`, `.openedByAnotherEngine` and others. The file is as it was. Where its content is the reason,
  ///   ``DatabaseError/diagnosis`` is a ``CipherDiagnosis``.
  public func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    switch place {
    case .file(let path, let source, let settings):
      // First of all: without a usable key nothing may be opened, let alone created.
      let (key, hold) = try source.key(forFileAt: path)
      let engineKey = try key.engineKey()
      let engine = try EngineLibrary.load(.sqlCipher, path: library)
      let connection = try CipherOpening(
        path: path, key: key, engineKey: engineKey, settings: settings, library: engine, options: options,
        sharesDerivedKeys: sharesDerivedKeys
      ).open()
      connection.refuseChangesOfEncryption()
      if let hold { connection.keepUntilClosed(hold) }
      return connection
    case .memory:
      let engine = try EngineLibrary.load(.sqlCipher, path: library)
      let connection = try EngineOpening(library: engine, place: .memory, options: options).open()
      try CipherOpening.keepTemporariesInMemory(connection)
      return connection
    }
  }

  /// A database in memory, run by the same library; nothing of it reaches the disk.
  public func scratch() throws(DatabaseError) -> any DatabaseBackend { SQLCipher.inMemory(library: library) }
}
