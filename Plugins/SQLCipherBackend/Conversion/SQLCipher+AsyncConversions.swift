extension SQLCipher {
  /// Encrypts a database without blocking the task; see ``encrypt(_:key:settings:options:)-(_,_,_,_)``.
  ///
  /// Cancelling the task leaves the original, and nothing beside it.
  @discardableResult
  public static func encrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await Conversion.encrypting(path, key, settings, options).runAside()
  }

  /// Takes the encryption from a database without blocking the task; see ``decrypt(_:key:settings:options:)-(_,_,_,_)``.
  @discardableResult
  public static func decrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await Conversion.decrypting(path, key, settings, options).runAside()
  }

  /// Gives an encrypted database another key without blocking the task; see ``rekey(_:from:to:settings:options:)-(_,_,_,_,_)``.
  @discardableResult
  public static func rekey(
    _ path: String, from oldKey: EncryptionKey, to newKey: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await Conversion.rekeying(path, oldKey, newKey, settings, options).runAside()
  }

  /// Gives an encrypted database another format or other settings without blocking the task; see
  /// ``upgrade(_:key:from:to:options:)-(_,_,_,_,_)``.
  @discardableResult
  public static func upgrade(
    _ path: String, key: EncryptionKey, from oldSettings: CipherSettings? = nil,
    to newSettings: CipherSettings = CipherSettings(), options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await Conversion.upgrading(path, key, oldSettings, newSettings, options).runAside()
  }
}
