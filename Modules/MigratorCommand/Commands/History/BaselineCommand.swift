internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  /// Marks migrations as applied.
  static let baseline = ToolCommand(
    name: "baseline",
    summary: "mark migrations as applied in a database that has their schema",
    details: [
      "For a database that was made by other means: marks the migrations as applied without running them. Before that, they are "
        + "tried on an empty scratch database, and their schema must be found in the database; otherwise nothing is done, and "
        + "each difference is told. Rows are not compared.",
      "A database that has a record of applied migrations already is refused.",
    ],
    examples: [
      Example("baseline --database old.sqlite", "the database has what all migrations make"),
      Example("baseline --database old.sqlite --to 0003_prices", "it has what they make up to there"),
    ],
    options: [.to]
  ) { context throws(ToolFailure) in try BaselineCommand(context).run() }
}

/// `baseline`.
struct BaselineCommand {
  private let context: CommandContext
  private let source: MigrationSource
  private let database: DatabaseTarget
  private let target: String?

  init(_ context: CommandContext) throws(ToolFailure) {
    self.context = context
    source = try MigrationSource(context)
    target = try source.target(context)
    database = try DatabaseTarget(context, creates: false)
  }

  func run() throws(ToolFailure) -> ExitCode {
    try database.requireExisting("`\(context.toolName) migrate` creates it; a new database needs no baseline.")
    let queue = try database.open()
    let marked: [String]
    do {
      let before = Set(try queue.read { try source.migrator.history($0).map(\.identifier) })
      try context.interrupt.whileWatching(onArrival: { queue.interrupt() }) {
        try source.migrator.baseline(queue, upTo: target)
      }
      marked = try queue.read { try source.migrator.history($0).map(\.identifier).filter { !before.contains($0) } }
      try queue.close()
    } catch {
      throw MigrationErrorReport(source: source, context: context, path: database.path).failure(error)
    }
    print(marked)
    context.output.json(HistoryReport(database, command: "baseline", marked: marked))
    return .done
  }

  private func print(_ marked: [String]) {
    guard !marked.isEmpty else {
      context.output.line("Nothing to do: \(database.path) has these migrations in its record already.")
      return
    }
    context.output.line(
      "\(database.path) has the schema that \(counted(marked.count, "migration")) \(marked.count == 1 ? "makes" : "make"); marked as "
        + "applied without running:")
    for identifier in marked { context.output.line("  " + context.output.style(identifier, .good)) }
  }
}

/// What `baseline` and `adopt` say, as JSON.
struct HistoryReport: Encodable {
  /// The version of this format.
  var format = 1
  /// The command.
  var command: String
  /// The database's path.
  var database: String
  /// The backend's name.
  var backend: String
  /// The other tool's history; nil where there is none.
  var history: String?
  /// The migrations that came into the record, in order.
  var marked: [String]
  /// What was noticed.
  var warnings: [String] = []

  init(_ target: DatabaseTarget, command: String, marked: [String]) {
    self.command = command
    self.marked = marked
    database = target.path
    backend = target.backend.name
  }
}
