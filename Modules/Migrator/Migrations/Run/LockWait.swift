/// Waits for other connections that write, up to a deadline.
///
/// An engine's own patience is made for short transactions; a migration of another process may take longer.
struct LockWait {
  private let deadline: ContinuousClock.Instant
  private let canWait: Bool

  /// Begins to wait.
  ///
  /// A connection that is configured not to wait at all does not wait here either.
  init(timeout: Duration, configuration: Configuration) {
    deadline = .now + timeout
    canWait = configuration.connectionOptions.busyTimeout > .zero
  }

  /// Runs `body` again for as long as it fails as busy and the deadline has not come.
  ///
  /// Each try blocks for the engine's own timeout, so that this does not spin.
  func retrying<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
    while true {
      do {
        return try body()
      } catch let error as DatabaseError where error.condition == .busy {
        guard canWait, .now < deadline else { throw error }
        try db.checkCancellation()
      }
    }
  }
}
