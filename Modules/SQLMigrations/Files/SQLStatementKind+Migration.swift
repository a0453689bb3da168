internal import Migrator
internal import SQLSyntax

/// What a kind of statement means for a migration.
extension SQLStatementKind {
  /// True for pragmas.
  var isPragma: Bool {
    if case .pragma = self { true } else { false }
  }

  /// The value that `PRAGMA foreign_keys` is set to; nil when it only asks, and for other statements.
  var foreignKeysValue: String? {
    guard case .pragma("foreign_keys", true, let argument) = self else { return nil }
    return argument ?? ""
  }

  /// The keyword of a statement that begins or ends a transaction; savepoints do neither inside one.
  var transactionKeyword: String? {
    switch self {
    case .begin: "BEGIN"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    default: nil
    }
  }

  /// The name of a pragma that gives or changes a key, or converts an encrypted file.
  var encryptionPragma: String? {
    guard case .pragma(let name, true, _) = self else {
      return self == .pragma(name: "cipher_migrate", hasArgument: false, argument: nil) ? "cipher_migrate" : nil
    }
    return ["key", "hexkey", "textkey", "rekey", "hexrekey", "textrekey", "cipher_migrate"].contains(name) ? name : nil
  }

  /// What the statement is called, if it fails or does nothing inside a transaction
  /// (https://sqlite.org/lang_vacuum.html, https://sqlite.org/lang_attach.html, https://sqlite.org/pragma.html).
  var needsNoTransaction: String? {
    switch self {
    case .vacuum: return "VACUUM"
    case .attach: return "ATTACH"
    case .detach: return "DETACH"
    case .pragma("wal_checkpoint", _, _): return "PRAGMA wal_checkpoint"
    case .pragma(let name, true, _):
      let names = ["journal_mode", "page_size", "auto_vacuum", "synchronous", "temp_store"]
      return names.contains(name) ? "PRAGMA \(name)" : nil
    default: return nil
    }
  }
}
