public import Migrator

extension DatabaseQueue {
  /// Opens an encrypted database, and converts it before where it is not what it should be.
  ///
  ///     let dbQueue = try DatabaseQueue(path: "library.db", key: key, converting: [.plaintext, .olderFormats])
  ///
  /// Costs nothing where there is nothing to convert. A conversion blocks until it is done; one that was killed is begun
  /// anew. Several processes may open the file at once: one converts it, the others wait.
  ///
  /// - Parameters:
  ///   - path: The file; one that does not exist is created, with the key.
  ///   - key: The key that opens it, and that a database without encryption will have.
  ///   - settings: What its encryption is to be, where that is not the running SQLCipher's default.
  ///   - sources: What is converted; all else is an error, as it is otherwise.
  ///   - conversionOptions: What is kept, how long to wait, what is told of progress.
  ///   - configuration: How it is opened and used.
  /// - Throws: ``DatabaseError``; see `encrypt(_:key:settings:options:)` and
  ///   ``SQLCipher/connect(_:)``.
  public convenience init(
    path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    converting sources: ConvertibleSources,
    conversionOptions: ConversionOptions = ConversionOptions(), configuration: Configuration = Configuration()
  ) throws {
    try self.init(
      ConvertingBackend(path: path, key: .value(key), settings: settings, sources: sources, options: conversionOptions),
      configuration: configuration)
  }

  /// Opens an encrypted database whose key is asked for, and converts it before where it is not what it should be.
  ///
  /// The provider is called once, for the conversion and the opening. It is told that there is no database with a key yet
  /// where one without encryption is about to be encrypted, so that it may make one; see ``KeyRequest/databaseExists``.
  ///
  /// - Parameters:
  ///   - path: The file; one that does not exist is created, with the key.
  ///   - settings: What its encryption is to be, where that is not the running SQLCipher's default.
  ///   - sources: What is converted; all else is an error, as it is otherwise.
  ///   - conversionOptions: What is kept, how long to wait, what is told of progress.
  ///   - configuration: How it is opened and used.
  ///   - keyProvider: Says the key.
  /// - Throws: ``DatabaseError``, as `.keyMissing`, `.keyNotAvailable` and others; the file is as it was then.
  public convenience init(
    path: String, settings: CipherSettings = CipherSettings(), converting sources: ConvertibleSources,
    conversionOptions: ConversionOptions = ConversionOptions(), configuration: Configuration = Configuration(),
    keyProvider: @escaping KeyProvider
  ) throws {
    try self.init(
      ConvertingBackend(
        path: path, key: .provider(ProvidedKey(keyProvider)), settings: settings, sources: sources,
        options: conversionOptions),
      configuration: configuration)
  }
}
