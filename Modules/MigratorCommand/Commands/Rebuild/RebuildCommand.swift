internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  /// Erases and rebuilds.
  static let rebuild = ToolCommand(
    name: "rebuild",
    summary: "erase and rebuild the database when its migrations changed",
    details: [
      "For development: when applied migrations were edited, removed or reordered, or make another schema than the database "
        + "has, says why, erases the database and applies all migrations anew. Without such a change, only what is pending is "
        + "applied.",
      "Says first what would be lost and asks; where nobody can be asked, --yes is needed. The migrations are tried on an empty "
        + "scratch database before anything is erased, up to the first that runs without a transaction, and the previous file is "
        + "kept as NAME.bak-<time> (the newest three).",
      "With --keep-data, the rows of tables that are defined as before are put back from that file, in place of what the "
        + "migrations and the seed insert; rows that would refer to rows which are gone are not.",
      "A database that the tool did not create is refused, unless --force-foreign is given.",
    ],
    examples: [
      Example("rebuild --database dev.sqlite", "rebuild if an applied migration was edited"),
      Example(
        "rebuild --database dev.sqlite --force --seed seed.sql --yes", "begin anew with sample rows, without a question"
      ),
    ],
    options: [.force, .seed, .keepData, .forceForeign]
  ) { context throws(ToolFailure) in
    var command = try RebuildCommand(context)
    let report = try command.run()
    context.output.json(report)
    return .done
  }
}

extension OptionSpecification {
  /// Rebuilds an unchanged database too.
  static let force = OptionSpecification(
    name: "force", group: .command, help: "rebuild also when no migration changed")
  /// What fills the rebuilt database.
  static let seed = OptionSpecification(
    name: "seed", placeholder: "FILE.sql", group: .command,
    help: "run this file after the migrations, in one transaction", completion: .file)
  /// Puts rows back.
  static let keepData = OptionSpecification(
    name: "keep-data", group: .command, help: "put the rows back of tables that did not change")
}

/// `rebuild`.
struct RebuildCommand {
  let context: CommandContext
  let output: Output
  let source: MigrationSource
  let database: DatabaseTarget
  private let seed: MigrationFile?
  private(set) var runner: MigrationRunner

  /// Why `watch` rebuilds a database whose migrations did not change.
  private static let savedSeed = "the seed was saved"

  /// What earlier rebuilds of this process know; nil outside of `watch`.
  let session: WatchSession?

  /// Reads the migrations and the seed.
  ///
  /// - Parameter session: What to go on with, under `watch`.
  init(_ context: CommandContext, session: WatchSession? = nil) throws(ToolFailure) {
    self.session = session
    self.context = context
    output = context.output
    let runner = try MigrationRunner(context)
    source = runner.source
    seed = try context.arguments.value(of: .seed).map { path throws(ToolFailure) in
      try SeedFile.read(path, toolName: context.toolName)
    }
    database = if let session { session.database } else { try DatabaseTarget(context, creates: true) }
    self.runner = runner.at(database.path)
  }

