internal import CSQLiteLoader
internal import Dispatch
internal import Migrator

/// The wait for other connections to release their locks, until a timeout or until the connection is interrupted.
///
/// The engine's own busy handler (https://www.sqlite.org/c3ref/busy_timeout.html) cannot be interrupted.
final class BusyWait {
  var timeout: Duration
  /// The function that says, after the first second of a wait, whether to wait longer.
  var onLockWait: (@Sendable () -> Bool)?
  private let interrupter: EngineInterrupter
  private var deadline = ContinuousClock.now
  private var interruptionsAtStart = 0
  private var wasInterrupted = false

  init(timeout: Duration, interrupter: EngineInterrupter) {
    self.timeout = max(timeout, .zero)
    self.interrupter = interrupter
  }

  /// Waits briefly, and returns whether to try again; `attempt` is the number of earlier calls for the same lock.
  func wait(attempt: Int) -> Bool {
    if attempt == 0 {
      deadline = ContinuousClock.now + timeout
      interruptionsAtStart = interrupter.count
      wasInterrupted = false
    }
    if interrupter.count != interruptionsAtStart || csqlite_is_leaving() != 0 {
      wasInterrupted = true
      return false
    }
    let remaining = deadline - ContinuousClock.now
    guard remaining > .zero else { return false }
    if let onLockWait, timeout - remaining >= .seconds(1), !onLockWait() {
      wasInterrupted = true
      return false
    }
    // The engine's own delays: short at first, since most locks are short (sqliteDefaultBusyCallback in main.c).
    Self.sleep(min(Self.steps[min(attempt, Self.steps.count - 1)], remaining))
    return true
  }

  /// Returns whether the last wait ended because the connection was interrupted, and resets this result, because the
  /// next attempt to get a lock may fail without a wait.
  func takeInterruption() -> Bool {
    defer { wasInterrupted = false }
    return wasInterrupted
  }

  private static let steps: [Duration] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50].map { .milliseconds($0) }

  /// Blocks this thread for a duration: callers are synchronous functions, which block the thread anyway.
  static func sleep(_ duration: Duration) {
    // Nothing signals the semaphore.
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + duration / .seconds(1))
  }
}

/// An object that interrupts a connection while it runs statements or waits for locks.
final class EngineInterrupter: ConnectionInterrupter {
  private let library: EngineLibrary

  /// The address of the engine's connection; zero after it has been closed.
  ///
  /// The lock is held while the engine is interrupted, so that the connection is not freed at the same time;
  /// interrupting only sets a flag (https://www.sqlite.org/c3ref/interrupt.html).
  private let address: Lock<UInt>
  private let interruptions = Lock(0)

  init(library: EngineLibrary, database: OpaquePointer) {
    self.library = library
    address = Lock(UInt(bitPattern: database))
  }

  var count: Int { interruptions.withLock { $0 } }

  func interrupt() {
    interruptions.withLock { $0 += 1 }
    address.withLock { address in
      guard let database = OpaquePointer(bitPattern: address) else { return }
      library.functions.interrupt(database)
    }
  }

  /// Disables later interruptions; called before the connection is closed.
  func disconnect() { address.withLock { $0 = 0 } }
}
