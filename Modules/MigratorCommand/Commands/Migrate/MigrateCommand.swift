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
      "Refuses a pending migration that comes before an applied one, unless --allow-out-of-order is given. Also refuses a "
        + "renamed file, which has the contents of an applied migration whose file is missing, and would run a second time.",
      fleetDetails,
    ],
    examples: [
      Example("migrate --database app.sqlite", "apply all pending migrations"),
      Example("migrate --database app.sqlite --dry-run", "show what that would do"),
      Example("migrate --database secret.db --key-file key", "the same for an encrypted database"),
      Example(
        "migrate --databases 'tenants/*.db' --canary 20",
        "many databases: 20 of them first, and the others only if these succeed"),
    ],
    options: [.to, .dryRun, .rows, .allowOutOfOrder, .oneTransaction, .confirmLoss, .mustExist, .strict]
      + OptionSpecification.fleet
  ) { context throws(ToolFailure) in
    guard !context.arguments.contains(.dryRun) else { return try PlanCommand.run(context) }
    return try context.onEachDatabase { context, source throws(ToolFailure) in
      try MigrateCommand(runner: MigrationRunner(context, creates: true, source: source)).report()
    }
  }
}

extension OptionSpecification {
  static let oneTransaction = OptionSpecification(
    name: "one-transaction", help: "apply all pending migrations or, when one fails, none")
  static let dryRun = OptionSpecification(
    name: "dry-run", help: "show what migrate would do, like `plan`, and change nothing")
  static let confirmLoss = OptionSpecification(
    name: "confirm-loss", help: "ask before migrations that would lose rows; refuse them without a terminal or --yes")
}

struct MigrateCommand {
  let runner: MigrationRunner
  private var context: CommandContext { runner.context }
  private var database: DatabaseTarget { runner.database }
  private var target: String? { runner.target }

  func report() throws(ToolFailure) -> DatabaseReport {
    let queue = try database.open()
    let (ledger, engine, histories) = try database.catching {
      try database.reading(queue) { db in
        let ledger = try runner.source.migrator.history(db)
        return (ledger, db.engine, try ToolHistory.notImported(db, ledger: ledger))
      }
    }
    let states = MigrationStates(runner.source, ledger: ledger, histories: histories)
    do throws(ToolFailure) {
      return try run(queue, states, engine)
    } catch {
      var failure = error
      failure.version = states.version(with: error.applied) ?? ""
      throw failure
    }
  }

  private func run(
    _ queue: DatabaseQueue, _ states: MigrationStates, _ engine: EngineDescription
  ) throws(ToolFailure) -> DatabaseReport {
    let output = context.output
    let warnings = states.warnings(toolName: context.toolName, refusesGaps: true)
    for warning in warnings { output.warning(warning.what, remedy: warning.remedy) }
    let pending = try pending(states)
    output.line(heading(pending, states, engine))
    let losses = try losses(pending, queue)
    try permit(losses)
    let run = pending.isEmpty ? nil : try runner.run(queue)
    try database.catching { try queue.close() }
    if let run { output.line(run.summary) }
    let skipped = (runner.source.folder?.warnings ?? []).map(\.what)
    let applied = run?.applied ?? []
    let ownWarnings = warnings.map(\.what) + (run?.warnings ?? [])
    return DatabaseReport(
      database: database,
      json: Report(
        applied: applied, losses: losses, warnings: skipped + ownWarnings,
        durationInSeconds: run?.duration.roundedSeconds ?? 0),
      outcome: database.file == .missing ? "created" : applied.isEmpty ? "up to date" : "migrated",
      version: states.version(with: applied.map(\.identifier)),
      warnings: ownWarnings + losses.map(Self.sentence), isMigrated: !applied.isEmpty)
  }

  /// Returns the migrations to apply; throws a refusal if one of them is out of order, or if its file was renamed.
  private func pending(_ states: MigrationStates) throws(ToolFailure) -> [String] {
    if let target, let index = states.list.firstIndex(where: { $0.identifier == target }),
      states.list[(index + 1)...].contains(where: \.isApplied)
    {
      throw runner.failures.failure(MigrationError.migratedBeyond(target: target))
    }
    if let failure = states.editedRefusal(context) { throw failure }
    if let failure = states.renamedRefusal(upTo: target, toolName: context.toolName) { throw failure }
    if !context.arguments.contains(.allowOutOfOrder), let failure = states.outOfOrderRefusal(upTo: target) {
      throw failure
    }
    return states.pending(upTo: target)
  }

  private func losses(_ pending: [String], _ queue: DatabaseQueue) throws(ToolFailure) -> [LintFinding] {
    guard !pending.isEmpty, !database.file.isNew else { return [] }
    let inspection = LossInspection(context: context, source: runner.source)
    return try runner.failures.catching {
      try context.interruptible(queue) {
        try database.reading(queue) { db in try inspection.findings(pending, in: db) }
      }
    }
  }

  /// Warns of losses, and asks for permission if `--confirm-loss` is given.
  private func permit(_ losses: [LintFinding]) throws(ToolFailure) {
    for loss in losses { context.output.warning(Self.sentence(loss), remedy: loss.remedy) }
    guard !losses.isEmpty, context.arguments.contains(.confirmLoss), !context.arguments.contains(.yes) else { return }
    guard context.output.environment.isInputTerminal else {
      throw .refused(
        "`migrate` needs confirmation, because the pending migrations would remove rows or values",
        why: context.isFleet
          ? ["--confirm-loss cannot ask for confirmation when there are several databases"] + losses.map(Self.sentence)
          : ["the command cannot ask for confirmation without a terminal"],
        remedy: "To apply them anyway, add --yes; otherwise change the migrations.")
    }
    try context.confirm("Apply the migrations to \(database.path)?")
  }

  private static func sentence(_ loss: LintFinding) -> String { "\(loss.place): \(loss.reason)" }

  private func heading(_ pending: [String], _ states: MigrationStates, _ engine: EngineDescription) -> String {
    guard pending.isEmpty else {
      let isNew = database.file.isNew ? "new, " : ""
      return
        "\(database.path) (\(isNew)\(engine.name) \(engine.version)): \(counted(pending.count, "pending migration"))"
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

  private struct Report: Encodable, Sendable {
    var applied: [RunReporter.Applied]
    /// The losses that were found before the run.
    var losses: [LintFinding]
    var warnings: [String]
    var durationInSeconds: Double
  }
}
