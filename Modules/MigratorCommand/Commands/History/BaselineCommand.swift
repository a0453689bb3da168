internal import Migrator
internal import MigratorLint
internal import SQLMigrations

extension ToolCommand {
  static let baseline = ToolCommand(
    name: "baseline",
    summary: "mark migrations as applied in a database that already has their schema",
    details: [
      "For a database that was created by other means: marks the migrations as applied without running them. First runs them on "
        + "an empty scratch database and compares the schemas; if the database lacks part of the schema, lists each difference "
        + "and changes nothing, and names the migration that fits, if there is one. Does not compare rows. With "
        + "--accept-differences, marks the migrations nevertheless; `verify` keeps reporting the differences.",
      "In a database that already has a record of applied migrations, marks those that it lacks up to --to ID; without --to, refuses.",
    ],
    examples: [
      Example("baseline --database old.sqlite", "the database has the schema of all migrations"),
      Example("baseline --database old.sqlite --to 0003_prices", "the database has the schema up to this migration"),
    ],
    options: [.to, .acceptDifferences]
  ) { context throws(ToolFailure) in
    try BaselineCommand(runner: MigrationRunner(context, MigrationSource(context), creates: false)).run()
  }
}

extension OptionSpecification {
  static let acceptDifferences = OptionSpecification(
    name: "accept-differences", help: "mark the migrations as applied even though the schema differs from theirs")
}

struct BaselineCommand {
  let runner: MigrationRunner

  func run() throws(ToolFailure) -> ExitCode {
    let (context, database, migrator) = (runner.context, runner.database, runner.source.migrator)
    try database.requireExisting(
      "To create the database, run `\(context.toolName) migrate`; a new database needs no baseline.")
    let queue = try database.open()
    let (marked, accepted, isExtended) = try runner.failures.catching {
      let before = Set(try queue.read { try migrator.history($0).map(\.identifier) })
      let differences = try mark(queue)
      let after = try queue.read { try migrator.history($0).map(\.identifier) }
      try queue.close()
      return (after.filter { !before.contains($0) }, differences, !before.isEmpty)
    }
    // A database with a history was made by its migrations, whose rows these would have added.
    let unrun = marked.filter { isExtended && runner.source.file($0).map(Linter.changesRows) ?? false }.map {
      "\($0) also inserts, changes or deletes rows: these statements were not run"
    }
    let differences = accepted + unrun
    for difference in differences { context.output.warning(difference) }
    print(marked, differs: !accepted.isEmpty)
    context.json(HistoryReport(marked: marked, warnings: differences), database)
    return .done
  }

  /// Marks the migrations, and returns the differences that the user accepts.
  private func mark(_ queue: DatabaseQueue) throws -> [String] {
    let (context, migrator) = (runner.context, runner.source.migrator)
    return try context.interruptible(queue) {
      do {
        try migrator.baseline(queue, upTo: runner.target)
        return []
      } catch MigrationError.baselineRefused(let refusal) {
        let differences: [String]
        switch refusal {
        case .schemaDiffers(_, let reasons): differences = reasons.map(\.description)
        case .schemaBeyond(_, let later, let objects):
          differences = ["\(later) creates \(listed(objects)), which already exists"]
        case .alreadyMigrated, .replayFailed: throw MigrationError.baselineRefused(refusal)
        }
        guard context.arguments.contains(.acceptDifferences) else { throw try failure(refusal, queue) }
        try migrator.baselineAcceptingDifferences(queue, upTo: runner.target)
        return differences
      }
    }
  }

  /// Returns the failure for a refused baseline; if the database has the schema of an earlier migration, the failure
  /// names that migration.
  private func failure(_ refusal: BaselineRefusal, _ queue: DatabaseQueue) throws -> ToolFailure {
    var failure = runner.failures.failure(MigrationError.baselineRefused(refusal))
    let (migrator, tool) = (runner.source.migrator, runner.context.toolName)
    let recorded = try queue.read { try migrator.history($0) }.map(\.identifier)
    if let target = try queue.read(migrator.baselineTarget) {
      failure.remedy =
        "Nothing was changed. The database's schema matches the migrations up to \(target)"
        + (recorded.contains(target)
          ? ", which are recorded. To apply the later ones, run `\(tool) migrate`." : ": add --to \(target.shellWord).")
    }
    return failure
  }

  private func print(_ marked: [String], differs: Bool) {
    let (output, path) = (runner.context.output, runner.database.path.oneLine)
    guard !marked.isEmpty else {
      return output.line("Nothing to do: these migrations are already recorded in \(path).")
    }
    let count = counted(marked.count, "migration")
    let schema = differs ? "differs from the schema of \(count)" : "has the schema of \(count)"
    output.line("\(path) \(schema). Marked as applied without running:")
    output.lines(marked.map { "  " + output.style($0, .good) })
  }
}

/// The report of `baseline` and `adopt`, printed as JSON.
struct HistoryReport: Encodable {
  var history: String?
  var marked: [String]
  var warnings: [String] = []
  /// The imported migrations whose files could not be compared with a recorded checksum; nil for `baseline`.
  var unchecked: [String]?
}
