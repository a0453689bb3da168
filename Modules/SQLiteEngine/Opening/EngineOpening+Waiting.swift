internal import Migrator

/// Lets several connections create one encrypted database at the same time.
///
/// Each connection to an empty file chooses a salt of its own, and thereby a key of its own; the first to write decides,
/// and SQLCipher tells the others that the file is not a database. So a connection that found the file empty writes its
/// first page before it is given out, and when another one was faster, opens the file again.
struct KeyedCreation {
  /// For how long to try.
  let timeout: Duration

  /// Opens a file, again and again while it was empty when it was opened and unreadable afterwards.
  func open(path: String, with opening: EngineOpening) throws(DatabaseError) -> EngineConnection {
    // Without waiting for locks there is still a winner to be waited for, who needs a moment only.
    let deadline = ContinuousClock.now + max(timeout, .seconds(1))
    while true {
      let isEmpty =
        try FileProbe(
          path: path, engine: opening.library.description.name, mayCreate: !opening.options.isReadOnly
        ).size ?? 0 == 0
      do throws(DatabaseError) {
        return try opening.openFile(path)
      } catch {
        guard isEmpty, error.condition == .wrongKey, ContinuousClock.now < deadline else { throw error }
        // Random, so that the losers do not come back all at once.
        BusyWait.sleep(.milliseconds(Int.random(in: 1...20)))
      }
    }
  }

  /// Writes the first page of a database that is still empty.
  static func settle(_ connection: EngineConnection) throws(DatabaseError) {
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
}
