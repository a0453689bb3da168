internal import Migrator

extension ToolCommand {
  static let erase = ToolCommand(
    name: "erase",
    summary: "remove every object of the database",
    details: [
      "Removes every table, view and trigger with all rows, the record of applied migrations included, in one transaction. "
        + "The file itself, its settings and its key stay.",
      "Says first what would be lost and asks; where nobody can be asked, --yes is needed. The previous file is kept as "
        + "NAME.backup-<time> (the newest three).",
      "A database that the tool did not create is refused, unless --force-foreign is given.",
    ],
    examples: [Example("erase --database dev.sqlite", "say what is in it, ask, and remove it")],
    options: [.forceForeign]
  ) { context throws(ToolFailure) in try EraseCommand(context: context).run() }
}

struct EraseCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    let database = try DatabaseTarget(context, creates: false)
    guard database.file != .missing else {
      throw ToolFailure(
        exitCode: .cannotOpen, what: "there is no database at \(database.path)",
        remedy: "Check the path; there is nothing to erase.")
    }
    let erased = database.file == .empty ? nil : try erase(database)
    if let erased {
      context.output.line("Erased \(database.path): \(erased.contents.summary).")
      if let backup = erased.backup { context.output.line("The previous file is kept as \(backup).") }
    } else {
      context.output.line("Nothing to do: \(database.path) holds nothing.")
    }
    context.json(Report(isErased: erased != nil, lost: erased?.contents.tables ?? [], backup: erased?.backup), database)
    return .done
  }

  /// - Returns: Nil when the database holds nothing.
  private func erase(_ database: DatabaseTarget) throws(ToolFailure) -> DatabaseErasure.Erased? {
    let queue = try database.open()
    // No migration is run, but the ledger must be distinguished from the user's tables.
    let erasure = DatabaseErasure(context: context, database: database, migrator: context.ownMigrator)
    let state = try database.catching { try queue.read(erasure.state) }
    guard !state.isBlank else { return nil }
    try erasure.obtainPermission(state, "Erase \(database.path)?")
    let erased = try erasure.erase(queue, known: state, marking: false)
    try database.catching { try queue.close() }
    return erased
  }

  private struct Report: Encodable {
    var isErased: Bool
    var lost: [DatabaseContents.Table]
    var backup: String?
  }
}
