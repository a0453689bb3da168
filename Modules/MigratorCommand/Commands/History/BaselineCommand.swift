internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  static let baseline = ToolCommand(
    name: "baseline",
    summary: "mark migrations as applied in a database that already has their schema",
    details: [
      "For a database that was created by other means: marks the migrations as applied without running them. First runs them on "
        + "an empty scratch database and compares the schemas; if the database lacks part of the schema, lists each difference "
        + "and changes nothing. Does not compare rows.",
      "Refuses a database that already has a record of applied migrations.",
    ],
    examples: [
      Example("baseline --database old.sqlite", "the database has the schema of all migrations"),
      Example("baseline --database old.sqlite --to 0003_prices", "the database has the schema up to this migration"),
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
      return output.line("Nothing to do: these migrations are already recorded in \(path).")
    }
    output.line(
      "\(path) has the schema of \(counted(marked.count, "migration")). Marked as applied without running:")
    output.lines(marked.map { "  " + output.style($0, .good) })
  }
}

/// The report of `baseline` and `adopt`, printed as JSON.
struct HistoryReport: Encodable {
  var history: String?
  var marked: [String]
  var warnings: [String] = []
}
