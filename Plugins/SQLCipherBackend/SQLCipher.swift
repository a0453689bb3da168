public import Migrator
package import SQLiteEngine

/// An encrypted database, run by SQLCipher.
///
///     let dbQueue = try DatabaseQueue(SQLCipher(path: "library.db", key: .passphrase(secret)))
///
/// Before any byte is written, opening verifies that the library is SQLCipher and that the key opens the file.
/// Temporary tables and indexes stay in memory, so that nothing is written to disk without encryption. A passphrase is
/// turned into a key once for all connections to a file, as long as a key value for the passphrase is kept.
public struct SQLCipher: DatabaseBackend {
  private struct File: Sendable {
    let path: String
    let key: EncryptionKey
    let settings: CipherSettings
    let sources: ConvertibleSources
    let conversionOptions: ConversionOptions
  }

  /// The file; nil for an in-memory database.
  private let file: File?
  private let library: String?

  /// Whether connections share the key derived from a passphrase; otherwise the engine derives one for each.
  package var sharesDerivedKeys = true

  /// Describes an encrypted database in a file, which is created when it is first opened for writing.
  ///
  /// A file in another form can be converted before it is opened, at no cost if no conversion is needed. A conversion
  /// blocks until it is complete; one that was killed starts again. Several processes may open the file at once: one
  /// converts it, and the others wait. Opening a file read-only does not convert it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: The key that opens it, and with which a database without encryption is encrypted. A provider is called
  ///     once for the conversion and the opening; see ``EncryptionKey/provided(by:)``.
  ///   - settings: The settings of its encryption that differ from the running SQLCipher's defaults.
  ///   - library: The SQLCipher library to load, as a path or as a name that the system's loader knows; nil for the
  ///     library of the conversion options or, without one, to search for the usual names.
  ///   - sources: The forms that are converted before opening; opening a file of any other form fails.
  ///   - conversionOptions: Whether a conversion keeps the original, the time to wait and the progress handler.
  public init(
    path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(), library: String? = nil,
    converting sources: ConvertibleSources = [], conversionOptions: ConversionOptions = ConversionOptions()
  ) {
    self.library = library ?? conversionOptions.library
    var conversionOptions = conversionOptions
    conversionOptions.library = self.library
    file = File(path: path, key: key, settings: settings, sources: sources, conversionOptions: conversionOptions)
  }

  private init(inMemoryBy library: String?) {
    file = nil
    self.library = library
  }

  /// An in-memory database, which needs no key: each connection has a separate one, initially empty.
  public static let inMemory = SQLCipher(inMemoryBy: nil)

  /// Returns an in-memory database that a given library runs; see
  /// ``init(path:key:settings:library:converting:conversionOptions:)``.
  public static func inMemory(library: String?) -> SQLCipher { SQLCipher(inMemoryBy: library) }

  /// The path of the file, or `:memory:`; never the key.
  public var label: String { file?.path ?? ":memory:" }
  /// Whether the database is in a file.
  public var isShared: Bool { file != nil }

  /// Returns an in-memory database that the same library runs; none of it is written to disk.
  public func scratch() throws(DatabaseError) -> any DatabaseBackend { SQLCipher.inMemory(library: library) }

