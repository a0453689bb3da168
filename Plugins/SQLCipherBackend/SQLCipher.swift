public import Migrator
package import SQLiteEngine

/// An encrypted database, run by SQLCipher.
///
///     let dbQueue = try DatabaseQueue(SQLCipher(path: "library.db", key: .passphrase(secret)))
///
/// Opening verifies that the library is SQLCipher and that the key is correct, before anything is written. Temporary
/// tables and indexes stay in memory, so that nothing is written to disk without encryption. Deriving SQLCipher's key
/// from a passphrase is slow, so all connections to a file share the derived key. It stays in memory as long as the
/// ``EncryptionKey`` or a copy of it exists.
public struct SQLCipher: DatabaseBackend {
  private struct File: Sendable {
    let path: String
    let key: EncryptionKey
    let settings: CipherSettings
    let sources: ConvertibleSources
    let conversionOptions: ConversionOptions
  }

  /// The file with its key and settings; nil for an in-memory database.
  private let file: File?
  private let engine: EngineSource

  /// Whether connections share the key derived from a passphrase; if not, the engine derives a key for each connection.
  package var sharesDerivedKeys = true

  /// Describes an encrypted database in a file, which is created when it is first opened for writing.
  ///
  /// A file in another form can be converted before it is opened; this takes no time if no conversion is needed. A
  /// conversion blocks until it is complete; a conversion that was killed is started again. Several processes may open
  /// the file at once: one of them converts it, and the others wait. Opening a file read-only does not convert it.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: The key of the database; an unencrypted database is encrypted with it. A provider is called once for the
  ///     conversion and the opening together; see ``EncryptionKey/provided(by:)``.
  ///   - settings: The encryption settings of the file that differ from the defaults of the loaded SQLCipher.
  ///   - engine: The SQLCipher that runs the database. By default, the one in `conversionOptions` or, if that is
  ///     `.automatic`, too, a library that is loaded by its usual names.
  ///   - sources: The forms of the file that are converted before it is opened; opening a file in any other form fails.
  ///   - conversionOptions: Whether a conversion retains the original, the time to wait, and the closure that receives
  ///     the progress.
  public init(
    path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    engine: EngineSource = .automatic, converting sources: ConvertibleSources = [],
    conversionOptions: ConversionOptions = ConversionOptions()
  ) {
    self.engine = engine == .automatic ? conversionOptions.engine : engine
    var conversionOptions = conversionOptions
    conversionOptions.engine = self.engine
    file = File(path: path, key: key, settings: settings, sources: sources, conversionOptions: conversionOptions)
  }

  private init(inMemoryBy engine: EngineSource) {
    file = nil
    self.engine = engine
  }

  /// An in-memory database, which needs no key; each connection has a separate database, which is initially empty.
  public static let inMemory = SQLCipher(inMemoryBy: .automatic)

  /// Returns an in-memory database that the given SQLCipher runs; see
  /// ``init(path:key:settings:engine:converting:conversionOptions:)``.
  public static func inMemory(engine: EngineSource) -> SQLCipher { SQLCipher(inMemoryBy: engine) }

  /// The path of the file, or `:memory:`; never contains the key.
  public var label: String { file?.path ?? ":memory:" }
  /// Whether all connections open the same database, as is true for a database in a file.
  public var isShared: Bool { file != nil }

  /// Returns an in-memory database that uses the same library; nothing is written to disk.
  public func scratch() throws(DatabaseError) -> any DatabaseBackend { SQLCipher.inMemory(engine: engine) }

