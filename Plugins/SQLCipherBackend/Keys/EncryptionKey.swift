internal import Migrator

/// The key of an encrypted database.
///
/// Its bytes are kept out of swap space and core dumps where the system allows, and wiped when the last copy of the value
/// is gone. No description shows them. What was given to make the key, such as a `String`, stays where its owner keeps it.
///
/// A key of a wrong length is reported as ``DatabaseError/Condition-swift.enum/invalidKey`` when a database is opened.
public struct EncryptionKey: Sendable {
  private enum Source: Sendable {
    case material(KeyMaterial)
    case provider(ProvidedKey)
  }

  private let source: Source

  private init(_ source: Source) { self.source = source }

  init(_ material: KeyMaterial) { self.init(.material(material)) }

  /// A passphrase, from which the file's key is derived: slow on purpose, tens of milliseconds.
  ///
  /// All connections to a file that are opened with one value, or with copies of it, share a derived key.
  ///
  /// - Parameter text: Not empty, and not of the form `x'53514c'`, which SQLCipher would take for a raw key.
  public static func passphrase(_ text: String) -> EncryptionKey { passphrase(text.utf8) }

  /// A passphrase given as bytes, which need not be text; see ``passphrase(_:)-(String)``.
  public static func passphrase(_ bytes: some Collection<UInt8>) -> EncryptionKey {
    EncryptionKey(KeyMaterial(.passphrase, bytes))
  }

  /// A key of 32 random bytes, used as it is; the salt is chosen by SQLCipher and kept in the file.
  public static func raw(_ bytes: some Collection<UInt8>) -> EncryptionKey { EncryptionKey(KeyMaterial(.raw, bytes)) }

  /// A key of 32 random bytes, and behind them the 16 bytes of the file's salt.
  public static func rawWithSalt(_ bytes: some Collection<UInt8>) -> EncryptionKey {
    EncryptionKey(KeyMaterial(.rawWithSalt, bytes))
  }

  /// A key that is kept elsewhere, as in a keychain, and asked for when it is needed.
  ///
  /// The provider is called once for an opening of a queue or a pool, however many connections that has, and once for a
  /// conversion. The key is in memory while one of the connections is open, shared with whatever else opens the same path
  /// with this value or a copy of it meanwhile, and wiped when the last is closed; the next opening asks again. When the
  /// provider has no key nothing is opened, created or erased, whether there is a file or not: opening fails as
  /// `.keyNotAvailable` or `.keyMissing`.
  ///
  ///     let key = EncryptionKey.provided { request in
  ///       if let key = keychain.key(for: "library") { return .key(key) }
  ///       return request.databaseExists ? .missing : .key(keychain.makeKey(for: "library"))
  ///     }
  ///
  /// - Parameter provider: Returns the key. It must not open the database.
  public static func provided(by provider: @escaping KeyProvider) -> EncryptionKey {
    EncryptionKey(.provider(ProvidedKey(provider)))
  }
}

extension EncryptionKey {
  /// The bytes for connections to a file, and what keeps those of a provider in memory for other connections; `isNew`,
  /// called before the provider, returns whether the file has no key yet but is about to get this one.
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

  /// The bytes for one use; a provider is asked in any case.
  func material(
    forFileAt path: String, isNew: () throws(DatabaseError) -> Bool = { () throws(DatabaseError) in false }
  ) throws(DatabaseError) -> KeyMaterial {
    switch source {
    case .material(let material): material
    case .provider(let provider): try provider.material(forFileAt: path, isNew: isNew)
    }
  }

  /// How often a key was derived from this passphrase so far, by this library or by SQLCipher for a connection.
  package var derivationCount: Int {
    guard case .material(let material) = source else { return 0 }
    return material.derivedKeys.count
  }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always the same; it says nothing about the key.
  public var description: String { "EncryptionKey(…)" }
  /// Always the same; it says nothing about the key.
  public var debugDescription: String { description }
  /// Without children, so that `dump` and debuggers show nothing either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
