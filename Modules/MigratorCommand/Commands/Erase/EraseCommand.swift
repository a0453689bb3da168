internal import Migrator

extension ToolCommand {
  static let erase = ToolCommand(
    name: "erase",
    summary: "remove every object of the database",
    details: [
      "Removes every table, view and trigger with all rows, including the record of applied migrations, in one transaction. "
        + "The file itself, its settings and its key stay.",
      "First lists what would be lost and asks for confirmation; without a terminal, --yes is required, or the token that the list "
        + "ends with (--plan). Keeps a backup as NAME.backup-<time>: the newest three, and an older one with more rows.",
      "Refuses a database that neither `rebuild` nor `watch` created, unless --force-foreign is given.",
    ],
    examples: [Example("erase --database dev.sqlite", "list its contents, ask, and erase it")],
    options: [.forceForeign, .plan, .confirm]
  ) { context throws(ToolFailure) in try EraseCommand(context: context).run() }
}

struct EraseCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    let database = try DatabaseTarget(context, creates: false)
    // An empty file has nothing to erase.
    if database.file == .missing { try database.requireExisting("Check the path.") }
    let erased = database.file == .empty ? nil : try erase(database)
    if let erased {
      context.output.line("Erased \(database.path.oneLine): \(erased.contents.summary).")
      if let backup = erased.backup {
        context.output.line("A backup is kept as \(backup.oneLine); \(context.restoreAdvice).")
      }
    } else {
      context.output.line("Nothing to do: \(database.path.oneLine) is empty.")
    }
    context.json(Report(isErased: erased != nil, lost: erased?.contents.tables ?? [], backup: erased?.backup), database)
    return .done
  }

  /// Erases the database, after asking for permission.
  ///
  /// - Returns: The backup and its contents; nil if the database is empty.
  private func erase(_ database: DatabaseTarget) throws(ToolFailure) -> DatabaseErasure.Erased? {
    let queue = try database.open()
    // Runs no migration: the migrator only serves to distinguish the ledger from the user's tables.
    let erasure = DatabaseErasure(
      context: context, database: database,
      confirmation: PlanConfirmation(context: context, database: database, migrator: context.ownMigrator))
    let state = try database.catching { try queue.read(erasure.state) }
    guard !state.isBlank else {
      try erasure.confirmation.require(state.token)
      return nil
    }
    try erasure.obtainPermission(state, "Erase \(database.path.oneLine)?")
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
