internal import Migrator
internal import SQLMigrations

/// The command `watch` of a tool whose migrations are Swift code.
///
/// The migrations of this process cannot change, so each rebuild is the work of a new process: the program that `swift build`
/// has just linked.
struct SourceWatchCommand {
  private let context: CommandContext
  private let output: Output
  private let package: String
  /// The path of this program, which `swift build` replaces.
  private let program: String
  private let watch: FolderWatch

  init(_ context: CommandContext) throws(ToolFailure) {
    self.context = context
    output = context.output
    var folder = FileSystem.resolve("./Package.swift").folder
    while !FileSystem.exists(FileSystem.join(folder, "Package.swift")) {
      guard folder != "/", folder != "." else {
        throw .usage(
          "`watch` builds the package of \(context.toolName), but neither the working directory nor a folder above it has a "
            + "Package.swift",
          remedy: "Change to the folder of the package.")
      }
      folder = folder.containingFolder
    }
    package = folder
    program = FileSystem.resolve(CommandLine.arguments.first ?? "").path
    watch = FolderWatch(package: package)
  }

  func run() throws(ToolFailure) -> ExitCode {
    try obtainPermission()
    return try context.interrupt.whileWatching(onArrival: { [watch] in watch.wake() }) { () throws(ToolFailure) in
      // The state is read before the build, so that a save during the build causes another one.
      var known = watch.look()
      try build()
      while !context.interrupt.hasArrived {
        output.line()
        output.line(output.style("Watching the sources in \(package); Ctrl-C ends it.", .faint))
        guard let changed = watch.change(from: known, isOver: { context.interrupt.hasArrived }) else { break }
        known = watch.look()
        output.line()
        output.line(output.style("Saved: \(listed(changed.map(FileSystem.name)))", .strong))
        try build()
      }
      output.line("Ended.")
      return .done
    }
  }

  /// Asks once for all rebuilds.
  private func obtainPermission() throws(ToolFailure) {
    guard !context.arguments.contains(.yes) else { return }
    guard output.environment.isInputTerminal else {
      throw .refused(
        "`watch` needs confirmation, because it erases and rebuilds the database",
        why: ["the command cannot ask for confirmation without a terminal"],
        remedy: "To confirm, add --yes; a backup is kept, and \(context.restoreAdvice).")
    }
    try context.confirm(
      "Erase and rebuild the database after each build that changes its migrations, keeping its rows?")
  }

  /// Builds the program, and on success lets the new one rebuild the database; both print their own errors.
  private func build() throws(ToolFailure) {
    let start = ContinuousClock.now
    var command = ["swift", "build", "--package-path", package, "--product", FileSystem.name(of: program)]
    // `SCRATCH/TRIPLE/CONFIGURATION/PROGRAM`
    let configuration = program.containingFolder
    command += ["--scratch-path", configuration.containingFolder.containingFolder]
    if FileSystem.name(of: configuration) == "release" { command += ["-c", "release"] }
    guard try child(command) == 0, !context.interrupt.hasArrived else { return }
    output.detail("built in \((ContinuousClock.now - start).shortText)")
    var arguments = Array(CommandLine.arguments.dropFirst())
    if let index = arguments.firstIndex(of: "watch") { arguments[index] = "rebuild" }
    for option in ["--keep-data", "--yes"] where !arguments.contains(option) { arguments.append(option) }
    let code = try child([program] + arguments)
    // A refusal does not go away with another save.
    if code == ExitCode.refused.rawValue {
      throw .refused("the database was not rebuilt", remedy: "Do what the message above says, and start again.")
    }
  }

  private func child(_ command: [String]) throws(ToolFailure) -> Int32 {
    do {
      return try ChildProcess.runInForeground(command)
    } catch {
      throw .usage("\(error)", remedy: "Check that Swift is installed.")
    }
  }
}
