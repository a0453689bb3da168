internal import Migrator
internal import SQLSyntax
internal import SQLiteDialect

extension DqliteConnection {
  var isInsideTransaction: Bool { session.isInsideTransaction }

  func begin(_ kind: TransactionKind) throws(DatabaseError) {
    try session.execute("BEGIN \(kind.rawValue.uppercased())", .begins)
  }

  func commit() throws(DatabaseError) { try session.execute("COMMIT", .commits) }

  func rollback() throws(DatabaseError) {
    do throws(DatabaseError) {
      try session.rollback()
    } catch {
      // Without its connection, the transaction no longer exists.
      guard error.condition == .connectionLost else { throw error }
      try session.rollback()
    }
  }

  func beginSavepoint(_ name: String) throws(DatabaseError) {
    try session.execute("SAVEPOINT \(name.quotedIdentifier)", .opensSavepoint)
  }

  func releaseSavepoint(_ name: String) throws(DatabaseError) {
    try session.execute("RELEASE \(name.quotedIdentifier)", .releases)
  }

  func rollbackSavepoint(_ name: String) throws(DatabaseError) {
    let name = name.quotedIdentifier
    // Rolling back leaves the savepoint open (https://www.sqlite.org/lang_savepoint.html).
    try session.execute("ROLLBACK TO \(name)", .reads, changesSchema: true)
    try session.execute("RELEASE \(name)", .releases)
  }

  /// Returns the data version of the node's connection, made different from those of all other connections.
  func dataVersion() throws(DatabaseError) -> Int64? {
    try integer("PRAGMA main.data_version").map { session.connectionCount << 32 &+ $0 }
  }

  func enforcesForeignKeys() throws(DatabaseError) -> Bool { try integer("PRAGMA foreign_keys") == 1 }

  func setEnforcesForeignKeys(_ enforced: Bool) throws(DatabaseError) {
    let sql = "PRAGMA foreign_keys = \(enforced ? 1 : 0)"
    // If the node is lost, the next connection makes the setting.
    session.remember(sql, "foreign_keys")
    try execute(sql)
    guard try enforcesForeignKeys() == enforced else {
      throw error(
        .denied, "the enforcement of foreign keys could not be switched \(enforced ? "on" : "off")",
        remedy: "It cannot be switched inside a transaction: end the transaction first.")
    }
  }
}
