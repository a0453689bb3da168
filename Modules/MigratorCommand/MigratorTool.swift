public import Migrator
internal import SQLMigrations

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
    let parser = ArgumentParser(tool: self, variable: environment.variable)
    do {
      let parsed = try parser.parse(arguments)
      let output = Output(environment, arguments: parsed)
      return output.settled(try run(parsed, output)).rawValue
    } catch {
      // The line may be the reason why nothing else is known of it.
      var parsed = ParsedArguments()
      parsed.given = Set(arguments.filter { $0 == "--json" || $0 == "--no-color" }.map { String($0.dropFirst(2)) })
      parsed.command = arguments.first { knownCommand($0) != nil }
      let output = Output(environment, arguments: parsed)
      output.failure(error)
      output.json(FailureReport(error, command: parsed.command))
      return error.exitCode.rawValue
    }
  }

  /// The options of every command.
  var options: [OptionSpecification] { OptionSpecification.common(backends: backends, readsFolder: migrator == nil) }

  /// The command of that name.
  ///
  /// - Throws: ``ToolFailure`` of wrong usage when there is none, or not in this tool.
  func command(_ word: String) throws(ToolFailure) -> ToolCommand {
    guard let command = ToolCommand.Word(spelling: word).map(ToolCommand.init) else {
      throw .usage("there is no command \(word)", remedy: remedy(forCommand: word))
    }
    if let absence = command.absence(self) { throw absence }
    return command
  }

  private func run(_ parsed: ParsedArguments, _ output: Output) throws(ToolFailure) -> ExitCode {
    if parsed.contains(.version) {
      output.result("\(name) \(version)")
      output.json(VersionReport(name: name, version: version))
      return .done
    }
    let command = try parsed.command.map { word throws(ToolFailure) in try self.command(word) }
    let help = HelpText(tool: self, output)
    if parsed.contains(.help) {
      help.print(command, on: output)
      return .done
    }
    guard let command else {
      help.printList(on: output)
      return .done
    }
    let context = CommandContext(tool: self, command: command, arguments: parsed, output: output)
    try requireOperands(parsed, command)
    return try command.run(context)
  }

  /// What to type in place of a word that is no command.
  private func remedy(forCommand word: String) -> String {
    let known = Suggestion.commandOfOthers[word.lowercased()].flatMap(knownCommand)
    if let known { return "Here that is `\(name) \(known.name)`: \(known.summary)." }
    if Suggestion.undoing.contains(word.lowercased()) {
      return
        "Migrations run forward only. In development, correct the file and `\(name) rebuild`; elsewhere, write a new one."
    }
    let nearest = ToolCommand.nearest(to: word, in: self)
    return nearest.map { "Did you mean `\(name) \($0)`?" } ?? "`\(name) help` lists the commands."
  }

  private func requireOperands(_ parsed: ParsedArguments, _ command: ToolCommand) throws(ToolFailure) {
    let limit = command.operand.map(\.limit) ?? 0
    if let limit, let extra = parsed.operands.dropFirst(limit).first {
      // The first of two is the one to work on.
      let database = parsed.operands.first(where: DatabaseFile.looksLikeOne)
      if command.usesDatabase, let database, parsed.value(of: .database) == nil {
        throw .usage(
          "`\(command.name)` does not take \"\(extra)\"",
          remedy: "Name a database with --database \(database.shellWord).")
      }
      throw .usage(
        "`\(command.name)` does not take \"\(extra)\"", remedy: "`\(name) help \(command.name)` says what it takes.")
    }
    guard let operand = command.operand, !operand.words.isEmpty, let word = parsed.operands.first,
      !operand.words.contains(word)
    else { return }
    throw .usage(
      "`\(command.name)` does not know \"\(word)\"", remedy: "It is one of: \(operand.words.joined(separator: ", ")).")
  }
}
