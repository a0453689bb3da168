/// A step of a run, in the order in which they happen.
public enum MigrationEvent: Sendable {
  /// A rehearsal is copying the database: so many of so many rows, after so long. At most ten of these come in a
  /// second.
  case copying(rowCount: Int, totalRowCount: Int, elapsed: Duration)
  /// The database was erased, for these reasons; none when it was asked for in any case.
  case erased(reasons: [SchemaChangeReason])
  /// These migrations are pending, in the order in which they will run.
  case planned(identifiers: [String])
  /// The state before the run was copied into a file, which took so long.
  case backedUp(path: String, sizeInBytes: Int64, duration: Duration)
  /// A migration begins: number `index` of `count`, counted from 1.
  case started(identifier: String, index: Int, count: Int)
  /// A migration in batches has committed one: this much of it is done, from 0 to 1, if it knows, after so long.
  case progress(identifier: String, fraction: Double?, elapsed: Duration)
  /// A migration is running: for so long, with so many statements begun, each run of a prepared one counted, and so
  /// many rows changed by those that have ended. At most ten of these come in a second, from engines that report it.
  case running(identifier: String, elapsed: Duration, statementCount: Int, changedRowCount: Int)
  /// The foreign keys of a migration have been checked, which took so long.
  case checkedForeignKeys(identifier: String, duration: Duration)
  /// A migration has been committed, after so long.
  case committed(identifier: String, index: Int, count: Int, duration: Duration)
  /// A migration was applied by another connection in the meantime.
  case skipped(identifier: String, index: Int, count: Int)
  /// Something that the developers should know, although nothing failed.
  case warning(MigrationWarning)
  /// All is done: these migrations were applied.
  case finished(applied: [String], duration: Duration)
}

/// What a run noticed although nothing failed.
public enum MigrationWarning: Sendable, Hashable, CustomStringConvertible {
  /// Tables that a migration touched hold rows that referred to nothing before it.
  case oldForeignKeyViolations(identifier: String, count: Int)
  /// Migrations whose source was edited after they were applied, in the order of registration.
  case editedMigrations(identifiers: [String])

  /// What was noticed, and what to do about it.
  public var description: String {
    switch self {
    case .oldForeignKeyViolations(let identifier, let count):
      "Migration \"\(identifier)\" touched tables in which \(count) \(count == 1 ? "row refers" : "rows refer") to "
        + "rows that do not exist, and did so before. Find them with checkForeignKeys()."
    case .editedMigrations(let identifiers):
      "The source of \(identifiers.quotedList) was edited after it was applied; the database has what the earlier text "
        + "did. Undo the edit and write a new migration for the change."
    }
  }
}

/// Allows at most ten reports a second, so that reporting does not slow the work down.
struct ReportPace {
  private static let pause = Duration.milliseconds(100)

  private let start = ContinuousClock.now
  private var next: ContinuousClock.Instant

  init() { next = start + Self.pause }

  /// How long the work has taken, when a report is due; nil when the last one was a moment ago.
  mutating func elapsedIfDue() -> Duration? {
    let now = ContinuousClock.now
    guard now >= next else { return nil }
    next = now + Self.pause
    return now - start
  }
}
