internal import Migrator
internal import SQLMigrations

/// Turns the migrator's refusals to adopt or to mark migrations into the tool's own words and commands.
struct RefusalWords {
  /// The command.
  let context: CommandContext
  /// The database's path.
  let path: String

  private var tool: String { context.toolName }

  /// Why another tool's history was not taken over.
  func adoption(_ refusal: AdoptionRefusal) -> ToolFailure {
    switch refusal {
    case .unmapped(let history, let entries):
      refused(
        history, "it holds \(listed(entries)), for which there is no migration",
        "Bring the files for them, name the migration that each stands for with --map OLD=ID, or say what becomes of them "
          + "with --unmapped keep or --unmapped leave-out.")
    case .unregistered(let history, let entry, let identifier):
      refused(
        history, "\(entry) was mapped to \(identifier), which is no migration",
        "Correct --map; `\(tool) status` lists the migrations.")
    case .ambiguous(let history, let entry, let identifiers):
      refused(
        history, "\(entry) could be each of \(listed(identifiers))", "Say which with --map \(entry)=ID.")
    case .unfinished(let history, let entries):
      refused(
        history, "\(listed(entries)) began and did not succeed",
        "Repair the database with the tool that wrote it, and adopt again.")
    case .unrecognizedTable(let history, let columns):
      refused(
        history, "its columns \(listed(columns)) are not those of a tool that is known",
        "Mark what is applied with `\(tool) baseline` instead.")
    case .unreadableEntry(let history):
      refused(
        history, "the version of an entry is neither a number nor a text",
        "Repair it, or mark what is applied with `\(tool) baseline` instead.")
    }
  }

  private func refused(_ history: String, _ reason: String, _ remedy: String) -> ToolFailure {
    .refused(
      "the history in \(history) cannot be taken over", why: [reason], remedy: "Nothing was changed. " + remedy)
  }

  /// Why migrations were not marked as applied.
  func baseline(_ refusal: BaselineRefusal, _ report: MigrationErrorReport) -> ToolFailure {
    let name = "Nothing was changed. Name the last migration that the database has with --to ID"
    switch refusal {
    case .schemaDiffers(let last, let reasons):
      return .refused(
        "\(path) does not have the schema that the migrations up to \(last) make", why: reasons.map(\.description),
        remedy: name + ", or correct the migrations.")
    case .schemaBeyond(let last, let migration, let objects):
      return .refused(
        "\(path) is beyond \(last)", why: ["it has \(listed(objects)), which \(migration) makes"], remedy: name + ".")
    case .alreadyMigrated(let applied):
      return .refused(
        "\(path) has a record of \(counted(applied.count, "applied migration")) already",
        remedy: "Nothing was changed. `\(tool) migrate` applies what is pending.")
    case .replayFailed(let failure):
      return MigrationErrorReport.untouched(report.migration(failure), path: path)
    }
  }
}
