internal import CSQLite

/// The way in which a key is made of a passphrase: PBKDF2 (https://www.rfc-editor.org/rfc/rfc8018#section-5.2), as
/// SQLCipher does it.
package struct KeyDerivation: Sendable, Hashable {
  /// The hash that is repeated.
  package enum Hash: String, Sendable, Hashable {
    /// SHA-1.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512.
    case sha512 = "SHA512"
  }

  /// The hash that is repeated.
  package let hash: Hash
  /// How often it is repeated.
  package let iterations: Int
  /// The salt, kept in the file.
  package let salt: [UInt8]

  /// Describes a derivation.
  package init(hash: Hash, iterations: Int, salt: [UInt8]) {
    self.hash = hash
    self.iterations = iterations
    self.salt = salt
  }
}

extension EngineLibrary {
  /// The size of SQLCipher's keys in bytes, those of AES-256 (https://www.zetetic.net/sqlcipher/design/).
  private static let keySizeInBytes = 32
  /// Whether ``deriveKey(from:by:)`` has what it needs.
  package var derivesKeys: Bool { derivation.pbkdf2 != nil }

  /// Derives a key with the engine's own cryptographic library.
  ///
  /// - Returns: The key and behind it the salt; nil when the library cannot do it, or there is no memory.
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

  /// Computes the code by which a key authenticates data: HMAC (https://www.rfc-editor.org/rfc/rfc2104).
  ///
  /// - Parameter key: A key as ``deriveKey(from:by:)`` returns it; bytes behind its own size are left out.
  /// - Returns: The code; nil when the library cannot do it.
  package func authenticationCode(
    of data: ArraySlice<UInt8>, by hash: KeyDerivation.Hash, key: SecretBytes
  ) -> [UInt8]? {
    guard let compute = derivation.hmac, let digest = digest(hash), key.count >= Self.keySizeInBytes else { return nil }
    var code = [UInt8](repeating: 0, count: 64)
    var size: UInt32 = 0
    let isDone = data.withUnsafeBufferPointer { data in
      key.withBytes { key in
        guard let key = key.baseAddress, let start = data.baseAddress else { return false }
        return compute(digest, key, Int32(Self.keySizeInBytes), start, data.count, &code, &size) != nil
      }
    }
    return isDone ? Array(code.prefix(Int(size))) : nil
  }

  private func digest(_ hash: KeyDerivation.Hash) -> UnsafeRawPointer? {
    switch hash {
    case .sha1: derivation.sha1?()
    case .sha256: derivation.sha256?()
    case .sha512: derivation.sha512?()
    }
  }
}
