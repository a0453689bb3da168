internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

extension ToolCommand {
  static let rebuild = ToolCommand(
    name: "rebuild",
    summary: "erase and rebuild the database if its migrations changed",
    details: [
      "For development: if applied migrations were edited, removed or reordered, or if they create a different schema than the "
        + "database has, explains why, erases the database, and applies all migrations again. Without such a change, applies only "
        + "the pending migrations.",
      "First runs the migrations on an empty scratch database, up to the first one that runs without a transaction: if one fails, "
        + "nothing is erased. Then lists what would be lost and asks for confirmation; without a terminal, --yes is required, or the "
        + "token that the list ends with (--plan). Keeps a backup as NAME.backup-<time>, also before pending migrations change a database with "
        + "rows: the newest three, an older one with more rows, and each one with rows or values that --keep-data could not restore, or "
        + "that a pending migration removed. `restore` lists and restores backups.",
      "With --keep-data, restores the rows of unchanged tables from that backup, in place of the rows that the migrations and the "
        + "seed file insert. Of a changed table, restores the columns that it still has, if its new columns take NULL or have a "
        + "default; --rename says that a table or column was renamed, as the app's migrator does with `.keepingRows(renames:)`. Skips "
        + "tables whose rows would refer to missing rows.",
      "Refuses a database that neither `rebuild` nor `watch` created, unless --force-foreign is given.",
    ],
    examples: [
      Example("rebuild --database dev.sqlite", "rebuild if an applied migration was edited"),
      Example(
        "rebuild --database dev.sqlite --force --seed seed.sql --yes",
        "start over with sample rows, without confirmation"
      ),
      Example("rebuild --keep-data --rename player.nick=name", "keep the rows, also of a renamed column"),
    ],
    options: [.force, .seed, .keepData, .rename, .forceForeign, .plan, .confirm]
  ) { context throws(ToolFailure) in
    var command = try RebuildCommand(context)
    let report = try command.run()
    context.json(report, command.database)
    return .done
  }
}

extension OptionSpecification {
  static let force = OptionSpecification(name: "force", help: "rebuild even if no migration changed")
}

struct RebuildCommand {
  private var runner: MigrationRunner
  private var context: CommandContext { runner.context }
  private var output: Output { context.output }
  private var source: MigrationSource { runner.source }
  var database: DatabaseTarget { runner.database }

  /// The reason that `watch` prints when it rebuilds a database although no migration has changed.
  private static let savedSeed = "the seed file was saved"
  /// The state that `watch` passes from one rebuild to the next; nil outside of `watch`.
  private let session: RebuildSession?

  init(_ context: CommandContext, session: RebuildSession? = nil) throws(ToolFailure) {
    self.session = session
    runner = try MigrationRunner(context, MigrationSource(context), creates: true, database: session?.database)
  }

  /// Rebuilds the database if necessary; otherwise only applies the pending migrations.
  mutating func run() throws(ToolFailure) -> RebuildReport {
    if context.arguments.contains(.keepData) {
      try database.requireFile(
        "--keep-data restores rows from a backup file", remedy: "Omit --keep-data, or write a seed file with --seed.")
    }
    let erasure = DatabaseErasure(context: context, database: database, confirmation: confirmation)
    let queue = try database.open()
    let (state, states, reasons, schema) = try read(queue, erasure)
    let renames = try renamed(in: schema)
    var report = RebuildReport()
    let earlier = earlierRows(state, &report)
    report.reasons = reasons.map(\.description)
    // An empty database need not be erased; only the rows have to be restored.
    if let earlier, !state.isEmpty { report.reasons.append(Self.unfinished(earlier)) }
    let isForced = (context.arguments.contains(.force) || session?.forces ?? false) && !state.isBlank
    let erases = !report.reasons.isEmpty || isForced
    let pending = states.identifiers(.pending)
    try requireSafety(pending, states, erases: erases)
    if !erases {
      if !pending.isEmpty { try confirmation.requireToken() }
      try confirmation.require(state.token)
    }
    let erased = try erases ? erase(queue, erasure, state, earlier, &report) : nil
    let isFresh = erased != nil || state.isEmpty
    if erased == nil { announce(pending, isFresh: isFresh) }
    let before = isFresh ? nil : try digests(queue)
    let reviewsRows = !isFresh && !pending.isEmpty && state.contents.hasRows
    if reviewsRows { report.backup = try erasure.backUp(queue) }
    try fill(queue, isFresh: isFresh, reviewsRows: reviewsRows, &report)
    if isFresh {
      let outcomes = try keepRows(of: erased?.rowsToPutBack ?? earlier, renames, queue)
      if let outcomes { for note in report.add(outcomes) { output.warning(note) } }
    } else if let before, let after = try digests(queue) {
      // The inserted rows are now mixed with existing rows, so the digests of these tables are unknown.
      session?.made?.forget(changedFrom: before, to: after)
    }
    report.isRebuilt = erased != nil
    if session != nil { report.schema = try changes(since: schema, queue) }
    try database.catching { try queue.close() }
    finish(report, earlier, isFresh: isFresh)
    return report
  }

