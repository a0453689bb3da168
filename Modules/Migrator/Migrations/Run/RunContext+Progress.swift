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
