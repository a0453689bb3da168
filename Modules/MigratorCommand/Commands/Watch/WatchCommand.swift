internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  static let watch = ToolCommand(
    name: "watch",
    summary: "rebuild whenever a migration or seed file is saved",
    details: [
      "For development: runs `rebuild` now, and whenever a file of the folder or the seed file is saved, and shows the schema "
        + "changes. For a mistake in a file, shows the line, leaves the database unchanged, and waits for the next save. Ctrl-C "
        + "ends it.",
      "With --keep-data, restores the rows of unchanged tables after each rebuild. A table counts as changed if the migrations or "
        + "the seed file insert different rows than before.",
      "Asks once whether the database may be erased; without a terminal, --yes is required. Keeps a backup at each rebuild as "
        + "NAME.backup-<time>, as `rebuild` does. Refuses a database that neither `rebuild` nor `watch` created, unless --force-foreign is "
        + "given.",
      "In a tool whose migrations are Swift code, watches the sources of the package around the working directory and of the "
        + "local packages that it depends on, runs `swift build` at each save, and then `rebuild --keep-data` by the new program.",
      "Exits with 0 when Ctrl-C arrives while it waits, and with 130 when Ctrl-C interrupts a rebuild. With --json, prints one "
        + "object for each save.",
    ],
    examples: [
      Example("watch --database dev.sqlite", "rebuild while you write the migrations"),
      Example(
        "watch --database dev.sqlite --seed seed.sql --keep-data --yes", "with sample rows, and keeping your own"),
    ],
    options: [.seed, .keepData, .rename, .forceForeign, .confirm],
  ) { context throws(ToolFailure) in
    // Each save is another state.
    if context.requiresPlan { throw context.missingToken }
    return try context.tool.migrator == nil ? WatchCommand(context).run() : SourceWatchCommand(context).run()
  }
}

struct WatchCommand {
  private let context: CommandContext
  private let output: Output
  private let session: RebuildSession
  private let watch: FolderWatch
  private let places: String

  init(_ context: CommandContext) throws(ToolFailure) {
    self.context = context
    output = context.output
    let folder = context.folderPath
    let seed = context.arguments.value(of: .seed)
    guard FileSystem.isFolder(folder) else {
      let problem = MigrationProblem(FileSystem.exists(folder) ? .notAFolder : .missingFolder, path: folder)
      throw context.failure(MigrationFolderError(folder: folder, problems: [problem]))
    }
    session = RebuildSession(database: try DatabaseTarget(context, creates: true))
    watch = FolderWatch(folder: folder, files: seed.map { [$0] } ?? [])
    places = folder + (seed.map { " and \($0)" } ?? "")
  }

  func run() throws(ToolFailure) -> ExitCode {
    session.isPermitted = context.arguments.contains(.yes)
    let seed = context.arguments.value(of: .seed)
    var hasRebuilt = false
    return try watch.repeatAtSaves(
      context, places: places, onSave: { changed in if seed.map(changed.contains) ?? false { session.forces = true } }
    ) { () throws(ToolFailure) in
      if try rebuild(isFirst: !hasRebuilt) { hasRebuilt = true }
      return nil
    }
  }

  /// Runs `rebuild`; reports mistakes in the files instead of throwing.
  ///
  /// - Parameter isFirst: Whether no rebuild has succeeded yet.
  /// - Returns: Whether it succeeded.
  private func rebuild(isFirst: Bool) throws(ToolFailure) -> Bool {
    do throws(ToolFailure) {
      var command = try RebuildCommand(context, session: session)
      let report = try command.run()
      session.forces = false
      context.json(report, command.database)
      return true
    } catch {
      // Saving a file does not help if the database cannot be opened, or must not be erased. Later, a refusal is about the
      // saved migrations, unless it is about the missing permission.
      let isHopeless =
        error.exitCode == .refused && (isFirst || !session.isPermitted) || isFirst && error.exitCode == .cannotOpen
      guard error.exitCode != .interrupted, !isHopeless else { throw error }
      let failure = error.naming(nextIn: context.tool, context.arguments)
      output.failure(failure)
      output.json(failure, of: context.command)
      return false
    }
  }
}
