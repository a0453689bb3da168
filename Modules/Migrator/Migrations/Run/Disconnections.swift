/// The losses of the connection to a server since a run's last commit; only the run of a backend with a server has any.
struct Disconnections {
  /// The number of losses during each statement; nil stands for any other operation.
  private var counts: [String?: Int] = [:]

  /// Counts a loss, which starts a new wait for a server, and returns whether to try again; during the wait, pauses first.
  ///
  /// The run waits for a server until the migrator's lock timeout, which sets the deadline. A statement that loses its
  /// connection for the third time since the last commit fails, since it may itself be the cause.
  mutating func mayRepeat(
    after loss: DatabaseError, _ deadline: inout ContinuousClock.Instant?, of run: MigrationRun
  ) -> Bool {
    if loss.condition == .cannotOpen {
      guard let deadline, .now < deadline, !run.isStopped else { return false }
      LockWait.pause()
      return true
    }
    deadline = run.migrator.newLockDeadline
    counts[loss.sql, default: 0] += 1
    return counts[loss.sql, default: 0] < 3
  }
}

/// A commit whose outcome is unknown, because the connection to the server was lost before it answered.
///
/// The ledger settles the question: the entry and the changes were committed together or not at all.
struct DoubtfulCommit {
  let run: MigrationRun
  let entry: LedgerEntry
  let error: DatabaseError
  private var connection: any DatabaseConnection { run.db.connection }

  /// Returns if the commit took effect.
  ///
  /// - Throws: ``DatabaseError`` as `.connectionLost` if all changes are undone, and as `.outcomeUnknown` if the ledger
  ///   could not be read within the migrator's lock timeout, or before the run was canceled.
  func settle() throws {
    let wait = LockWait(
      until: run.migrator.newLockDeadline, conditions: [.connectionLost, .outcomeUnknown, .cannotOpen, .busy, .stale])
    do {
      if try wait.retrying(isRecorded, check: { if run.isStopped { throw error } }) { return }
    } catch {
      // Whatever the error is: only the ledger can answer the question.
      throw self.error
    }
    var undone = error
    undone.condition = .connectionLost
    undone.message = "the connection was lost during the commit, which had no effect"
    undone.remedy = "Migrate again."
    throw undone
  }

  /// Reads the ledger in a transaction that writes: a server that no longer leads its cluster may still answer queries
  /// with outdated data, but cannot commit.
  private func isRecorded() throws -> Bool {
    // Ends the lost transaction, which counts as open.
    try connection.rollback()
    try connection.begin(.immediate)
    let isRecorded = try run.ledger.entries(run.db, withUnfinished: true).contains { other in
      other.identifier == entry.identifier && other.appliedAt == entry.appliedAt
        && (other.duration == nil) == (entry.duration == nil)
    }
    try connection.setUserVersion(try connection.userVersion())
    try connection.commit()
    return isRecorded
  }
}

/// The loss of the connection during a commit that recorded no migration.
///
/// The work can be repeated without asking whether it was committed: it checks under the lock what is left to do.
struct UnrecordedCommit: Error {
  /// The engine's error, with the condition `.outcomeUnknown`.
  let underlying: DatabaseError
}

extension Error {
  /// The loss of a connection, or the failure to find a server again, after which the work can be repeated, because no
  /// migration was committed; nil for any other error.
  var disconnectionWithoutEffect: DatabaseError? {
    if let error = self as? UnrecordedCommit { return error.underlying }
    if let error = self as? DatabaseError {
      return [.connectionLost, .cannotOpen].contains(error.condition) ? error : nil
    }
    if let error = self as? any WrappingError { return error.underlying.disconnectionWithoutEffect }
    guard case .failed(let failure)? = self as? MigrationError, failure.undone != .nothing else { return nil }
    return failure.underlying.disconnectionWithoutEffect
  }
}
