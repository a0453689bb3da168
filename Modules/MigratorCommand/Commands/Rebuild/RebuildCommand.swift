internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  static let rebuild = ToolCommand(
    name: "rebuild",
    summary: "erase and rebuild the database when its migrations changed",
    details: [
      "For development: when applied migrations were edited, removed or reordered, or make another schema than the database "
        + "has, says why, erases the database and applies all migrations anew. Without such a change, only what is pending is "
        + "applied.",
      "Says first what would be lost and asks; where nobody can be asked, --yes is needed. The migrations are tried on an empty "
        + "scratch database before anything is erased, up to the first that runs without a transaction, and the previous file is "
        + "kept as NAME.backup-<time> (the newest three).",
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
    context.json(report, command.database)
    return .done
  }
}

extension OptionSpecification {
  static let force = OptionSpecification(name: "force", help: "rebuild also when no migration changed")
}

struct RebuildCommand {
  private var runner: MigrationRunner
  private var context: CommandContext { runner.context }
  private var output: Output { context.output }
  private var source: MigrationSource { runner.source }
  var database: DatabaseTarget { runner.database }

  /// The reason for which `watch` rebuilds a database whose migrations did not change.
  private static let savedSeed = "the seed was saved"
  /// The state that earlier rebuilds of this process left; nil outside of `watch`.
  private let session: RebuildSession?

  init(_ context: CommandContext, session: RebuildSession? = nil) throws(ToolFailure) {
    self.session = session
    runner = try MigrationRunner(context, creates: true, database: session?.database)
  }

  /// Rebuilds, or applies what is pending.
  mutating func run() throws(ToolFailure) -> RebuildReport {
    let erasure = DatabaseErasure(context: context, database: database, migrator: source.migrator)
    let queue = try database.open()
    let (state, reasons, schema) = try read(queue, erasure)
    var report = RebuildReport()
    let earlier = earlierRows(state, &report)
    report.reasons = reasons.map(\.description)
    // A database that is as good as new is not erased because of these rows, which have only to be put back.
    if let earlier, !state.isEmpty { report.reasons.append(Self.unfinished(earlier)) }
    let isForced = (context.arguments.contains(.force) || session?.forces ?? false) && !state.isBlank
    var erased: DatabaseErasure.Erased?
    if !report.reasons.isEmpty || isForced {
      explain(report.reasons)
      if report.reasons.isEmpty, session?.forces ?? false { report.reasons = [Self.savedSeed] }
      try permit(erasure, state)
      try rehearse()
      erased = try erasure.erase(queue, known: state, marking: true, earlier: earlier)
      report.lost = erased?.contents.tables ?? []
      report.backup = erased?.backup
      runner.preface =
        "the database had been erased before"
        + (report.backup.map { ", and the previous file is kept as \($0)" } ?? "")
    }
    let isFresh = erased != nil || state.isEmpty
    if erased == nil { announce(MigrationStates(source, ledger: state.ledger).identifiers(.pending), isFresh: isFresh) }
    let before = isFresh ? nil : try digests(queue)
    try fill(queue, isFresh: isFresh, &report)
    if isFresh {
      report.kept = try keepRows(of: erased?.rowsToPutBack ?? earlier, queue)
    } else if let before, let after = try digests(queue) {
      // What they insert is among the rows that are there; what is made of such a table again is not known.
      session?.made?.forget(changedFrom: before, to: after)
    }
    report.isRebuilt = erased != nil
    if session != nil {
      report.schema = try database.catching {
        try queue.read { db in
          SchemaDifferenceReport(try db.schemaDifference(since: schema, leavingOut: source.migrator.ledgerTable))
        }
      }
    }
    try database.catching { try queue.close() }
    finish(report, earlier, isFresh: isFresh)
    return report
  }

  // MARK: Steps

  private func read(
    _ queue: DatabaseQueue, _ erasure: DatabaseErasure
  ) throws(ToolFailure) -> (DatabaseErasure.State, [SchemaChangeReason], SchemaSnapshot) {
    try runner.failures.catching {
      try context.interruptible(queue) {
        try queue.read { db in
          var state = try erasure.state(db)
          // To distinguish these, migrations are run that may fail; with the permission to erase all that is not needed.
          if !context.arguments.contains(.forceForeign) {
            state.otherMigrations = try source.migrator.migrationsOfAnotherMigrator(db)
          }
          return (state, try source.migrator.schemaChanges(db), try db.schema())
        }
      }
    }
  }

  /// Under `watch`, one answer is for all rebuilds that follow.
  private func permit(_ erasure: DatabaseErasure, _ state: DatabaseErasure.State) throws(ToolFailure) {
    if session?.isPermitted ?? false {
      guard !state.isMarked || !state.otherLedgers.isEmpty || !state.otherMigrations.isEmpty else { return }
    }
    let question = "Erase \(database.path) and rebuild it from \(source.summary)"
    try erasure.obtainPermission(state, question + (session == nil ? "?" : ", now and at each save?"))
    session?.isPermitted = true
  }

