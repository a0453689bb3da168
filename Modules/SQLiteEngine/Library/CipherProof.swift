internal import CSQLite

/// Asks a library whether it is SQLCipher, before any file is opened with it.
///
/// The presence of `sqlite3_key_v2` is no proof: other builds of SQLite have one that does something else or nothing.
/// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_version
enum CipherProof {
  /// What `PRAGMA cipher_version` answers; nil when the library is not SQLCipher.
  static func version(of table: csqlite_library) -> String? {
    guard table.optional.key_v2 != nil, table.optional.rekey_v2 != nil else { return nil }
    var database: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let opened = table.functions.open_v2(":memory:", &database, flags, nil)
    // A connection must be closed even when it could not be opened (https://www.sqlite.org/c3ref/open.html). The
    // result is ignored: nothing is left that could keep an empty database open.
    defer { _ = table.functions.close(database) }
    guard opened == SQLITE_OK else { return nil }
    var statement: OpaquePointer?
    guard table.functions.prepare_v2(database, "PRAGMA cipher_version", -1, &statement, nil) == SQLITE_OK else {
      return nil
    }
    // The result repeats that of the step.
    defer { _ = table.functions.finalize(statement) }
    guard table.functions.step(statement) == SQLITE_ROW, let text = table.functions.column_text(statement, 0) else {
      return nil
    }
    return String(cString: text)
  }
}
