internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// Turns errors of every layer into failures for the user, with the exit code: the one place where that happens.
struct FailureReport {
  let toolName: String
  let command: String
  /// Ctrl-C, which makes any error an interruption.
  let interrupt: InterruptSignal
  let migrator: DatabaseMigrator
  /// Their files; nil when they are an app's own.
  let files: [MigrationFile]?
  let path: String
  var current: String?
  var applied: [String] = []
  /// The change of the database before the migrations ran, such as that it was erased; nil for none.
  var preface: String?

  func catching<Result>(_ work: () throws -> Result) throws(ToolFailure) -> Result {
    do {
      return try work()
    } catch {
      throw failure(error)
    }
  }

  func failure(_ error: any Error) -> ToolFailure {
    if let failure = error as? ToolFailure { return failure }
    if interrupt.hasArrived { return interrupted }
    switch error {
    case let error as MigrationError: return failure(error)
    case let error as SQLMigration.StatementError:
      var report = reason(error)
      report.what = "a statement of \(error.file.path) failed"
      return report
    case let error as ForeignKeyViolationError:
      var report = reason(error)
      report.what = "rows refer to rows that do not exist"
      return report
    default: return Self.database(error, path: path)
    }
  }

  private func failure(_ error: MigrationError) -> ToolFailure {
    switch error {
    case .failed(let failure): return migration(failure)
    case .replayFailed(let failure): return untouched(migration(failure))
    case .unknownTarget(let target): return unknownTarget(target)
    case .migratedBeyond(let target):
      return .usage(
        "\(path) is already beyond \(target)", why: "migrations only run forward",
        remedy: "Nothing was done. Name a later migration with --to, or leave --to out.")
    case .edited(let identifiers):
      return .refused(
        "\(listed(identifiers)) \(identifiers.count == 1 ? "was" : "were") edited after being applied",
        remedy: "Nothing was changed. Undo the edit and write a new migration for the change.")
    case .adoptionRefused(let refusal): return adoption(refusal)
    case .baselineRefused(let refusal): return baseline(refusal)
    case .ledgerUnreadable: return Self.database(error, path: path)
    default:
      return ToolFailure(
        exitCode: .migrationFailed, what: "the migrations could not be run", why: [String(describing: error)])
    }
  }

  /// The same failure, met on a scratch database.
  func untouched(_ failure: ToolFailure) -> ToolFailure {
    failure.tried(on: "an empty scratch database first, and \(path) was not touched")
  }

  func unknownTarget(_ target: String) -> ToolFailure {
    let known = migrator.migrations
    let nearest = known.first { $0.hasPrefix(target) } ?? Suggestion.nearest(to: target, among: known)
    return .usage(
      "there is no migration \(target)",
      remedy: nearest.map { "Did you mean \($0)?" } ?? "`\(toolName) status` lists the migrations.")
  }

  func migration(_ failure: MigrationFailure) -> ToolFailure {
    let name = failure.identifier
    let number = failure.count > 1 ? " (\(failure.index) of \(failure.count))" : ""
    var report = reason(failure.underlying)
    report.place = report.place ?? files?.first { $0.identifier == name }.map { ToolFailure.Place(path: $0.path) }
    report.what = "migration \(name)\(number) failed"
    report.migration = name
    report.applied = failure.appliedBefore
    report.rolledBack = rolledBack(name, failure.undone, before: failure.appliedBefore, stop: "the error")
    if meetsOlderSchema(failure) { report.remedy = olderSchemaRemedy(report.remedy) }
    if !failure.isRolledBack { report.remedy = Self.halfDoneRemedy + (report.remedy ?? "") }
    return report
  }

  /// Whether the first migration of all makes what is there: the database was made by other means.
  private func meetsOlderSchema(_ failure: MigrationFailure) -> Bool {
    guard ["migrate", "plan", "rebuild"].contains(command), preface == nil, failure.isRolledBack,
      failure.identifier == migrator.migrations.first
    else { return false }
    let error = (failure.underlying as? SQLMigration.StatementError)?.underlying ?? failure.underlying
    return (error as? DatabaseError)?.message.hasSuffix(" already exists") ?? false
  }

  private func olderSchemaRemedy(_ usual: String?) -> String {
    let rest = usual.map { " Else " + $0.prefix(1).lowercased() + $0.dropFirst() } ?? ""
    return
      "If the database had its tables before it had migrations, `\(toolName) baseline` marks as applied what is "
      + "there, and `\(toolName) adopt` takes over another tool's history." + rest
  }

  /// The reason and the remedy; what happened is the caller's to say.
  private func reason(_ error: any Error) -> ToolFailure {
    var report = ToolFailure(exitCode: .migrationFailed, what: "", remedy: remedy(for: nil))
    switch error {
    case let error as SQLMigration.StatementError:
      report = reason(error.underlying)
      report.place = ToolFailure.Place(error)
    case let error as DatabaseError:
      report.why = [error.reason]
      report.remedy = remedy(for: error)
    case let error as ForeignKeyViolationError:
      // The first one names the columns, too.
      report.why = [error.databaseError.message] + error.places.dropFirst()
      let rest = error.violationCount - error.places.count
      if rest > 0 { report.why.append("and \(rest) more") }
      report.remedy = "Add the rows that are referred to, or remove those that refer to them, and \(again)"
    case MigrationError.refusedStatement(_, let reason):
      report.why = [reason]
    case MigrationError.mergesUnfinished(let unfinished):
      report.why = ["it merges \(listed(unfinished)), begun and not ended"]
      report.remedy =
        "Put \(listed(unfinished)) back in place of this one, let \(unfinished.count == 1 ? "it" : "them") come to an end, "
        + "and merge then."
    case let error as SQLMigration.PartialMergeError:
      report.why = [error.description]
      report.remedy = "Apply \(listed(error.missing.sorted())) with the files that were merged, and \(again)"
    default:
      report.why = [String(describing: error)]
    }
    return report
  }

