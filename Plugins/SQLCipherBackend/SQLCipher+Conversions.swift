public import Migrator

extension SQLCipher {
  /// Encrypts a database, in place.
  ///
  ///     try SQLCipher.encrypt("library.db", key: .passphrase(secret))
  ///
  /// If the process is killed at any moment, the file is the complete old database or the complete new one; the next
  /// call finishes the conversion or starts it again. The new database is a new file, so connections that other
  /// processes keep open fail at their next write.
  ///
  /// - Important: The plaintext is overwritten and removed, unless you retain the original. Solid-state disks,
  ///   copy-on-write file systems, snapshots and backups may retain the plaintext where no program can erase it. If
  ///   that matters, create the database with encryption.
  ///
  /// - Parameters:
  ///   - path: The path of the file. Symbolic links to it stay valid.
  ///   - key: The new key of the database. A provider is called once; ``KeyRequest/databaseExists`` is false if the
  ///     file has no key yet, so that the provider may create one.
  ///   - settings: The new encryption settings that differ from the defaults of the loaded SQLCipher; the same settings
  ///     are required to open the file.
  ///   - options: Whether to retain the original, the time to wait, and the closure that receives the progress.
  /// - Returns: The outcome; ``ConversionOutcome/alreadyConverted`` if the file already opens with the key and the
  ///   settings.
  /// - Throws: `CancellationError` if the current task is canceled, or ``DatabaseError``, for example with one of these
  ///   conditions: `.keyMissing` or `.keyNotAvailable` if a provider has no key, `.busy` if other connections use the
  ///   database, in this process or another one, `.full` if there is not enough space for the copy, and `.wrongKey` if
  ///   the file has a different key. After any error, the file is unchanged.
  @discardableResult
  public static func encrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) throws -> ConversionOutcome {
    try CipherConversion(path, .encrypt(key, settings), options).run()
  }

  /// Decrypts a database, in place; see `encrypt(_:key:settings:options:)`.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: The key of the database.
  ///   - settings: The encryption settings of the file that differ from the defaults of the loaded SQLCipher.
  ///   - options: Whether to retain the original, the time to wait, and the closure that receives the progress.
  @discardableResult
  public static func decrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) throws -> ConversionOutcome {
    try CipherConversion(path, .decrypt(key, settings), options).run()
  }

  /// Changes the key of an encrypted database, in place; see `encrypt(_:key:settings:options:)`.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - oldKey: The current key of the database.
  ///   - newKey: The new key of the database. If both keys have providers, the provider of the new key is called last.
  ///     For the new key, ``KeyRequest/databaseExists`` is false.
  ///   - settings: The encryption settings that differ from the defaults of the loaded SQLCipher; they do not change.
  ///   - options: Whether to retain the original, the time to wait, and the closure that receives the progress.
  @discardableResult
  public static func rekey(
    _ path: String, from oldKey: EncryptionKey, to newKey: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) throws -> ConversionOutcome {
    try CipherConversion(path, .rekey(from: oldKey, to: newKey, settings), options).run()
  }

  /// Changes the format or settings of an encrypted database, in place; see `encrypt(_:key:settings:options:)`.
  ///
  ///     try SQLCipher.upgrade("library.db", key: key)                                        // to the newest format
  ///     try SQLCipher.upgrade("library.db", key: key, to: CipherSettings(compatibility: 3))  // or back
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: The key of the database, which does not change.
  ///   - oldSettings: The current settings; nil to try the formats that the loaded SQLCipher reads, the newest first.
  ///   - newSettings: The new settings.
  ///   - options: Whether to retain the original, the time to wait, and the closure that receives the progress.
  @discardableResult
  public static func upgrade(
    _ path: String, key: EncryptionKey, from oldSettings: CipherSettings? = nil,
    to newSettings: CipherSettings = CipherSettings(), options: ConversionOptions = ConversionOptions()
  ) throws -> ConversionOutcome {
    try CipherConversion(path, .upgrade(key, from: oldSettings, to: newSettings), options).run()
  }
}

// MARK: - Without blocking the task

extension SQLCipher {
  /// Encrypts a database without blocking the task; see `encrypt(_:key:settings:options:)`.
  ///
  /// If the task is canceled, the original is unchanged, and the files of the conversion are removed.
  @discardableResult
  public static func encrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await CipherConversion(path, .encrypt(key, settings), options).runAside()
  }

  /// Decrypts a database without blocking the task; see `decrypt(_:key:settings:options:)`.
  @discardableResult
  public static func decrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await CipherConversion(path, .decrypt(key, settings), options).runAside()
  }

  /// Changes the key of an encrypted database without blocking the task; see `rekey(_:from:to:settings:options:)`.
  @discardableResult
  public static func rekey(
    _ path: String, from oldKey: EncryptionKey, to newKey: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await CipherConversion(path, .rekey(from: oldKey, to: newKey, settings), options).runAside()
  }

  /// Changes the format or settings of an encrypted database without blocking the task; see
  /// `upgrade(_:key:from:to:options:)`.
  @discardableResult
  public static func upgrade(
    _ path: String, key: EncryptionKey, from oldSettings: CipherSettings? = nil,
    to newSettings: CipherSettings = CipherSettings(), options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await CipherConversion(path, .upgrade(key, from: oldSettings, to: newSettings), options).runAside()
  }
}
