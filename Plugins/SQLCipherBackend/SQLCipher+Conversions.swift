// Changing a passphrase takes the same way as all else, though there is `PRAGMA rekey`: that answers that all went well
// when it did not, and the next write then destroys the file; it rewrites the only copy; and it takes longer
// (https://www.zetetic.net/sqlcipher/sqlcipher-api/#rekey).

extension SQLCipher {
  /// Encrypts a database, in place.
  ///
  ///     try SQLCipher.encrypt("library.db", key: .passphrase(secret))
  ///
  /// Killed at any moment, the file is the old database or the new one, whole; the next call finishes or begins anew. The
  /// new one is a new file: connections of other processes that stay open fail at their next write.
  ///
  /// - Important: The plaintext is cut off and removed, unless it is to be kept. Solid-state disks, file systems that copy
  ///   on write, snapshots and backups may keep what is overwritten or removed out of reach of any program: where that
  ///   matters, create the database encrypted.
  ///
  /// - Parameters:
  ///   - path: The file. What leads to it by a symbolic link goes on doing so.
  ///   - key: The key that will open it.
  ///   - settings: How it will be encrypted, where that is not to be the running SQLCipher's default; those who open it
  ///     need the same.
  ///   - options: What is kept, how long to wait, what is told of progress.
  /// - Returns: What was done; ``ConversionOutcome/alreadyConverted`` for a file that opens with the key and settings.
  /// - Throws: ``DatabaseError`` as `.busy` when others use the database, here or in another process, `.full` when the
  ///   copy finds no room, `.wrongKey` for a file that has another key, and others; `CancellationError` when the current
  ///   task was cancelled. The file is as it was.
  @discardableResult
  public static func encrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) throws -> ConversionOutcome {
    try Conversion.encrypting(path, key, settings, options).runInTask()
  }

  /// Takes the encryption from a database, in place; see `encrypt(_:key:settings:options:)`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: The key that opens it.
  ///   - settings: What its encryption does not have in common with the running SQLCipher's defaults.
  ///   - options: What is kept, how long to wait, what is told of progress.
  @discardableResult
  public static func decrypt(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) throws -> ConversionOutcome {
    try Conversion.decrypting(path, key, settings, options).runInTask()
  }

  /// Gives an encrypted database another key, in place; see `encrypt(_:key:settings:options:)`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - oldKey: The key that opens it.
  ///   - newKey: The key that will open it.
  ///   - settings: What its encryption does not have in common with the running SQLCipher's defaults; it keeps them.
  ///   - options: What is kept, how long to wait, what is told of progress.
  @discardableResult
  public static func rekey(
    _ path: String, from oldKey: EncryptionKey, to newKey: EncryptionKey, settings: CipherSettings = CipherSettings(),
    options: ConversionOptions = ConversionOptions()
  ) throws -> ConversionOutcome {
    try Conversion.rekeying(path, oldKey, newKey, settings, options).runInTask()
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
  ///   - options: What is kept, how long to wait, what is told of progress.
  @discardableResult
  public static func upgrade(
    _ path: String, key: EncryptionKey, from oldSettings: CipherSettings? = nil,
    to newSettings: CipherSettings = CipherSettings(), options: ConversionOptions = ConversionOptions()
  ) throws -> ConversionOutcome {
    try Conversion.upgrading(path, key, oldSettings, newSettings, options).runInTask()
  }
}
