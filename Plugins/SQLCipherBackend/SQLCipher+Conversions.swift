public import Migrator

extension SQLCipher {
  /// Encrypts a database, in place.
  ///
  ///     try SQLCipher.encrypt("library.db", key: .passphrase(secret))
  ///
  /// Killed at any moment, the file is the old database or the new one, whole; the next call finishes or starts again. The
  /// new one is a new file: connections of other processes that stay open fail at their next write.
  ///
  /// - Important: The plaintext is cut off and removed, unless it is to be kept. Solid-state disks, file systems that copy
  ///   on write, snapshots and backups may keep what is overwritten or removed out of reach of any program: where that
  ///   matters, create the database encrypted.
  ///
  /// - Parameters:
  ///   - path: The file. What leads to it by a symbolic link goes on doing so.
  ///   - key: The key that will open it. A provider is asked once; ``KeyRequest/databaseExists`` is false
  ///     where the file has no key yet, so that it may make one.
  ///   - settings: How it will be encrypted, where that is not to be the running SQLCipher's default; those who open it
  ///     need the same.
  ///   - options: What is kept, how long to wait, where progress is reported.
  /// - Returns: What was done; ``ConversionOutcome/alreadyConverted`` for a file that opens with the key and settings.
  /// - Throws: ``DatabaseError`` as `.keyMissing` or `.keyNotAvailable` when a provider has no key, `.busy` when others use the database, here or in another process, `.full` when the
  ///   copy finds no room, `.wrongKey` for a file that has another key, and others; `CancellationError` when the current
  ///   task was cancelled. The file is as it was.
  @discardableResult
  public static func encrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) throws -> ConversionOutcome {
    try CipherConversion(path, .encrypt(key, settings), options).run()
  }

  /// Takes the encryption from a database, in place; see `encrypt(_:key:settings:options:)`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: The key that opens it.
  ///   - settings: What its encryption does not have in common with the running SQLCipher's defaults.
  ///   - options: What is kept, how long to wait, where progress is reported.
  @discardableResult
  public static func decrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) throws -> ConversionOutcome {
    try CipherConversion(path, .decrypt(key, settings), options).run()
  }

  /// Gives an encrypted database another key, in place; see `encrypt(_:key:settings:options:)`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - oldKey: The key that opens it.
  ///   - newKey: The key that will open it. A provider is asked after the one of the old key, with
  ///     ``KeyRequest/databaseExists`` false.
  ///   - settings: What its encryption does not have in common with the running SQLCipher's defaults; it keeps them.
  ///   - options: What is kept, how long to wait, where progress is reported.
  @discardableResult
  public static func rekey(
    _ path: String, from oldKey: EncryptionKey, to newKey: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) throws -> ConversionOutcome {
    try CipherConversion(path, .rekey(from: oldKey, to: newKey, settings), options).run()
  }

  /// Gives an encrypted database another format or other settings, in place; see
  /// `encrypt(_:key:settings:options:)`.
  ///
  ///     try SQLCipher.upgrade("library.db", key: key)                                        // to the newest format
  ///     try SQLCipher.upgrade("library.db", key: key, to: CipherSettings(compatibility: 3))  // or back
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: The key that opens it, before and afterwards.
  ///   - oldSettings: The settings that it has; nil to try the formats that the running SQLCipher reads, the newest first.
  ///   - newSettings: The settings that it will have.
  ///   - options: What is kept, how long to wait, where progress is reported.
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
  /// Cancelling the task leaves the original, and nothing beside it.
  @discardableResult
  public static func encrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await CipherConversion(path, .encrypt(key, settings), options).runAside()
  }

  /// Takes the encryption from a database without blocking the task; see `decrypt(_:key:settings:options:)`.
  @discardableResult
  public static func decrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await CipherConversion(path, .decrypt(key, settings), options).runAside()
  }

  /// Gives an encrypted database another key without blocking the task; see `rekey(_:from:to:settings:options:)`.
  @discardableResult
  public static func rekey(
    _ path: String, from oldKey: EncryptionKey, to newKey: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await CipherConversion(path, .rekey(from: oldKey, to: newKey, settings), options).runAside()
  }

  /// Gives an encrypted database another format or other settings without blocking the task; see
  /// `upgrade(_:key:from:to:options:)`.
  @discardableResult
  public static func upgrade(
    _ path: String, key: EncryptionKey, from oldSettings: CipherSettings? = nil,
    to newSettings: CipherSettings = CipherSettings(), options: ConversionOptions = ConversionOptions()
  ) async throws -> ConversionOutcome {
    try await CipherConversion(path, .upgrade(key, from: oldSettings, to: newSettings), options).runAside()
  }
}
