internal import Migrator
internal import SQLiteEngine

/// An encrypted database that is converted, if need be, when it is first opened.
struct ConvertingBackend: FileBackend {
  let path: String
  let key: KeySource
  let settings: CipherSettings
  let sources: ConvertibleSources
  let options: ConversionOptions

  private var database: SQLCipher {
    SQLCipher(path: path, source: key, settings: settings, library: options.library)
  }

  var label: String { path }

  var isShared: Bool { true }

  func scratch() throws(DatabaseError) -> any DatabaseBackend { try database.scratch() }

  func forCopy(at path: String) -> any DatabaseBackend { database.forCopy(at: path) }

  func connect(_ connectionOptions: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    // A provider is asked here, once for the conversion and the opening.
    let (key, hold) = try key.key(forFileAt: path) { () throws(DatabaseError) in
      guard sources.contains(.plaintext), !connectionOptions.isReadOnly else { return false }
      return try FileStart.isPlaintext(path, library: options.library)
    }
    defer { withExtendedLifetime(hold) {} }
    do throws(DatabaseError) {
      return try database.connect(connectionOptions)
    } catch {
      // Who only wants to read does not want a new file.
      guard !connectionOptions.isReadOnly, let conversion = try conversion(for: error, key) else { throw error }
      try convert(conversion, since: error)
    }
    return try database.connect(connectionOptions)
  }

  /// What helps against an error of opening; nil for nothing.
  private func conversion(for error: DatabaseError, _ key: EncryptionKey) throws(DatabaseError) -> Conversion? {
    switch error.condition {
    case .plaintextDatabase where sources.contains(.plaintext):
      return .encrypting(path, key, settings, options)
    case .wrongKey where sources.contains(.olderFormats):
      return try .upgrading(path, key, nil, settings, options)
    default: return nil
    }
  }

  private func convert(_ conversion: Conversion, since error: DatabaseError) throws(DatabaseError) {
    do {
      _ = try conversion.runInTask()
    } catch let failure as DatabaseError {
      // Which key fits no format is not told better than by the first error.
      throw failure.condition == .wrongKey ? error : failure
    } catch {
      throw DatabaseError(
        .interrupted, engine: EngineFamily.sqlCipher.name, message: "the conversion of \(path) was cancelled",
        remedy: "It begins anew when the database is opened again.")
    }
  }
}
