internal import CSQLiteLoader
package import Migrator
internal import SQLiteDialect
internal import SQLSyntax

extension EngineConnection {
  /// Sets the key of an encrypted database before the connection reads from it, or of an attached database that is
  /// still empty.
  ///
  /// Passes the key directly to the engine, since a key in a statement could appear in error messages or traces. The
  /// first read verifies the key (https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_key).
  package func setKey(_ key: SecretBytes, of schema: String = "main") throws(DatabaseError) {
    let handle = try openHandle()
    guard library.cipherVersion != nil, let give = library.optionalFunctions.key_v2 else {
      throw error(
        .libraryUnsuitable, "the library \(library.path) is not SQLCipher, so the database would not be encrypted")
    }
    let code = key.withBytes { give(handle.database, schema, $0.baseAddress, Int32(clamping: $0.count)) }
    guard code != SQLITE_OK else { return }
    throw handle.error(code)
  }

  /// Retains an object until the connection is closed.
  package func keepUntilClosed(_ object: any AnyObject & Sendable) { handle?.companion = object }

  /// Makes the connection reject, from now on, statements that would change the encryption of the open file or the
  /// storage of temporary tables.
  package func refuseChangesOfEncryption() { handle?.refusesChangesOfEncryption = true }

  /// Throws if the first statement at or after an offset is a PRAGMA that would change the encryption, or a PRAGMA
  /// whose effect on a borrowed connection could not be undone.
  ///
  /// Must be called before the engine compiles the statement: the engine executes such a PRAGMA while compiling it.
  func refusePragma(in script: String, utf8Offset: Int) throws(DatabaseError) {
    guard
      case .pragma(let name, let hasArgument, let argument)? = SQLStatementKind.pragma(
        in: script, utf8Offset: utf8Offset)
    else { return }
    var refusal = handle?.isBorrowed == true && hasArgument ? Loan.refusal(of: name) : nil
    if refusal == nil, handle?.refusesChangesOfEncryption == true {
      refusal = CipherPragma.refusal(of: name, argument: hasArgument ? argument ?? "" : nil)
    }
    guard let refusal else { return }
    // The error does not contain the statement, which may contain a key.
    throw error(.denied, refusal.message, remedy: refusal.remedy)
  }
}

/// The PRAGMA statements of SQLCipher (https://www.zetetic.net/sqlcipher/sqlcipher-api/) that are rejected on an open
/// file.
enum CipherPragma {
  private static let keys: Set<String> = [
    "key", "hexkey", "textkey", "rekey", "hexrekey", "textrekey", "rekey_cipher", "rekey_kdf_iter", "cipher_migrate",
  ]

  private static let settings: Set<String> = [
    "cipher", "kdf_iter", "fast_kdf_iter", "cipher_compatibility", "cipher_page_size", "cipher_use_hmac",
    "cipher_hmac_algorithm", "cipher_kdf_algorithm", "cipher_hmac_pgno", "cipher_hmac_salt_mask",
    "cipher_plaintext_header_size", "cipher_salt",
  ]

  private static let memory: Set<String> = ["memory", "2"]

  /// Returns the reason to reject a PRAGMA, and the remedy; nil when the PRAGMA may run.
  static func refusal(of name: String, argument: String?) -> (message: String, remedy: String)? {
    if keys.contains(name) {
      return (
        "PRAGMA \(name) on an open database can leave a file that no key opens",
        "Provide the key when opening the database. Change the key or format with SQLCipher.rekey or SQLCipher.upgrade."
      )
    }
    guard let argument else { return nil }
    if settings.contains(name) {
      return (
        "PRAGMA \(name) on an open database can leave a file that no key opens",
        "Provide the setting in CipherSettings when opening the database."
      )
    }
    if name.hasPrefix("cipher_default_") {
      return (
        "PRAGMA \(name) changes how all later connections of the process read their files",
        "Provide the setting in CipherSettings for the databases that need it."
      )
    }
    if name == "temp_store_directory" || (name == "temp_store" && !memory.contains(argument.asciiLowercased)) {
      return (
        "PRAGMA \(name) would write temporary tables to disk without encryption",
        "Omit it: temporary tables are kept in memory."
      )
    }
    return nil
  }
}
