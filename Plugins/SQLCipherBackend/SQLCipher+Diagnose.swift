public import Migrator
internal import SQLiteEngine

extension SQLCipher {
  /// Determines the state of a file, and whether a key opens it, without changing any file.
  ///
  /// Takes no locks, so other connections in this process and in others are not disturbed. Ignores a write-ahead log or
  /// journal beside the file, so it may report that a file in use needs recovery.
  ///
  /// Derives the key from a passphrase once if the key opens the file with the given settings; otherwise, derives it
  /// again for the settings of older versions.
  ///
  ///     switch try SQLCipher.diagnose("library.db", key: key) {
  ///     case .encrypted(let settings) where settings.compatibility == 3: ...  // made by SQLCipher 3
  ///     case .damaged(let pages): ...
  ///     default: ...
  ///     }
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: The key to try; if nil, only the properties that require no key are determined.
  ///   - settings: The settings to try first.
  ///   - checksPages: Whether to read and verify every page, which takes as long as reading the whole file. Libraries
  ///     before SQLCipher 4 cannot do that, and files without page authentication, such as those of SQLCipher 1, cannot be
  ///     verified.
  ///   - engine: The SQLCipher to use; see ``init(path:key:settings:engine:converting:conversionOptions:)``.
  /// - Throws: ``DatabaseError`` when the file cannot be accessed, or when the key or the settings are invalid.
  public static func diagnose(
    _ path: String, key: EncryptionKey? = nil, settings: CipherSettings = CipherSettings(), checksPages: Bool = true,
    engine: EngineSource = .automatic
  ) throws(DatabaseError) -> CipherDiagnosis {
    let library = try EngineLibrary.load(.sqlCipher, from: engine)
    return try CipherExamination(path: path, library: library, checksPages: checksPages).run {
      () throws(DatabaseError) in
      guard let key else { return nil }
      return try CipherCredentials(key.material(forFileAt: path), settings, engine: engine)
    }
  }
}
