internal import Migrator
internal import MigratorLint
internal import SQLMigrations

extension ToolCommand {
  static let migrate = ToolCommand(
    name: "migrate",
    summary: "apply pending migrations",
    details: [
      "Applies the pending migrations in order, each in its own transaction, which also records it. When one fails, it is rolled "
        + "back; earlier ones stay applied, and later ones do not run.",
      "Reads all files before the first one runs. Creates the database if it does not exist.",
      "--dry-run changes nothing: it runs the migrations on a scratch copy and shows what they do, like `plan`.",
      "--plan TOKEN applies exactly what `plan` has shown: refuses if the database, its history or schema, a migration, the target "
        + "or the environment has changed since. With \"confirm\": \"plan\" for an environment in migrator.json, the token is "
        + "required there.",
      "Refuses a pending migration that comes before an applied one, unless --allow-out-of-order is given. Also refuses a "
        + "renamed file, which has the contents of an applied migration whose file is missing, and would run a second time; "
        + "and migrations that another tool recorded in the database, until `adopt` imports its history. Refuses a "
        + "file that changes the migrator's own table, unless a comment allows it (`lint --rules`, ledger-change).",
      fleetDetails,
    ],
    examples: [
      Example("migrate --database app.sqlite", "apply all pending migrations"),
      Example("migrate --database app.sqlite --dry-run", "show what that would do"),
      Example(
        "migrate --database app.sqlite --plan 6b1f20c94e77a2d8-5d0e8a7b41f3", "apply exactly what `plan` has shown"),
      Example("migrate --database secret.db --key-file key", "the same for an encrypted database"),
      Example(
        "migrate --databases 'tenants/*.db' --canary 20",
        "many databases: 20 of them first, and the others only if these succeed"),
    ],
    options: [
      .to, .plan, .confirm, .dryRun, .rows, .allowOutOfOrder, .oneTransaction, .confirmLoss, .mustExist, .strict,
    ]
      + OptionSpecification.fleet
  ) { context throws(ToolFailure) in
    guard !context.arguments.contains(.dryRun) else { return try PlanCommand.run(context) }
    let command = { @Sendable (context: CommandContext, source: MigrationSource) throws(ToolFailure) in
      try MigrateCommand(runner: MigrationRunner(context, source, creates: true))
    }
    return try context.onEachDatabase(
      looking: { context, source throws(ToolFailure) in try command(context, source).look() }
    ) { context, source throws(ToolFailure) in try command(context, source).report() }
  }
}

extension OptionSpecification {
  static let oneTransaction = OptionSpecification(
    name: "one-transaction", help: "apply all pending migrations or, when one fails, none")
  static let dryRun = OptionSpecification(
    name: "dry-run", help: "show what migrate would do, like `plan`, and change nothing")
  static let confirmLoss = OptionSpecification(
    name: "confirm-loss",
    help: "ask before migrations that lose columns or values of tables with rows, and before each commit that leaves a "
      + "table with fewer rows or values; refuse them without a terminal or --yes. A file that runs without a transaction is "
      + "asked about if it contains a statement that can remove rows or values")
}

struct MigrateCommand {
  let runner: MigrationRunner
  private var context: CommandContext { runner.context }
  private var database: DatabaseTarget { runner.database }
  private var target: String? { runner.target }
  /// The confirmation by the token of a plan; nil if none is given or required.
  private var confirmation: PlanConfirmation? {
    context.arguments.contains(.plan) || context.arguments.contains(.confirm) ? runner.confirmation : nil
  }

  func report() throws(ToolFailure) -> DatabaseReport {
    // Before a new file is created.
    if database.file.isNew {
      if !runner.source.migrator.migrations.isEmpty { try confirmation?.requireToken() }
      _ = try pending(MigrationStates(runner.source, ledger: []))
    }
    let queue = try database.open()
    let (states, engine) = try database.catching {
      try database.reading(queue) { db in (try MigrationStates(runner.source, in: db), db.engine) }
    }
    var report = Report(isNew: database.file == .missing)
    do throws(ToolFailure) {
      return try run(queue, states, engine, &report)
    } catch {
      var failure = error
      failure.version = states.version(with: report.applied.map(\.identifier) + report.skipped) ?? ""
      failure.report = report
      throw failure
    }
  }