  private func remedy(for error: DatabaseError?) -> String {
    switch error?.condition {
    case .full:
      return "Make room on the disk of the database and of temporary files, or raise the limit, and \(again)"
    case .constraint:
      return "Correct the rows that break the rule, in the file or by a statement before it, and \(again)"
    case .busy:
      return "Let the other program finish, and \(again)"
    case .misuse where error?.resultCode == nil && files != nil:
      return "Write the value itself: a file's statements get no values for ? and :name. Then \(again)"
    case .statement, .none:
      return "Correct \(files == nil ? "the migration" : "the file"), and \(again)"
    default:
      return (error?.remedy.map { $0.asSentence + " Then " } ?? "Correct what the error names, and ") + again
    }
  }

  private var again: String { command == "watch" ? "save it." : "run `\(toolName) \(command)` again." }

  private static let halfDoneRemedy = "See which of its statements have run, and undo them or take them out. "

  private func rolledBack(
    _ identifier: String, _ undone: MigrationFailure.Undone, before: [String], stop: String
  ) -> String {
    let own =
      switch undone {
      case .everything: "everything in \(identifier)"
      case .lastBatch: "the last batch of \(identifier); those before it stay"
      case .nothing: "nothing, for \(identifier) runs without a transaction: what it did before \(stop) stays"
      }
    return rolledBack(own, before: before)
  }

  private func rolledBack(_ own: String, before: [String]) -> String {
    let stays = before.isEmpty ? nil : "\(listed(before)) \(before.count == 1 ? "stays" : "stay") applied"
    return [own, stays, preface].compactMap(\.self).joined(separator: "; ")
  }

  private var interrupted: ToolFailure {
    var report = ToolFailure(
      exitCode: .interrupted, what: "interrupted", migration: current,
      rolledBack: rolledBack("nothing, for no migration was running", before: applied),
      remedy: "Run `\(toolName) \(command)` again to go on.", applied: applied)
    guard let current else { return report }
    let undone = migrator.undoneOnFailure(of: current) ?? .everything
    report.rolledBack = rolledBack(current, undone, before: applied, stop: "that")
    if undone == .nothing { report.remedy = Self.halfDoneRemedy + "Then " + again }
    return report
  }

  // MARK: Refusals

  private func adoption(_ refusal: AdoptionRefusal) -> ToolFailure {
    switch refusal {
    case .unmapped(let history, let entries):
      refused(
        history, "it holds \(listed(entries)), for which there is no migration",
        "Bring the files for them, name the migration that each stands for with --map OLD=ID, or say what becomes of them "
          + "with --unmapped keep or --unmapped leave-out.")
    case .unregistered(let history, let entry, let identifier):
      refused(
        history, "\(entry) was mapped to \(identifier), which is no migration",
        "Correct --map; `\(toolName) status` lists the migrations.")
    case .ambiguous(let history, let entry, let identifiers):
      refused(history, "\(entry) could be each of \(listed(identifiers))", "Say which with --map \(entry)=ID.")
    case .unfinished(let history, let entries):
      refused(
        history, "\(listed(entries)) began and did not succeed",
        "Repair the database with the tool that wrote it, and adopt again.")
    case .unrecognizedTable(let history, let columns):
      refused(
        history, "its columns \(listed(columns)) are not those of a tool that is known",
        "Mark what is applied with `\(toolName) baseline` instead.")
    case .unreadableEntry(let history):
      refused(
        history, "the version of an entry is neither a number nor a text",
        "Repair it, or mark what is applied with `\(toolName) baseline` instead.")
    }
  }

  private func refused(_ history: String, _ reason: String, _ remedy: String) -> ToolFailure {
    .refused("the history in \(history) cannot be taken over", why: [reason], remedy: "Nothing was changed. " + remedy)
  }

  private func baseline(_ refusal: BaselineRefusal) -> ToolFailure {
    let name = "Nothing was changed. Name the last migration that the database has with --to ID"
    switch refusal {
    case .schemaDiffers(let last, let reasons):
      return .refused(
        "\(path) does not have the schema that the migrations up to \(last) make", why: reasons.map(\.description),
        remedy: name + ", or correct the migrations.")
    case .schemaBeyond(let last, let migration, let objects):
      return .refused(
        "\(path) is beyond \(last)", why: ["it has \(listed(objects)), which \(migration) makes"], remedy: name + ".")
    case .alreadyMigrated(let applied):
      return .refused(
        "\(path) has a record of \(counted(applied.count, "applied migration")) already",
        remedy: "Nothing was changed. `\(toolName) migrate` applies what is pending.")
    case .replayFailed(let failure): return untouched(migration(failure))
    }
  }
}
