internal import CSQLite
package import Migrator
internal import SQLiteDialect
internal import SQLSyntax

extension EngineConnection {
  /// Gives the key of an encrypted database, before anything was read from it, or of an attached one that is still empty.
  ///
  /// The bytes go to the engine as they are; as a statement they could turn up in its error messages or traces. Whether the
  /// key is right shows at the first read only (https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_key).
  ///
  /// - Throws: ``DatabaseError`` as `.libraryUnsuitable` when the engine does not encrypt.
  package func setKey(_ key: SecretBytes, of schema: String = "main") throws(DatabaseError) {
    let handle = try openHandle()
    guard library.cipherVersion != nil, let give = library.optionalFunctions.key_v2 else {
      throw error(
        .libraryUnsuitable, "the library \(library.path) is not SQLCipher: the database would not be encrypted")
    }
    let code = key.withBytes { give(handle.database, schema, $0.baseAddress, Int32(clamping: $0.count)) }
    guard code != SQLITE_OK else { return }
    throw handle.error(code)
  }

  /// Keeps an object alive until the connection is closed.
  package func keepUntilClosed(_ object: any AnyObject & Sendable) { handle?.companion = object }

  /// Makes the connection refuse, from now on, statements that would change how its open file is encrypted, or where its
  /// temporary tables are kept.
  package func refuseChangesOfEncryption() { handle?.refusesChangesOfEncryption = true }

  /// Refuses the first statement at or after an offset when it is one of those, or one whose effect on a borrowed
  /// connection could not be undone.
  ///
  /// Seen here, before the engine does: it carries such statements out while it compiles them.
  func refusePragma(in script: String, utf8Offset: Int) throws(DatabaseError) {
    guard case .pragma(let name, let hasArgument, let argument)? = Self.kind(in: script, utf8Offset) else { return }
    var refusal = handle?.isBorrowed == true && hasArgument ? Loan.refusal(of: name) : nil
    if refusal == nil, handle?.refusesChangesOfEncryption == true {
      refusal = CipherPragma.refusal(of: name, argument: hasArgument ? argument ?? "" : nil)
    }
    guard let refusal else { return }
    // Without the statement: it may hold a key.
    throw error(.denied, refusal.message, remedy: refusal.remedy)
  }

  /// The kind of the statement there, with or without EXPLAIN; nil when it is certainly no PRAGMA.
  private static func kind(in script: String, _ utf8Offset: Int) -> SQLStatementKind? {
    var script = script
    return script.withUTF8 { bytes in
      let start = SQLStatementStart.find(in: bytes, from: utf8Offset)
      // Nearly all statements begin with another letter, and are passed on for the price of this look.
      guard start < bytes.count, [0x70, 0x65].contains(bytes[start] | 0x20) else { return nil }
      return SQLStatementKind(of: String(decoding: bytes[start...].prefix(1000), as: UTF8.self), skippingExplain: true)
    }
  }
}

/// The pragmas that SQLCipher has for its encryption (https://www.zetetic.net/sqlcipher/sqlcipher-api/), and what they do
/// to a file that is open.
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

  /// The reason why a pragma is refused, and what to do instead; nil when it may run.
  ///
  /// Without an argument it only asks.
  static func refusal(of name: String, argument: String?) -> (message: String, remedy: String)? {
    if keys.contains(name) {
      return (
        "PRAGMA \(name) on an open database can leave a file that no key opens",
        "Give the key when the database is opened; change it, or the file's format, with SQLCipher.rekey and SQLCipher.upgrade."
      )
    }
    guard let argument else { return nil }
    if settings.contains(name) {
      return (
        "PRAGMA \(name) on an open database can leave a file that no key opens",
        "Give the setting when the database is opened, as CipherSettings."
      )
    }
    if name.hasPrefix("cipher_default_") {
      return (
        "PRAGMA \(name) changes how all later connections of the process read their files",
        "Give the setting to the databases that need it, as CipherSettings."
      )
    }
    if name == "temp_store_directory" || (name == "temp_store" && !memory.contains(argument.asciiLowercased)) {
      return (
        "PRAGMA \(name) would let temporary tables reach the disk without encryption",
        "Leave it out: they are kept in memory."
      )
    }
    return nil
  }
}
