internal import Migrator
internal import MigratorLint
internal import SQLMigrations

extension ToolCommand {
  static let plan = ToolCommand(
    name: "plan",
    summary: "show what migrate would do, by running it on a scratch copy",
    details: [
      "Shows which migrations would run, and runs them on a scratch copy of the database. Shows all that they destroy: tables, "
        + "columns, rows. --verbose also shows why and in which mode each migration runs, its statements, the schema changes, "
        + "and the row counts before and after. `migrate --dry-run` does the same.",
      "Does not write to the database. Statements that access other files (ATTACH, VACUUM INTO) have no effect on the copy; other "
        + "side effects of a Swift migration outside the database do happen, unless --no-rehearsal is given. The copy is in memory, with the same engine. It has all rows of a database up to 64 MiB, and the first 1000 "
        + "rows of each table of a larger one; --rows overrides this.",
      "Prints a token, with which `migrate --plan TOKEN` applies exactly this plan: it refuses if anything but the rows has changed "
        + "since.",
      "Exits like migrate: with 4 when a migration fails, with 5 when migrate would refuse to run.",
      fleetDetails,
    ],
    examples: [
      Example("plan --database app.sqlite", "show what migrate would do"),
      Example("plan --database app.sqlite --rows none", "show the effect on the schema only, without reading rows"),
      Example("plan --database app.sqlite --to 0003_prices --json", "up to one migration, for a program"),
    ],
    options: [.to, .allowOutOfOrder, .oneTransaction, .rows, .noRehearsal, .function, .mustExist, .strict]
      + OptionSpecification.fleetReading
  ) { context throws(ToolFailure) in try PlanCommand.run(context) }
}

extension OptionSpecification {
  static let rows = OptionSpecification(
    name: "rows", placeholder: "all|none|N", help: "how many rows of each table to copy to the scratch copy"
  )
  static let noRehearsal = OptionSpecification(
    name: "no-rehearsal", help: "list the migrations without running them, not even on a copy")
}

struct PlanCommand {
  /// The maximum size of a database whose rows are all copied; the copy is in memory.
  private static let largestFullCopyInBytes = 64 << 20

  let runner: MigrationRunner
  private var context: CommandContext { runner.context }
  private var database: DatabaseTarget { runner.database }
  private var target: String? { runner.target }

  static func run(_ context: CommandContext) throws(ToolFailure) -> ExitCode {
    try context.onEachDatabase { context, source throws(ToolFailure) in
      try PlanCommand(runner: MigrationRunner(context, source, creates: false)).report()
    }
  }

  private func report() throws(ToolFailure) -> DatabaseReport {
    let copy = try extent()
    let rehearsed = try rehearse(copying: copy.extent)
    let warnings = rehearsed.states.warnings(context, of: .migrate(upTo: target))
    for text in rehearsed.broken { context.output.warning(text, remedy: BrokenObjects.remedy) }
    let skipped = (runner.source.folder?.warnings ?? []).map(\.what)
    let failure = failure(rehearsed)?.naming(nextIn: context.tool, context.arguments)
    var report = PlanReport(
      rehearsed.plan, rehearsed.result,
      refusals: rehearsed.states.refusals(upTo: target) + (rehearsed.ledgerRefusal.map { [$0.what] } ?? [])
        + rehearsed.plan.refusals.map(\.description),
      engine: rehearsed.engine, exists: !database.file.isNew, source: runner.source, losses: rehearsed.losses,
      warnings: skipped + warnings.map(\.what) + rehearsed.broken,
      copy: copy.name)
    for warning in warnings { context.output.warning(warning.what, remedy: warning.remedy) }
    let pending = rehearsed.plan.entries.map(\.identifier)
    let parts = pending.compactMap { runner.source.file($0)?.skippedPart }
    context.output.lines(parts.map { context.output.style("note: \($0)", .faint) })
    let token = failure == nil ? rehearsed.token : nil
    report.token = pending.isEmpty ? nil : token?.text
    PlanText(
      report: report, path: database.path, output: context.output, command: token.map(context.confirmedCommand) ?? "",
      hasFailed: rehearsed.result?.failure != nil
    ).print()
    if let failure { context.output.failure(failure) }
    report.error = failure
    return DatabaseReport(
      database: database, json: report, exitCode: failure?.exitCode ?? .done, failure: failure,
      outcome: database.file == .missing
        ? "missing" : pending.isEmpty ? "up to date" : "would apply \(listed(pending))",
      version: rehearsed.states.version, warnings: warnings.map(\.what) + rehearsed.broken,
      losses: report.migrations.flatMap(\.harms), exists: database.file != .missing, token: token,
      isPending: !pending.isEmpty)
  }

  // MARK: Steps

  private struct Rehearsed {
    var plan: MigrationPlan
    var result: MigrationRehearsal?
    var losses: [LintFinding] = []
    /// The objects that cannot be used after the migrations.
    var broken: [String] = []
    var states: MigrationStates
    /// The refusal of a migration that changes the ledger.
    var ledgerRefusal: ToolFailure?
    /// The token of the state; nil if a run would be refused.
    var token: PlanToken?
    var engine: EngineDescription
  }

