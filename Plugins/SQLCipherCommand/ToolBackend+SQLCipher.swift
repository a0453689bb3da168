internal import Migrator
public import MigratorCommand
internal import SQLCipherBackend

extension ToolBackend {
  /// Encrypted files, for the tool.
  public static let sqlCipher = ToolBackend(
    name: "sqlcipher", title: "SQLCipher", needsKey: true
  ) { location throws(DatabaseError) in
    SQLCipher(
      path: location.path, key: try EncryptionKey(location.key), settings: CipherSettings(location.cipher),
      library: location.library)
  }
}
