internal import Migrator
internal import SQLMigrations

extension ToolCommand {
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
  ) { context throws(ToolFailure) in
    let source = try MigrationSource(context)
    let target = try source.target(context)
    let database = try DatabaseTarget(context, creates: false)
    return try BaselineCommand(context: context, source: source, target: target, database: database).run()
  }
}

struct BaselineCommand {
  let context: CommandContext
  let source: MigrationSource
  let target: String?
  let database: DatabaseTarget

  func run() throws(ToolFailure) -> ExitCode {
    try database.requireExisting("`\(context.toolName) migrate` creates it; a new database needs no baseline.")
    let queue = try database.open()
    let marked = try context.failures(of: source, path: database.path).catching {
      let before = Set(try queue.read { try source.migrator.history($0).map(\.identifier) })
      try context.interruptible(queue) { try source.migrator.baseline(queue, upTo: target) }
      let after = try queue.read { try source.migrator.history($0).map(\.identifier) }
      try queue.close()
      return after.filter { !before.contains($0) }
    }
    print(marked)
    context.json(HistoryReport(marked: marked), database)
    return .done
  }

  private func print(_ marked: [String]) {
    let output = context.output
    guard !marked.isEmpty else {
      return output.line("Nothing to do: \(database.path) has these migrations in its record already.")
    }
    output.line(
      "\(database.path) has the schema that \(counted(marked.count, "migration")) \(marked.count == 1 ? "makes" : "make"); marked as "
        + "applied without running:")
    output.lines(marked.map { "  " + output.style($0, .good) })
  }
}

/// The JSON of `baseline` and `adopt`.
struct HistoryReport: Encodable {
  var history: String?
  var marked: [String]
  var warnings: [String] = []
}