  // MARK: Steps

  /// Rehearses the migrations, asks for permission, and erases the database, after a backup.
  private mutating func erase(
    _ queue: DatabaseQueue, _ erasure: DatabaseErasure, _ state: DatabaseErasure.State, _ earlier: String?,
    _ report: inout RebuildReport
  ) throws(ToolFailure) -> DatabaseErasure.Erased {
    explain(report.reasons)
    if report.reasons.isEmpty, session?.forces ?? false { report.reasons = [Self.savedSeed] }
    try rehearse(replacing: state.contents)
    try permit(erasure, state)
    let erased = try erasure.erase(queue, known: state, marking: true, earlier: earlier)
    report.erased = erased.contents.tables
    report.lost = report.erased
    report.backup = erased.backup
    runner.preface =
      "the database had already been erased"
      + (report.backup.map { ", and a backup is kept as \($0)" } ?? "")
    return erased
  }

  private func changes(
    since schema: SchemaSnapshot, _ queue: DatabaseQueue
  ) throws(ToolFailure) -> SchemaDifferenceReport {
    try database.catching {
      try queue.read { db in
        SchemaDifferenceReport(
          SchemaDifference(from: schema, to: try db.connection.schema(), leavingOut: [source.migrator.ledgerTable]))
      }
    }
  }

  private var confirmation: PlanConfirmation {
    var confirmation = runner.confirmation
    confirmation.settings =
      [OptionSpecification.force, .keepData].map { "\(context.arguments.contains($0))" }
      + context.arguments.values(of: .rename) + [runner.seed?.text ?? ""]
    return confirmation
  }

  private func read(
    _ queue: DatabaseQueue, _ erasure: DatabaseErasure
  ) throws(ToolFailure) -> (DatabaseErasure.State, MigrationStates, [SchemaChangeReason], SchemaSnapshot) {
    try runner.failures.catching {
      try context.interruptible(queue) {
        try queue.read { db in
          var state = try erasure.state(db)
          // To find out, migrations must be run, which may fail; with permission to erase everything it is unnecessary.
          if !context.arguments.contains(.forceForeign) {
            state.otherMigrations = try source.migrator.migrationsOfAnotherMigrator(db)
          }
          return (
            state, try MigrationStates(source, in: db), try source.migrator.differencesFromMigrations(db),
            try db.schemaWithoutViewColumns()
          )
        }
      }
    }
  }

  /// Throws a refusal if a migration that will run changes the ledger or, unless the database is erased first, if
  /// another tool has applied it.
  private func requireSafety(
    _ pending: [String], _ states: MigrationStates, erases: Bool
  ) throws(ToolFailure) {
    let applied = erases ? source.migrator.migrations : pending
    if let refusal = source.ledgerRefusal(applied) { throw refusal }
    if !erases, let recorded = states.recorded(upTo: nil) { throw recorded.refusal(toolName: context.toolName) }
  }

  /// Asks the user for permission to erase the database.
  ///
  /// Under `watch`, one answer applies to all later rebuilds.
  private func permit(_ erasure: DatabaseErasure, _ state: DatabaseErasure.State) throws(ToolFailure) {
    if session?.isPermitted ?? false {
      guard !state.isMarked || !state.otherLedgers.isEmpty || !state.otherMigrations.isEmpty else { return }
    }
    let question = "Erase \(database.path.oneLine) and rebuild it from \(source.summary)"
    try erasure.obtainPermission(state, question + (session == nil ? "?" : ", now and after each save?"))
    session?.isPermitted = true
  }

  private func digests(_ queue: DatabaseQueue) throws(ToolFailure) -> RowDigests? {
    guard session?.made != nil else { return nil }
    return try database.catching { try queue.read { try RowDigests($0, besides: source.migrator.ownTables) } }
  }

  private func explain(_ reasons: [String]) {
    if reasons.isEmpty {
      let reason = context.arguments.contains(.force) ? "--force was given" : Self.savedSeed
      output.line("\(database.path.oneLine) must be rebuilt, because \(reason)")
      return
    }
    output.line("\(database.path.oneLine) must be rebuilt, because:")
    output.lines(reasons.map { "  " + output.style($0.replacing("\n", with: "\n  "), .waiting) })
  }

