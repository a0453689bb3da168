internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  static let adopt = ToolCommand(
    name: "adopt",
    operand: Operand(placeholder: "TOOL", isOptional: true, words: ToolHistory.allCases.map(\.rawValue)),
    summary: "import the migration history of another tool",
    details: [
      "Marks the migrations that the other tool applied as applied, once, without running anything. Does not change the other "
        + "tool's table or user_version. Without TOOL, detects the tool from its table. TOOL is one of: "
        + ToolHistory.allCases.map(\.rawValue).joined(separator: ", ") + ".",
      "A version corresponds to the migration whose name begins with that number; user-version n corresponds to the first n "
        + "migrations. --map overrides this. Refuses an entry without a migration, unless --unmapped is keep or leave-out.",
      "Warns about each difference between the schema and the one that the imported migrations create.",
    ],
    examples: [
      Example("adopt --database app.sqlite", "detect the tool, and import its history"),
      Example("adopt goose --database app.sqlite --map 3=0003_prices", "specify the migration of an entry"),
      Example("adopt user-version --database app.sqlite", "import PRAGMA user_version"),
    ],
    options: [.map, .unmapped, .historyTable]
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
    let tool = try queue.read(tool)
    report.history = context.arguments.value(of: .historyTable) ?? tool.table ?? "user_version"
    var migrator = source.migrator
    migrator.adopt(history(of: tool, mapping))
    report.warnings = try queue.read { try differences(migrator, $0) }
    try migrator.takeOverHistory(queue)
    report.marked = try queue.read { try migrator.history($0).map(\.identifier) }
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
    if let tool = context.arguments.operands.first.flatMap(ToolHistory.init) {
      let table = context.arguments.value(of: .historyTable) ?? tool.table
      guard let table, try !db.tableExists(table) else { return tool }
      throw ToolFailure.refused(
        "there is no history of \(tool.rawValue) in \(database.path)", why: ["the database has no table \(table)"],
        remedy: "Check the name of the tool. If its table has another name, give that with --history-table.")
    }
    let found = try ToolHistory.found(in: db)
    guard let tool = found.first else {
      throw ToolFailure.refused(
        "there is no history of another tool in \(database.path)",
        remedy: "Name the tool, as in `\(context.toolName) adopt user-version`, or mark the applied migrations with "
          + "`\(context.toolName) baseline`.")
    }
    guard found.count == 1 else {
      throw ToolFailure.refused(
        "\(database.path) contains the histories of several tools", why: [listed(found.compactMap(\.table))],
        remedy: "Name the one to import, such as `\(context.toolName) adopt \(tool.rawValue)`.")
    }
    return tool
  }

  private func history(of tool: ToolHistory, _ mapping: [String: String]) -> AdoptedHistory {
    var history = tool.history(source.migrator.migrations).mapping(mapping)
    if let table = context.arguments.value(of: .historyTable) { history = history.inTable(table) }
    return switch context.arguments.value(of: .unmapped) {
    case "keep": history.unmapped(.keep)
    case "leave-out": history.unmapped(.leaveOut)
    default: history
    }
  }

  /// Returns the differences from the schema of the migrations, since the other tool may have run different migrations.
  private func differences(_ migrator: DatabaseMigrator, _ db: Database) throws -> [String] {
    do {
      return try migrator.differencesFromMigrations(db).map(\.description)
    } catch MigrationError.replayFailed(let failure) {
      return [
        "\(failure.identifier) does not run on an empty database, so the schema was not compared: \(failure.underlying)"
      ]
    }
  }

  private func print(_ report: HistoryReport) {
    let output = context.output
    guard let history = report.history else {
      return output.line(
        "Nothing to do: \(database.path) already has a record of applied migrations; `adopt` imports a history only once."
      )
    }
    for warning in report.warnings { output.warning(warning) }
    guard !report.marked.isEmpty else { return output.line("Nothing to do: the history in \(history) is empty.") }
    output.line("Imported \(counted(report.marked.count, "migration")) from \(history):")
    output.lines(report.marked.map { "  " + output.style($0, .good) })
  }
}

enum ToolHistory: String, CaseIterable {
  case grdb, dbmate, rails, ecto
  case golangMigrate = "golang-migrate"
  case sqliteMigrationManager = "sqlite-migration-manager"
  case sqlx, diesel, goose, refinery, yoyo
  case sqlMigrate = "sql-migrate"
  case userVersion = "user-version"

  /// The table with the tool's history; nil for the user version, which is stored in the file's header.
  var table: String? { self == .userVersion ? nil : history([]).table }

  /// Returns the history to import; user version n stands for the first n of the migrations.
  func history(_ migrations: [String]) -> AdoptedHistory {
    switch self {
    case .grdb: .grdb
    case .dbmate, .rails, .ecto, .golangMigrate, .sqliteMigrationManager: .schemaMigrations
    case .sqlx: .sqlx
    case .diesel: .diesel
    case .goose: .goose
    case .refinery: .refinery
    case .yoyo: .yoyo
    case .sqlMigrate: .sqlMigrate
    case .userVersion: .userVersion(ladder: migrations)
    }
  }

  static func found(in db: Database) throws -> [ToolHistory] {
    var tables: Set<String> = []
    return try allCases.filter { tool in
      guard let table = tool.table, try db.tableExists(table) else { return false }
      return tables.insert(table).inserted
    }
  }
}
