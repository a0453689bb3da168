public import Migrator

extension SQLCipher {
  /// Encrypts a database, in place.
  ///
  ///     try SQLCipher.encrypt("library.db", key: .passphrase(secret))
  ///
  /// If the process is killed at any moment, the file is the complete old database or the complete new one; the next
  /// call finishes or starts again. The new database is a new file: connections of other processes that stay open fail
  /// at their next write.
  ///
  /// - Important: The plaintext is overwritten and removed, unless you keep it. Solid-state disks, copy-on-write file
  ///   systems, snapshots and backups may retain it where no program can erase it. If that matters, create the
  ///   database encrypted.
  ///
  /// - Parameters:
  ///   - path: The file. Symbolic links to it stay valid.
  ///   - key: The key that will open it. A provider is called once; ``KeyRequest/databaseExists`` is false if the file
  ///     has no key yet, so that the provider may create one.
  ///   - settings: The settings of its encryption that differ from the running SQLCipher's defaults; opening the file
  ///     requires the same.
  ///   - options: Whether to keep the original, the time to wait and the progress handler.
  /// - Returns: The outcome; ``ConversionOutcome/alreadyConverted`` for a file that already opens with the key and
  ///   settings.
  /// - Throws: ``DatabaseError`` as `.keyMissing` or `.keyNotAvailable` when a provider has no key, `.busy` when other
  ///   connections use the database, in this process or another one, `.full` when there is not enough space for the
  ///   copy, `.wrongKey` for a file that has another key, and others; `CancellationError` when the current task was
  ///   canceled. The file is unchanged.
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
  ///   - path: The file.
  ///   - key: The key that opens it.
  ///   - settings: The settings of its encryption that differ from the running SQLCipher's defaults.
  ///   - options: Whether to keep the original, the time to wait and the progress handler.
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
  ///   - path: The file.
  ///   - oldKey: The key that opens it.
  ///   - newKey: The key that will open it. Its provider is called after the one of the old key, with
  ///     ``KeyRequest/databaseExists`` false.
  ///   - settings: The settings of its encryption that differ from the running SQLCipher's defaults; it keeps them.
  ///   - options: Whether to keep the original, the time to wait and the progress handler.
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
  ///   - path: The file.
  ///   - key: The key that opens it, before and after.
  ///   - oldSettings: Its current settings; nil to try the formats that the running SQLCipher reads, the newest first.
  ///   - newSettings: Its new settings.
  ///   - options: Whether to keep the original, the time to wait and the progress handler.
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
  /// If the task is canceled, the original is unchanged and no other files remain.
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
