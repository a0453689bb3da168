internal import Migrator
internal import MigratorCommand
internal import SQLCipherBackend

extension EncryptionKey {
  /// Copies the tool's key into memory that the backend guards.
  init(_ key: ToolKey?) throws(DatabaseError) {
    guard let key else { throw DatabaseError(.invalidKey, engine: "SQLCipher", message: "no key was given") }
    // One value for all connections: what is derived from a passphrase is shared by copies of the value.
    self = key.secret.once {
      key.secret.withUnsafeBytes { bytes in
        switch key.form {
        case .passphrase: .passphrase(bytes)
        case .raw: bytes.count == 48 ? .rawWithSalt(bytes) : .raw(bytes)
        }
      }
    }
  }
}

extension CipherSettings {
  /// Takes over what was said on the command line.
  init(_ options: CipherOptions) {
    self.init(compatibility: options.compatibility)
    pageSizeInBytes = options.pageSizeInBytes
    kdfIterations = options.keyIterations
    usesHMAC = options.usesAuthentication
    hmacAlgorithm = options.authenticationAlgorithm.flatMap { Algorithm(rawValue: $0.uppercased()) }
    kdfAlgorithm = options.keyAlgorithm.flatMap { Algorithm(rawValue: $0.uppercased()) }
    plaintextHeaderSizeInBytes = options.plaintextHeaderSizeInBytes
  }
}