  private func announce(_ pending: [String], isFresh: Bool) {
    guard !pending.isEmpty else { return }
    let count = counted(pending.count, "pending migration")
    let freshness = database.file == .missing ? "new" : "empty"
    output.line(
      isFresh
        ? "\(database.path.oneLine) is \(freshness): \(count)" : "No change of an applied migration was found: \(count)"
    )
  }

  /// Runs the migrations in an empty database, to find mistakes before the old data is erased, and tables that could not get
  /// their rows back.
  ///
  /// Stops at a migration that runs without a transaction: it may write to other files, and later migrations may
  /// depend on its changes.
  private func rehearse(replacing contents: DatabaseContents) throws(ToolFailure) {
    let migrations = source.migrator.migrations
    let tried = migrations.prefix { source.migrator.undoneOnFailure(of: $0) != .nothing }
    guard let last = tried.last else { return }
    var failures = runner.failures.onEmptyDatabase
    // What the database contains is about to be erased.
    failures.openDatabase = nil
    try ScratchDatabase(database).withQueue(limitsStatements: false, failure: failures.failure) { scratch in
      try source.migrator.run(scratch, upTo: last, mayErase: false)
      if tried.count == migrations.count, let seed = runner.seed, seed.runsInTransaction {
        try runner.fill(scratch, from: seed)
      }
      if context.arguments.contains(.keepData) {
        try scratch.writeWithoutTransaction { try KeptRows.requireWritable(contents, in: $0) }
      }
    }
  }

  /// Runs the migrations.
  ///
  /// - Parameter reviewsRows: Whether to warn of the rows that migrations have removed and not put back, and to retain the backup that
  ///   contains them.
  private func fill(
    _ queue: DatabaseQueue, isFresh: Bool, reviewsRows: Bool, _ report: inout RebuildReport
  ) throws(ToolFailure) {
    if isFresh { try database.catching { try DevelopmentMark.addIfBlank(queue) } }
    let reporter = RunReporter(output, source)
    var found: [RowLoss] = []
    let backup = report.backup
    defer {
      let applied = Set(reporter.applied.map(\.identifier))
      let losses = found.filter {
        applied.contains($0.migration) || source.migrator.undoneOnFailure(of: $0.migration) != .everything
      }
      if !losses.isEmpty, let backup { BackupFolder.retain(path(ofKept: FileSystem.name(of: backup))) }
      for loss in losses { output.warning(loss.summary) }
      report.add(losses)
    }
    try runner.run(queue, reporter, reviewing: reviewsRows ? RowLossReview { losses, _ in found += losses } : nil)
    report.applied = reporter.applied
    report.warnings += reporter.warnings
    report.durationInSeconds = reporter.duration.roundedSeconds
    if !reporter.applied.isEmpty { output.line(reporter.summary) }
    // SQL files have checksums.
    if source.folder == nil, !reporter.applied.isEmpty {
      try database.catching { try source.migrator.recordRows(queue) }
    }
    guard isFresh, let seed = runner.seed else { return }
    do {
      try runner.seed(queue, seed)
    } catch {
      throw seedFailure(error, seed)
    }
    report.seed = seed.path
    output.line("Seeded from \(seed.path.oneLine) (\(counted(seed.statements.count, "statement"))).")
  }

  /// Adds the remedy to a failure of the seed file.
  ///
  /// At the next rebuild no migration will have changed, so the seed file runs again only with `--force`.
  private func seedFailure(_ error: ToolFailure, _ seed: MigrationFile) -> ToolFailure {
    guard error.exitCode != .interrupted else { return error }
    var failure = error
    let own =
      seed.runsInTransaction ? "everything in \(seed.path)" : "nothing, because \(seed.path) runs without a transaction"
    failure.rolledBack = [own, "the migrations stay applied", runner.preface].compactMap(\.self).joined(separator: "; ")
    failure.remedy =
      session == nil
      ? "Correct the file, and run `\(context.toolName) rebuild --force --seed \(seed.path.shellWord)`."
      : "Correct the file, and save it."
    return failure
  }

  private func finish(_ report: RebuildReport, _ earlier: String?, isFresh: Bool) {
    if let backup = report.backup {
      output.line("A backup is kept as \(backup.oneLine)\(report.isLossy ? "; \(context.restoreAdvice)" : "").")
    }
    print(report.kept ?? [], earlier: earlier)
    if let schema = report.schema, !schema.isEmpty {
      output.lines([output.style("Schema", .strong)] + schema.lines(style: output.style).map { "  " + $0 })
    }
    if !isFresh, report.applied.isEmpty {
      output.line("Nothing to do: no change of an applied migration was found, and none is pending.")
    }
    if !isFresh, session == nil, let seed = runner.seed {
      output.line(
        "\(seed.path) did not run: a seed file only runs on a rebuilt or empty database. Add --force to rebuild it.")
    }
  }

