/// Reports how far a migration is, at most ten times a second.
final class ProgressReport {
  private let identifier: String
  private let db: Database
  private let events: (MigrationEvent) -> Void
  private let statementsBefore: Int
  private let changesBefore: Int
  private var pace = ReportPace()

  init(_ identifier: String, db: Database, events: @escaping (MigrationEvent) -> Void) {
    self.identifier = identifier
    self.db = db
    self.events = events
    statementsBefore = db.context.runCount
    changesBefore = db.totalChangesCount
  }

  /// Called while the engine runs a statement; asking for the number of changes does not disturb it.
  func send() {
    guard let elapsed = pace.elapsedIfDue() else { return }
    events(
      .running(
        identifier: identifier, elapsed: elapsed, statementCount: db.context.runCount - statementsBefore,
        changedRowCount: db.totalChangesCount - changesBefore))
  }
}

/// Allows at most ten reports a second, so that reporting does not slow the work down.
struct ReportPace {
  private static let pause = Duration.milliseconds(100)

  private let start = ContinuousClock.now
  private var next: ContinuousClock.Instant

  /// Begins with the work; the first report is due one pause later.
  init() { next = start + Self.pause }

  /// How long the work has taken, when a report is due; nil when the last one was a moment ago.
  mutating func elapsedIfDue() -> Duration? {
    let now = ContinuousClock.now
    guard now >= next else { return nil }
    next = now + Self.pause
    return now - start
  }
}
