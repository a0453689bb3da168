internal import Migrator
internal import SQLMigrations
internal import SQLSyntax
internal import SQLiteDialect

/// A converter that turns errors of the other modules into failures with a message and an exit code.
struct FailureReport {
  let toolName: String
  let command: String
  /// The handler of Ctrl-C; after Ctrl-C, every error except a commit of unknown outcome is reported as an interruption.
  let interrupt: InterruptSignal
  let migrator: DatabaseMigrator
  /// The migration files; nil if the migrations are Swift code.
  let files: [MigrationFile]?
  let path: String
  /// Whether the database is one of many on which the command works.
  var isFleet = false
  /// Whether `watch` runs the command again after the next save.
  var isWatched = false
  var current: String?
  var applied: [String] = []
  /// The place where the migrations are tried, as in "a scratch copy"; nil if they run on the database itself.
  private(set) var trial: String?
  /// The change to the database that preceded the migrations, such as erasing it; nil for none.
  var preface: String?
  /// The command that shows what would be done, and prints a token.
  var reviewCommand = ""
  /// A closure that opens the database, for a look at what blocks a migration; nil if there is no database.
  var openDatabase: (() throws -> DatabaseQueue)?

  func catching<Result>(_ work: () throws -> Result) throws(ToolFailure) -> Result {
    do {
      return try work()
    } catch {
      throw failure(error)
    }
  }

  func failure(_ error: any Error) -> ToolFailure {
    if let failure = error as? ToolFailure { return failure }
    if interrupt.hasArrived, !error.isOutcomeUnknown { return interrupted }
    switch error {
    case let error as MigrationError: return failure(error)
    case let error as SQLMigration.StatementError:
      var report = reason(error)
      report.what = "a statement in \(error.file.path) failed"
      return report
    case let error as ForeignKeyViolationError:
      var report = reason(error)
      report.what = "rows violate a foreign key"
      return report
    default:
      var report = Self.database(error, path: path)
      report.rolledBack = report.rolledBack ?? triedOnly
      return report
    }
  }

  private func failure(_ error: MigrationError) -> ToolFailure {
    switch error {
    case .failed(let failure): return migration(failure)
    case .replayFailed(let failure): return onEmptyDatabase.migration(failure)
    case .unknownTarget(let target): return unknownTarget(target)
    case .migratedBeyond(let target):
      return .usage(
        "\(path) is already migrated beyond \"\(target)\"", why: "migrations only run forward",
        remedy: "Nothing was changed. Name a later migration with --to, or omit --to.")
    case .edited(let identifiers):
      return .refused(
        "\(listed(identifiers)) \(identifiers.count == 1 ? "was" : "were") edited after being applied",
        remedy: "Nothing was changed. Undo the edit and write a new migration for the change.")
    case .separateTransaction(let identifier):
      return .refused(
        "the pending migrations cannot share a transaction",
        why: [
          "\(identifier) runs without a transaction, or checks foreign keys at a different time than the other migrations"
        ],
        remedy:
          "Nothing was changed. Omit --one-transaction, or use --to to stop at the migration before \(identifier)."
      )
    case .adoptionRefused(let refusal): return adoption(refusal)
    case .baselineRefused(let refusal): return baseline(refusal)
    case .ledgerUnreadable: return Self.database(error, path: path)
    case .superseded(let unknown):
      return .refused(
        "\(path) has migrations that this program does not contain: \(listed(unknown))",
        remedy:
          "Nothing was changed. Use the newer version of the program, which migrated the database, or an older copy of the "
          + "database. If the migrations belong to another migrator, give each migrator its own ledgerTable.")
    case .outOfOrder(let pending, let applied):
      return .refused(
        "migration \(pending) is pending, but \(applied), which comes after it, has already been applied",
        remedy:
          "Nothing was changed. Register \(pending) after it or, if their order does not matter, allow migrations "
          + "out of order.")
    case .planChanged(let parts):
      return .tokenMismatch(parts, reviewCommand: reviewCommand)
    case .insideTransaction, .erasureRefused:
      return .refused("the migrations were not run", why: [String(describing: error)], remedy: "Nothing was changed.")
    case .historyLost, .transactionEnded, .transactionLeftOpen, .recordLost, .mergesUnfinished, .refusedStatement:
      return ToolFailure(
        exitCode: .migrationFailed, what: "the migrations could not be run", why: [String(describing: error)],
        rolledBack: triedOnly)
    }
  }

