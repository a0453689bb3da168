extension SQLCipher {
  /// Encrypts a database, in place, with a key that is asked for; see `encrypt(_:key:settings:options:)`.
  ///
  /// The provider is told that there is no database with a key yet where the file has none, so that it may make one.
  ///
  /// - Throws: ``DatabaseError`` as `.keyMissing` or `.keyNotAvailable` when the provider has none, before anything is
  ///   touched; otherwise as with a key.
  @discardableResult
  public static func encrypt(
    _ path: String, settings: CipherSettings = CipherSettings(), options: ConversionOptions = ConversionOptions(),
    keyProvider: @escaping KeyProvider
  ) throws -> ConversionOutcome {
    try Conversion.encrypting(path, keyProvider, settings, options).runInTask()
  }

  /// Takes the encryption from a database, in place, with a key that is asked for.
  ///
  /// See `decrypt(_:key:settings:options:)`.
  ///
  /// - Throws: ``DatabaseError`` as `.keyMissing` or `.keyNotAvailable` when the provider has none, before anything is
  ///   touched; otherwise as with a key.
  @discardableResult
  public static func decrypt(
    _ path: String, settings: CipherSettings = CipherSettings(), options: ConversionOptions = ConversionOptions(),
    keyProvider: @escaping KeyProvider
  ) throws -> ConversionOutcome {
    try Conversion.decrypting(path, Conversion.key(keyProvider, path), settings, options).runInTask()
  }

  /// Gives an encrypted database another key, in place, both keys being asked for.
  ///
  /// See `rekey(_:from:to:settings:options:)`.
  ///
  /// The old key is asked for first. The provider of the new one is told that there is no database with that key yet.
  ///
  /// - Throws: ``DatabaseError`` as `.keyMissing` or `.keyNotAvailable` when the provider has none, before anything is
  ///   touched; otherwise as with a key.
  @discardableResult
  public static func rekey(
    _ path: String, settings: CipherSettings = CipherSettings(), options: ConversionOptions = ConversionOptions(),
    oldKeyProvider: @escaping KeyProvider, newKeyProvider: @escaping KeyProvider
  ) throws -> ConversionOutcome {
    try Conversion.rekeying(path, oldKeyProvider, newKeyProvider, settings, options).runInTask()
  }

  /// Gives an encrypted database another format or other settings, in place, with a key that is asked for.
  ///
  /// See `upgrade(_:key:from:to:options:)`.
  ///
  /// - Throws: ``DatabaseError`` as `.keyMissing` or `.keyNotAvailable` when the provider has none, before anything is
  ///   touched; otherwise as with a key.
  @discardableResult
  public static func upgrade(
    _ path: String, from oldSettings: CipherSettings? = nil, to newSettings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions(), keyProvider: @escaping KeyProvider
  ) throws -> ConversionOutcome {
    try Conversion.upgrading(path, Conversion.key(keyProvider, path), oldSettings, newSettings, options).runInTask()
  }
}
