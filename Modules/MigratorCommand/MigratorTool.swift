public import Migrator

/// The tool: every command, for the migrations of a folder or for an app's own.
///
/// ```swift
/// MigratorTool(migrator: AppDatabase.migrator, backends: [.sqlite]).main()
/// ```
public struct MigratorTool: Sendable {
  /// How the program is called.
  public let name: String
  /// What `--version` prints behind the name.
  public let version: String
  /// The app's own migrations; nil when they are SQL files in a folder.
  public let migrator: DatabaseMigrator?
  /// The backends to choose from; the first one opens a new database when nothing speaks for another.
  public let backends: [ToolBackend]
  /// The database when none is named; nil makes naming one necessary.
  public let database: String?

  /// Creates a tool.
  ///
  /// - Precondition: There is at least one backend, and no two have the same name.
  public init(
    name: String = "migrator", version: String = "0.1.0", migrator: DatabaseMigrator? = nil, backends: [ToolBackend],
    database: String? = nil
  ) {
    precondition(!backends.isEmpty, "A tool needs a backend.")
    precondition(Set(backends.map(\.name)).count == backends.count, "Two backends have the same name.")
    self.name = name
    self.version = version
    self.migrator = migrator
    self.backends = backends
    self.database = database
  }

  /// Runs the command that the process was started with, and ends the process.
  public func main() -> Never {
    ProcessSignals.prepare()
    ProcessSignals.exit(run(arguments: Array(CommandLine.arguments.dropFirst())))
  }

  /// Runs a command.
  ///
  /// - Parameter arguments: What was typed, without the program's name.
  /// - Returns: The exit code: 0 done; 1 a check failed; 2 wrong usage; 3 the database cannot be opened; 4 a migration
  ///   failed and was rolled back; 5 refused for safety; 130 interrupted.
  public func run(arguments: [String]) -> Int32 { run(arguments: arguments, environment: .process) }

  /// Runs a command in a world of one's own.
  package func run(arguments: [String], environment: ToolEnvironment) -> Int32 {
    let options = OptionSpecification.common(backends: backends, readsFolder: migrator == nil)
    let parser = ArgumentParser(commands: commands, options: options, variables: environment.variables)
    do {
      let parsed = try parser.parse(arguments)
      return try run(parsed, options, Output(environment, arguments: parsed)).rawValue
    } catch {
      // The line may be the reason why nothing else is known of it.
      var parsed = ParsedArguments()
      parsed.given = Set(arguments.filter { $0 == "--json" || $0 == "--no-color" }.map { String($0.dropFirst(2)) })
      parsed.command = arguments.first { argument in commands.contains { $0.name == argument } }
      let output = Output(environment, arguments: parsed)
      output.failure(error)
      output.json(FailureReport(error, command: parsed.command))
      return error.exitCode.rawValue
    }
  }

  /// The commands of this tool: an app's own migrations are not made by writing a file.
  var commands: [ToolCommand] {
    [.status, .migrate, .rebuild, .erase] + (migrator == nil ? [.new] : [])
  }

  private func run(
    _ parsed: ParsedArguments, _ options: [OptionSpecification], _ output: Output
  ) throws(ToolFailure) -> ExitCode {
    let help = HelpText(tool: self, options: options, style: output.style, width: output.environment.width)
    if parsed.contains(.version) {
      output.result("\(name) \(version)")
      return .done
    }
    guard let word = parsed.command, word != "help" else {
      let topic = parsed.operands.first
      output.result(try topic.map { name throws(ToolFailure) in help.text(of: try known(name)) } ?? help.overview)
      return .done
    }
    let command = try known(word)
    if parsed.contains(.help) {
      output.result(help.text(of: command))
      return .done
    }
    if command.operands.isEmpty, let extra = parsed.operands.first {
      throw .usage(
        "`\(command.name)` does not take \"\(extra)\"", remedy: "`\(name) help \(command.name)` says what it takes.")
    }
    return try command.run(CommandContext(tool: self, command: command, arguments: parsed, output: output))
  }

  private func known(_ word: String) throws(ToolFailure) -> ToolCommand {
    if let command = commands.first(where: { $0.name == word }) { return command }
    let nearest = Suggestion.nearest(to: word, among: commands.map(\.name))
    throw .usage(
      "there is no command \(word)",
      remedy: nearest.map { "Did you mean `\(name) \($0)`?" } ?? "`\(name) help` lists the commands.")
  }
}
