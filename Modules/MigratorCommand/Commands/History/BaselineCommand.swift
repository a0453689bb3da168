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
  ) { context throws(ToolFailure) in try BaselineCommand(runner: MigrationRunner(context, creates: false)).run() }
}

struct BaselineCommand {
  let runner: MigrationRunner

  func run() throws(ToolFailure) -> ExitCode {
    let (context, database, migrator) = (runner.context, runner.database, runner.source.migrator)
    try database.requireExisting("`\(context.toolName) migrate` creates it; a new database needs no baseline.")
    let queue = try database.open()
    let marked = try runner.failures.catching {
      let before = Set(try queue.read { try migrator.history($0).map(\.identifier) })
      try context.interruptible(queue) { try migrator.baseline(queue, upTo: runner.target) }
      let after = try queue.read { try migrator.history($0).map(\.identifier) }
      try queue.close()
      return after.filter { !before.contains($0) }
    }
    print(marked)
    context.json(HistoryReport(marked: marked), database)
    return .done
  }

  private func print(_ marked: [String]) {
    let (output, path) = (runner.context.output, runner.database.path)
    guard !marked.isEmpty else {
      return output.line("Nothing to do: \(path) has these migrations in its record already.")
    }
    output.line(
      "\(path) has the schema that \(counted(marked.count, "migration")) \(marked.count == 1 ? "makes" : "make"); marked as "
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
