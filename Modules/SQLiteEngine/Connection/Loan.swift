internal import CSQLiteLoader
internal import Migrator
internal import SQLiteDialect

/// The state of a borrowed connection at the time it was lent, which is restored when the loan ends.
///
/// No other state needs to be restored: the driver sets no handler, hook, limit or option of a borrowed connection.
struct Loan {
  private let state: ConnectionState
  private let enforcesForeignKeys: Bool
  private let lastInsertedRowID: Int64
  /// The maximum time to wait for other connections while restoring; the owner's busy handler may not wait at all.
  private let patience: Duration

  /// Reads the state of a connection that has just been lent.
  init(_ connection: EngineConnection, patience: Duration) throws(DatabaseError) {
    self.patience = patience
    state = try SQLiteStateKeeper(connection).state()
    enforcesForeignKeys = try connection.enforcesForeignKeys()
    lastInsertedRowID = connection.lastInsertedRowID
  }

  /// Rolls back an open transaction, and restores each setting that has changed; repeats a call that fails for a
  /// temporary reason, such as an interruption.
  func end(_ connection: EngineConnection) throws(DatabaseError) {
    let deadline = ContinuousClock.now + patience
    var triesLeft = 5
    while true {
      do throws(DatabaseError) {
        try restore(connection)
        break
      } catch {
        if error.condition != .busy { triesLeft -= 1 }
        guard triesLeft > 0, ContinuousClock.now < deadline else { throw error }
        if error.condition == .busy { BusyWait.sleep(.milliseconds(5)) }
      }
    }
    guard let handle = connection.handle else { return }
    // Engines before 3.18 lack the function (https://www.sqlite.org/c3ref/set_last_insert_rowid.html).
    handle.library.optionalFunctions.set_last_insert_rowid?(handle.database, lastInsertedRowID)
  }

  private func restore(_ connection: EngineConnection) throws(DatabaseError) {
    try connection.rollback()
    try SQLiteStateKeeper(connection).restore(state)
    if try connection.enforcesForeignKeys() != enforcesForeignKeys {
      try connection.setEnforcesForeignKeys(enforcesForeignKeys)
    }
  }

  // MARK: Effects that could not be undone

  /// Returns the reason why a PRAGMA with a value is rejected on a borrowed connection, and the remedy; nil when the
  /// PRAGMA may run.
  static func refusal(of pragma: String) -> (message: String, remedy: String)? {
    let effects = [
      "busy_timeout": "the busy handler", "wal_autocheckpoint": "the write-ahead log hook",
      "case_sensitive_like": "the function LIKE", "temp_store": "the temporary tables",
      "max_page_count": "the limit of pages",
    ]
    return effects[pragma].map { effect in
      (
        "PRAGMA \(pragma) would replace \(effect) of the connection's owner, which could not be restored",
        "Leave it out of migrations, or set it where the connection is opened."
      )
    }
  }
}