  /// The converter for a trial in an empty database, before the database itself is changed.
  var onEmptyDatabase: FailureReport { tried(on: "an empty scratch database first, and \(path) was not changed") }

  /// Returns the converter for a trial at a place, such as "a scratch copy".
  func tried(on place: String) -> FailureReport {
    var report = self
    report.trial = place
    return report
  }

  func unknownTarget(_ target: String) -> ToolFailure {
    let known = migrator.migrations
    let nearest = known.first { $0.hasPrefix(target) } ?? Suggestion.nearest(to: target, among: known)
    return .usage(
      "there is no migration named \"\(target)\"",
      remedy: nearest.map { "Did you mean \($0)?" }
        ?? (known.last.map { "The last one is \($0). " } ?? "") + "`\(toolName) status` lists the migrations.")
  }

  func migration(_ failure: MigrationFailure) -> ToolFailure {
    let name = failure.identifier
    let number = failure.count > 1 ? " (\(failure.index) of \(failure.count) pending)" : ""
    if var refusal = failure.underlying as? ToolFailure {
      // The tool itself has refused the commit.
      (refusal.migration, refusal.applied) = (name, trial == nil ? failure.appliedBefore : [])
      refusal.rolledBack = rolledBack(name, failure.undone, before: failure.appliedBefore, stop: "the refusal")
      return refusal
    }
    var report = reason(failure.underlying)
    report.place = report.place ?? files?.first { $0.identifier == name }.map { ToolFailure.Place(path: $0.path) }
    report.what = "migration \(name)\(number) failed"
    report.migration = name
    report.applied = trial == nil ? failure.appliedBefore : []
    let start = Self.ownTransaction(failure.underlying)
    report.rolledBack = rolledBack(name, failure.undone, since: start, before: failure.appliedBefore, stop: "the error")
    // A statement of a file has a place.
    if let sql = (failure.underlying as? DatabaseError)?.sql, report.place == nil {
      report.why.append("while executing `\(sql.shortened(to: 500))`")
    }
    let error = (failure.underlying as? SQLMigration.StatementError)?.underlying ?? failure.underlying
    if let error = error as? DatabaseError {
      blame(path, for: error, in: &report)
      if case .missing(let routine, let name, isStored: true)? = StatementFault(error) {
        let users = users(of: name)
        if !users.isEmpty { report.why.append("the \(routine.rawValue) is used by \(listed(users))") }
      }
    }
    if let error = failure.underlying as? ForeignKeyViolationError {
      report.remedy = remedy(for: error, in: files?.first { $0.identifier == name })
    }
    if failure.undone == .unknown {
      report.remedy = "When the database can be reached, \(again) The ledger records whether \(name) is applied."
    } else if failure.isRolledBack {
      if findsConflicts, let conflict = conflict(failure) {
        report.remedy = existingRemedy(name, conflict, report.remedy)
      }
    } else if start?.index != 0 {
      let warning = conflict(failure).flatMap { $0.isOfRows ? $0.warning : nil }
      report.remedy = halfDoneRemedy + (warning.map { $0 + " " } ?? "") + (report.remedy ?? "")
    }
    return report
  }

