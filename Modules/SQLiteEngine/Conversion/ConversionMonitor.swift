package import Migrator

/// The caller's view of a running conversion: reports progress, and checks for cancellation, on the thread that
/// converts.
package final class ConversionMonitor {
  private let report: (ConversionProgress) -> Void
  private let isCancelled: () -> Bool
  private var next = ContinuousClock.now
  private var phase: ConversionProgress.Phase?

  /// Creates a monitor.
  package init(report: @escaping (ConversionProgress) -> Void, isCancelled: @escaping () -> Bool) {
    self.report = report
    self.isCancelled = isCancelled
  }

  /// Reports the progress of a phase: at its beginning, at its end, and in between at most twenty times a second.
  func reach(_ phase: ConversionProgress.Phase, _ completed: Int64, of total: Int64) {
    let now = ContinuousClock.now
    guard phase != self.phase || completed >= total || now >= next else { return }
    self.phase = phase
    next = now + .milliseconds(50)
    report(ConversionProgress(phase: phase, completedUnitCount: completed, totalUnitCount: total))
  }

  /// Throws `CancellationError` if the caller has canceled the conversion.
  func check() throws(CancellationError) {
    if isCancelled() { throw CancellationError() }
  }

  /// Calls `report` while a connection runs statements, and interrupts them when the conversion is canceled.
  func watch(_ connection: EngineConnection, _ report: @escaping () -> Void = {}) {
    connection.setProgressHandler { [isCancelled] in
      report()
      return !isCancelled()
    }
  }

  func unwatch(_ connection: EngineConnection) { connection.setProgressHandler(nil) }
}
