internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  static let new = ToolCommand(
    name: "new",
    operand: Operand(placeholder: "NAME", limit: nil),
    summary: "create the next migration file",
    details: [
      "Creates an empty migration file that comes after all others, and prints its path. Creates the folder if it does not exist; "
        + "never overwrites a file.",
      "The name follows the style of the folder: a number (0007_name.sql), a date (2024-01-31_name.sql), a Flyway version "
        + "(V7__name.sql), a pair of files (7_name.up.sql), a folder of diesel or Prisma, or the sections of dbmate and goose. The name of the "
        + "first file begins with the time in UTC (20240131235959_name.sql).",
      "With --to, the file contains the statements that lead from the schema of the migrations to another one: ALTER TABLE where "
        + "that is enough, otherwise a new table into which the rows are copied. Comments say which data is lost, and what to check. On a "
        + "terminal, asks whether what looks like a rename is one; --rename declares it. The statements are first tried on sample rows: "
        + "if they do not lead to exactly that schema, no file is written.",
      "If the last file has no number, the new file has none, either; a name that does not sort after it is refused, since "
        + MigrationStates.unnumberedOrder + ".",
    ],
    examples: [
      Example("new add prices", "create migrations/0007_add_prices.sql, where 0006 is the last one"),
      Example("new add prices --to schema.sql", "write into it what leads to the tables of schema.sql"),
    ],
    options: [.wantedSchema, .rename],
    absence: { tool in
      guard tool.migrator != nil else { return nil }
      return .usage(
        "`new` creates SQL files, but the migrations of \(tool.name) are Swift code",
        remedy: "Register the migration in the code, after the others: registerMigration(\"...\") { db in ... }.")
    }
  ) { context throws(ToolFailure) in try NewCommand(context: context).run() }
}

struct NewCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    let title = context.arguments.operands.joined(separator: " ")
    guard !context.arguments.operands.isEmpty else {
      throw .usage("the migration needs a name", remedy: "For example: `\(context.toolName) new add_users`.")
    }
    let slug = NextMigrationFile.slug(title)
    guard !slug.isEmpty else {
      throw .usage("\"\(title)\" contains no letters or digits", remedy: "Choose a name that describes the migration.")
    }
    let folder = context.folderPath
    let listed = MigrationFolder(folder)
    if let problem = listed.listingProblem, problem.kind != .missingFolder {
      throw FailureReport.problem(problem, toolName: context.toolName)
    }
    for warning in listed.warnings { context.output.warning(warning.what, remedy: warning.remedy) }
    let next = NextMigrationFile(listed)
    let time = UTCTime(secondsSince1970: context.output.environment.now())
    guard let file = next.path(slug: slug, time: time) else { throw notLast(slug, after: next) }
    for other in listed.files where other.identifier.drop(while: { !$0.isLetter }) == slug {
      context.output.warning(
        "\(other.path) has the same name", remedy: "If both make the same change, delete the new file.")
    }
    let path = FileSystem.join(folder, file)
    guard let wanted = context.arguments.value(of: .wantedSchema) else {
      guard !context.arguments.contains(.rename) else {
        throw .usage("--rename needs --to", remedy: "Add --to with the wanted schema.")
      }
      try create(path, text: next.template(title: title))
      context.output.result(path)
      context.json(Report(path: path))
      return .done
    }
    guard let migration = try SchemaMigration(context, to: wanted, after: listed) else {
      context.json(Report())
      return .done
    }
    guard let name = MigrationName(path: path) else { throw notLast(slug, after: next) }
    let text = next.template(title: title, sql: migration.suggestion.sql)
    try migration.rehearse(MigrationFile(name, text: text))
    try create(path, text: text)
    for loss in migration.suggestion.losses { context.output.warning("the migration loses \(loss)") }
    for risk in migration.suggestion.risks { context.output.warning("check before you use it: \(risk)") }
    context.output.result(path)
    context.json(
      Report(path: path, losses: migration.suggestion.losses, checks: migration.suggestion.risks))
    return .done
  }

  private struct Report: Encodable {
    /// The path of the new file; nil if no file was written.
    var path: String?
    var losses: [String]?
    var checks: [String]?
  }

  private func notLast(_ slug: String, after next: NextMigrationFile) -> ToolFailure {
    guard MigrationName(path: "1_\(slug).sql")?.isOnlyDirection != true else {
      return .usage(
        "the name \"\(slug)\" would say that the file undoes a migration, and such files are never applied",
        remedy: "Choose a name that says what the migration does.")
    }
    let last = next.lastIdentifier ?? "the others"
    return .usage(
      slug == last
        ? "there is already a migration named \"\(last)\""
        : "the new migration \"\(slug)\" would not come after \"\(last)\", the last one",
      why: slug == last ? nil : "the new migration must come last; \(MigrationStates.unnumberedOrder)",
      remedy: slug == last
        ? "Choose another name that sorts after \"\(last)\" (\(MigrationStates.unnumberedOrder))."
        : "Choose a name that sorts after \"\(last)\".")
  }

  private func create(_ path: String, text: String) throws(ToolFailure) {
    let isNew: Bool
    do throws(SystemFailure) {
      try FileSystem.createFolder(path.containingFolder)
      isNew = try FileSystem.createFile(path, text: text)
    } catch {
      throw .usage(
        error.what, why: error.reason,
        remedy: "Check the name and the permissions of the folder, or name another one with --migrations.")
    }
    guard isNew else { throw .usage("\(path) already exists", remedy: "It was not changed. Choose another name.") }
    // A journal or `atlas.sum` does not list the file, or is broken.
    for problem in MigrationFolder(context.folderPath).problems
    where problem.path == path || !problem.path.hasSuffix(".sql") {
      let explanation = problem.explanation(toolName: context.toolName)
      context.output.warning("\(problem.path): \(explanation.what)", remedy: explanation.remedy.asSentence)
    }
  }
}
