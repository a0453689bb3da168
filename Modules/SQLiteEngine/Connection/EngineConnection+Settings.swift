internal import CSQLiteLoader
package import Migrator
internal import SQLiteDialect

extension EngineConnection {
  /// Returns the journal mode of the database, as the engine names it, such as "delete", "wal" or "memory".
  package func journalMode() throws(DatabaseError) -> String { try text("PRAGMA main.journal_mode") ?? "" }

  /// Sets the journal mode, unless it is already set or the database is in memory.
  ///
  /// The engine ignores its busy timeout when it switches to WAL mode, so several processes that open a new database at
  /// the same time would fail with `busy`. This function waits for the other connections instead.
  package func setJournalMode(_ mode: JournalMode, within timeout: Duration) throws(DatabaseError) {
    // The statement itself waits for a lock in some cases; the deadline includes both waits.
    let deadline = ContinuousClock.now + timeout
    var pause = Duration.milliseconds(1)
    while true {
      var answer = ""
      var failure: DatabaseError?
      do throws(DatabaseError) {
        answer = try journalMode()
        if answer != mode.rawValue { answer = try text("PRAGMA main.journal_mode = \(mode.rawValue)") ?? "" }
      } catch {
        guard error.condition == .busy else { throw error }
        failure = error
      }
      if failure == nil, answer == mode.rawValue || answer == "memory" { return }
      guard ContinuousClock.now < deadline else {
        throw failure
          ?? error(
            .busy, "the journal mode could not be changed to \(mode.rawValue); it is \(answer)",
            remedy: "Close the other connections to the database, or keep its journal mode.")
      }
      BusyWait.sleep(min(pause, .milliseconds(4)))
      pause += .milliseconds(1)
    }
  }

  /// Prevents the definitions in the file from calling functions with side effects and from damaging the file; has no
  /// effect in engines that lack these options (https://www.sqlite.org/security.html#untrusted_sqlite_database_files).
  func distrustSchema() {
    handle?.set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, to: false)
    handle?.set(SQLITE_DBCONFIG_DEFENSIVE, to: true)
  }

  /// Reads the schema, which fails for a file that is not a database or has another key.
  ///
  /// From 3.38 to 3.40, SQLite calls its own JSON functions unsafe, and an untrusted schema whose indexes or generated
  /// columns use them cannot be read; it is then trusted, as every schema is before 3.31.
  func readSchemaTrustingIfNeeded() throws(DatabaseError) {
    do throws(DatabaseError) {
      try readSchema()
    } catch {
      // At its end, where the message cannot contain a name from the file.
      guard error.message.contains(/- unsafe use of (json\w*|->>?)\(\)$/) else { throw error }
      handle?.set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, to: true)
      try readSchema()
    }
  }

  /// Switches off the engine's defensive mode while a closure runs; engines before 3.26 have no defensive mode.
  package func withoutDefense(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    let handle = try openHandle()
    // https://www.sqlite.org/c3ref/c_dbconfig_defensive.html
    guard handle.isOn(SQLITE_DBCONFIG_DEFENSIVE) else { return try body() }
    // An engine that returned the setting can also change it.
    handle.set(SQLITE_DBCONFIG_DEFENSIVE, to: false)
    defer { handle.set(SQLITE_DBCONFIG_DEFENSIVE, to: true) }
    try body()
  }
}
