internal import SQLiteEngine
internal import Migrator

/// Which keys were derived in this process and are still in use, so that another key value with the same passphrase need
/// not derive them again.
///
/// It keeps nothing alive: a key goes when the last value that holds it does.
final class SharedDerivations: Sendable {
  /// The one of the process.
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

  /// Tells others of a key.
  func add(_ key: SecretBytes, _ derivation: KeyDerivation, from passphrase: SecretBytes) {
    entries.withLock { entries in
      entries.removeAll { $0.key == nil || $0.passphrase == nil }
      entries.append(Entry(derivation: derivation, passphrase: passphrase, key: key))
    }
  }
}
