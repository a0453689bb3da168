internal import Migrator
internal import SQLiteEngine

/// The keys derived from one passphrase, which are retained as long as the passphrase is.
///
/// Deriving a key is deliberately slow, and without this type, each connection would derive its key again. With the
/// derived key, a connection opens in a fraction of the time.
final class DerivedKeys: Sendable {
  private struct Entry {
    let derivation: KeyDerivation
    weak var passphrase: SecretBytes?
    weak var key: SecretBytes?
  }

  /// The derived keys that are still in use in this process.
  ///
  /// All ``EncryptionKey`` values with the same passphrase share these keys, so that each key is derived only once. The
  /// references are weak: a key is wiped when the last object that retains it is released.
  private static let inUse = Lock<[Entry]>([])

  /// The maximum number of retained keys: enough for the files that an app opens with one passphrase.
  ///
  /// Each key uses a page of memory that cannot be swapped.
  private static let capacity = 8

  /// The retained keys; locked while a key is derived, which is pure computation without callbacks.
  ///
  /// Connections that are opened at the same time wait for one key instead of deriving a key each.
  private let keys = Lock<[SecretBytes]>([])
  private let derivationCount = Lock(0)

  /// The number of keys derived so far, by this object or by the engine.
  var count: Int { derivationCount.withLock { $0 } }

  /// Counts a derivation that the engine is about to perform for a connection.
  func noteDerivation() { derivationCount.withLock { $0 += 1 } }

  /// Returns the key for a derivation, and derives the key if necessary; nil if it cannot be derived.
  func key(_ derivation: KeyDerivation, from passphrase: SecretBytes, by library: EngineLibrary) -> SecretBytes? {
    keys.withLock { keys in
      let known = Self.keyInUse(derivation, from: passphrase)
      if let known, keys.contains(where: { $0 === known }) { return known }
      if known == nil { noteDerivation() }
      guard let key = known ?? library.deriveKey(from: passphrase, by: derivation) else { return nil }
      // A key of another `EncryptionKey` value is retained here as well, since that value may be released first.
      if keys.count == Self.capacity { keys.removeFirst() }
      keys.append(key)
      Self.inUse.withLock { entries in
        entries.removeAll { $0.key == nil || $0.passphrase == nil }
        entries.append(Entry(derivation: derivation, passphrase: passphrase, key: key))
      }
      return key
    }
  }

  private static func keyInUse(_ derivation: KeyDerivation, from passphrase: SecretBytes) -> SecretBytes? {
    inUse.withLock { entries in
      entries.first { $0.derivation == derivation && $0.passphrase?.isEqual(to: passphrase) == true && $0.key != nil }?
        .key
    }
  }
}
