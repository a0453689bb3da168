extension SQLCipher {
  /// Encrypts a database without blocking the task, with a key that is asked for.
  ///
  /// See `encrypt(_:key:settings:options:)`.
  ///
  /// The provider is told that there is no database with a key yet where the file has none, so that it may make one.
  @discardableResult
  public static func encrypt(
    _ path: String, settings: CipherSettings = CipherSettings(), options: ConversionOptions = ConversionOptions(),
    keyProvider: @escaping KeyProvider
  ) async throws -> ConversionOutcome {
    try await Conversion.runAside { try Conversion.encrypting(path, keyProvider, settings, options) }
  }

  /// Takes the encryption from a database without blocking the task, with a key that is asked for.
  ///
  /// See `decrypt(_:key:settings:options:)`.
  @discardableResult
  public static func decrypt(
    _ path: String, settings: CipherSettings = CipherSettings(), options: ConversionOptions = ConversionOptions(),
    keyProvider: @escaping KeyProvider
  ) async throws -> ConversionOutcome {
    try await Conversion.runAside {
      try Conversion.decrypting(path, Conversion.key(keyProvider, path), settings, options)
    }
  }

  /// Gives an encrypted database another key without blocking the task, both keys being asked for.
  ///
  /// See `rekey(_:from:to:settings:options:)`.
  ///
  /// The old key is asked for first. The provider of the new one is told that there is no database with that key yet.
  @discardableResult
  public static func rekey(
    _ path: String, settings: CipherSettings = CipherSettings(), options: ConversionOptions = ConversionOptions(),
    oldKeyProvider: @escaping KeyProvider, newKeyProvider: @escaping KeyProvider
  ) async throws -> ConversionOutcome {
    try await Conversion.runAside { try Conversion.rekeying(path, oldKeyProvider, newKeyProvider, settings, options) }
  }

  /// Gives an encrypted database another format or other settings without blocking the task, with a key that is asked for.
  ///
  /// See `upgrade(_:key:from:to:options:)`.
  @discardableResult
  public static func upgrade(
    _ path: String, from oldSettings: CipherSettings? = nil, to newSettings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions(), keyProvider: @escaping KeyProvider
  ) async throws -> ConversionOutcome {
    try await Conversion.runAside {
      try Conversion.upgrading(path, Conversion.key(keyProvider, path), oldSettings, newSettings, options)
    }
  }
}
