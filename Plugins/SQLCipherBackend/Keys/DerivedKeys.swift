internal import Migrator
internal import SQLiteEngine
internal import Synchronization

/// The keys that were derived from one passphrase, kept as long as the passphrase is.
///
/// Deriving is slow on purpose, and each connection would do it again; one that is given the derived key opens in a
/// fraction of the time.
final class DerivedKeys: Sendable {
  private struct Entry: Sendable {
    let derivation: KeyDerivation
    let key: SecretBytes
  }

  /// Enough for the files that an app opens with one passphrase; a secret takes a page of memory that cannot be swapped.
  private static let capacity = 8

  private let entries = Lock<[Entry]>([])
  private let derivationCount = Atomic(0)

  /// Held while a key is derived, a pure computation that calls no one back: connections that are opened at the same
  /// time shall wait for one key, not make one each.
  private let turn = Lock(())

  /// How often a key was derived, here or by the engine.
  var count: Int { derivationCount.load(ordering: .relaxed) }

  /// Counts that the engine is about to derive a key for a connection.
  func noteDerivation() { derivationCount.add(1, ordering: .relaxed) }

  /// The key of a derivation, derived if it was not before; nil when it cannot be.
  func key(_ derivation: KeyDerivation, from passphrase: SecretBytes, by library: EngineLibrary) -> SecretBytes? {
    if let known = known(derivation) { return known }
    return turn.withLock { _ in
      if let known = known(derivation) { return known }
      // Where the same passphrase came as another value before.
      let shared = SharedDerivations.process.key(derivation, from: passphrase)
      if shared == nil { noteDerivation() }
      guard let key = shared ?? library.deriveKey(from: passphrase, by: derivation) else { return nil }
      // Under this passphrase, too: the other value may go first.
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

/// The keys that were derived in this process and are still in use, so that another key value with the same passphrase
/// need not derive them again.
///
/// It keeps nothing alive: a key goes when the last value that holds it does.
private final class SharedDerivations: Sendable {
  static let process = SharedDerivations()

  private struct Entry {
    let derivation: KeyDerivation
    weak var passphrase: SecretBytes?
    weak var key: SecretBytes?
  }

  private let entries = Lock<[Entry]>([])

  /// A key that was derived in this way from the same passphrase; nil when there is none.
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
