public import Migrator
internal import SQLiteEngine

extension SQLCipher {
  /// Determines the state of a file and whether a key opens it, without changing the file or any file beside it.
  ///
  /// Takes no locks, so that it does not disturb other connections in this process and in others. Ignores the content
  /// of a write-ahead log or journal beside the file, so that it may report that a file in use needs recovery.
  ///
  /// Derives the key once if it opens the file; otherwise also with the settings of older versions.
  ///
  ///     switch try SQLCipher.diagnose("library.db", key: key) {
  ///     case .encrypted(let settings) where settings.compatibility == 3: ...  // made by SQLCipher 3
  ///     case .damaged(let pages): ...
  ///     default: ...
  ///     }
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: The key; without one, only properties that require no key are determined.
  ///   - settings: The settings to try first.
  ///   - checksPages: Whether to read and verify every page, which takes as long as reading the file. Files without
  ///     authentication, such as those of version 1, cannot be verified.
  ///   - library: The SQLCipher library to load; see ``init(path:key:settings:library:converting:conversionOptions:)``.
  /// - Throws: ``DatabaseError`` when the file cannot be accessed, or the key or the settings are not usable.
  public static func diagnose(
    _ path: String, key: EncryptionKey? = nil, settings: CipherSettings = CipherSettings(), checksPages: Bool = true,
    library: String? = nil
  ) throws(DatabaseError) -> CipherDiagnosis {
    let engine = try EngineLibrary.load(.sqlCipher, path: library)
    return try CipherExamination(path: path, library: engine, checksPages: checksPages).run {
      () throws(DatabaseError) in
      guard let key else { return nil }
      return try CipherCredentials(key.material(forFileAt: path), settings, library: library)
    }
  }
}
