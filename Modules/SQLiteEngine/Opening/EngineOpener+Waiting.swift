internal import Migrator
internal import SQLiteDialect

extension EngineOpener {
  /// Opens a file, and tries again while a conversion has the file open or has just replaced it.
  func afterConversions<Result>(_ open: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
    let start = ContinuousClock.now
    while true {
      do throws(DatabaseError) {
        return try open()
      } catch {
        guard Self.mayPass(error, within: options.busyTimeout, since: start) else { throw error }
        BusyWait.sleep(.milliseconds(2))
      }
    }
  }

  /// Returns whether opening failed because of a conversion, and there is time left to wait for the conversion to end.
  static func mayPass(
    _ error: DatabaseError, within timeout: Duration, since start: ContinuousClock.Instant
  ) -> Bool {
    switch error.condition {
    // After a replacement the new file already exists: even a caller that does not wait for locks tries once more.
    case .fileReplaced: ContinuousClock.now < start + max(timeout, .seconds(1))
    case .beingConverted: ContinuousClock.now < start + timeout
    default: false
    }
  }

  /// Opens an encrypted file; opens it again if it was empty at first and unreadable afterwards, which means that
  /// another connection was creating the database.
  ///
  /// Each connection to an empty file chooses a random salt and therefore has a different key. The first connection to
  /// write determines the salt; SQLCipher reports to all other connections that the file is not a database. So a
  /// connection that finds the file empty writes the first page before it is returned (see ``writeFirstPage(_:)``). A
  /// connection that writes too late opens the file again.
  func openKeyedFile(_ path: String) throws(DatabaseError) -> EngineConnection {
    // Even without a busy timeout, wait for the connection that writes first, which needs only a moment.
    let deadline = ContinuousClock.now + max(patience(isNew: true), .seconds(1))
    while true {
      let isEmpty = try probe(path).isEmpty
      do throws(DatabaseError) {
        return try openFile(path)
      } catch {
        guard isEmpty, error.condition == .wrongKey, ContinuousClock.now < deadline else { throw error }
        // The delay is random, so that the other connections do not all retry at once.
        BusyWait.sleep(.milliseconds(Int.random(in: 1...20)))
      }
    }
  }

  /// Writes the first page of a database that is still empty.
  func writeFirstPage(_ connection: EngineConnection) throws(DatabaseError) {
    try connection.begin(.immediate)
    do throws(DatabaseError) {
      // This sets the existing value again; in a new database, it creates a first page without other content.
      try connection.setUserVersion(try connection.userVersion())
      try connection.commit()
    } catch {
      // Report the first error; an open transaction ends when the connection is closed.
      try? connection.rollback()
      throw error
    }
  }

  /// Returns the time for which opening waits for other connections.
  ///
  /// All connections that open a new database at the same time write its first page and set its journal mode. Each
  /// connection does this quickly, but there may be many connections, and a timeout chosen for ordinary statements is
  /// too short for all of them. A caller with a timeout of zero does not wait.
  func patience(isNew: Bool) -> Duration {
    isNew && options.busyTimeout > .zero ? max(options.busyTimeout, .seconds(60)) : options.busyTimeout
  }
}