  /// Rebuilds, or applies what is pending.
  ///
  /// - Returns: What was done, for JSON.
  mutating func run() throws(ToolFailure) -> RebuildReport {
    let erasure = DatabaseErasure(context: context, database: database, source: source)
    let queue = try database.open()
    let (state, reasons, schema) = try read(queue, erasure)
    var report = RebuildReport(database)
    let earlier = earlierRows(state, &report)
    report.reasons = reasons.map(\.description) + (earlier?.reason(state).map { [$0] } ?? [])
    let isForced = (context.arguments.contains(.force) || session?.forces ?? false) && !state.isBlank
    var erased: DatabaseErasure.Erased?
    if !report.reasons.isEmpty || isForced {
      explain(report.reasons)
      if report.reasons.isEmpty, session?.forces ?? false { report.reasons = [Self.savedSeed] }
      try permit(erasure, state)
      try rehearse()
      erased = try erasure.erase(queue, told: state, marking: true, puttingBack: rowsToPutBack(earlier))
      report.lost = erased?.contents.tables ?? []
      report.backup = erased?.backup
      runner.preface = erased.map(Self.preface)
    }
    let isFresh = erased != nil || state.ledger.isEmpty && state.contents.isEmpty
    if erased == nil { announce(MigrationStates(source, ledger: state.ledger).identifiers(.pending), isFresh: isFresh) }
    let before = isFresh ? nil : try digests(queue)
    try fill(queue, isFresh: isFresh, &report)
    if isFresh {
      report.kept = try keepRows(of: erased?.rowsToPutBack ?? earlier?.name, queue)
    } else if let before, let after = try digests(queue) {
      // What they insert is among the rows that are there; what is made of such a table anew is not known.
      session?.made?.forget(changedFrom: before, to: after)
    }
    report.isRebuilt = erased != nil
    if session != nil { report.schema = try difference(since: schema, queue) }
    try close(queue)
    erased?.letGo()
    finish(report, earlier, isFresh: isFresh)
    return report
  }

  // MARK: Steps

  private func read(
    _ queue: DatabaseQueue, _ erasure: DatabaseErasure
  ) throws(ToolFailure) -> (DatabaseErasure.State, [SchemaChangeReason], SchemaSnapshot) {
    do {
      return try context.interrupt.whileWatching(onArrival: { queue.interrupt() }) {
        try queue.read { db in
          var state = try erasure.state(db)
          // Who may erase all need not be told apart, for which migrations are run that may fail.
          if !context.arguments.contains(.forceForeign) { state.strangers = try source.migrator.strangers(db) }
          return (state, try source.migrator.schemaChanges(db), try db.schema())
        }
      }
    } catch {
      throw MigrationErrorReport(source: source, context: context, path: database.path).failure(error)
    }
  }

  /// Under `watch`, one answer is for all rebuilds that follow.
  private func permit(_ erasure: DatabaseErasure, _ state: DatabaseErasure.State) throws(ToolFailure) {
    if session?.isPermitted ?? false {
      guard !state.isMarked || !state.otherLedgers.isEmpty || !state.strangers.isEmpty else { return }
    }
    let question = "Erase \(database.path) and rebuild it from \(source.summary)"
    try erasure.permission(state).obtain(question + (session == nil ? "?" : ", now and at each save?"))
    session?.isPermitted = true
  }

  /// What is in the tables, where a later rebuild of this process wants to know.
  private func digests(_ queue: DatabaseQueue) throws(ToolFailure) -> TableDigests? {
    guard session?.made != nil else { return nil }
    do {
      return try queue.read(TableDigests.init)
    } catch {
      throw ErrorReport.database(error, path: database.path)
    }
  }

  private func difference(since schema: SchemaSnapshot, _ queue: DatabaseQueue) throws(ToolFailure)
    -> SchemaDifferenceReport
  {
    do {
      return try queue.read { db in
        SchemaDifferenceReport(try db.schemaDifference(since: schema, leavingOut: source.migrator.ledgerTable))
      }
    } catch {
      throw ErrorReport.database(error, path: database.path)
    }
  }

  private func explain(_ reasons: [String]) {
    if reasons.isEmpty {
      let reason = context.arguments.contains(.force) ? "--force was given" : Self.savedSeed
      output.line("Rebuilding \(database.path), since \(reason)")
      return
    }
    output.line("Rebuilding \(database.path), since:")
    for reason in reasons {
      output.line("  " + output.style(reason.replacing("\n", with: "\n  "), .waiting))
    }
  }

  private func announce(_ pending: [String], isFresh: Bool) {
    guard !pending.isEmpty else { return }
    let count = counted(pending.count, "pending migration")
    let freshness = database.file == .missing ? "new" : "empty"
    output.line(
      isFresh ? "\(database.path) is \(freshness): \(count)" : "No migration changed since it was applied: \(count)")
  }

