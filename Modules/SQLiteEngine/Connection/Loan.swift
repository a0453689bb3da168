internal import CSQLite
internal import Migrator
internal import SQLiteDialect

/// The state of a connection when its owner lent it, to be restored at the end of the loan.
///
/// Nothing else of the connection changes: no handler, hook, limit or option is set while it is lent.
struct Loan {
  private let state: ConnectionState
  private let enforcesForeignKeys: Bool
  private let lastInsertedRowID: Int64
  /// The time to wait for the locks of other connections, since the owner's busy handler may not wait.
  private let patience: Duration

  /// Reads the state of a connection that has just been lent.
  init(_ connection: EngineConnection, patience: Duration) throws(DatabaseError) {
    self.patience = patience
    state = try SQLiteStateKeeper(connection).state()
    enforcesForeignKeys = try connection.enforcesForeignKeys()
    lastInsertedRowID = connection.lastInsertedRowID
  }

  /// Rolls back what is open, and restores what differs.
  ///
  /// Each call may fail for a reason that passes, such as an interruption, and is then tried again.
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

  // MARK: What could not be restored

  /// The reason why a pragma with a value is refused on a borrowed connection, and what to do instead; nil when it may
  /// run.
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