  /// Returns the index and the line of the BEGIN of a file without a transaction in whose own transaction a statement failed;
  /// nil if there is none.
  private static func ownTransaction(_ error: any Error) -> (index: Int, line: Int)? {
    guard let error = error as? SQLMigration.StatementError, !error.file.runsInTransaction else { return nil }
    let statements = error.file.statements
    // BEGIN and COMMIT take turns: other files are refused.
    guard let last = statements[..<error.index].lastIndex(where: { [.begin, .commit, .rollback].contains($0.kind) }),
      statements[last].kind == .begin
    else { return nil }
    return (last, statements[last].line)
  }

  /// Returns the objects of the database whose definitions contain a name.
  private func users(of name: String) -> [String] {
    // Without the look, the report names no object.
    guard let queue = try? openDatabase?(), let objects = try? queue.read({ try $0.connection.schema().objects }) else {
      return []
    }
    try? queue.close()
    return objects.filter { object in
      SQLSource(object.sql ?? "").tokens.contains { $0.folded == name.asciiLowercased }
    }.map { "\($0.kind.rawValue) \"\($0.name)\"" }
  }

  /// Changes the report if the file, not the migration, is the cause of an error.
  private func blame(_ path: String, for error: DatabaseError, in report: inout ToolFailure) {
    if error.condition == .busy {
      (report.what, report.isLocked) = ("\(path) is locked by another connection", true)
    } else if let file = Self.unwritable(error, path: path) {
      report.what = "\(path) cannot be written"
      report.why.append("\(file) is not writable")
      report.remedy = "\(Self.permissions) Then \(again)"
    } else if error.condition == .inputOutput {
      report.what = "\(path) cannot be used"
    } else {
      return
    }
    report.exitCode = .cannotOpen
  }

  /// Returns a failure with the reason and the remedy; the caller supplies the message.
  private func reason(_ error: any Error) -> ToolFailure {
    var report = ToolFailure(
      exitCode: .migrationFailed, what: "", rolledBack: triedOnly, remedy: remedy(for: nil))
    switch error {
    case let error as SQLMigration.StatementError:
      report = reason(error.underlying)
      report.place = ToolFailure.Place(error)
    case let error as DatabaseError:
      report.why = [error.reason]
      report.remedy = remedy(for: error)
    case let error as ForeignKeyViolationError:
      // Unlike the messages of the other causes, the first cause's message also names the columns.
      report.why = [error.databaseError.message] + error.places.dropFirst()
      let rest = error.violationCount - error.places.count
      if rest > 0 { report.why.append("and \(rest) more") }
      if !error.missingTables.isEmpty { report.why.append("there is no table \(listed(error.missingTables))") }
      report.remedy = self.remedy(for: error, in: nil)
    case MigrationError.refusedStatement(_, let reason):
      report.why = [reason]
    case MigrationError.recordLost(let table, _):
      report.why = [
        "table \(table) does not keep its record, so the migration would run again: a trigger on that table removes it, or "
          + "the migration drops the table"
      ]
      report.remedy = "Drop the trigger, or remove the statement that drops the table, and \(again)"
    case MigrationError.mergesUnfinished(let unfinished):
      report.why = ["it merges \(listed(unfinished)), which started but did not finish"]
      report.remedy =
        "Restore \(listed(unfinished)) in place of this migration, let \(unfinished.count == 1 ? "it" : "them") finish, "
        + "and then merge."
    case let error as SQLMigration.PartialMergeError:
      report.why = [error.description]
      report.remedy = "Apply \(listed(error.missing.sorted())) from the original files, and \(again)"
    default:
      report.why = [String(describing: error)]
    }
    return report
  }

