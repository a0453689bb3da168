internal import DqliteWire
internal import Migrator

/// Waits until another connection has released its lock: a node never waits itself, but answers immediately.
struct BusyRetry {
  private let timeout: Duration
  private let onLockWait: (@Sendable () -> Bool)?
  private let start = ContinuousClock.now
  private var attempts = 0

  init(_ options: ConnectionOptions) {
    timeout = options.busyTimeout
    onLockWait = options.onLockWait
  }

  /// Waits briefly; returns false when the busy timeout has passed.
  mutating func wait() -> Bool {
    let waited = ContinuousClock.now - start
    guard waited < timeout else { return false }
    if let onLockWait, waited >= .seconds(1), !onLockWait() { return false }
    attempts += 1
    // Random, so that many connections do not ask at the same moments.
    let longest = min(attempts, 25) * 1000
    NodeConnection.pause(.microseconds(Int.random(in: longest / 2...longest)))
    return true
  }
}
