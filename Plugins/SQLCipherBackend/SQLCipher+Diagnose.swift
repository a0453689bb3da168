public import Migrator
internal import SQLiteEngine

extension SQLCipher {
  /// Finds out what a file is and whether a key opens it, without changing the file or anything beside it.
  ///
  /// Other connections, in this process and in others, are not disturbed: nothing is locked. What a write-ahead log or a
  /// journal beside the file holds is not looked at, so that a file in use may be reported to need recovery.
  ///
  /// Costs one derivation of the key when it opens the file, and those of the older versions too when it does not.
  ///
  ///     switch try SQLCipher.diagnose("library.db", key: key) {
  ///     case .encrypted(let settings) where settings.compatibility == 3: ...  // made by SQLCipher 3
  ///     case .damaged(let pages): ...
  ///     default: ...
  ///     }
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: The key; without one only what needs none is found out.
  ///   - settings: What to try first.
  ///   - checksPages: Whether every page is read and checked, which takes as long as reading the file. Files without
  ///     authentication, as those of version 1, cannot be checked.
  ///   - library: The SQLCipher library to load; see ``init(path:key:settings:library:converting:conversionOptions:)``.
  /// - Throws: ``DatabaseError`` when the file cannot be looked at, or the key or the settings cannot be used.
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
