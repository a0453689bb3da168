/// Tells how far the copy of a database is, at most ten times a second.
final class CopyProgress {
  /// Asking the clock for each row would cost more than some rows do.
  private static let rowsBetweenLooks = 64

  private let totalRowCount: Int
  private let events: (MigrationEvent) -> Void
  private var pace = ReportPace()
  private var rowCount = 0

  /// Begins with no row of so many.
  init(totalRowCount: Int, events: @escaping (MigrationEvent) -> Void) {
    self.totalRowCount = totalRowCount
    self.events = events
  }

  /// A row was copied.
  func addRow() {
    rowCount += 1
    guard rowCount.isMultiple(of: Self.rowsBetweenLooks), let elapsed = pace.elapsedIfDue() else { return }
    // The counters of AUTOINCREMENT are copied, too, and were not counted.
    events(.copying(rowCount: min(rowCount, totalRowCount), totalRowCount: totalRowCount, elapsed: elapsed))
  }
}
