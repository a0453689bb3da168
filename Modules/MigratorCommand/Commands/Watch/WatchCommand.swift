internal import SQLMigrations

extension ToolCommand {
  static let watch = ToolCommand(
    name: "watch",
    summary: "rebuild at every save of a migration or seed file",
    details: [
      "For development: does what `rebuild` does, now and whenever a file of the folder or the seed is saved, and shows what that "
        + "changed in the schema. A mistake in a file is shown with its line, the database stays as it is, and the next save is "
        + "waited for. Ctrl-C ends it.",
      "With --keep-data, the rows of tables that did not change are put back after each rebuild. A table whose rows the migrations "
        + "or the seed insert otherwise than before counts as changed.",
      "Asks once whether the database may be erased; where nobody can be asked, --yes is needed. The previous file is kept at each "
        + "rebuild as NAME.backup-<time> (the newest three). A database that the tool did not create is refused, unless "
        + "--force-foreign is given.",
      "Ends with 0 when Ctrl-C comes while it waits, with 130 when it interrupts a rebuild. With --json, prints one object for each "
        + "save.",
    ],
    examples: [
      Example("watch --database dev.sqlite", "rebuild while you write the migrations"),
      Example(
        "watch --database dev.sqlite --seed seed.sql --keep-data --yes", "with sample rows, keeping what you typed in"),
    ],
    options: [.seed, .keepData, .forceForeign],
    absence: { tool in
      guard tool.migrator != nil else { return nil }
      return .usage(
        "`watch` reads SQL files, and the migrations of \(tool.name) are Swift code",
        remedy: "Run `\(tool.name) rebuild` after each build.")
    }
  ) { context throws(ToolFailure) in try WatchCommand(context).run() }
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
    // From the first moment on, so that Ctrl-C ends the watch the same way whatever it does just then.
    return try context.interrupt.whileWatching(onArrival: { [watch] in watch.wake() }) { () throws(ToolFailure) in
      try rebuildAtSaves()
    }
  }

  private func rebuildAtSaves() throws(ToolFailure) -> ExitCode {
    var known = watch.look()
    var isFirst = true
    repeat {
      try rebuild(isFirst: isFirst)
      output.line()
      output.line(output.style("Watching \(places); Ctrl-C ends it.", .faint))
      isFirst = false
    } while wait(&known)
    output.line("Ended.")
    return .done
  }

  /// Does what `rebuild` does, and reports mistakes.
  private func rebuild(isFirst: Bool) throws(ToolFailure) {
    do throws(ToolFailure) {
      var command = try RebuildCommand(context, session: session)
      let report = try command.run()
      session.forces = false
      context.json(report, command.database)
    } catch {
      // A refusal, or a database that cannot be opened at all, does not go away by saving a file.
      let isHopeless = error.exitCode == .refused || isFirst && error.exitCode == .cannotOpen
      guard error.exitCode != .interrupted, !isHopeless else { throw error }
      output.failure(error)
      output.json(error, of: context.command)
    }
  }

  /// Waits for the next save; returns false after Ctrl-C.
  private func wait(_ known: inout FileStates) -> Bool {
    guard let changed = watch.change(from: known, isOver: { context.interrupt.hasArrived }) else { return false }
    // Taken before the files are read, so that what is saved meanwhile counts the next time.
    known = watch.look()
    if let seed = context.arguments.value(of: .seed), changed.contains(seed) { session.forces = true }
    output.line()
    for (word, files) in [("Saved", changed.filter(known.has)), ("Removed", changed.filter { !known.has($0) })] {
      if !files.isEmpty { output.line(output.style("\(word): \(listed(files))", .strong)) }
    }
    return true
  }
}
