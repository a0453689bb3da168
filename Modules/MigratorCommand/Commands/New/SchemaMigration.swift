internal import Migrator
internal import MigratorLint
internal import SQLMigrations

extension OptionSpecification {
  static let wantedSchema = OptionSpecification(
    name: "to", placeholder: "SCHEMA",
    help: "write the statements that lead to this schema: an SQL file, another database, or \"database\"",
    keywords: ["database"], completion: .file)
}

/// The migration from the schema of a folder's migrations to a wanted schema.
struct SchemaMigration {
  let suggestion: SuggestedMigration
  private let context: CommandContext
  private let scratch: ScratchDatabase
  private let before: NamedSchema
  private let wanted: NamedSchema

  /// Compares the schemas; nil if they are equal.
  ///
  /// - Parameters:
  ///   - source: The source of the wanted schema, as `--to` names it.
  ///   - folder: The folder for the migration.
  init?(_ context: CommandContext, to source: String, after folder: MigrationFolder) throws(ToolFailure) {
    self.context = context
    let reader = try SchemaReader(context)
    scratch = reader.scratch
    before =
      try folder.files.isEmpty
      ? NamedSchema(name: folder.path, schema: SchemaSnapshot(objects: []))
      : reader.schema(of: MigrationSource(context, folder))
    wanted = try reader.read(source)
    guard !SchemaDifferenceReport(SchemaDifference(from: before.schema, to: wanted.schema)).isEmpty else {
      context.output.line("No file was written: the migrations already create the schema of \(wanted.name.oneLine).")
      return nil
    }
    suggestion = try context.suggestedMigration(from: before.schema, to: wanted.schema, on: scratch, asks: true)
  }

  /// Runs a new file on the schema of the folder's migrations, without rows and with sample rows.
  ///
  /// - Throws: ``ToolFailure`` as a refusal if the file cannot run, or does not lead to the wanted schema.
  func rehearse(_ file: MigrationFile) throws(ToolFailure) {
    let (result, end) = try scratch.withQueue { queue in
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: before.schema.sql())
        var linter = Linter([file], ledgerTable: context.ownMigrator.ledgerTable) { context.interrupt.hasArrived }
        return try (linter.run(on: db), db.schemaWithoutViewColumns())
      }
    }
    let difference = SchemaDifferenceReport(SchemaDifference(from: wanted.schema, to: end))
    let isComplete = result.judged.contains(file.identifier)
    guard isComplete, difference.isEmpty else {
      throw .refused(
        "no file was written: the statements would not lead to the schema of \(wanted.name)",
        why: isComplete
          ? difference.lines(style: Style(usesColor: false))
          : result.findings.filter { $0.rule == .doesNotRun }.prefix(1).map(\.reason),
        remedy: "Write this migration by hand: `\(context.toolName) new NAME` creates an empty file.")
    }
  }
}
