internal import CSQLiteLoader

/// The parameters of PBKDF2 (https://www.rfc-editor.org/rfc/rfc8018#section-5.2), by which SQLCipher derives a key from
/// a passphrase.
package struct KeyDerivation: Sendable, Equatable {
  /// The hash function of PBKDF2.
  package enum Hash: String, Sendable, Hashable {
    /// SHA-1.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512.
    case sha512 = "SHA512"
  }

  /// The hash function of PBKDF2.
  package let hash: Hash
  /// The number of PBKDF2 iterations.
  package let iterations: Int
  /// The salt, which is stored in the file.
  package let salt: [UInt8]

  /// Creates the parameters of a key derivation.
  package init(hash: Hash, iterations: Int, salt: [UInt8]) {
    self.hash = hash
    self.iterations = iterations
    self.salt = salt
  }
}

extension EngineLibrary {
  /// The size of SQLCipher's keys, in bytes: those of AES-256 (https://www.zetetic.net/sqlcipher/design/).
  private static let keySizeInBytes = 32
  /// Whether the library can perform ``deriveKey(from:by:)``.
  package var derivesKeys: Bool { derivation.pbkdf2 != nil }

  /// Derives a key with the engine's own cryptographic library; returns the key and the salt, or nil on failure.
  package func deriveKey(from passphrase: SecretBytes, by how: KeyDerivation) -> SecretBytes? {
    guard let derive = derivation.pbkdf2, let digest = digest(how.hash) else { return nil }
    var isDerived = false
    let key = SecretBytes(count: Self.keySizeInBytes + how.salt.count) { key in
      guard let start = key.baseAddress else { return }
      isDerived = passphrase.withBytes { text in
        derive(
          text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: text.count), how.salt,
          Int32(clamping: how.salt.count), Int32(clamping: how.iterations), digest, Int32(Self.keySizeInBytes),
          start.assumingMemoryBound(to: UInt8.self)) == 1
      }
      (start + Self.keySizeInBytes).copyMemory(from: how.salt, byteCount: how.salt.count)
    }
    return isDerived ? key : nil
  }

  private func digest(_ hash: KeyDerivation.Hash) -> UnsafeRawPointer? {
    switch hash {
    case .sha1: derivation.sha1?()
    case .sha256: derivation.sha256?()
    case .sha512: derivation.sha512?()
    }
  }
}
