internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

extension ToolCommand {
  static let dump = ToolCommand(
    name: "dump",
    summary: "write the schema as SQL that recreates it",
    details: [
      "Prints the statements that create the schema of the database, or the schema that the migrations create: tables with their "
        + "indexes, then virtual tables, views and triggers, each sorted by name. Equal schemas give equal text, which loads into "
        + "an empty database. Omits rows and the migrator's own tables.",
      "With --output, writes the text to a file, such as a schema.sql under version control; `check --schema FILE` reports when it "
        + "is out of date. Overwrites a file that is not a dump only with --yes.",
    ],
    examples: [
      Example("dump --database app.sqlite", "the schema of a database"),
      Example(
        "dump --from migrations --output schema.sql", "the schema that the migrations create, for version control"),
      Example("dump --json", "a detailed description of the schema, for a program"),
    ],
    options: [.from, .output]
  ) { context throws(ToolFailure) in try DumpCommand(context: context).run() }
}

/// The text of a schema: `dump` writes it, and `check` compares it with a file.
enum SchemaDump {
  private static let heading = "-- A schema without rows, written by `dump`."

  static func text(of schema: SchemaSnapshot) -> String {
    heading + " Changes belong in migrations; `new NAME --to` writes one from an edited copy.\n\n" + schema.sql()
  }

  static func isDump(_ text: String) -> Bool { text.hasPrefix(heading) }
}

struct DumpCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    var reader = try SchemaReader(context)
    reader.readsViewColumns = context.output.isJSON
    let named = try reader.readRequested()
    let text = SchemaDump.text(of: named.schema)
    for (table, parts) in named.schema.possibleShadowTables {
      context.output.warning(
        "the shadow tables of virtual table \"\(table)\" are unknown here: if its module creates \(listed(parts)) itself, the dump "
          + "does not load",
        remedy: "Delete them from the dump, or run `dump` in a program that registers the module.")
    }
    let path = context.arguments.value(of: .output)
    if let path {
      try write(text, to: path, named)
    } else {
      context.output.result(String(text.dropLast()))
    }
    context.json(
      Report(source: named.name, file: path, sql: path == nil ? text : nil, schema: named.schema.sortedByName))
    return .done
  }

  private func write(_ text: String, to path: String, _ named: NamedSchema) throws(ToolFailure) {
    let file = ResultFile(path: path, command: context.command, isResult: SchemaDump.isDump, database: named.database)
    guard try file.write(text, overwritesOthers: context.arguments.contains(.yes)) else {
      return context.output.line("\(path.oneLine) is up to date: the schema of \(named.name) did not change")
    }
    let count = named.schema.objects.count { $0.sql != nil && !$0.isShadow }
    context.output.line("Wrote the schema of \(named.name) to \(path.oneLine): \(counted(count, "object"))")
  }

  private struct Report: Encodable {
    var source: String
    var file: String?
    var sql: String?
    var schema: SchemaSnapshot
  }
}

extension SchemaSnapshot {
  /// The tables that are named like shadow tables, by the name of the virtual table, for those of which the engine knows none:
  /// it lacks the module, or the module does not report them (https://www.sqlite.org/vtab.html#xshadowname).
  fileprivate var possibleShadowTables: [(virtual: String, tables: [String])] {
    let tables = objects.filter { $0.kind == .table && !$0.isVirtual }
    return objects.filter { $0.isVirtual && !$0.readsFullText }.compactMap { virtual in
      let start = virtual.name.asciiLowercased + "_"
      let parts = tables.filter { $0.name.asciiLowercased.hasPrefix(start) }
      return parts.isEmpty || parts.contains(where: \.isShadow) ? nil : (virtual.name, parts.map { "\"\($0.name)\"" })
    }
  }

  /// The same schema with each list ordered by name, so that the creation order does not count.
  fileprivate var sortedByName: SchemaSnapshot {
    SchemaSnapshot(
      objects: objects.sorted { SchemaObject.Name($0) < SchemaObject.Name($1) },
      tables: tables.sorted { $0.name < $1.name },
      indexes: indexes.sorted { ($0.table, $0.name) < ($1.table, $1.name) },
      views: views.sorted { $0.name < $1.name }, triggers: triggers.sorted { $0.name < $1.name })
  }
}
