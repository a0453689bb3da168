internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

struct NamedSchema: Sendable {
  var name: String
  /// The schema, without the migrator's and the tool's own tables.
  var schema: SchemaSnapshot
  /// The path of the database; nil for the schema of migrations or a script.
  var database: String?
}

struct SchemaReader {
  private let context: CommandContext
  let scratch: ScratchDatabase
  /// Whether to read the columns of views, which only the JSON form of a schema contains.
  var readsViewColumns = false

  init(_ context: CommandContext) throws(ToolFailure) {
    self.context = context
    scratch = try ScratchDatabase(context)
  }

  /// Reads the schema that `--from` names.
  ///
  /// By default, this is the schema of the database if it exists, otherwise the schema that the migrations create.
  func readRequested() throws(ToolFailure) -> NamedSchema {
    let usual = scratch.target.map { $0.file.isNew ? "migrations" : "database" } ?? "migrations"
    return try read(context.arguments.value(of: .from) ?? usual)
  }

  /// Reads the schema of a source, as `--from` names it.
  func read(_ source: String) throws(ToolFailure) -> NamedSchema {
    switch source {
    case "database": try database()
    case "migrations": try schema(of: MigrationSource(context))
    default: try file(source)
    }
  }

  private func database() throws(ToolFailure) -> NamedSchema {
    guard let target = scratch.target else { throw .noDatabaseNamed(context.output.environment) }
    try target.requireExisting(
      "Check the path. To use the schema that the migrations create, write `migrations` instead of a path.")
    return try schema(of: target)
  }

  func schema(of source: MigrationSource) throws(ToolFailure) -> NamedSchema {
    let report = context.failures(of: source, path: "the scratch database")
    return try made(report, path: source.folder?.path ?? "the migrations") { queue in
      try source.migrator.run(queue, mayErase: false)
    }
  }

  /// Returns the schema that a closure creates in an empty database.
  private func made(
    _ report: FailureReport, path: String, by work: (DatabaseQueue) throws -> Void
  ) throws(ToolFailure) -> NamedSchema {
    try scratch.withQueue(failure: report.tried(on: "an empty scratch database").failure) { queue in
      try work(queue)
      return try schema(of: queue, path: path)
    }
  }

  /// Reads the schema of a file: a script, which is run in an empty database, or another database.
  func file(_ path: String) throws(ToolFailure) -> NamedSchema {
    let served = context.tool.backends.filter(\.isServed)
    if served.contains(where: { path.hasPrefix($0.name + ":") }) { return try otherDatabase(path) }
    let file = DatabaseFile(path: path)
    guard file != .missing, file != .folder else {
      throw .usage(
        file == .folder ? "\"\(path)\" is a folder" : "there is no file \"\(path)\"", remedy: Self.otherSources)
    }
    return path.hasSuffix(".sql") ? try script(path) : try otherDatabase(path)
  }

  private static let otherSources =
    "Give the path of a database or a .sql script, or write `migrations` for the schema that the migrations create; "
    + "--migrations DIR names their folder."

  private func script(_ path: String) throws(ToolFailure) -> NamedSchema {
    let file = try context.readScript(path)
    let interrupt = context.interrupt
    let report = FailureReport(
      toolName: context.toolName, command: context.command, interrupt: interrupt, migrator: DatabaseMigrator(),
      files: [file], path: path)
    return try made(report, path: path) { queue in
      try queue.writeWithoutTransaction { db in try file.run(db, isInterrupted: { interrupt.hasArrived }) }
    }
  }

  private func otherDatabase(_ path: String) throws(ToolFailure) -> NamedSchema {
    let target = try DatabaseTarget(context, creates: false, other: path)
    try target.requireExisting(Self.otherSources)
    return try schema(of: target)
  }

  private func schema(of target: DatabaseTarget) throws(ToolFailure) -> NamedSchema {
    let queue = try target.openForReading()
    var named = try schema(of: queue, path: target.path)
    try target.catching { try queue.close() }
    named.database = target.path
    return named
  }

  private func schema(of queue: DatabaseQueue, path: String) throws(ToolFailure) -> NamedSchema {
    do {
      let (schema, adopted) = try queue.read { db in
        try (readsViewColumns ? db.schema() : db.schemaWithoutViewColumns(), context.ownMigrator.adoptedTables(db))
      }
      // The ledgers of other migrators are not part of the schema, nor are the tables of a tool whose history was adopted.
      let ledgers = context.ownMigrator.ownTables.union(schema.ledgerTables.map(\.asciiLowercased)).union(adopted)
      return NamedSchema(name: path, schema: schema.leavingOut(ledgers))
    } catch {
      throw FailureReport.database(error, path: path)
    }
  }
}

extension SchemaSnapshot {
  /// Returns the schema without the given tables, and without their indexes and triggers.
  ///
  /// - Parameter tables: The names of the tables, in ASCII lower case.
  func leavingOut(_ tables: Set<String>) -> SchemaSnapshot {
    let stays = { (name: String) in !tables.contains(name.asciiLowercased) }
    var rest = self
    rest.objects.removeAll { !stays($0.tableName) }
    rest.tables.removeAll { !stays($0.name) }
    rest.indexes.removeAll { !stays($0.table) }
    rest.triggers.removeAll { !stays($0.table) }
    return rest
  }
}
