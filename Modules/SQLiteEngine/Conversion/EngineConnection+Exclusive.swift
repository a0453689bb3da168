internal import CSQLite
package import Migrator

extension EngineConnection {
  /// Whether the database's file is no longer at its path; false for databases in memory.
  var hasMoved: Bool { handle?.hasMoved ?? false }

  /// Takes the database for this connection alone, with all of its content in its file, and keeps it.
  ///
  /// The order matters: a connection that sets the locking mode before it has the lock keeps a lock for reading while it
  /// waits, and two of them wait for each other (https://www.sqlite.org/pragma.html#pragma_locking_mode).
  ///
  /// - Throws: ``DatabaseError`` as `.busy` when other connections kept the database in use for the whole time.
  func takeExclusiveAccess(within timeout: Duration) throws(DatabaseError) {
    try setJournalMode(.delete, within: timeout)
    try begin(.exclusive)
    try execute("PRAGMA main.locking_mode = EXCLUSIVE")
    try commit()
  }

  /// Lets others use the database again, in the journal mode that it had.
  func giveUpExclusiveAccess(journalMode: String) throws(DatabaseError) {
    try rollback()
    // The lock is given up by the next access.
    try execute("PRAGMA main.locking_mode = NORMAL; SELECT count(*) FROM main.sqlite_master")
    if journalMode == JournalMode.wal.rawValue { try setJournalMode(.wal, within: .seconds(1)) }
  }

  /// Removes the content of the database's file, which has no name any more, or is about to lose it.
  func scrub() throws(DatabaseError) {
    let handle = try openHandle()
    let code = withUnsafePointer(to: library.functions) { csqlite_scrub($0, handle.database) }
    guard code != SQLITE_OK else { return }
    throw handle.error(code)
  }

  /// Gives the key of an attached database that is still empty; see ``setKey(_:)``.
  package func setKey(_ key: SecretBytes, ofAttached schema: String) throws(DatabaseError) {
    let handle = try openHandle()
    guard library.cipherVersion != nil, let give = library.optionalFunctions.key_v2 else {
      throw error(
        .libraryUnsuitable, "the library \(library.path) is not SQLCipher: the database would not be encrypted")
    }
    let code = key.withBytes { give(handle.database, schema, $0.baseAddress, Int32(clamping: $0.count)) }
    guard code != SQLITE_OK else { return }
    throw handle.error(code)
  }

  /// Compares the current rows of two statements of this library, by kinds and bytes.
  ///
  /// - Returns: The first column that differs; nil when none does.
  static func differentColumn(_ one: EngineStatement, _ other: EngineStatement, columns: Int) -> Int? {
    let found = withUnsafePointer(to: one.handle.library.functions) {
      csqlite_different_column($0, one.statement, other.statement, Int32(columns))
    }
    return found < 0 ? nil : Int(found)
  }
}
