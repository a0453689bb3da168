internal import Migrator

extension ToolCommand {
  static let diff = ToolCommand(
    name: "diff",
    operand: Operand(placeholder: "OTHER", isOptional: true, isFile: true),
    summary: "compare the database with the migrations, a dump, or another database",
    details: [
      "Compares the schema of the database with the one that the migrations create, or with OTHER: an SQL file such as `dump` "
        + "writes, or another database, which is opened with the same backend and key. --from replaces the database with another "
        + "source. Ignores whitespace, comments and quoting style; does not compare rows.",
      "A + marks an object that only the other schema has, and a - one that only the database has. --suggest adds a "
        + "migration from the database to the other schema, and lists the data that it would lose; --rename says that a table or "
        + "column was renamed. --output writes the statements to a file, a draft to edit; `new NAME --to OTHER` writes the next migration "
        + "of the folder, and tries it first.",
      "Exits with 1 when there is a difference and --check is given, otherwise with 0.",
    ],
    examples: [
      Example("diff --database app.sqlite", "find manual changes, or see what migrate would change"),
      Example(
        "diff --database app.sqlite schema.sql --check --quiet", "for scripts: does the schema match the file?"),
      Example("diff --database app.sqlite wanted.sql --suggest", "a draft of the migration between them"),
      Example(
        "diff wanted.sql --suggest --rename team=guild --rename player.nick=name",
        "the same, with renamed tables and columns"),
    ],
    options: [.from, .diffCheck, .suggest, .rename, .output, .function]
  ) { context throws(ToolFailure) in try DiffCommand(context: context).run() }
}

extension OptionSpecification {
  static let diffCheck = OptionSpecification(name: "check", help: "exit with 1 when there is a difference")

  static let suggest = OptionSpecification(name: "suggest", help: "suggest a migration to the other schema")

  static let rename = OptionSpecification(
    name: "rename", placeholder: "OLD=NEW",
    help: "a table or TABLE.COLUMN that was renamed; repeatable",
    isRepeatable: true)
}

struct DiffCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    for option in [OptionSpecification.rename, .output]
    where !context.arguments.contains(.suggest) && context.arguments.contains(option) {
      throw .usage("--\(option.name) needs --suggest", remedy: "Add --suggest.")
    }
    let reader = try SchemaReader(context)
    let before = try reader.read(context.arguments.value(of: .from) ?? "database")
    let after = try reader.read(context.arguments.operands.first ?? "migrations")
    let difference = SchemaDifferenceReport(SchemaDifference(from: before.schema, to: after.schema))
    let suggestion =
      try difference.isEmpty ? nil : suggestion(from: before.schema, to: after.schema, on: reader.scratch)
    if let suggestion, let path = context.arguments.value(of: .output) { try write(suggestion, to: path, before) }
    print(difference, before.name, after.name, suggestion)
    context.json(
      Report(
        from: before.name, to: after.name, isEqual: difference.isEmpty, difference: difference,
        suggestion: suggestion?.sql, losses: suggestion?.losses))
    return difference.isEmpty || !context.arguments.contains(.check) ? .done : .checkFailed
  }

  private func suggestion(
    from before: SchemaSnapshot, to after: SchemaSnapshot, on scratch: ScratchDatabase
  ) throws(ToolFailure) -> SuggestedMigration? {
    guard context.arguments.contains(.suggest) else { return nil }
    return try context.suggestedMigration(from: before, to: after, on: scratch, asks: false)
  }

  private static let heading = "-- A suggested migration, written by `diff`: review it before you use it."

  private func write(_ suggestion: SuggestedMigration, to path: String, _ before: NamedSchema) throws(ToolFailure) {
    let file = ResultFile(
      path: path, command: context.command, isResult: { $0.hasPrefix(Self.heading) }, database: before.database)
    try file.write("\(Self.heading)\n\n\(suggestion.sql)", overwritesOthers: context.arguments.contains(.yes))
    context.output.line("Wrote the suggested migration to \(path.oneLine).")
  }

  private func print(
    _ difference: SchemaDifferenceReport, _ before: String, _ after: String, _ suggestion: SuggestedMigration?
  ) {
    let output = context.output
    guard !difference.isEmpty else { return output.line("No difference: \(before) and \(after) have the same schema.") }
    let (removed, made, changed) = (difference.removed.count, difference.made.count, difference.changed.count)
    output.lines(
      ["\(before) differs from \(after): \(made) missing, \(removed) additional, \(changed) different", ""]
        + difference.lines(style: output.style).map { "  " + $0 })
    guard let suggestion, !context.arguments.contains(.output) else { return }
    output.lines([
      "", output.style("A suggested migration from the first to the second (review it before you use it):", .strong),
      "",
    ])
    let lines = suggestion.sql.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    output.lines(lines.map { "  " + $0 }, isCode: true)
  }

  private struct Report: Encodable {
    var from: String
    var to: String
    var isEqual: Bool
    var difference: SchemaDifferenceReport
    var suggestion: String?
    var losses: [String]?
  }
}
