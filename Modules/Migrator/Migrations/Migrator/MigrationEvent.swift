/// An event of a run; the cases are listed in the order in which they happen.
public enum MigrationEvent: Sendable {
  /// A rehearsal is copying the database: it has copied `rowCount` of `totalRowCount` rows in the time `elapsed`. Sent
  /// at most ten times a second.
  case copying(rowCount: Int, totalRowCount: Int, elapsed: Duration)
  /// The database is about to be erased, because its migrations have changed.
  case erasing(ErasureReport)
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
public enum MigrationWarning: Sendable, Equatable, CustomStringConvertible {
  /// Tables that a migration touched contain rows that were already dangling before the migration ran.
  case oldForeignKeyViolations(identifier: String, count: Int)
  /// The source of these migrations was edited after they were applied; they are in the order of registration.
  case editedMigrations(identifiers: [String])
  /// These rows, one sentence each, were not restored after the database was erased; they are in the file `backup`.
  case rowsNotRestored([String], backup: String)
  /// Pending migrations have removed rows, one clause for each table; the rows are in the file `backup`, nil for a database
  /// that is not a file. Reported only with ``DatabaseMigrator/eraseDatabaseOnSchemaChange``.
  case rowsRemoved([String], backup: String?)
  /// The rows that the migrations leave in these tables differ at each run, so changes of them are not noticed.
  case rowsNotCompared(tables: [String])
  /// The program is a release build, but may erase the database if its migrations have changed.
  case erasesInReleaseBuild
  /// A migration drops `table` while foreign keys are enforced. The engine therefore first deletes the table's rows,
  /// and deletes or changes the rows of `referringTables` that refer to them.
  case droppedReferencedTable(identifier: String, table: String, referringTables: [String])

  /// A description of the problem, and how to fix it.
  public var description: String {
    switch self {
    case .oldForeignKeyViolations(let identifier, let count):
      "Migration \"\(identifier)\" touched tables with \(count) \(count == 1 ? "row" : "rows") that already "
        + "referred to rows that do not exist. A check of all foreign keys finds them (`verify` of the tool, checkForeignKeys() in Swift)."
    case .editedMigrations(let identifiers):
      "The source of \(identifiers.quotedList) was edited after it was applied; the edited text does not run. Undo the "
        + "edit and write a new migration for the change."
    case .rowsNotRestored(let losses, let backup):
      "After the database was erased, \(losses.joined(separator: "; ")). They are in \(backup); DatabaseQueue.restore(backupAt:) puts that file back."
    case .rowsRemoved(let losses, let backup):
      "Rows may be lost: \(losses.joined(separator: "; "))."
        + (backup.map { " They are in \($0); DatabaseQueue.restore(backupAt:) puts that file back." } ?? "")
    case .rowsNotCompared(let tables):
      "The migrations leave different rows in \(tables.quotedList) at each run, such as random values, so edits of these rows "
        + "are not noticed."
    case .erasesInReleaseBuild:
      "eraseDatabaseOnSchemaChange is set in a release build: a user's rows may be erased. Set it inside #if DEBUG."
    case .droppedReferencedTable(let identifier, let table, let referring):
      "Migration \"\(identifier)\" drops table \"\(table)\" while foreign keys are enforced: the engine deletes its rows first, "
        + "and with them deletes or changes rows of \(referring.quotedList). If these rows must stay, restore a backup and let the "
        + "migration run with deferred foreign key checks."
    }
  }
}

/// The report of a database that is about to be erased.
public struct ErasureReport: Sendable, Equatable, CustomStringConvertible {
  /// The reasons why the database no longer matches its migrations.
  public let reasons: [SchemaChangeReason]
  /// The number of rows by the name of each table; tables whose rows cannot be counted are missing.
  public let rowCounts: [String: Int]
  /// The database's file; nil if it is in memory or on a server.
  public let path: String?
  /// The backup; nil if the database has no file, or no tables.
  public let backup: String?
  /// Whether the rows will be restored.
  public let restoresRows: Bool

  init(
    reasons: [SchemaChangeReason], contents: DatabaseContents, path: String?, backup: String?, restoresRows: Bool
  ) {
    self.reasons = reasons
    rowCounts = Dictionary(contents.tables.compactMap { table in table.rows.map { (table.name, $0) } }) { $1 }
    (self.path, self.backup, self.restoresRows) = (path, backup, restoresRows)
  }

  /// The report in at most eight lines.
  public var description: String {
    var lines = ["Erasing \(path ?? "the database"), because it no longer matches its migrations:"]
    var details = reasons.prefix(3).map { "  " + $0.summary }
    if reasons.count == 1, case .differentObject(_, _, let expected, let actual) = reasons[0] {
      details += ["    migrations: " + expected.shortLine, "    database:   " + actual.shortLine]
    } else if reasons.count > 3 {
      details.append("  and \(counted(reasons.count - 3, "other difference"))")
    }
    lines += details
    let filled = rowCounts.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let rows = listed(filled.map { "\($0.value) in \"\($0.key)\"" }).shortLine
    lines.append(
      filled.isEmpty
        ? "No rows are lost."
        : "Rows to be \(restoresRows ? "erased, and restored where they still fit" : "erased"): \(rows).")
    if let backup {
      lines.append("A backup is kept as \(backup); DatabaseQueue.restore(backupAt:) puts it back.")
    } else if !filled.isEmpty {
      lines.append("No backup is kept: the database is not a file, or the policy forbids it.")
    }
    lines.append(
      "To prevent this, set eraseDatabaseOnSchemaChange to false"
        + (restoresRows ? "" : "; to keep rows, set erasure to .keepingRows()")
        + ". migrationEvents(_:) reports it as an event.")
    return lines.joined(separator: "\n")
  }
}

extension SchemaChangeReason {
  /// The reason in one line, without definitions.
  fileprivate var summary: String {
    guard case .differentObject(let kind, let name, _, _) = self else { return description.shortLine }
    return "\(kind.rawValue) \"\(name)\" differs".shortLine
  }
}

extension String {
  /// The text in one line of limited length, without control characters.
  fileprivate var shortLine: String {
    let parts = unicodeScalars.split { $0.value < 0x20 || $0.value == 0x7F || (0x80...0x9F).contains($0.value) }
    return parts.map { String($0).trimmingBlanks }.joined(separator: " ").shortened(to: 200)
  }

  private var trimmingBlanks: String { String(drop { $0 == " " }) }
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
