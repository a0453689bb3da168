internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

extension ToolCommand {
  static let adopt = ToolCommand(
    name: "adopt",
    operand: Operand(placeholder: "TOOL", isOptional: true, words: ToolHistory.all.map(\.name)),
    summary: "import the migration history of another tool",
    details: [
      "Marks the migrations that the other tool has run as applied, once, without running anything. Does not change the other "
        + "tool's table or user_version. Without TOOL, detects the tool from its table. TOOL is one of: "
        + ToolHistory.all.map(\.name).joined(separator: ", ")
        + ". For a table that your own program wrote, give --table and --column instead: the column holds names, file names or "
        + "numbers of migrations, or in a single row the number of the last one.",
      "A version corresponds to the migration whose name begins with that number; user-version n corresponds to the first n "
        + "migrations. --map overrides this. Refuses an entry without a migration, unless --unmapped is keep or leave-out.",
      "Compares each file with the checksum that sqlx, Prisma, Drizzle, Flyway or Atlas recorded, and refuses a file that was "
        + "edited since, unless --accept-edits is given. The other tools record no checksum of a file, or none that can be "
        + "compared.",
      "Warns about each difference between the schema and the one that the imported migrations create; refuses if one of their "
        + "tables is missing, unless --accept-differences is given.",
    ],
    examples: [
      Example("adopt --database app.sqlite", "detect the tool, and import its history"),
      Example("adopt goose --database app.sqlite --map 3=0003_prices", "specify the migration of an entry"),
      Example("adopt user-version --database app.sqlite", "import PRAGMA user_version"),
      Example("adopt --table migrations --column name --database app.sqlite", "import a table of your own program"),
    ],
    options: [.map, .unmapped, .acceptEdits, .acceptDifferences, .historyTable, .table, .column]
  ) { context throws(ToolFailure) in
    let source = try MigrationSource(context)
    return try AdoptCommand(context: context, source: source, database: DatabaseTarget(context, creates: false)).run()
  }
}

extension OptionSpecification {
  static let map = OptionSpecification(
    name: "map", placeholder: "OLD=ID",
    help: "the migration that an entry of the other tool corresponds to; repeatable", isRepeatable: true)
  static let unmapped = OptionSpecification(
    name: "unmapped", placeholder: "refuse|keep|leave-out",
    help: "how to treat entries without a migration; default: refuse",
    allowedValues: ["refuse", "keep", "leave-out"])
  static let historyTable = OptionSpecification(
    name: "history-table", placeholder: "NAME",
    help: "the history table of the other tool, if it is not the default one")
  static let acceptEdits = OptionSpecification(
    name: "accept-edits", help: "import migrations whose files were edited after they were applied")
  static let table = OptionSpecification(
    name: "table", placeholder: "NAME", help: "a table of your own program that lists applied migrations")
  static let column = OptionSpecification(
    name: "column", placeholder: "NAME", help: "with --table: the column that names them")
}

struct AdoptCommand {
  let context: CommandContext
  let source: MigrationSource
  let database: DatabaseTarget

  func run() throws(ToolFailure) -> ExitCode {
    try database.requireExisting("Check the path.")
    let mapping = try mapping()
    let queue = try database.open()
    let report = try context.failures(of: source, path: database.path).catching {
      let report = try adopt(queue, mapping)
      try queue.close()
      return report
    }
    print(report)
    context.json(report, database)
    return .done
  }

  // MARK: Steps

  private func adopt(_ queue: DatabaseQueue, _ mapping: [String: String]) throws -> HistoryReport {
    var report = HistoryReport(marked: [])
    guard try queue.read({ try source.migrator.history($0).isEmpty }) else { return report }
    let adopted = try queue.read { try history($0, mapping) }
    report.history = adopted.table
    var migrator = source.migrator
    migrator.adopt(adopted)
    report.unchecked = try queue.read { try migrator.migrationsAdoptedUnchecked($0) }
    let found = try queue.read { [migrator] db in try differences(migrator, db) }
    guard found.missingTables.isEmpty || context.arguments.contains(.acceptDifferences) else {
      throw ToolFailure.refused(
        "the history in \(adopted.table) cannot be imported", why: found.missingTables,
        remedy: "Nothing was changed. Use --map OLD=ID to name the migration that each entry stands for, or add "
          + "--accept-differences to mark the migrations as applied nevertheless.")
    }
    report.warnings = found.all
    try migrator.takeOverHistory(queue)
    report.marked = try queue.read { try migrator.ledger.entries($0).map(\.identifier) }
    return report
  }