  private func remedy(for error: DatabaseError?) -> String? {
    let advice = error?.remedy?.asSentence
    switch error?.condition {
    case .full:
      return
        "Free up space on the disks that hold the database and temporary files, or raise the file size limit, and \(again)"
    case .constraint(.foreignKey):
      return
        "Before this statement, add the rows that its rows refer to, or remove those that refer to its rows. To see them, delete "
        + "`PRAGMA foreign_keys = ON` or `-- migrator: foreign-keys immediate` from the file: the keys are then checked at its end. Then \(again)"
    case .busy:
      return "Wait for the other process to finish, or wait longer with --lock-timeout SECONDS, and \(again)"
    case .misuse where error?.resultCode == nil && files != nil:
      return "Write the value itself: statements in a file get no values for ? and :name. Then \(again)"
    case _ where advice != nil:
      let needsOther = error.flatMap { StatementFault($0) }?.needsOtherProgram ?? false
      return advice.map { needsOther ? $0 : "\($0) Then \(again)" }
    case .constraint:
      let isOfTrigger = error.map { constraintIsOfAnotherTable($0) } ?? false
      return "Correct the rows that violate the constraint: change this statement, or add one before it"
        + (isOfTrigger ? "; a trigger of its table writes them, and may have to be dropped first. " : ". ")
        + "Then \(again)"
    case .statement, .none:
      return "Correct \(files == nil ? "the migration" : "the file"), and \(again)"
    default:
      return "Correct the cause of the error, and \(again)"
    }
  }

  /// Whether the constraint belongs to a table that the statement does not name: a trigger then writes to that table.
  private func constraintIsOfAnotherTable(_ error: DatabaseError) -> Bool {
    // "NOT NULL constraint failed: table.column"
    guard let place = error.message.ranges(of: " constraint failed: ").first, let sql = error.sql else { return false }
    let table = error.message[place.upperBound...].split(separator: ".", maxSplits: 1)
    guard table.count == 2 else { return false }
    return !SQLSource(sql).tokens.contains { $0.folded == String(table[0]).asciiLowercased }
  }

  var again: String {
    isWatched ? "save it." : "run \(commandToRepeat) again."
  }

  private var commandToRepeat: String { isFleet ? "this command" : "`\(toolName) \(command)`" }

  /// The commands that change a database.
  private static let changing: Set = ["migrate", "rebuild", "watch", "erase", "baseline", "adopt"]

  /// The remedy for a migration of which a part has run; empty after a trial, which changes no database.
  private var halfDoneRemedy: String {
    guard trial == nil else { return "" }
    return
      "Find out which statements of the migration have run. Undo their changes, or remove those statements from the file. "
  }

  /// The sentence that nothing was changed; nil if the migrations run on the database itself.
  private var triedOnly: String? { trial.map { "nothing; it ran on \($0)" } }

  private func rolledBack(
    _ identifier: String, _ undone: MigrationFailure.Undone, since start: (index: Int, line: Int)? = nil,
    before: [String], stop: String
  ) -> String {
    let own =
      switch undone {
      case .nothing where start?.index == 0: "everything in \(identifier), which begins a transaction itself"
      case .nothing where start != nil:
        "the transaction that the file begins in line \(start?.line ?? 1); the changes before it are kept"
      case .everything where migrator.commits == .allOrNothing: "everything; no pending migration was applied"
      case .everything: "everything in \(identifier)"
      case .lastBatch: "the last batch of \(identifier); earlier batches stay"
      case .nothing:
        "nothing, because \(identifier) runs without a transaction; the changes that it made before \(stop) are kept"
      case .unknown:
        "unknown, because the connection was lost during the commit: \(identifier) is either applied or rolled back"
      }
    return rolledBack(own, before: before)
  }

  private func rolledBack(_ own: String, before: [String]) -> String {
    if let triedOnly { return triedOnly }
    let stays = before.isEmpty ? nil : "\(listed(before)) \(before.count == 1 ? "stays" : "stay") applied"
    return [own, stays, preface].compactMap(\.self).joined(separator: "; ")
  }