  private func run(
    _ queue: DatabaseQueue, _ states: MigrationStates, _ engine: EngineDescription, _ report: inout Report
  ) throws(ToolFailure) -> DatabaseReport {
    let output = context.output
    let folderWarnings = (runner.source.folder?.warnings ?? []).map(\.what)
    let warnings = states.warnings(context, of: .migrate(upTo: target))
    report.warnings = folderWarnings + warnings.map(\.what)
    for warning in warnings { output.warning(warning.what, remedy: warning.remedy) }
    let pending = try pending(states)
    // Compared again under the lock, unless nothing is pending.
    if let check = confirmation?.check {
      try runner.failures.catching { try database.reading(queue, check) }
    }
    output.line(heading(pending, states, engine))
    if let note = formatNote(engine) { output.line(note) }
    if !pending.isEmpty {
      try confirmation?.requireToken()
      try apply(pending, queue, &report)
    }
    try database.catching { try queue.close() }
    return DatabaseReport(
      database: database, json: report, outcome: report.outcome,
      // Other processes may have applied some of them.
      version: states.version(with: pending),
      warnings: report.warnings.dropFirst(folderWarnings.count) + report.losses.map(\.sentence),
      isMigrated: !report.applied.isEmpty)
  }

  /// Applies the pending migrations, and adds to the report what was done, even if one fails.
  private func apply(_ pending: [String], _ queue: DatabaseQueue, _ report: inout Report) throws(ToolFailure) {
    var inspection = LossInspection(context: context, source: runner.source, pending: pending)
    inspection.findsPossibleRemovals = context.arguments.contains(.confirmLoss)
    let review = LossReview(context, inspection, path: database.path)
    let counting = try prepare(review, inspection, queue)
    let reporter = RunReporter(context.output, runner.source)
    defer {
      (report.applied, report.skipped) = (reporter.applied, reporter.skipped)
      report.losses = review.findings
      report.warnings += reporter.warnings
      report.durationInSeconds = reporter.duration.roundedSeconds
    }
    try runner.run(queue, reporter, reviewing: counting, confirming: confirmation?.check)
    context.output.line(reporter.summary)
  }

  /// Finds and permits the losses that can be found before the run; returns the review of the others.
  private func prepare(
    _ review: LossReview, _ inspection: LossInspection, _ queue: DatabaseQueue
  ) throws(ToolFailure) -> RowLossReview? {
    guard !database.file.isNew else { return nil }
    let (losses, scope) = try runner.failures.catching {
      try database.reading(queue) { db in
        (try inspection.findings(in: db), try inspection.removalScopes(in: db))
      }
    }
    try review.permit(losses)
    return review.counting(scope)
  }

  /// Returns the migrations to apply; throws a refusal if one of them is out of order, if its file was renamed, if
  /// another tool has applied it, or if it changes the ledger.
  private func pending(_ states: MigrationStates) throws(ToolFailure) -> [String] {
    if let target, let index = states.list.firstIndex(where: { $0.identifier == target }),
      states.list[(index + 1)...].contains(where: \.isApplied)
    {
      throw runner.failures.failure(MigrationError.migratedBeyond(target: target))
    }
    if let failure = states.refusal(context, upTo: target) { throw failure }
    let pending = states.pending(upTo: target)
    if let failure = runner.source.ledgerRefusal(pending) { throw failure }
    return pending
  }

