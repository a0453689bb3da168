internal import Migrator
internal import SQLiteEngine
internal import Synchronization

/// The keys derived from one passphrase, which are retained as long as the passphrase is.
///
/// Deriving a key is deliberately slow, and without this type, each connection would derive its key again. With the
/// derived key, a connection opens in a fraction of the time.
final class DerivedKeys: Sendable {
  private struct Entry: Sendable {
    let derivation: KeyDerivation
    let key: SecretBytes
  }

  /// The maximum number of retained keys: enough for the files that an app opens with one passphrase.
  ///
  /// Each key uses a page of memory that cannot be swapped.
  private static let capacity = 8

  private let entries = Lock<[Entry]>([])
  private let derivationCount = Atomic(0)

  /// The lock that is held while a key is derived; the derivation is pure computation without callbacks.
  ///
  /// Connections that are opened at the same time wait for one key instead of deriving a key each.
  private let turn = Lock(())

  /// The number of keys derived so far, by this object or by the engine.
  var count: Int { derivationCount.load(ordering: .relaxed) }

  /// Counts a derivation that the engine is about to perform for a connection.
  func noteDerivation() { derivationCount.add(1, ordering: .relaxed) }

  /// Returns the key for a derivation, and derives the key if necessary; nil if it cannot be derived.
  func key(_ derivation: KeyDerivation, from passphrase: SecretBytes, by library: EngineLibrary) -> SecretBytes? {
    if let known = known(derivation) { return known }
    return turn.withLock { _ in
      if let known = known(derivation) { return known }
      // Another `EncryptionKey` value may have the same passphrase.
      let shared = SharedDerivations.process.key(derivation, from: passphrase)
      if shared == nil { noteDerivation() }
      guard let key = shared ?? library.deriveKey(from: passphrase, by: derivation) else { return nil }
      // The key is stored here as well, since the other value may be released first.
      SharedDerivations.process.add(key, derivation, from: passphrase)
      entries.withLock { entries in
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append(Entry(derivation: derivation, key: key))
      }
      return key
    }
  }

  private func known(_ derivation: KeyDerivation) -> SecretBytes? {
    entries.withLock { entries in entries.first { $0.derivation == derivation }?.key }
  }
}

/// The derived keys that are still in use in this process.
///
/// All ``EncryptionKey`` values with the same passphrase share these keys, so that each key is derived only once. This
/// object has only weak references to the keys: a key is wiped when the last object that retains it is released.
private final class SharedDerivations: Sendable {
  static let process = SharedDerivations()

  private struct Entry {
    let derivation: KeyDerivation
    weak var passphrase: SecretBytes?
    weak var key: SecretBytes?
  }

  private let entries = Lock<[Entry]>([])

  /// Returns a key that was derived from the same passphrase with the same parameters; nil if there is none.
  func key(_ derivation: KeyDerivation, from passphrase: SecretBytes) -> SecretBytes? {
    entries.withLock { entries in
      entries.first { $0.derivation == derivation && $0.passphrase?.isEqual(to: passphrase) == true && $0.key != nil }?
        .key
    }
  }

  func add(_ key: SecretBytes, _ derivation: KeyDerivation, from passphrase: SecretBytes) {
    entries.withLock { entries in
      entries.removeAll { $0.key == nil || $0.passphrase == nil }
      entries.append(Entry(derivation: derivation, passphrase: passphrase, key: key))
    }
  }
}