  private var interrupted: ToolFailure {
    guard Self.changing.contains(command) else {
      return ToolFailure(exitCode: .interrupted, what: "interrupted; nothing was changed")
    }
    var report = ToolFailure(
      exitCode: .interrupted, what: "interrupted", migration: current,
      rolledBack: rolledBack("nothing, because no migration was running", before: applied),
      remedy: "Run \(commandToRepeat) again to continue.", applied: applied)
    guard let current else { return report }
    let undone = migrator.undoneOnFailure(of: current) ?? .everything
    report.rolledBack = rolledBack(current, undone, before: applied, stop: "the interruption")
    if undone == .nothing { report.remedy = halfDoneRemedy + "Then " + again }
    return report
  }

  // MARK: Refusals

  private func adoption(_ refusal: AdoptionRefusal) -> ToolFailure {
    switch refusal {
    case .unmapped(let history, let entries):
      refused(
        history, "it contains \(listed(entries)), for which there is no migration",
        "Add the missing migration files, or use --map OLD=ID to name the migration that each entry stands for. To import "
          + "the history anyway, add --unmapped keep, which records entries without a migration as well, or --unmapped "
          + "leave-out, which ignores them.")
    case .unregistered(let history, let entry, let identifier):
      refused(
        history, "--map maps \(entry) to \"\(identifier)\", but there is no migration with that name",
        "Correct --map; `\(toolName) status` lists the migrations.")
    case .ambiguous(let history, let entry, let identifiers):
      refused(history, "\(entry) could be any of \(listed(identifiers))", "Choose one with --map \(entry)=ID.")
    case .unfinished(let history, let entries):
      refused(
        history, "\(listed(entries)) started but did not succeed",
        "Repair the database with that tool, and run `\(toolName) adopt` again.")
    case .edited(let history, let identifiers):
      refused(
        history,
        identifiers.count == 1
          ? "the file for \(listed(identifiers)) was edited after it was applied: it does not match the recorded checksum"
          : "the files for \(listed(identifiers)) were edited after they were applied: they do not match the recorded checksums",
        "Restore the text that was applied, or add --accept-edits to import the history anyway: the edited text is then "
          + "recorded as applied, but it is not run.")
    case .unrecognizedTable(let history, let columns):
      refused(
        history, "its columns \(listed(columns)) do not belong to a known tool",
        "Mark the applied migrations with `\(toolName) baseline` instead.")
    case .unreadableEntry(let history):
      refused(
        history, "the version of an entry is neither a number nor text",
        "Repair it, or mark the applied migrations with `\(toolName) baseline` instead.")
    }
  }

  private func refused(_ history: String, _ reason: String, _ remedy: String) -> ToolFailure {
    .refused("the history in \(history) cannot be imported", why: [reason], remedy: "Nothing was changed. " + remedy)
  }

  private func baseline(_ refusal: BaselineRefusal) -> ToolFailure {
    let accepting = "To mark the migrations as applied even though the schema differs, add --accept-differences."
    let name = "Nothing was changed. Use --to ID to name the last migration whose changes are in the database"
    switch refusal {
    case .schemaDiffers(let last, let reasons):
      return .refused(
        "\(path) does not have the schema that the migrations up to \(last) create", why: reasons.map(\.description),
        remedy: name + ", or correct the migrations. " + accepting)
    case .schemaBeyond(let last, let migration, let objects):
      return .refused(
        "\(path) already contains changes from migrations after \(last)",
        why: ["it has \(listed(objects)), which \(migration) creates"], remedy: name + ". " + accepting)
    case .alreadyMigrated(let applied):
      return .refused(
        "\(path) already has a record of \(counted(applied.count, "applied migration"))",
        remedy:
          "Nothing was changed. To apply pending migrations, run `\(toolName) migrate`. To record more of them without "
          + "running them, name the last one with --to ID.")
    case .replayFailed(let failure): return onEmptyDatabase.migration(failure)
    }
  }
}

extension Error {
  /// Whether the connection was lost during a commit, so that the changes are either all made or all undone.
  fileprivate var isOutcomeUnknown: Bool {
    if case .failed(let failure)? = self as? MigrationError { return failure.undone == .unknown }
    return (self as? DatabaseError)?.condition == .outcomeUnknown
  }
}
