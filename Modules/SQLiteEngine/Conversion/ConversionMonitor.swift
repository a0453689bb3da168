/// What a conversion tells while it runs, and what it is told.
package final class ConversionMonitor {
  /// What a conversion does, in this order.
  package enum Phase: Sendable {
    /// It waits until nobody else uses the database.
    case waiting
    /// It fills the copy; pages count.
    case copying
    /// It compares the copy with the original; rows count.
    case verifying
    /// It puts the copy in the original's place; there is no way back.
    case finishing
  }

  private let report: (Phase, _ completed: Int64, _ total: Int64) -> Void
  private let isCancelled: () -> Bool
  private var next = ContinuousClock.now
  private var phase: Phase?

  /// Makes a monitor of closures, which are called on the thread that converts.
  package init(
    report: @escaping (Phase, _ completed: Int64, _ total: Int64) -> Void, isCancelled: @escaping () -> Bool
  ) {
    self.report = report
    self.isCancelled = isCancelled
  }

  /// Tells how far a phase is: at its begin and end, and otherwise not too often.
  func reach(_ phase: Phase, _ completed: Int64, of total: Int64) {
    let now = ContinuousClock.now
    guard phase != self.phase || completed >= total || now >= next else { return }
    self.phase = phase
    next = now + .milliseconds(50)
    report(phase, min(completed, total), total)
  }

  /// Whether the conversion was cancelled.
  var wasCancelled: Bool { isCancelled() }

  /// - Throws: `CancellationError` when the conversion was cancelled.
  func check() throws(CancellationError) {
    if isCancelled() { throw CancellationError() }
  }
}