  /// Reads the token of a database of a fleet, and whether migrations are pending, without changing anything.
  func look() throws(ToolFailure) -> DatabaseReport {
    let queue = try database.openForLooking()
    let (states, token) = try runner.failures.catching {
      try database.reading(queue) { db in
        (try MigrationStates(runner.source, in: db), try runner.confirmation.token(db))
      }
    }
    try database.catching { try queue.close() }
    return DatabaseReport(
      database: database, json: Report(), outcome: "", token: token, isPending: !states.pending(upTo: target).isEmpty)
  }

  private func heading(_ pending: [String], _ states: MigrationStates, _ engine: EngineDescription) -> String {
    guard pending.isEmpty else {
      let isNew = database.file.isNew ? "new, " : ""
      return
        "\(database.path.oneLine) (\(isNew)\(engine.name) \(engine.version)): \(counted(pending.count, "pending migration"))"
    }
    let left = states.all(.pending).count
    if left > 0 {
      return
        "Nothing to do: everything up to that migration is applied; \(left) later \(left == 1 ? "one is" : "ones are") pending"
    }
    // Unknown migrations exist only in the database; a separate warning lists them.
    let count = runner.source.migrator.migrations.count
    return "Nothing to do: \(count == 1 ? "the migration is applied" : "all \(count) migrations are applied")"
  }

  /// Returns a note that a new encrypted file gets an older format because the engine is older; nil if it does not.
  private func formatNote(_ engine: EngineDescription) -> String? {
    guard database.file.isNew, database.backend.needsKey, database.location.cipher.compatibility == nil,
      let major = Int(engine.version.prefix { $0 != "." }), major < 4
    else { return nil }
    let option = OptionSpecification.library(of: database.backend).name
    return
      "note: the new file gets the format of SQLCipher \(major), whose key derivation is weaker than that of version 4. For "
      + "version 4, name a newer library with --\(option) PATH."
  }

  struct Report: Encodable, Sendable {
    var applied: [RunReporter.Applied] = []
    /// The losses that were found before the run and before its commits.
    var losses: [LintFinding] = []
    var warnings: [String] = []
    var durationInSeconds = 0.0
    /// The pending migrations that another process applied in the meantime.
    var skipped: [String] = []
    /// Whether the database did not exist before the command.
    var isNew = false

    private enum CodingKeys: CodingKey { case applied, losses, warnings, durationInSeconds }

    var outcome: String { isNew ? "created" : applied.isEmpty ? "up to date" : "migrated" }

    /// Adds the work of an earlier attempt, which did not finish.
    mutating func add(_ earlier: Report) {
      let done = Set(earlier.applied.map(\.identifier))
      // The others were found again if their migrations were still pending.
      losses = earlier.losses.filter { loss in loss.migration.map(done.contains) ?? false } + losses
      let known = Set(warnings)
      warnings += earlier.warnings.filter { !known.contains($0) }
      durationInSeconds += earlier.applied.reduce(0) { $0 + $1.durationInSeconds }
      applied = earlier.applied + applied
      isNew = isNew || earlier.isNew
    }
  }
}

extension FleetCommand.Outcome {
  /// Returns the outcome of a second attempt, including the work of the first one, which ended at a lock.
  func adding(_ first: FleetCommand.Outcome) -> FleetCommand.Outcome {
    guard let failure = first.failure, let earlier = failure.report as? MigrateCommand.Report else { return self }
    switch result {
    case .success(var report):
      guard var json = report.json as? MigrateCommand.Report else { return self }
      let (losses, warnings) = (json.losses.count, json.warnings.count)
      json.add(earlier)
      report.warnings += json.warnings.dropFirst(warnings)
      report.warnings += json.losses.dropLast(losses).map(\.sentence)
      report.json = json
      (report.outcome, report.isMigrated) = (json.outcome, !json.applied.isEmpty)
      return FleetCommand.Outcome(path: path, result: .success(report))
    case .failure(var second):
      second.applied = earlier.applied.map(\.identifier) + second.applied
      second.version = second.version ?? failure.version
      return FleetCommand.Outcome(path: path, result: .failure(second))
    }
  }
}