  private func extent() throws(ToolFailure) -> (extent: RehearsalCopy, name: String) {
    switch context.arguments.value(of: .rows) {
    case "all": return (.allRows, "all rows")
    case "none": return (.schemaOnly, "no rows")
    case let text?:
      guard let count = Int(text), count >= 0 else {
        throw .usage("--rows cannot be \"\(text)\"", remedy: "Use all, none, or a number of rows.")
      }
      return count == 0
        ? (.schemaOnly, "no rows") : (.rows(limitPerTable: count), "\(counted(count, "row")) of each table")
    case nil:
      // If a database cannot be examined, opening it reports the reason.
      let size = (try? FileSystem.status(of: database.path))?.size ?? 0
      guard size > Self.largestFullCopyInBytes else { return (.allRows, "all rows") }
      return (.rows(limitPerTable: 1000), "1000 rows of each table")
    }
  }

  /// Whether the migrations are run on a copy, not only listed.
  private var tries: Bool { !context.arguments.contains(.noRehearsal) }

  private func rehearse(copying extent: RehearsalCopy) throws(ToolFailure) -> Rehearsed {
    let queue = try database.openForLooking()
    defer { runner.bar?.end() }
    // Counts all rows before it copies the first one.
    if tries { runner.bar?.show("counting rows", 0, of: 0, "rows") }
    do {
      let rehearsed = try context.interruptible(queue) { try queue.read { try rehearse($0, copying: extent) } }
      try queue.close()
      return rehearsed
    } catch {
      var failure = runner.failures.failure(error)
      guard failure.exitCode == .interrupted else { throw failure }
      (failure.rolledBack, failure.remedy) = ("nothing; \(database.path) was not changed", nil)
      throw failure
    }
  }

  private func rehearse(_ db: Database, copying extent: RehearsalCopy) throws -> Rehearsed {
    var migrator = runner.source.migrator
    // The tool erases only in commands that are meant to, and rejects gaps unless an option allows them.
    migrator.eraseDatabaseOnSchemaChange = false
    if !context.arguments.contains(.allowOutOfOrder) { migrator.outOfOrder = .refuse }
    let states = try MigrationStates(runner.source, in: db)
    let plan = try migrator.plan(db, upTo: target)
    var rehearsed = Rehearsed(
      plan: plan, states: states, ledgerRefusal: runner.source.ledgerRefusal(states.pending(upTo: target)),
      token: plan.refusals.isEmpty ? try runner.confirmation.token(db) : nil, engine: db.engine)
    // `migrate` would throw a refusal before it runs anything, so there is nothing to rehearse.
    if tries, states.refusals(upTo: target).isEmpty, rehearsed.ledgerRefusal == nil {
      try run(&rehearsed, with: migrator, db, copying: extent)
    }
    return rehearsed
  }

  /// Runs the migrations on a copy, and adds what they destroy.
  private func run(
    _ rehearsed: inout Rehearsed, with migrator: DatabaseMigrator, _ db: Database, copying extent: RehearsalCopy
  ) throws {
    var inspection = LossInspection(
      context: context, source: runner.source, pending: rehearsed.plan.entries.map(\.identifier))
    inspection.countsRows = extent == .allRows
    inspection.findsDefinitions = true
    // A statement on many rows may take long, and the user has chosen them.
    let copiesChosenRows = context.arguments.value(of: .rows) != nil && extent != .schemaOnly
    var broken = BrokenObjects()
    let result = try migrator.rehearse(
      db, upTo: target, copying: extent,
      statementLimit: copiesChosenRows ? nil : context.output.environment.longestScratchStatement,
      // Of a part of the rows, the values that one column lacks in another one may be in the other rows.
      keepers: inspection.countsRows
        ? .init(ofColumns: inspection.keepers, addsRows: inspection.addsRows, holders: inspection.holders) : .none,
      looking: { copy in
        // A copy has no statistics, but migrations can delete them.
        if try db.connection.columns(in: "sqlite_stat1") != nil {
          try copy.execute(sql: "ANALYZE main.sqlite_master")
        }
        try broken.look(copy)
      }, events: show)
    let counted = inspection.findings(result.rowLosses.filter { $0.column != nil })
    let found = try inspection.findings(in: db).filter { loss in
      !counted.contains { $0.harm == loss.harm && $0.path == loss.path && $0.statement == loss.statement }
    }
    (rehearsed.result, rehearsed.losses) = (result, found + counted)
    rehearsed.broken = broken.new(besides: rehearsed.losses, gaps: result.gaps)
  }

  private func show(_ event: MigrationEvent) {
    runner.bar?.show(event, of: runner.source)
    guard case .committed(let identifier, _, _, let duration) = event else { return }
    context.output.detail("  \(identifier): ran on the copy in \(duration.shortText)")
  }

  /// Returns the failure with which `migrate` would end; nil if it would succeed.
  private func failure(_ rehearsed: Rehearsed) -> ToolFailure? {
    let report = runner.failures
    let refusals = rehearsed.plan.refusals
    // The checks have the same order as in `migrate`.
    if let beyond = refusals.first(where: { if case .migratedBeyond = $0 { true } else { false } }) {
      return report.failure(beyond)
    }
    if let failure = rehearsed.states.refusal(context, upTo: target) ?? rehearsed.ledgerRefusal { return failure }
    if let refusal = refusals.first { return report.failure(refusal) }
    guard let failure = rehearsed.result?.failure else { return nil }
    return report.tried(on: "a scratch copy, and \(database.path) was not changed").migration(failure)
  }
}
