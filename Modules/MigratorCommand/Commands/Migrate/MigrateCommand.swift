internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  /// Applies what is pending.
  static let migrate = ToolCommand(
    name: "migrate",
    summary: "apply pending migrations",
    details: [
      "Applies the pending migrations in their order, each in a transaction of its own that also records it. When one fails, "
        + "it is rolled back, those before it stay, and those after it do not run.",
      "All files are read before the first one runs. The database is created when it does not exist.",
      "--dry-run changes nothing: it tries the migrations on a scratch copy and shows what they do, as `plan` does.",
      "A pending migration that comes before an applied one is refused, unless --allow-out-of-order is given. So is a file "
        + "with the text of an applied one that is gone: it was renamed, and would run a second time.",
    ],
    examples: [
      Example("migrate --database app.sqlite", "apply what is pending"),
      Example("migrate --database app.sqlite --dry-run", "see what that would do"),
      Example("migrate --database secret.db --key-file key", "the same for an encrypted database"),
    ],
    options: [.to, .dryRun, .rows, .allowOutOfOrder]
  ) { context throws(ToolFailure) in
    guard context.arguments.contains(.dryRun) else { return try MigrateCommand(context).run() }
    return try PlanCommand(context).run()
  }
}

extension OptionSpecification {
  /// The last migration to apply.
  static let to = OptionSpecification(
    name: "to", placeholder: "ID", group: .command, help: "stop after this migration")
  /// Changes nothing.
  static let dryRun = OptionSpecification(
    name: "dry-run", group: .command, help: "show what would be done, as `plan` does, and change nothing")
  /// Accepts gaps.
  static let allowOutOfOrder = OptionSpecification(
    name: "allow-out-of-order", group: .command, help: "also apply migrations that come before an applied one")
}

/// `migrate`.
struct MigrateCommand {
  private let context: CommandContext
  private let output: Output
  private let runner: MigrationRunner
  private let database: DatabaseTarget
  private let target: String?

  init(_ context: CommandContext) throws(ToolFailure) {
    self.context = context
    output = context.output
    let runner = try MigrationRunner(context)
    target = try runner.source.target(context)
    database = try DatabaseTarget(context, creates: true)
    self.runner = runner.at(database.path)
  }

  func run() throws(ToolFailure) -> ExitCode {
    let queue = try database.open()
    let ledger: [LedgerEntry]
    let engine: EngineDescription
    do {
      (ledger, engine) = try queue.read { db in (try runner.source.migrator.history(db), db.engine) }
    } catch {
      throw ErrorReport.database(error, path: database.path)
    }
    let states = MigrationStates(runner.source, ledger: ledger)
    let warnings = warn(states)
    let pending = try pending(states)
    output.line(heading(pending, states, engine))
    let reporter = pending.isEmpty ? nil : try apply(pending, queue)
    try close(queue)
    if let reporter { output.line(Self.summary(reporter)) }
    output.json(MigrateReport(database, reporter: reporter, warnings: warnings))
    return .done
  }

  private func apply(_ pending: [String], _ queue: DatabaseQueue) throws(ToolFailure) -> RunReporter {
    do {
      try DevelopmentMark.addIfBlank(queue)
    } catch {
      throw MigrationErrorReport(source: runner.source, context: context, path: database.path).failure(error)
    }
    return try runner.run(queue, upTo: target)
  }

  private func close(_ queue: DatabaseQueue) throws(ToolFailure) {
    do {
      try queue.close()
    } catch {
      throw ErrorReport.database(error, path: database.path)
    }
  }

  // MARK: What is pending

  private func warn(_ states: MigrationStates) -> [String] {
    let warnings = StateWarnings(states, toolName: context.toolName, takesOutOfOrder: true).all
    for warning in warnings { output.warning(warning.what, remedy: warning.remedy) }
    return warnings.map(\.what)
  }

  /// The migrations to apply.
  ///
  /// - Throws: ``ToolFailure`` as a refusal when one of them comes before an applied one.
  private func pending(_ states: MigrationStates) throws(ToolFailure) -> [String] {
    try requireNotBeyondTarget(states)
    let pending = states.pending(upTo: target)
    if let failure = RenamedRefusal(states, upTo: target).failure(toolName: context.toolName) { throw failure }
    guard !context.arguments.contains(.allowOutOfOrder) else { return pending }
    let refusal = OutOfOrderRefusal(states, upTo: target)
    if refusal.applies { throw refusal.failure }
    return pending
  }

  private func requireNotBeyondTarget(_ states: MigrationStates) throws(ToolFailure) {
    guard let target, let index = states.list.firstIndex(where: { $0.identifier == target }) else { return }
    guard states.list[(index + 1)...].contains(where: \.isApplied) else { return }
    throw MigrationErrorReport(source: runner.source, context: context, path: database.path)
      .failure(MigrationError.migratedBeyond(target: target))
  }

  // MARK: Words

  private func heading(_ pending: [String], _ states: MigrationStates, _ engine: EngineDescription) -> String {
    if pending.isEmpty { return "Nothing to do: \(upToDate(states))" }
    let isNew = database.file.isNew ? "new, " : ""
    return "\(database.path) (\(isNew)\(engine.name) \(engine.version)): \(counted(pending.count, "pending migration"))"
  }

  private func upToDate(_ states: MigrationStates) -> String {
    let left = states.all(.pending).count
    guard left == 0 else {
      return "everything up to there is applied; \(left) later \(left == 1 ? "one is" : "ones are") pending"
    }
    // Without those that are only in the database, of which a warning tells.
    let count = runner.source.migrator.migrations.count
    return count == 1 ? "the migration is applied" : "all \(count) migrations are applied"
  }

  /// What was applied, and in which time: "Applied 3 migrations in 12 ms.".
  static func summary(_ reporter: RunReporter) -> String {
    "Applied \(counted(reporter.applied.count, "migration")) in \(reporter.duration.shortText)."
  }
}
