package import SQLCipherBackend

/// The keys that tests use.
package enum TestKey: String, CaseIterable, Sendable {
  /// A passphrase.
  case passphrase
  /// Another passphrase, for tests of wrong keys.
  case otherPassphrase
  /// A raw key.
  case raw
  /// A raw key with its salt.
  case rawWithSalt

  /// The key itself.
  package var encryptionKey: EncryptionKey {
    switch self {
    case .passphrase: .passphrase(Self.passphraseText)
    case .otherPassphrase: .passphrase("another one")
    case .raw: .raw((0..<32).map { UInt8($0) })
    case .rawWithSalt: .rawWithSalt((0..<48).map { UInt8($0) })
    }
  }

  /// The text of ``passphrase``, for tests that search for it where it must not be.
  package static let passphraseText = "correct horse battery staple"

  /// The key of ``raw`` as hexadecimal digits.
  package static let rawText = (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
