internal import CSQLiteLoader
package import Migrator
internal import SQLiteDialect
internal import SQLSyntax

extension EngineConnection {
  /// Whether a transaction is open; false after the connection has been closed.
  package var isInsideTransaction: Bool {
    // In autocommit mode, no transaction is open (https://www.sqlite.org/c3ref/get_autocommit.html).
    handle.map { library.functions.get_autocommit($0.database) == 0 } ?? false
  }

  /// Begins a transaction, after rolling back an earlier one if that has failed before.
  package func begin(_ kind: TransactionKind) throws(DatabaseError) {
    if handle?.owesRollback == true { try rollback() }
    try execute("BEGIN \(kind.rawValue.uppercased()) TRANSACTION")
    handle?.hasBegun = true
  }

  /// Commits the open transaction.
  package func commit() throws(DatabaseError) {
    try execute("COMMIT TRANSACTION")
    handle?.hasBegun = false
  }

  /// Rolls back the open transaction; does nothing when none is open, since some errors end it automatically
  /// (https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction).
  package func rollback() throws(DatabaseError) {
    handle?.hasBegun = false
    handle?.owesRollback = isInsideTransaction
    guard isInsideTransaction else { return }
    try execute("ROLLBACK TRANSACTION")
    handle?.owesRollback = false
  }

  /// Returns a number that changes when another connection commits
  /// (https://www.sqlite.org/pragma.html#pragma_data_version).
  package func dataVersion() throws(DatabaseError) -> Int64? { try integer("PRAGMA main.data_version") }

  /// Opens a savepoint.
  package func beginSavepoint(_ name: String) throws(DatabaseError) {
    try touchFirstPage()
    try statements(ofSavepoint: name).begin.run()
  }

  /// Returns the statements of a savepoint, which the migrations of a group begin and release one after the other.
  private func statements(ofSavepoint name: String) throws(DatabaseError) -> SavepointStatements {
    if let savepoint, savepoint.name == name { return savepoint }
    let quoted = name.quotedIdentifier
    let statements = SavepointStatements(
      name: name, begin: try ownStatement("SAVEPOINT \(quoted)"), release: try ownStatement("RELEASE \(quoted)"))
    savepoint = statements
    return statements
  }

  /// In a transaction that has already written, writes the first page of an encrypted database without changing it.
  ///
  /// In rollback journal mode, SQLCipher 4.19 has a bug that occurs if the first page is first written inside a
  /// savepoint that is then rolled back. About once in 7,000 times, SQLCipher reads the page back incorrectly, and
  /// reports the file as damaged until the transaction ends. Writing the page before the savepoint begins avoids this.
  /// SQLCipher 3 does not have the bug, nor the function that this workaround calls.
  private func touchFirstPage() throws(DatabaseError) {
    guard library.cipherVersion != nil, let handle, let state = library.optionalFunctions.txn_state,
      state(handle.database, "main") == SQLITE_TXN_WRITE
    else { return }
    try setUserVersion(try userVersion())
  }

  /// Releases the newest savepoint with the given name, and keeps its changes.
  package func releaseSavepoint(_ name: String) throws(DatabaseError) {
    try statements(ofSavepoint: name).release.run()
  }

  /// Undoes all changes since the newest savepoint with the given name, and releases the savepoint.
  package func rollbackSavepoint(_ name: String) throws(DatabaseError) {
    handle?.forgetLoss()
    let name = name.quotedIdentifier
    // Rolling back leaves the savepoint open (https://www.sqlite.org/lang_savepoint.html).
    try execute("ROLLBACK TRANSACTION TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)")
  }

  /// Whether foreign keys are enforced on this connection.
  package func enforcesForeignKeys() throws(DatabaseError) -> Bool {
    try openHandle().isOn(SQLITE_DBCONFIG_ENABLE_FKEY)
  }

  /// Switches the enforcement of foreign keys on or off, and verifies the setting.
  package func setEnforcesForeignKeys(_ enforced: Bool) throws(DatabaseError) {
    let handle = try openHandle()
    // An interruption of the PRAGMA would leave it unknown whether the setting was changed. Unlike the PRAGMA, this
    // function takes effect inside a transaction (https://www.sqlite.org/pragma.html#pragma_foreign_keys).
    if !isInsideTransaction { handle.set(SQLITE_DBCONFIG_ENABLE_FKEY, to: enforced) }
    guard handle.isOn(SQLITE_DBCONFIG_ENABLE_FKEY) != enforced else { return }
    throw error(
      .denied, "the enforcement of foreign keys could not be switched \(enforced ? "on" : "off")",
      remedy: isInsideTransaction
        ? "It cannot be switched inside a transaction: end the transaction first."
        : "This engine was built without foreign key support.")
  }
}

struct SavepointStatements {
  let name: String
  let begin: EngineStatement
  let release: EngineStatement
}