  /// Opens a connection.
  ///
  /// The connection rejects statements that would change the encryption of the open file, or write temporary tables to
  /// disk, as `.denied`.
  ///
  /// - Throws: ``DatabaseError`` as `.libraryMissing`, `.libraryUnsuitable`, `.invalidKey`, `.keyMissing`,
  ///   `.keyNotAvailable`, `.wrongKey`, `.plaintextDatabase`, `.folderMissing`, `.fileMissing`, `.isDirectory`,
  ///   `.permissionDenied`, `.openedByAnotherEngine` and others. The file is unchanged. If its content is the reason,
  ///   ``DatabaseError/diagnosis`` is a ``CipherDiagnosis``.
  public func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    if let file { return try connect(file, options) }
    let engine = try EngineLibrary.load(.sqlCipher, path: library)
    let connection = try EngineOpener(library: engine, place: .memory, options: options).open()
    try CipherCredentials.keepTemporariesInMemory(connection)
    return connection
  }

  private func connect(_ file: File, _ options: ConnectionOptions) throws(DatabaseError) -> EngineConnection {
    // A read-only caller does not want a new file.
    let sources = options.isReadOnly ? [] : file.sources
    let (material, hold) = try file.key.material(forConnectionTo: file.path) { () throws(DatabaseError) in
      sources.contains(.plaintext) ? try PlaintextForm.isForm(of: file.path, library: library) : false
    }
    var credentials = try CipherCredentials(material, file.settings, library: library)
    credentials.sharesDerivedKeys = sharesDerivedKeys
    let connection: EngineConnection
    do throws(DatabaseError) {
      connection = try credentials.open(file.path, options)
    } catch {
      let key = EncryptionKey(material)
      switch error.condition {
      case .plaintextDatabase where sources.contains(.plaintext):
        try convert(file, .encrypt(key, file.settings), since: error)
      case .wrongKey where sources.contains(.olderFormats):
        try convert(file, .upgrade(key, from: nil, to: file.settings), since: error)
      default: throw error
      }
      connection = try credentials.open(file.path, options)
    }
    connection.refuseChangesOfEncryption()
    if let hold { connection.keepUntilClosed(hold) }
    return connection
  }

  private func convert(
    _ file: File, _ change: CipherConversion.Change, since error: DatabaseError
  ) throws(DatabaseError) {
    do {
      _ = try CipherConversion(file.path, change, file.conversionOptions).run()
    } catch let failure as DatabaseError {
      // The first error is the most specific one for a key that fits no format.
      throw failure.condition == .wrongKey ? error : failure
    } catch {
      throw .sqlCipher(
        .interrupted, "the conversion of \(file.path) was canceled",
        "It starts again when the database is opened again.")
    }
  }
}

extension SQLCipher: FileBackend {
  /// Returns an encrypted database in another file, with the same key and settings.
  public func forCopy(at path: String) -> any DatabaseBackend {
    guard let file else { return self }
    var copy = SQLCipher(path: path, key: file.key, settings: file.settings, library: library)
    copy.sharesDerivedKeys = sharesDerivedKeys
    return copy
  }
}

extension EngineFamily {
  /// SQLCipher, under the library names of Debian and of package managers for Apple systems.
  package static let sqlCipher = EngineFamily(
    name: "SQLCipher",
    libraryNames: [
      "libsqlcipher.so.1", "libsqlcipher.so.0", "libsqlcipher.so", "libsqlcipher.dylib",
      "/opt/homebrew/lib/libsqlcipher.dylib", nil,
    ],
    debianPackage: "libsqlcipher-dev", isEncrypting: true)
}

extension SQLCipher {
  /// An open connection of the application to an encrypted database, to be migrated as it is.
  ///
  ///     try migrator.migrate(SQLCipher.borrowing(connection))
  ///
  /// The connection has its key already; the key is not needed here. Statements that would change how the file is
  /// encrypted are refused as `.denied`, and the databases on which migrations are tried stay in memory.
  ///
  /// - Parameters:
  ///   - connection: The engine's connection, a `sqlite3 *`. It stays open until the calls that it is lent to have
  ///     returned, and no other thread uses it meanwhile.
  ///   - library: The SQLCipher library that owns the connection, as a path or as a name that the system's loader knows; nil
  ///     for the one that does.
  ///   - preparingScratch: Is called with the connection of each empty database on which migrations are tried, to compare
  ///     schemas, and adds what the migrations need: collations, functions, modules.
  public static func borrowing(
    _ connection: OpaquePointer, library: String? = nil,
    preparingScratch: (@Sendable (_ scratch: OpaquePointer) throws -> Void)? = nil
  ) -> BorrowedDatabase {
    BorrowedDatabase(
      BorrowedBackend(connection, of: .sqlCipher, library: library, preparingScratch: preparingScratch))
  }
}
