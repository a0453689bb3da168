internal import Migrator
internal import SQLMigrations

/// Turns the errors of a run into what the user reads.
struct MigrationErrorReport {
  /// The migrations.
  let source: MigrationSource
  /// The command, for "run it again".
  let context: CommandContext
  /// The database's path.
  let path: String
  /// The migration that was running; nil when none was.
  var current: String?
  /// The migrations that the run had applied.
  var applied: [String] = []
  /// What happened to the database before the migrations ran, such as that it was erased; nil when nothing did.
  var preface: String?

  /// The failure that a run ended with.
  func failure(_ error: any Error) -> ToolFailure {
    if let failure = error as? ToolFailure { return failure }
    if context.interrupt.hasArrived { return interrupted }
    switch error {
    case let error as MigrationError: return failure(error)
    case let error as MigrationFile.StatementError: return statement(error)
    case let error as ForeignKeyViolationError:
      var report = reason(error)
      report.what = "rows refer to rows that do not exist"
      return report
    default: return ErrorReport.database(error, path: path)
    }
  }

  private func failure(_ error: MigrationError) -> ToolFailure {
    switch error {
    case .failed(let failure): return migration(failure)
    case .replayFailed(let failure):
      return Self.untouched(migration(failure), path: path)
    case .unknownTarget(let target): return unknownTarget(target)
    case .migratedBeyond(let target):
      return .usage(
        "\(path) is already beyond \(target)", why: "migrations only run forward",
        remedy: "Nothing was done. Name a later migration with --to, or leave --to out.")
    case .adoptionRefused(let refusal): return RefusalWords(context: context, path: path).adoption(refusal)
    case .baselineRefused(let refusal): return RefusalWords(context: context, path: path).baseline(refusal, self)
    case .ledgerUnreadable: return ErrorReport.database(error, path: path)
    default:
      return ToolFailure(
        exitCode: .migrationFailed, what: "the migrations could not be run", why: [String(describing: error)])
    }
  }

  /// The same failure, met on a scratch database.
  static func untouched(_ failure: ToolFailure, path: String) -> ToolFailure {
    var failure = failure
    failure.rolledBack = "nothing; it was tried on an empty scratch database first, and \(path) was not touched"
    failure.applied = []
    return failure
  }

  /// A target that is no migration.
  func unknownTarget(_ target: String) -> ToolFailure {
    let known = source.migrator.migrations
    let nearest = known.first { $0.hasPrefix(target) } ?? Suggestion.nearest(to: target, among: known)
    return .usage(
      "there is no migration \(target)",
      remedy: nearest.map { "Did you mean \($0)?" } ?? "`\(context.toolName) status` lists the migrations.")
  }

  /// What the user reads of a migration that failed.
  func migration(_ failure: MigrationFailure) -> ToolFailure {
    let name = failure.identifier
    let number = failure.count > 1 ? " (\(failure.index) of \(failure.count))" : ""
    var report = statementOrReason(failure)
    report.what = "migration \(name)\(number) failed"
    report.migration = name
    report.applied = failure.appliedBefore
    report.rolledBack = rolledBack(failure)
    if meetsOlderSchema(failure) { report.remedy = olderSchemaRemedy(report.remedy) }
    if !failure.isRolledBack { report.remedy = Self.halfDoneRemedy + (report.remedy ?? "") }
    return report
  }

  /// Whether the first migration of all makes what is there: the database was made by other means.
  private func meetsOlderSchema(_ failure: MigrationFailure) -> Bool {
    guard ["migrate", "plan", "rebuild"].contains(context.command.name), preface == nil, failure.isRolledBack,
      failure.identifier == source.migrator.migrations.first
    else { return false }
    let error = (failure.underlying as? MigrationFile.StatementError)?.underlying ?? failure.underlying
    return (error as? DatabaseError)?.message.hasSuffix(" already exists") ?? false
  }

  private func olderSchemaRemedy(_ usual: String?) -> String {
    let rest = usual.map { " Else " + $0.prefix(1).lowercased() + $0.dropFirst() } ?? ""
    return
      "If the database had its tables before it had migrations, `\(context.toolName) baseline` marks as applied what is "
      + "there, and `\(context.toolName) adopt` takes over another tool's history." + rest
  }

  private func statementOrReason(_ failure: MigrationFailure) -> ToolFailure {
    if let error = failure.underlying as? MigrationFile.StatementError { return statement(error) }
    var report = reason(failure.underlying)
    report.place = source.file(failure.identifier).map { ToolFailure.Place(path: $0.path) }
    return report
  }

  /// A statement of a file that failed, be it a migration's or a seed's.
  func statement(_ error: MigrationFile.StatementError) -> ToolFailure {
    var report = reason(error.underlying)
    report.what = "a statement of \(error.file.path) failed"
    report.place = ToolFailure.Place(error)
    return report
  }

  /// The reason and the remedy; what happened is the caller's to say.
  private func reason(_ error: any Error) -> ToolFailure {
    var report = ToolFailure(exitCode: .migrationFailed, what: "", remedy: remedy(for: nil))
    switch error {
    case let error as DatabaseError:
      report.why = [ErrorReport.reason(error)]
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
    case let error as MigrationFile.PartialMergeError:
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
    case .misuse where error?.resultCode == nil && source.hasFiles:
      return "Write the value itself: a file's statements get no values for ? and :name. Then \(again)"
    case .statement, .none:
      return "Correct \(source.hasFiles ? "the file" : "the migration"), and \(again)"
    default:
      return (error?.remedy.map { $0.asSentence + " Then " } ?? "Correct what the error names, and ") + again
    }
  }

  private var again: String {
    context.command.name == "watch" ? "save it." : "run `\(context.toolName) \(context.command.name)` again."
  }

  private static let halfDoneRemedy = "See which of its statements have run, and undo them or take them out. "

  private func rolledBack(_ failure: MigrationFailure) -> String {
    rolledBack(failure.identifier, failure.undone, before: failure.appliedBefore, stop: "the error")
  }

  /// What became of the migration that stopped, and of those before it.
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
      remedy: "Run `\(context.toolName) \(context.command.name)` again to go on.", applied: applied)
    guard let current else { return report }
    let undone = source.migrator.undoneOnFailure(of: current) ?? .everything
    report.rolledBack = rolledBack(current, undone, before: applied, stop: "that")
    if undone == .nothing { report.remedy = Self.halfDoneRemedy + "Then " + again }
    return report
  }
}