  // MARK: Rows

  /// Returns the renamed tables and columns that the command line names, and those that the app's migrator names.
  private func renamed(in schema: SchemaSnapshot) throws(ToolFailure) -> SchemaRenames {
    let texts = context.arguments.values(of: .rename)
    guard texts.isEmpty || context.arguments.contains(.keepData) else {
      throw .usage("--rename needs --keep-data", remedy: "Add --keep-data.")
    }
    do {
      var renames = try SchemaRenames(parsing: texts, of: schema)
      // The same command line holds after the rename, too.
      for (old, new) in renames.tables where [old, new].allSatisfy({ schema.object(.table, named: $0) == nil }) {
        throw SchemaRenames.Failure.noSuchTable(old)
      }
      for (table, columns) in renames.columns {
        let current = schema.table(table) ?? renames.tables[table].flatMap { schema.table($0) }
        let known = Set(current?.columns.map(\.name.asciiLowercased) ?? [])
        for (old, new) in columns where known.isDisjoint(with: [old.asciiLowercased, new.asciiLowercased]) {
          throw SchemaRenames.Failure.noSuchColumn(old, table: table)
        }
      }
      if case .keepingRows(let named) = source.migrator.erasure {
        renames.add(try SchemaRenames(named.map { (old: $0.key, new: $0.value) }, of: schema))
      }
      return renames
    } catch {
      throw .usage(
        "the rows cannot be kept", why: String(describing: error), remedy: "Correct the name, or omit --rename.")
    }
  }

  /// Returns the name of the backup with the rows that an interrupted rebuild erased and did not restore.
  ///
  /// Returns nil if there are no such rows. If they exist but are not to be restored now, prints a warning and returns
  /// nil.
  private func earlierRows(_ state: DatabaseErasure.State, _ report: inout RebuildReport) -> String? {
    guard let name = state.unfinished else { return nil }
    let isThere = FileSystem.exists(path(ofKept: name))
    guard !isThere || !context.arguments.contains(.keepData) else { return name }
    let warning =
      Self.unfinished(name)
      + (isThere ? "; `\(context.toolName) rebuild --keep-data` restores them" : ", which no longer exists")
    output.warning(warning)
    report.warnings.append(warning)
    return nil
  }

  private static func unfinished(_ name: String) -> String {
    "an earlier rebuild ended before it restored the rows in \(name)"
  }

  /// Restores rows from the backup with this name if `--keep-data` is given; otherwise returns nil.
  private func keepRows(
    of name: String?, _ renames: SchemaRenames, _ queue: DatabaseQueue
  ) throws(ToolFailure) -> [KeptRows.Outcome]? {
    guard context.arguments.contains(.keepData) else { return nil }
    do {
      let made = try queue.read { try RowDigests($0, besides: source.migrator.ownTables) }
      let before = session?.made
      session?.made = made
      guard let name else { return [] }
      return try queue.writeWithoutTransaction { db in
        try db.keepTemporaryRowsInMemory()
        return try db.readBackup(at: path(ofKept: name)) { kept in
          let before = try before ?? (runner.seed == nil ? source.migrator.recordedRows(kept) : nil)
          let rows = KeptRows(
            ownTables: source.migrator.ownTables, made: (before: before, now: made), renames: renames)
          return try db.withoutForeignKeys {
            var outcomes: [KeptRows.Outcome] = []
            try db.inTransaction(.immediate) {
              outcomes = try rows.restore(from: kept, to: db)
              try DevelopmentMark.forgetUnfinished(db)
              return .commit
            }
            return outcomes
          }
        }
      }
    } catch {
      var failure = FailureReport.database(error, path: database.path)
      failure.rolledBack = "the rebuilt database has the rows that the migrations insert; " + (runner.preface ?? "")
      throw failure
    }
  }

  private func print(_ kept: [KeptRows.Outcome], earlier: String?) {
    let back = kept.filter(\.hasRows).map { back in back.table + (back.rows.map { " (\($0))" } ?? "") }
    if !back.isEmpty {
      output.line("Kept the rows of \(listed(back))\(earlier.map { ", from \($0)" } ?? "").")
    }
    let refilled = kept.filter(\.isRefilled).map(\.table)
    if !refilled.isEmpty { output.line("Refilled \(listed(refilled)) from the indexed rows.") }
  }

  private func path(ofKept name: String) -> String { FileSystem.resolve(database.path).folder + "/" + name }
}
