internal import Migrator
public import MigratorCommand
internal import SQLCipherBackend

extension ToolBackend {
  /// Encrypted files, for the tool.
  public static let sqlCipher = ToolBackend(
    name: "sqlcipher", title: "SQLCipher", needsKey: true, checks: [.cipherIntegrity]
  ) { location throws(DatabaseError) in
    SQLCipher(
      path: location.path, key: try EncryptionKey(location.key), settings: CipherSettings(location.cipher),
      library: location.library)
  }
}

extension ToolCheck {
  /// Whether every page of the file is as it was encrypted.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_integrity_check, which came with SQLCipher 4.
  static let cipherIntegrity = ToolCheck(name: "cipher pages") { db in
    let version = try String.fetchOne(db, sql: "PRAGMA cipher_version") ?? ""
    guard let major = Int(version.prefix { $0 != "." }), major >= 4 else {
      return .skipped("SQLCipher before version 4 has no check of its own; reading a page authenticates it")
    }
    let problems = try String.fetchAll(db, sql: "PRAGMA cipher_integrity_check")
    return problems.isEmpty ? .passed("each is as it was encrypted") : .failed(problems)
  }
}