  private func digests(_ queue: DatabaseQueue) throws(ToolFailure) -> TableDigests? {
    guard session?.made != nil else { return nil }
    return try database.catching { try queue.read(TableDigests.init) }
  }

  private func explain(_ reasons: [String]) {
    if reasons.isEmpty {
      let reason = context.arguments.contains(.force) ? "--force was given" : Self.savedSeed
      output.line("Rebuilding \(database.path), since \(reason)")
      return
    }
    output.line("Rebuilding \(database.path), since:")
    output.lines(reasons.map { "  " + output.style($0.replacing("\n", with: "\n  "), .waiting) })
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
  /// Only those of files: an app's own may do more than change the database, and would do it twice. One that runs
  /// without a transaction may name other files, and those after it may need what it does.
  private func rehearse() throws(ToolFailure) {
    guard let files = source.folder?.files else { return }
    let tried = files.prefix(while: \.runsInTransaction)
    guard let last = tried.last else { return }
    do {
      let scratch = try ScratchDatabase(database).open()
      try context.interruptible(scratch) {
        try source.migrator.run(scratch, upTo: last.identifier, rebuilding: .never)
        if tried.count == files.count, let seed = runner.seed, seed.runsInTransaction {
          try runner.fill(scratch, from: seed)
        }
      }
      try scratch.close()
    } catch {
      throw runner.failures.untouched(runner.failures.failure(error))
    }
  }

  private func fill(_ queue: DatabaseQueue, isFresh: Bool, _ report: inout RebuildReport) throws(ToolFailure) {
    let reporter = try runner.run(queue)
    report.applied = reporter.applied
    report.warnings += reporter.warnings
    report.durationInSeconds = reporter.duration.roundedSeconds
    if !reporter.applied.isEmpty { output.line(reporter.summary) }
    guard isFresh, let seed = runner.seed else { return }
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

  private func finish(_ report: RebuildReport, _ earlier: String?, isFresh: Bool) {
    if let backup = report.backup { output.line("The previous file is kept as \(backup).") }
    print(report.kept ?? [], earlier: earlier)
    if let schema = report.schema, !schema.isEmpty {
      output.lines([output.style("Schema", .strong)] + schema.lines(style: output.style).map { "  " + $0 })
    }
    if !isFresh, report.applied.isEmpty {
      output.line("Nothing to do: no migration changed since it was applied, and none is pending.")
    }
    if !isFresh, session == nil, let seed = runner.seed {
      output.line(
        "\(seed.path) was not run: a seed fills a database that was rebuilt or empty. Add --force to rebuild it.")
    }
  }

  // MARK: Rows

  /// The name of the file, beside the database, with the rows that an earlier rebuild has erased and not put back, since
  /// it was ended before; nil when there are none, or when they are not to be put back now, about which it warns.
  private func earlierRows(_ state: DatabaseErasure.State, _ report: inout RebuildReport) -> String? {
    guard let name = state.unfinished else { return nil }
    let isThere = FileSystem.exists(path(ofKept: name))
    guard !isThere || !context.arguments.contains(.keepData) else { return name }
    let warning =
      Self.unfinished(name)
      + (isThere ? "; `\(context.toolName) rebuild --keep-data` does" : ", which is not there any more")
    output.warning(warning)
    report.warnings.append(warning)
    return nil
  }

  private static func unfinished(_ name: String) -> String {
    "an earlier rebuild ended before it had put back the rows that are in \(name)"
  }

  /// Puts back the rows of tables that did not change, from the kept file of that name, where that is asked for.
  private func keepRows(of name: String?, _ queue: DatabaseQueue) throws(ToolFailure) -> [KeptRows.Outcome]? {
    guard context.arguments.contains(.keepData) else { return nil }
    do {
      let made = try queue.read(TableDigests.init)
      let before = session?.made
      session?.made = made
      guard let name else { return [] }
      return try KeptRows(target: database, ownTables: source.migrator.ownTables, made: (before: before, now: made))
        .restore(from: path(ofKept: name), to: queue)
    } catch {
      var failure = FailureReport.database(error, path: database.path)
      failure.rolledBack = "the rebuilt database holds what the migrations insert; " + (runner.preface ?? "")
      throw failure
    }
  }

  private func print(_ kept: [KeptRows.Outcome], earlier: String?) {
    let back = kept.filter(\.hasRows).map { back in back.table + (back.rows.map { " (\($0))" } ?? "") }
    if !back.isEmpty {
      output.line("Kept the rows of \(listed(back))\(earlier.map { ", which were in \($0)" } ?? "").")
    }
    let refilled = kept.filter(\.isRefilled).map(\.table)
    if !refilled.isEmpty { output.line("Filled \(listed(refilled)) anew from the rows that it searches.") }
    for left in kept {
      if let reason = left.reason { output.line("Not kept: the rows of \(left.table), since \(reason).") }
    }
  }

  private func path(ofKept name: String) -> String { FileSystem.resolve(database.path).folder + "/" + name }
}