  private func mapping() throws(ToolFailure) -> [String: String] {
    var mapping: [String: String] = [:]
    for text in context.arguments.values(of: .map) {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw .usage("--map cannot be \"\(text)\"", remedy: "Write --map OLD=ID, such as --map 3=0003_prices.")
      }
      mapping[parts[0]] = parts[1]
    }
    return mapping
  }

  private func tool(_ db: Database) throws -> ToolHistory {
    if let name = context.arguments.operands.first, let tool = ToolHistory.all.first(where: { $0.name == name }) {
      let table = context.arguments.value(of: .historyTable) ?? tool.table
      guard let table, try !db.tableExists(table) else { return tool }
      throw ToolFailure.refused(
        "\(database.path) contains no migration history from \(name)",
        why: ["the database has no table \(table)"],
        remedy: "Check the name of the tool. If its table has another name, add --history-table NAME.")
    }
    let found = try ToolHistory.found(in: db)
    guard let tool = found.first else {
      throw ToolFailure.refused(
        "\(database.path) contains no migration history from a known tool",
        remedy:
          "If it contains another history, name its tool, as in `\(context.toolName) adopt user-version`, or use --table "
          + "and --column to name your own program's table. Otherwise, use `\(context.toolName) baseline` to mark "
          + "migrations as applied.")
    }
    guard found.count == 1 else {
      throw ToolFailure.refused(
        "\(database.path) contains the histories of several tools",
        why: ["it has the tables \(listed(found.compactMap(\.table)))"],
        remedy: "Name the one to import, such as `\(context.toolName) adopt \(tool.name)`.")
    }
    return tool
  }

  /// Returns the history in a table of the user's program; nil if the command line names no such table.
  private func ownHistory(_ db: Database) throws -> AdoptedHistory? {
    let (table, column) = (context.arguments.value(of: .table), context.arguments.value(of: .column))
    guard table != nil || column != nil else { return nil }
    guard let table, let column, context.arguments.operands.isEmpty, !context.arguments.contains(.historyTable) else {
      throw ToolFailure.usage(
        "--table and --column must be used together, and without TOOL or --history-table",
        remedy:
          "If your own program keeps the history, write --table NAME --column NAME. If a tool's history table was renamed, "
          + "write TOOL --history-table NAME."
      )
    }
    guard try db.tableExists(table) else {
      throw ToolFailure.refused(
        "there is no table \"\(table)\" in \(database.path)", remedy: "Name another table with --table.")
    }
    let columns = try db.columns(in: table).map(\.name)
    guard columns.contains(where: { $0.asciiLowercased == column.asciiLowercased }) else {
      throw ToolFailure.refused(
        "table \"\(table)\" has no column \"\(column)\"", why: ["it has only \(listed(columns.map { "\"\($0)\"" }))"],
        remedy: "Use --column to name the column that contains the names or numbers of the migrations.")
    }
    return .table(table, column: column)
  }

  private func history(_ db: Database, _ mapping: [String: String]) throws -> AdoptedHistory {
    var history = try ownHistory(db) ?? tool(db).history(source.migrator.migrations)
    history = history.mapping(mapping)
    if let table = context.arguments.value(of: .historyTable) { history = history.inTable(table) }
    if context.arguments.contains(.acceptEdits) { history = history.acceptingEdits() }
    return switch context.arguments.value(of: .unmapped) {
    case "keep": history.unmapped(.keep)
    case "leave-out": history.unmapped(.leaveOut)
    default: history
    }
  }

  /// Returns the differences between the database and the schema of the migrations, since the other tool may have run
  /// different migrations, and those of them that are missing tables.
  private func differences(
    _ migrator: DatabaseMigrator, _ db: Database
  ) throws -> (all: [String], missingTables: [String]) {
    do {
      let reasons = try migrator.differencesFromMigrations(db)
      let missing = reasons.filter { if case .missingObject(.table, _) = $0 { true } else { false } }
      return (reasons.map(\.description), missing.map(\.description))
    } catch MigrationError.replayFailed(let failure) {
      let reason =
        "\(failure.identifier) does not run on an empty database, so the schema was not compared: \(failure.underlying)"
      return ([reason], [])
    }
  }

  private func print(_ report: HistoryReport) {
    let output = context.output
    guard let history = report.history else {
      return output.line(
        "Nothing to do: \(database.path.oneLine) already has a record of applied migrations; `adopt` imports a history only once."
      )
    }
    for warning in report.warnings { output.warning(warning) }
    guard !report.marked.isEmpty else { return output.line("Nothing to do: the history in \(history) is empty.") }
    output.line("Imported \(counted(report.marked.count, "migration")) from \(history):")
    output.lines(report.marked.map { "  " + output.style($0, .good) })
    guard let unchecked = report.unchecked, !unchecked.isEmpty else { return }
    let files = unchecked.count == report.marked.count ? "Their files" : "The files of \(listed(unchecked))"
    output.line("\(files) were not checked for edits: \(history) contains no checksums to compare.")
  }
}
