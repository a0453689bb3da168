/// What a key provider is asked for.
public struct KeyRequest: Sendable, Hashable {
  /// The path of the database.
  public let path: String

  /// Whether there is a database already that has a key: a file that is not empty.
  ///
  /// Where there is one, only its own key is of use; a new key may be made, and stored, only where there is none. False,
  /// too, for a database without encryption that is about to get the key, and for the new key of
  /// `SQLCipher.rekey`. Such a conversion may have been done already by a process that then died: answer with the key
  /// that was stored for it, if there is one.
  public let databaseExists: Bool
}

/// What a key provider answers.
public enum KeyAnswer: Sendable {
  /// The key.
  case key(EncryptionKey)

  /// The key exists but cannot be had at this moment, as on a device that was not unlocked since it was started.
  ///
  /// The reason is shown to people: an error's number, never a part of the key.
  case notAvailableNow(reason: String? = nil)

  /// There is no key.
  case missing
}

/// Says the key of a database when the database is opened; called on the thread that opens it.
public typealias KeyProvider = @Sendable (KeyRequest) -> KeyAnswer
