internal import Migrator
internal import SQLMigrations

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

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
  /// The folder of the build, `SCRATCH` in `SCRATCH/TRIPLE/CONFIGURATION/PROGRAM`.
  private let scratch: String
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
    let configuration = program.containingFolder
    guard ["debug", "release"].contains(FileSystem.name(of: configuration)) else {
      throw .usage(
        "`watch` builds \(context.toolName) and runs the new program, but this program is not in the folder of a build",
        remedy: "Start it with `swift run \(context.toolName) watch`.")
    }
    let scratch = configuration.containingFolder.containingFolder
    self.scratch = scratch
    watch = FolderWatch(
      packages: { [folder] in [folder] + LocalPackages.folders(ofBuildIn: scratch) }, besides: scratch)
  }

  func run() throws(ToolFailure) -> ExitCode {
    try obtainPermission()
    let key = try sharedKey()
    var hasRebuilt = false
    return try watch.repeatAtSaves(context, places: "the sources in \(package)", in: package + "/") {
      () throws(ToolFailure) in try buildAndRebuild(key, &hasRebuilt)
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

  /// A key for all rebuilds, which each new program reads from a file descriptor.
  private struct SharedKey {
    let key: ToolKey
    /// The descriptor that `--key-fd` names; nil if the key was typed.
    let descriptor: Int32?
  }

  /// Reads a key that can be read only once: one that the user types, or that comes from a file descriptor.
  ///
  /// - Returns: nil if each new program can read the key again, or needs none.
  private func sharedKey() throws(ToolFailure) -> SharedKey? {
    var descriptor: Int32?
    switch try KeySource(context.arguments) {
    case .file, .variable: return nil
    case .descriptor(let number): descriptor = number
    case nil: break
    }
    let database = try DatabaseTarget(context, creates: true)
    guard let key = database.location.key else { return nil }
    // A wrong key does not become right with another save.
    if !database.file.isNew {
      let queue = try database.openForReading()
      try database.catching { try queue.close() }
    }
    return SharedKey(key: key, descriptor: descriptor)
  }

  /// Runs the new program, which inherits a pipe that contains the key.
  private func run(_ arguments: [String], _ shared: SharedKey?) throws(ToolFailure) -> Int32 {
    guard let shared else { return try child([program] + arguments) }
    var text = shared.key.text
    defer { text.withUnsafeMutableBytes { SecretMemory.wipe($0) } }
    let number: Int32
    do {
      number = try ChildProcess.inheritedPipe(containing: text, as: shared.descriptor)
    } catch {
      throw .refused(
        "the key cannot be passed to the new program: \(error.what)", why: [error.reason],
        remedy: "Use --key-file PATH or --key-env NAME.")
    }
    defer { ChildProcess.closePipe(number) }
    return try child([program] + arguments + (shared.descriptor == nil ? ["--key-fd", "\(number)"] : []))
  }

  /// Builds the program, and on success lets the new one rebuild the database; both print their own errors.
  ///
  /// - Parameter hasRebuilt: Whether a rebuild has succeeded.
  /// - Returns: The exit code if Ctrl-C has interrupted one of them; otherwise nil.
  private func buildAndRebuild(_ key: SharedKey?, _ hasRebuilt: inout Bool) throws(ToolFailure) -> ExitCode? {
    let start = ContinuousClock.now
    var command = ["swift", "build", "--package-path", package, "--scratch-path", scratch]
    command += ["--product", FileSystem.name(of: program)]
    if FileSystem.name(of: program.containingFolder) == "release" { command += ["-c", "release"] }
    let built = try child(command)
    // A shell that runs the compiler reports the signal as an exit code.
    guard built != ChildProcess.interruption, built != ExitCode.interrupted.rawValue else { return .done }
    guard built == 0, !context.interrupt.hasArrived else { return nil }
    output.detail("built in \((ContinuousClock.now - start).shortText)")
    var arguments = Array(CommandLine.arguments.dropFirst())
    if let index = arguments.firstIndex(of: "watch") { arguments[index] = "rebuild" }
    for option in ["--keep-data", "--yes"] where !arguments.contains(option) { arguments.append(option) }
    let code = try run(arguments, key)
    if code == ExitCode.done.rawValue { hasRebuilt = true }
    // A refusal to touch the database does not go away with another save; later, it is about the saved migrations.
    if code == ExitCode.refused.rawValue, !hasRebuilt {
      throw .refused("the database was not rebuilt", remedy: "Do what the message above says, and start again.")
    }
    return code == ExitCode.interrupted.rawValue ? .interrupted : nil
  }

  private func child(_ command: [String]) throws(ToolFailure) -> Int32 {
    let code: Int32
    do {
      // After a crash, Swift's backtracer would ask what to do, for half a minute
      // (https://github.com/swiftlang/swift/blob/main/docs/Backtracing.rst).
      code = try ChildProcess.runInForeground(
        command, defaults: ["SWIFT_BACKTRACE": "interactive=no", ToolEnvironment.watchVariable: "1"])
    } catch {
      throw .usage("\(error.what): \(error.reason)", remedy: "Check that Swift is installed.")
    }
    // The program's own code may have crashed it. The signal of Ctrl-C may end it before this process notices its own.
    if code < 0, code != ChildProcess.interruption, !context.interrupt.hasArrived {
      output.warning("\(FileSystem.name(of: command[0])) was ended by signal \(-code)")
    }
    return code
  }
}

/// The packages on this machine that a package depends on.
private enum LocalPackages {
  /// The part of SwiftPM's file `workspace-state.json` that contains the folders of local and edited packages.
  private struct WorkspaceState: Decodable {
    struct Object: Decodable { var dependencies: [Dependency] }
    struct Dependency: Decodable { var state: State }
    struct State: Decodable { var path: String? }
    var object: Object
  }

  /// Returns the packages' folders, as the last build found them; empty if the file has another format.
  static func folders(ofBuildIn scratch: String) -> [String] {
    // Their absence means that only the package's own sources are watched.
    guard let content = try? FileSystem.content(of: FileSystem.join(scratch, "workspace-state.json")),
      let state = try? JSONDecoder().decode(WorkspaceState.self, from: Data(content))
    else { return [] }
    return state.object.dependencies.compactMap(\.state.path)
  }
}
