internal import Migrator
internal import MigratorLint
internal import SQLMigrations

extension OptionSpecification {
  static let wantedSchema = OptionSpecification(
    name: "to", placeholder: "SCHEMA",
    help: "write the statements that lead to this schema: an SQL file, another database, or \"database\"",
    keywords: ["database"], completion: .file)

  static let fromDatabase = OptionSpecification(
    name: "from-database", help: "the same as --to database: the schema that was changed by hand in the database")
}

/// The migration from the schema of a folder's migrations to a wanted schema.
struct SchemaMigration {
  let suggestion: SuggestedMigration
  private let context: CommandContext
  private let scratch: ScratchDatabase
  private let wanted: NamedSchema

  /// Compares the schemas; nil if they are equal.
  init?(_ context: CommandContext, to source: String) throws(ToolFailure) {
    self.context = context
    let reader = try SchemaReader(context)
    scratch = reader.scratch
    let before = try reader.migrations()
    wanted = try reader.read(source)
    guard !SchemaDifferenceReport(SchemaDifference(from: before.schema, to: wanted.schema)).isEmpty else {
      context.output.line("No file was written: the migrations already create the schema of \(wanted.name.oneLine).")
      return nil
    }
    suggestion = try context.suggestedMigration(from: before.schema, to: wanted.schema, asks: true)
  }

  /// Runs the folder's migrations and then a new file, on an empty database and on sample rows.
  ///
  /// - Throws: ``ToolFailure`` as a refusal if the file cannot run, or does not lead to the wanted schema.
  func rehearse(_ file: MigrationFile, after files: [MigrationFile]) throws(ToolFailure) {
    let queue = try scratch.open()
    let (result, end): (Linter.Result, SchemaSnapshot)
    do {
      (result, end) = try context.interruptible(queue) {
        try queue.writeWithoutTransaction { db in
          var linter = Linter(files + [file], ledgerTable: context.ownMigrator.ledgerTable) {
            context.interrupt.hasArrived
          }
          return try (linter.run(on: db), db.schemaWithoutViewColumns())
        }
      }
      try queue.close()
    } catch {
      throw FailureReport.database(error, path: "the scratch database")
    }
    let difference = SchemaDifferenceReport(SchemaDifference(from: wanted.schema, to: end))
    var reasons = difference.lines(style: Style(usesColor: false))
    if !result.judged.contains(file.identifier) {
      let failure = result.findings.last { $0.path == file.path }?.reason
      reasons = [failure ?? "an earlier migration cannot be run: see `\(context.toolName) lint`"]
    }
    guard reasons.isEmpty else {
      throw .refused(
        "no file was written: the statements would not lead to the schema of \(wanted.name)", why: reasons,
        remedy: "Write this migration by hand: `\(context.toolName) new NAME` creates an empty file.")
    }
  }

  /// Prints what the file loses, and what must be checked before it is used.
  func printNotes() {
    for loss in suggestion.losses { context.output.warning("the migration loses \(loss)") }
    for risk in suggestion.risks { context.output.warning("check before you use it: \(risk)") }
  }
}
