internal import Migrator

/// The key of an encrypted database.
///
/// The bytes of the key stay out of swap space and core dumps if the system supports this, and they are wiped when the
/// last copy of the value is released. No description contains them. The value from which the key was created, such as
/// a `String`, remains in memory until its owner releases it.
///
/// A key of the wrong length is reported as ``DatabaseError/Condition-swift.enum/invalidKey`` when a database is
/// opened.
public struct EncryptionKey: Sendable {
  private enum Source: Sendable {
    case material(KeyMaterial)
    case provider(ProvidedKey)
  }

  private let source: Source

  private init(_ source: Source) { self.source = source }

  init(_ material: KeyMaterial) { self.init(.material(material)) }

  /// Creates a key from a passphrase; deriving SQLCipher's key from it deliberately takes tens of milliseconds.
  ///
  /// All connections to a file share the derived key if they are opened with the same value or copies of it.
  ///
  /// - Parameter text: The passphrase; not empty, and not like `x'53514c'`, which SQLCipher would read as a raw key.
  public static func passphrase(_ text: String) -> EncryptionKey { passphrase(text.utf8) }

  /// Creates a key from a passphrase given as bytes, which need not be valid UTF-8; see ``passphrase(_:)-(String)``.
  public static func passphrase(_ bytes: some Collection<UInt8>) -> EncryptionKey {
    EncryptionKey(KeyMaterial(.passphrase, bytes))
  }

  /// Creates a raw key from 32 random bytes, which are used directly; SQLCipher chooses the salt and stores it in the
  /// file.
  public static func raw(_ bytes: some Collection<UInt8>) -> EncryptionKey { EncryptionKey(KeyMaterial(.raw, bytes)) }

  /// Creates a raw key from 32 random bytes, followed by the 16 bytes of the file's salt.
  public static func rawWithSalt(_ bytes: some Collection<UInt8>) -> EncryptionKey {
    EncryptionKey(KeyMaterial(.rawWithSalt, bytes))
  }

  /// Creates a value for a key that is stored elsewhere, such as in a keychain, and requested when needed.
  ///
  /// The provider is called once when a queue or pool is opened, regardless of its number of connections, and once for
  /// a conversion. The key stays in memory while one of the connections is open, and is shared by other queues and
  /// pools that open the same path with this value or a copy of it. It is wiped when the last connection is closed; the
  /// provider is called again when the database is opened next. If the provider has no key, no file is opened, created
  /// or erased, and opening fails with `.keyNotAvailable` or `.keyMissing`.
  ///
  ///     let key = EncryptionKey.provided { request in
  ///       if let key = keychain.key(for: "library") { return .key(key) }
  ///       return request.databaseExists ? .missing : .key(keychain.makeKey(for: "library"))
  ///     }
  ///
  /// - Parameter provider: The closure that returns the key; it must not open the database.
  public static func provided(by provider: @escaping KeyProvider) -> EncryptionKey {
    EncryptionKey(.provider(ProvidedKey(provider)))
  }
}

extension EncryptionKey {
  /// Returns the bytes for connections to a file, and the object that retains a provider's key for other connections;
  /// `isNew`, called before the provider, returns whether an existing file without a key is about to get this key.
  func material(
    forConnectionTo path: String, isNew: () throws(DatabaseError) -> Bool
  ) throws(DatabaseError) -> (material: KeyMaterial, hold: HeldKey?) {
    switch source {
    case .material(let material): return (material, nil)
    case .provider(let provider):
      let hold = try provider.hold(forFileAt: path, isNew: isNew)
      return (hold.material, hold)
    }
  }

  /// Returns the key's bytes for a single use; always calls the provider, if there is one.
  func material(
    forFileAt path: String, isNew: () throws(DatabaseError) -> Bool = { () throws(DatabaseError) in false }
  ) throws(DatabaseError) -> KeyMaterial {
    switch source {
    case .material(let material): material
    case .provider(let provider): try provider.material(forFileAt: path, isNew: isNew)
    }
  }

  /// The number of keys derived from this passphrase so far, by this library or by SQLCipher for a connection.
  package var derivationCount: Int {
    guard case .material(let material) = source else { return 0 }
    return material.derivedKeys.count
  }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A constant text that does not reveal anything about the key.
  public var description: String { "EncryptionKey(…)" }
  /// A constant text that does not reveal anything about the key.
  public var debugDescription: String { description }
  /// A mirror without children, so that `dump` and debuggers do not show anything either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
