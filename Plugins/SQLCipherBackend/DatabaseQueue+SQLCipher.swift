public import Migrator

extension DatabaseQueue {
  /// Opens an encrypted database; creates the file if it does not exist and the configuration allows writing.
  ///
  ///     let dbQueue = try DatabaseQueue(path: "library.db", key: key, converting: [.plaintext, .olderFormats])
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: The key of the database.
  ///   - settings: The encryption settings of the file that differ from the defaults of the loaded SQLCipher.
  ///   - engine: The SQLCipher that runs the database; see
  ///     ``SQLCipher/init(path:key:settings:engine:converting:conversionOptions:)``.
  ///   - sources: The forms of the file that are converted before it is opened; see
  ///     ``SQLCipher/init(path:key:settings:engine:converting:conversionOptions:)``.
  ///   - conversionOptions: The options of the conversion.
  ///   - configuration: The options for opening and using the database.
  /// - Throws: ``DatabaseError``, as `.wrongKey`, `.plaintextDatabase` and others; see ``SQLCipher/connect(_:)``.
  public convenience init(
    path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    engine: EngineSource = .automatic, converting sources: ConvertibleSources = [],
    conversionOptions: ConversionOptions = ConversionOptions(), configuration: Configuration = Configuration()
  ) throws {
    let backend = SQLCipher(
      path: path, key: key, settings: settings, engine: engine, converting: sources,
      conversionOptions: conversionOptions)
    try self.init(backend, configuration: configuration)
  }
}

extension DatabasePool {
  /// Opens an encrypted database for many readers; see
  /// ``SQLCipher/init(path:key:settings:engine:converting:conversionOptions:)``.
  ///
  /// The key is derived from a passphrase only once for all connections.
  ///
  /// - Throws: ``DatabaseError``, as `.wrongKey`, `.plaintextDatabase` and others; see ``SQLCipher/connect(_:)``.
  public convenience init(
    path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    engine: EngineSource = .automatic, converting sources: ConvertibleSources = [],
    conversionOptions: ConversionOptions = ConversionOptions(), configuration: Configuration = Configuration()
  ) throws {
    let backend = SQLCipher(
      path: path, key: key, settings: settings, engine: engine, converting: sources,
      conversionOptions: conversionOptions)
    try self.init(backend, configuration: configuration)
  }
}
