public import Migrator

extension DatabaseQueue {
  /// Opens an encrypted database, and creates the file when there is none and it may be written.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: The key that opens it.
  ///   - settings: What its encryption does not have in common with the running SQLCipher's defaults.
  ///   - configuration: How it is opened and used.
  /// - Throws: ``DatabaseError``, as `.wrongKey`, `.plaintextDatabase` and others; see ``SQLCipher/connect(_:)``.
  public convenience init(
    path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    configuration: Configuration = Configuration()
  ) throws {
    try self.init(SQLCipher(path: path, key: key, settings: settings), configuration: configuration)
  }

  /// Opens an encrypted database whose key is asked for, and creates the file when there is none and it may be written.
  ///
  /// The provider is called once, and the key is wiped when the database is closed; see
  /// ``SQLCipher/init(path:settings:library:keyProvider:)``.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - settings: What its encryption does not have in common with the running SQLCipher's defaults.
  ///   - configuration: How it is opened and used.
  ///   - keyProvider: Says the key.
  /// - Throws: ``DatabaseError``, as `.keyMissing`, `.keyNotAvailable` and others; see ``SQLCipher/connect(_:)``.
  public convenience init(
    path: String, settings: CipherSettings = CipherSettings(), configuration: Configuration = Configuration(),
    keyProvider: @escaping KeyProvider
  ) throws {
    try self.init(
      SQLCipher(path: path, settings: settings, keyProvider: keyProvider), configuration: configuration)
  }
}