  /// Opens a connection.
  ///
  /// The connection rejects, as `.denied`, statements that would change the encryption of the open file or write
  /// temporary tables to disk.
  ///
  /// - Throws: ``DatabaseError`` as `.libraryMissing`, `.libraryUnsuitable`, `.invalidKey`, `.keyMissing`,
  ///   `.keyNotAvailable`, `.wrongKey`, `.plaintextDatabase`, `.folderMissing`, `.fileMissing`, `.isDirectory`,
  ///   `.permissionDenied`, `.openedByAnotherEngine` and others. The file is unchanged. If its content is the reason,
  ///   ``DatabaseError/diagnosis`` is a ``CipherDiagnosis``.
  public func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    if let file { return try connect(file, options) }
    let library = try EngineLibrary.load(.sqlCipher, from: engine)
    let connection = try EngineOpener(library: library, place: .memory, options: options).open()
    try CipherCredentials.keepTemporariesInMemory(connection)
    return connection
  }

  private func connect(_ file: File, _ options: ConnectionOptions) throws(DatabaseError) -> EngineConnection {
    // If the connection is read-only, the caller does not want a new file.
    let sources = options.isReadOnly ? [] : file.sources
    let (material, hold) = try file.key.material(forConnectionTo: file.path) { () throws(DatabaseError) in
      sources.contains(.plaintext) ? try PlaintextForm.isForm(of: file.path, by: engine) : false
    }
    var credentials = try CipherCredentials(material, file.settings, engine: engine)
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
      // For a key that fits no format, the first error is the most specific one.
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
    var copy = SQLCipher(path: path, key: file.key, settings: file.settings, engine: engine)
    copy.sharesDerivedKeys = sharesDerivedKeys
    return copy
  }
}

extension EngineFamily {
  #if canImport(Darwin)
    /// SQLCipher, as a framework in the app, from Homebrew on either processor, or exported by the program.
    ///
    /// Each name has a folder: the loader would also search for other names in the working directory.
    package static let sqlCipher = EngineFamily(
      name: "SQLCipher",
      libraryNames: [
        "@rpath/SQLCipher.framework/SQLCipher", "@rpath/SQLCipher.framework/Versions/A/SQLCipher",
        "/opt/homebrew/lib/libsqlcipher.dylib", "/usr/local/lib/libsqlcipher.dylib", nil,
      ],
      advice: """
        Add SQLCipher to the app and pass it as `engine: .linked(...)`, or install it on a Mac with \
        `brew install sqlcipher`, or name the library's path
        """, isEncrypting: true)
  #else
    /// SQLCipher, with the names of its library, or exported by the program.
    package static let sqlCipher = EngineFamily(
      name: "SQLCipher",
      libraryNames: ["libsqlcipher.so.2", "libsqlcipher.so.1", "libsqlcipher.so.0", "libsqlcipher.so", nil],
      advice: """
        Install it, on Debian and Ubuntu as the package libsqlcipher2, libsqlcipher1 or libsqlcipher0, whichever the \
        release has, or name the library's path
        """, isEncrypting: true)
  #endif
}

extension SQLCipher {
  /// Returns a database that uses an open connection of the application to an encrypted database, to run migrations.
  ///
  ///     try migrator.migrate(SQLCipher.borrowing(connection))
  ///
  /// The connection already has its key, so no key is needed. Statements that would change the encryption of the file
  /// are rejected as `.denied`. The empty databases in which migrations are tried are in memory.
  ///
  /// - Parameters:
  ///   - connection: The engine's connection, a `sqlite3 *`. It must stay open until all calls that use it have
  ///     returned, and no other thread may use it in the meantime.
  ///   - engine: The SQLCipher that owns the connection; by default, it is searched for in the process, which finds every
  ///     SQLCipher that exports its functions.
  ///   - preparingScratch: Called with the connection of each empty database in which migrations are tried. It adds
  ///     what the migrations need: collations, functions, modules.
  public static func borrowing(
    _ connection: OpaquePointer, engine: EngineSource = .automatic,
    preparingScratch: (@Sendable (_ scratch: OpaquePointer) throws -> Void)? = nil
  ) -> BorrowedDatabase {
    BorrowedDatabase(
      BorrowedBackend(connection, of: .sqlCipher, engine: engine, preparingScratch: preparingScratch))
  }
}
