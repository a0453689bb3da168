public import Migrator

extension DatabaseQueue {
  /// Opens an encrypted database, and creates the file when there is none and it may be written.
  ///
  ///     let dbQueue = try DatabaseQueue(path: "library.db", key: key, converting: [.plaintext, .olderFormats])
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: The key that opens it.
  ///   - settings: What its encryption does not have in common with the running SQLCipher's defaults.
  ///   - sources: What is converted before it is opened; see
  ///     ``SQLCipher/init(path:key:settings:library:converting:conversionOptions:)``.
  ///   - conversionOptions: How it is converted, and the library that is loaded.
  ///   - configuration: How it is opened and used.
  /// - Throws: ``DatabaseError``, as `.wrongKey`, `.plaintextDatabase` and others; see ``SQLCipher/connect(_:)``.
  public convenience init(
    path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    converting sources: ConvertibleSources = [], conversionOptions: ConversionOptions = ConversionOptions(),
    configuration: Configuration = Configuration()
  ) throws {
    let backend = SQLCipher(
      path: path, key: key, settings: settings, converting: sources, conversionOptions: conversionOptions)
    try self.init(backend, configuration: configuration)
  }
}

extension DatabasePool {
  /// Opens an encrypted database for many readers; see
  /// ``SQLCipher/init(path:key:settings:library:converting:conversionOptions:)``.
  ///
  /// A passphrase is turned into a key once for all connections.
  ///
  /// - Throws: ``DatabaseError``, as `.wrongKey`, `.plaintextDatabase` and others; see ``SQLCipher/connect(_:)``.
  public convenience init(
    path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    converting sources: ConvertibleSources = [], conversionOptions: ConversionOptions = ConversionOptions(),
    configuration: Configuration = Configuration()
  ) throws {
    let backend = SQLCipher(
      path: path, key: key, settings: settings, converting: sources, conversionOptions: conversionOptions)
    try self.init(backend, configuration: configuration)
  }
}
