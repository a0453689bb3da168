/// An event of a run; the cases are listed in the order in which they happen.
public enum MigrationEvent: Sendable {
  /// A rehearsal is copying the database: it has copied `rowCount` of `totalRowCount` rows in the time `elapsed`. Sent
  /// at most ten times a second.
  case copying(rowCount: Int, totalRowCount: Int, elapsed: Duration)
  /// The database was erased for these `reasons`, which are empty if the caller requested the erasure.
  case erased(reasons: [SchemaChangeReason])
  /// These migrations are pending, in the order in which they will run.
  case planned(identifiers: [String])
  /// The database was backed up to the file at `path` before it was changed.
  case backedUp(path: String, sizeInBytes: Int64, duration: Duration)
  /// A migration is starting: number `index` of `count`, from 1. Sent again, after another ``planned(identifiers:)``, if
  /// the connection to a server was lost before the migration was committed, and it therefore runs again.
  case started(identifier: String, index: Int, count: Int)
  /// A batched migration has committed a batch. `fraction` is the part of the migration's work that is done, from 0 to
  /// 1; nil if unknown. `elapsed` is the time since the run started the migration.
  case progress(identifier: String, fraction: Double?, elapsed: Duration)
  /// A migration has been running for the time `elapsed`. It has begun `statementCount` statements, counting each run
  /// of a prepared statement, and the statements that have ended have changed `changedRowCount` rows. Sent at most ten
  /// times a second, if the engine supports it.
  case running(identifier: String, elapsed: Duration, statementCount: Int, changedRowCount: Int)
  /// The foreign keys of a migration have been checked.
  case checkedForeignKeys(identifier: String, duration: Duration)
  /// A migration has been committed.
  case committed(identifier: String, index: Int, count: Int, duration: Duration)
  /// The migration was skipped, since another connection has applied it in the meantime.
  case skipped(identifier: String, index: Int, count: Int)
  /// A problem that the developer should know about, although the run did not fail.
  case warning(MigrationWarning)
  /// The run is done and has applied these migrations.
  case finished(applied: [String], duration: Duration)
}

/// A problem that a run found although it did not fail.
public enum MigrationWarning: Sendable, Hashable, CustomStringConvertible {
  /// Tables that a migration touched contain rows that were already dangling before the migration ran.
  case oldForeignKeyViolations(identifier: String, count: Int)
  /// The source of these migrations was edited after they were applied; they are in the order of registration.
  case editedMigrations(identifiers: [String])
  /// A migration drops `table` while foreign keys are enforced. The engine therefore first deletes the table's rows,
  /// and deletes or changes the rows of `referringTables` that refer to them.
  case droppedReferencedTable(identifier: String, table: String, referringTables: [String])

  /// A description of the problem, and how to fix it.
  public var description: String {
    switch self {
    case .oldForeignKeyViolations(let identifier, let count):
      "Migration \"\(identifier)\" touched tables with \(count) \(count == 1 ? "row" : "rows") that already "
        + "referred to rows that do not exist. Find them with checkForeignKeys()."
    case .editedMigrations(let identifiers):
      "The source of \(identifiers.quotedList) was edited after it was applied; the edited text does not run. Undo the "
        + "edit and write a new migration for the change."
    case .droppedReferencedTable(let identifier, let table, let referring):
      "Migration \"\(identifier)\" drops table \"\(table)\" while foreign keys are enforced: the engine deletes its rows first, "
        + "and with them deletes or changes rows of \(referring.quotedList). If these rows must stay, restore a backup and let the "
        + "migration run with deferred foreign key checks."
    }
  }
}

/// A limit of ten reports a second, so that reporting does not slow down the work.
struct ReportPace {
  private static let pause = Duration.milliseconds(100)

  private let start = ContinuousClock.now
  private var next: ContinuousClock.Instant

  init() { next = start + Self.pause }

  /// Returns the time since the start if a report is due; nil if the last report was less than a tenth of a second ago.
  mutating func elapsedIfDue() -> Duration? {
    let now = ContinuousClock.now
    guard now >= next else { return nil }
    next = now + Self.pause
    return now - start
  }
}
