internal import Migrator

extension ToolCommand {
  /// Removes everything.
  static let erase = ToolCommand(
    name: "erase",
    summary: "remove every object of the database",
    details: [
      "Removes every table, view and trigger with all rows, the record of applied migrations included, in one transaction. "
        + "The file itself, its settings and its key stay.",
      "Says first what would be lost and asks; where nobody can be asked, --yes is needed. The previous file is kept as "
        + "NAME.backup-<time> (the newest three).",
      "A database that the tool did not create is refused, unless --force-foreign is given.",
    ],
    examples: [Example("erase --database dev.sqlite", "say what is in it, ask, and remove it")],
    options: [.forceForeign]
  ) { context throws(ToolFailure) in try EraseCommand(context).run() }
}

/// `erase`.
struct EraseCommand {
  private let context: CommandContext

  init(_ context: CommandContext) { self.context = context }

  func run() throws(ToolFailure) -> ExitCode {
    // No migration is run, but the record of applied ones has to be told from the user's tables.
    let source = MigrationSource(ownOf: context)
    let database = try DatabaseTarget(context, creates: false)
    guard database.file != .missing else {
      throw ToolFailure(
        exitCode: .cannotOpen, what: "there is no database at \(database.path)",
        remedy: "Check the path; there is nothing to erase.")
    }
    var report = EraseReport(database)
    guard database.file != .empty else { return finish(report, nil) }
    let queue = try database.open()
    let erasure = DatabaseErasure(context: context, database: database, source: source)
    let state = try read(queue, erasure)
    guard !state.isBlank else { return finish(report, nil) }
    try erasure.permission(state).obtain("Erase \(database.path)?")
    let erased = try erasure.erase(queue, told: state, marking: false)
    do {
      try queue.close()
    } catch {
      throw ErrorReport.database(error, path: database.path)
    }
    report.isErased = true
    report.lost = erased.contents.tables
    report.backup = erased.backup
    return finish(report, erased)
  }

  private func read(_ queue: DatabaseQueue, _ erasure: DatabaseErasure) throws(ToolFailure) -> DatabaseErasure.State {
    do {
      return try queue.read(erasure.state)
    } catch {
      throw ErrorReport.database(error, path: erasure.database.path)
    }
  }

  private func finish(_ report: EraseReport, _ erased: DatabaseErasure.Erased?) -> ExitCode {
    if let erased {
      context.output.line("Erased \(report.database): \(erased.contents.summary).")
      if let backup = report.backup { context.output.line("The previous file is kept as \(backup).") }
    } else {
      context.output.line("Nothing to do: \(report.database) holds nothing.")
    }
    context.output.json(report)
    return .done
  }
}

/// What `erase` says, as JSON.
struct EraseReport: Encodable {
  /// The version of this format.
  var format = 1
  /// The command.
  var command = "erase"
  /// The database's path.
  var database: String
  /// The backend's name.
  var backend: String
  /// Whether there was anything to erase.
  var isErased = false
  /// What was lost.
  var lost: [DatabaseContents.Table] = []
  /// The previous file; nil when there was nothing to keep.
  var backup: String?

  init(_ target: DatabaseTarget) {
    database = target.path
    backend = target.backend.name
  }
}
