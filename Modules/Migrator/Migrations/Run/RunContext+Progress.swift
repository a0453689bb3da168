extension RunContext {
  /// Runs a migration's work and tells now and then how far it is, if anybody wants to know.
  func reportingProgress<Value>(of migration: Migration, _ work: () throws -> Value) throws -> Value {
    guard reportsProgress, let reporter = db.connection.runningReporter else { return try work() }
    let report = ProgressReport(migration.identifier, db: db, events: events)
    reporter.start { report.send() }
    defer { reporter.stop() }
    return try work()
  }
}

/// Tells how far a migration is, at most ten times a second.
private final class ProgressReport {
  private static let pause = Duration.milliseconds(100)

  private let identifier: String
  private let db: Database
  private let events: (MigrationEvent) -> Void
  private let start = ContinuousClock.now
  private let statementsBefore: Int
  private let changesBefore: Int
  private var next: ContinuousClock.Instant

  init(_ identifier: String, db: Database, events: @escaping (MigrationEvent) -> Void) {
    self.identifier = identifier
    self.db = db
    self.events = events
    statementsBefore = db.context.runCount
    changesBefore = db.totalChangesCount
    next = start + Self.pause
  }

  /// Called while the engine runs a statement; asking for the number of changes does not disturb it.
  func send() {
    let now = ContinuousClock.now
    guard now >= next else { return }
    next = now + Self.pause
    events(
      .running(
        identifier: identifier, elapsed: now - start, statementCount: db.context.runCount - statementsBefore,
        changedRowCount: db.totalChangesCount - changesBefore))
  }
}
