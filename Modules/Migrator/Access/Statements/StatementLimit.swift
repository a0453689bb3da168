internal import Dispatch

/// A limit on the duration of each statement that migrations run in a scratch database: a statement that never ends,
/// such as an endless recursive query, would block whatever rehearses the migration.
///
/// It interrupts from another thread and not from the engine's progress handler, which reports the progress of migrations.
final class StatementLimit: Sendable {
  private struct State {
    /// The start of the running statement; nil if none is running.
    var start: ContinuousClock.Instant?
    var isExceeded = false
  }

  /// Its queue has a thread even when endless statements occupy all threads of the global queues.
  private static let queue = DispatchQueue(label: "migrator.statement-limit")

  private let duration: Duration
  private let interrupter: any ConnectionInterrupter
  private let state = Lock(State())

  /// Creates a limit, which is checked until it is released.
  init(_ duration: Duration, _ interrupter: any ConnectionInterrupter) {
    (self.duration, self.interrupter) = (duration, interrupter)
    Self.watch(self)
  }

  /// Whether the limit ended the statement that began last.
  var isExceeded: Bool { state.withLock { $0.isExceeded } }

  // Not inlined: the instant reserves stack space in each statement, also without a limit (2 % of W3).
  @inline(never)
  func statementBegins() { state.withLock { $0 = State(start: .now) } }
  @inline(never)
  func statementEnds() { state.withLock { $0.start = nil } }

  /// Returns the error that replaces the engine's "interrupted".
  func error(_ engine: EngineDescription, sql: String) -> DatabaseError {
    let isWhole = milliseconds.isMultiple(of: 1000)
    let time = isWhole ? counted(milliseconds / 1000, "second") : counted(milliseconds, "millisecond")
    return DatabaseError(
      .other, engine: engine.name, message: "the statement did not end within \(time) on a scratch database",
      remedy: "Correct the statement: a recursive query needs a condition or a LIMIT that ends it.", sql: sql)
  }

  private var milliseconds: Int {
    let (seconds, attoseconds) = duration.components
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }

  private static func watch(_ limit: StatementLimit) {
    queue.asyncAfter(deadline: .now() + .milliseconds(max(limit.milliseconds / 10, 1))) { [weak limit] in
      guard let limit else { return }
      limit.check()
      watch(limit)
    }
  }

  private func check() {
    state.withLock { state in
      guard let start = state.start, .now - start > duration else { return }
      state.isExceeded = true
      // Under the lock, so that the next statement cannot begin in the meantime; this only sets a flag of the engine.
      interrupter.interrupt()
    }
  }
}

extension Duration {
  /// The duration of the longest statement in a scratch database that has few rows or none.
  package static let longestScratchStatement = Duration.seconds(30)
}
