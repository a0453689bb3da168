internal import Migrator

extension EngineOpener {
  /// Opens a file again and again while a conversion holds or has just replaced it.
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

  /// Whether an error of opening is that of another conversion, and there is time left to wait for its end.
  static func mayPass(
    _ error: DatabaseError, within timeout: Duration, since start: ContinuousClock.Instant
  ) -> Bool {
    switch error.condition {
    // The other file is there already; a caller that does not wait for locks finds it at once.
    case .fileReplaced: ContinuousClock.now < start + max(timeout, .seconds(1))
    case .beingConverted: ContinuousClock.now < start + timeout
    default: false
    }
  }

  /// Opens an encrypted file, again and again while it was empty when it was opened and unreadable afterwards: another
  /// connection was creating it.
  ///
  /// Each connection to an empty file chooses a salt of its own, and thereby a key of its own; the first to write decides,
  /// and SQLCipher reports to the others that the file is not a database. So a connection that found the file empty writes
  /// its first page before it is handed out (see ``writeFirstPage(_:)``), and one that came later opens the file again.
  func openKeyedFile(_ path: String) throws(DatabaseError) -> EngineConnection {
    // Without waiting for locks there is still a winner to be waited for, who needs a moment only.
    let deadline = ContinuousClock.now + max(patience(isNew: true), .seconds(1))
    while true {
      let isEmpty = try probe(path).isEmpty
      do throws(DatabaseError) {
        return try openFile(path)
      } catch {
        guard isEmpty, error.condition == .wrongKey, ContinuousClock.now < deadline else { throw error }
        // Random, so that the losers do not come back all at once.
        BusyWait.sleep(.milliseconds(Int.random(in: 1...20)))
      }
    }
  }

  /// Writes the first page of a database that is still empty.
  func writeFirstPage(_ connection: EngineConnection) throws(DatabaseError) {
    try connection.begin(.immediate)
    do throws(DatabaseError) {
      // Sets what is there already; of a new database this makes a first page that holds nothing else.
      try connection.setUserVersion(try connection.userVersion())
      try connection.commit()
    } catch {
      // The first error matters; an open transaction ends with the connection.
      try? connection.rollback()
      throw error
    }
  }

  /// How long opening waits for others.
  ///
  /// Those that open a new database at the same moment all want to write its first page and to set its journal mode.
  /// Each is quick, but there may be many, and the time that was chosen for ordinary statements is too short for a
  /// crowd. A caller that does not want to wait at all is not made to.
  func patience(isNew: Bool) -> Duration {
    isNew && options.busyTimeout > .zero ? max(options.busyTimeout, .seconds(60)) : options.busyTimeout
  }
}