  /// Tries the migrations on an empty database, so that a mistake in them is found while the old data is there.
  ///
  /// Only those of files: an app's own may do more than change the database, and would do it twice. One that runs without
  /// a transaction may name other files, and those behind it may need what it does.
  private func rehearse() throws(ToolFailure) {
    guard let files = source.folder?.files else { return }
    let tried = files.prefix(while: \.runsInTransaction)
    guard let last = tried.last else { return }
    let scratch: DatabaseQueue
    do {
      scratch = try DatabaseQueue(database.backend.makeBackend(database.location).scratch())
      try context.interrupt.whileWatching(onArrival: { [scratch] in scratch.interrupt() }) {
        try source.migrator.run(scratch, upTo: last.identifier, rebuilding: .never)
        if tried.count == files.count, let seed, seed.runsInTransaction { try runner.fill(scratch, from: seed) }
      }
      try scratch.close()
    } catch {
      let failure = MigrationErrorReport(source: source, context: context, path: database.path).failure(error)
      throw MigrationErrorReport.untouched(failure, path: database.path)
    }
  }

  private func fill(_ queue: DatabaseQueue, isFresh: Bool, _ report: inout RebuildReport) throws(ToolFailure) {
    if isFresh {
      do {
        try DevelopmentMark.addIfBlank(queue)
      } catch {
        throw MigrationErrorReport(source: source, context: context, path: database.path).failure(error)
      }
    }
    let reporter = try runner.run(queue)
    report.applied = reporter.applied
    report.warnings += reporter.warnings
    report.durationInSeconds = reporter.duration.roundedSeconds
    if !reporter.applied.isEmpty { output.line(MigrateCommand.summary(reporter)) }
    guard isFresh, let seed else { return }
    do {
      try runner.seed(queue, seed)
    } catch {
      throw seedFailure(error, seed)
    }
    report.seed = seed.path
    output.line("Seeded from \(seed.path) (\(counted(seed.statements.count, "statement"))).")
  }

  /// The migrations have not changed the next time, so that only `--force` brings the seed another chance.
  private func seedFailure(_ error: ToolFailure, _ seed: MigrationFile) -> ToolFailure {
    guard error.exitCode != .interrupted else { return error }
    var failure = error
    let own =
      seed.runsInTransaction ? "everything in \(seed.path)" : "nothing, for \(seed.path) runs without a transaction"
    failure.rolledBack = [own, "the migrations stay applied", runner.preface].compactMap(\.self).joined(separator: "; ")
    failure.remedy =
      session == nil
      ? "Correct the file, and run `\(context.toolName) rebuild --force --seed \(seed.path.shellWord)`."
      : "Correct the file, and save it."
    return failure
  }

  private func close(_ queue: DatabaseQueue) throws(ToolFailure) {
    do {
      try queue.close()
    } catch {
      throw ErrorReport.database(error, path: database.path)
    }
  }

  private func finish(_ report: RebuildReport, _ earlier: EarlierRows?, isFresh: Bool) {
    if let backup = report.backup { output.line("The previous file is kept as \(backup).") }
    tell(of: report.kept ?? [], earlier)
    if let schema = report.schema, !schema.isEmpty {
      output.line(output.style("Schema", .strong))
      for line in schema.lines(style: output.style) { output.line("  " + line) }
    }
    if !isFresh, report.applied.isEmpty {
      output.line("Nothing to do: no migration changed since it was applied, and none is pending.")
    }
    if !isFresh, session == nil, let seed {
      output.line(
        "\(seed.path) was not run: a seed fills a database that was rebuilt or empty. Add --force to rebuild it.")
    }
  }

  private static func preface(_ erased: DatabaseErasure.Erased) -> String {
    "the database had been erased before" + (erased.backup.map { ", and the previous file is kept as \($0)" } ?? "")
  }
}
