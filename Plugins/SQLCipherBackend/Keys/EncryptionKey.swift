internal import Migrator
internal import SQLiteEngine

/// The key of an encrypted database.
///
/// The bytes are kept out of swap space and core dumps where the system allows, and wiped when the last copy of the value
/// is gone. No description shows them. What was given to make the key, such as a `String`, stays where its owner keeps it.
///
/// A key of a wrong length is reported as ``DatabaseError/Condition-swift.enum/invalidKey`` when a database is opened.
public struct EncryptionKey: Sendable {
  /// How the bytes become the database's key.
  enum Form: Sendable {
    case passphrase
    case raw
    case rawWithSalt
  }

  let form: Form

  /// The bytes; nil when there was no memory for them.
  let secret: SecretBytes?

  /// What was derived from the bytes so far; shared by all copies of the value, and wiped with the last.
  let derivedKeys = DerivedKeys()

  private init(_ form: Form, _ bytes: some Collection<UInt8>) {
    self.form = form
    secret = SecretBytes(count: bytes.count) { buffer in
      // `copyBytes` of a collection would need a copy of its own for some of them; this goes byte by byte.
      for (index, byte) in bytes.enumerated() { buffer[index] = byte }
    }
  }

  /// A passphrase, from which the file's key is derived: slow on purpose, tens of milliseconds.
  ///
  /// All connections to a file that are opened with one value, or with copies of it, share a derived key.
  ///
  /// - Parameter text: Not empty, and not of the form `x'53514c'`, which SQLCipher would take for a raw key.
  public static func passphrase(_ text: String) -> EncryptionKey { EncryptionKey(.passphrase, text.utf8) }

  /// A passphrase given as bytes, which need not be text; see ``passphrase(_:)-(String)``.
  public static func passphrase(_ bytes: some Collection<UInt8>) -> EncryptionKey { EncryptionKey(.passphrase, bytes) }

  /// A key of 32 random bytes, used as it is; the salt is chosen by SQLCipher and kept in the file.
  public static func raw(_ bytes: some Collection<UInt8>) -> EncryptionKey { EncryptionKey(.raw, bytes) }

  /// A key of 32 random bytes, and behind them the 16 bytes of the file's salt.
  public static func rawWithSalt(_ bytes: some Collection<UInt8>) -> EncryptionKey {
    EncryptionKey(.rawWithSalt, bytes)
  }
}

extension EncryptionKey {
  /// Whether two raw keys are the same, salts aside.
  func hasRawBytes(of other: EncryptionKey) -> Bool {
    guard let bytes = secret?.prefix(32), let otherBytes = other.secret?.prefix(32) else { return false }
    return bytes.isEqual(to: otherBytes)
  }

  /// How often a key was derived from this passphrase so far, by this library or by SQLCipher for a connection.
  package var derivationCount: Int { derivedKeys.count }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always the same; it tells nothing of the key.
  public var description: String { "EncryptionKey(…)" }

  /// Always the same; it tells nothing of the key.
  public var debugDescription: String { description }

  /// Without children, so that `dump` and debuggers show nothing either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
