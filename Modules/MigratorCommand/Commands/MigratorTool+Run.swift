internal import SQLSyntax

extension ToolCommand {
  /// All commands by name, in the order of the help; each is created when it is needed.
  ///
  /// To add a command, add a file for it, and its name to this list.
  static let all: KeyValuePairs<String, @Sendable () -> ToolCommand> = [
    "status": { .status }, "plan": { .plan }, "migrate": { .migrate }, "rebuild": { .rebuild }, "watch": { .watch },
    "erase": { .erase }, "restore": { .restore }, "new": { .new }, "dump": { .dump }, "diff": { .diff },
    "diagram": { .diagram },
    "lint": { .lint }, "check": { .check }, "verify": { .verify }, "baseline": { .baseline }, "adopt": { .adopt },
    "encrypt": { .encrypt }, "decrypt": { .decrypt }, "rekey": { .rekey }, "upgrade-cipher": { .upgradeCipher },
    "completions": { .completions }, "help": { .help },
  ]

  /// The names of other tools' commands, with the names of the equivalent commands here.
  static let otherNames = [
    "migrate": ["up", "apply", "run", "upgrade", "update", "deploy", "latest"],
    "new": ["init", "create", "add", "generate", "make", "revision"],
    "status": ["info", "list", "pending", "current", "history"],
    "rebuild": ["reset", "refresh", "fresh", "redo"], "erase": ["drop", "clean"], "check": ["validate"],
    "dump": ["schema", "snapshot", "inspect"], "baseline": ["stamp", "mark", "fake", "resolve"], "adopt": ["import"],
    "restore": ["backups"], "diagram": ["erd", "graph"], "watch": ["dev"],
  ]

  /// The names of other tools' commands that undo a migration.
  static let undoing: Set<String> = ["down", "rollback", "revert", "undo", "downgrade", "backward"]
}

extension MigratorTool {
  /// Runs the command that the process's arguments name, and ends the process with its exit code.
  public func main() -> Never {
    SignalHub.ignoreSignalsOfWriting()
    SignalHub.endProcess(run(arguments: Array(CommandLine.arguments.dropFirst())))
  }

  /// Runs a command.
  ///
  /// - Parameter arguments: The arguments, without the program's name.
  /// - Returns: The exit code: 0 if the command is done; 1 if a check failed; 2 if the usage is wrong; 3 if the database
  ///   cannot be opened; 4 if a migration failed and was rolled back; 5 if the command was refused for safety; 130 if it
  ///   was interrupted.
  public func run(arguments: [String]) -> Int32 { run(arguments: arguments, environment: .process) }

  /// Runs a command with the input, output and variables of a given environment.
  func run(arguments: [String], environment: ToolEnvironment) -> Int32 {
    let parsed: ParsedArguments
    do {
      parsed = try ArgumentParser(self, variable: environment.variable).parse(arguments)
    } catch {
      // The options about the output may not have been parsed yet.
      let options = arguments.filter { $0 == "--json" || $0 == "--no-color" }.map { String($0.dropFirst(2)) }
      return fail(error, of: arguments.first { knownCommand($0) != nil }, Output(environment, options: Set(options)))
    }
    let output = Output(environment, options: parsed.given) { self.completed($0, parsed) }
    do {
      if let path = parsed.configurationPath { output.detail("options from \(path)") }
      for override in parsed.overrides {
        output.warning(
          "the environment variable \(override.variable) overrides \"\(override.option)\" from the configuration file")
      }
      return output.settled(try run(parsed, output)).rawValue
    } catch {
      return fail(error.naming(nextIn: self, parsed), of: parsed.command.flatMap { knownCommand($0)?.name }, output)
    }
  }

  /// The commands that write nothing to a database.
  private static let reading: Set<String> = [
    "status", "plan", "lint", "check", "verify", "diff", "dump", "diagram", "help",
  ]

  /// Returns a text whose command lines, in backticks, can be typed as they are: each has the options with which the user has
  /// selected the database, or all of a fleet; the command that the user has typed has its arguments, except confirmations.
  func completed(_ text: String, _ parsed: ParsedArguments) -> String {
    // Every second part is between backticks.
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { $0.offset % 2 == 1 ? completedLine($0.element, parsed) : String($0.element) }.joined(separator: "`")
  }

  private func completedLine(_ line: Substring, _ parsed: ParsedArguments) -> String {
    // A pipe cannot be read again.
    guard let (words, command) = self.command(of: line), command.usesDatabase, !parsed.leavesOpen(words),
      parsed.value(of: .databasesFrom) != "-"
    else { return String(line) }
    let repeats = command.name == parsed.command && words.count == 1
    let options = (command.options + self.options).filter { option in
      option.group != .output && (repeats || option.group != .command) && parsed.typed.contains(option.name)
        && !words.contains { option.excludes(String($0.dropFirst(2))) }
        && option != .plan && !option.name.hasPrefix("force")
    }
    let added = options.flatMap { option in
      option.takesValue
        ? parsed.values(of: option).map { "--\(option.name) \($0.shellWord)" } : ["--" + option.name]
    }
    return ([String(line)] + (repeats ? parsed.operands.map(\.shellWord) : []) + added).joined(separator: " ")
  }

  /// Returns the words after the tool's name in a command line, and their command; nil if the text is none.
  private func command(of line: Substring) -> (words: [Substring], ToolCommand)? {
    guard line.hasPrefix(name + " ") else { return nil }
    let words = line.dropFirst(name.count + 1).split(separator: " ")
    return words.first.flatMap { knownCommand(String($0)) }.map { (words, $0) }
  }

  /// Returns the first command line of a remedy that a program may run, with the options of ``completed(_:_:)``.
  ///
  /// Returns nil if the remedy names none, or one that changes a database and is not the command that failed: such a step is
  /// a person's decision, as is a confirmation.
  func nextCommand(in remedy: String, _ parsed: ParsedArguments) -> String? {
    // The next command would find standard input empty.
    guard parsed.value(of: .databasesFrom) != "-" else { return nil }
    return remedy.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .first { offset, line in
        guard offset % 2 == 1, let (words, command) = command(of: line) else { return false }
        return (Self.reading.contains(command.name) || command.name == parsed.command)
          && !parsed.leavesOpen(words)
          && !words.contains { ["--plan", "--yes"].contains($0) || $0.hasPrefix("--force") }
      }.map { completedLine($0.element, parsed) }
  }

  private func fail(_ failure: ToolFailure, of command: String?, _ output: Output) -> Int32 {
    output.failure(failure)
    output.json(failure, of: command)
    return failure.exitCode.rawValue
  }

  private func run(_ parsed: ParsedArguments, _ output: Output) throws(ToolFailure) -> ExitCode {
    if parsed.contains(.version) {
      output.result("\(name) \(version)")
      output.json(["name": name, "version": version], of: "version")
      return .done
    }
    let command = try parsed.command.map { word throws(ToolFailure) in try self.command(word) }
    if parsed.contains(.help) {
      HelpText(tool: self, output: output).print(command)
      return .done
    }
    guard let command else {
      guard parsed.typed.isSubset(of: options.lazy.filter { $0.group == .output }.map(\.name)) else {
        throw .usage("no command was given", remedy: "`\(name) help` lists the commands.")
      }
      let help = HelpText(tool: self, output: output)
      help.print(help.commandList)
      return .done
    }
    try requireOperands(parsed, command)
    let context = CommandContext(tool: self, command: command.name, arguments: parsed, output: output)
    // A fleet checks its databases once it has found them.
    if !parsed.isFleet, let database = parsed.value(of: .database) { try context.requireUnguarded([database]) }
    return try command.run(context)
  }

  private func requireOperands(_ parsed: ParsedArguments, _ command: ToolCommand) throws(ToolFailure) {
    let limit = command.operand.map(\.limit) ?? 0
    if let limit, let extra = parsed.operands.dropFirst(limit).first {
      // If there are two databases, suggest the first one.
      let database = parsed.operands.first(where: DatabaseFile.looksLikeOne)
      let namesDatabase = command.usesDatabase && parsed.value(of: .database) == nil
      let pattern = "Quote the pattern, so that the shell does not expand it: --databases '*.db'."
      throw .usage(
        "`\(command.name)` does not take the argument \"\(extra)\"",
        remedy: parsed.contains(.databases)
          ? pattern
          : database.flatMap { path in
            namesDatabase ? "To specify a database, use an option, such as --database \(path.shellWord)." : nil
          }
            ?? "`\(name) help \(command.name)` describes its arguments.")
    }
    guard let words = command.operand?.words, !words.isEmpty, let word = parsed.operands.first, !words.contains(word)
    else { return }
    throw .usage(
      "`\(command.name)` does not know \"\(word)\"", remedy: "Use one of: \(words.joined(separator: ", ")).")
  }

  // MARK: Commands

  var commands: [ToolCommand] { ToolCommand.all.map { $0.value() }.filter { $0.absence(self) == nil } }

  func knownCommand(_ name: String) -> ToolCommand? {
    ToolCommand.all.first { $0.key == name }.map { $0.value() }.flatMap { $0.absence(self) == nil ? $0 : nil }
  }

  var options: [OptionSpecification] { OptionSpecification.common(backends: backends, readsFolder: migrator == nil) }

  /// The options of all tools, so that an app's tool and the tool for SQL files can share a configuration file.
  var configurableOptions: [OptionSpecification] {
    options + OptionSpecification.common(backends: backends, readsFolder: true)
      + ToolCommand.all.flatMap { $0.value().options }
  }

  /// Returns the command with this name; throws a usage failure if no such command exists, or if this tool does not
  /// have it.
  func command(_ word: String) throws(ToolFailure) -> ToolCommand {
    guard let command = ToolCommand.all.first(where: { $0.key == word })?.value() else {
      throw .usage("there is no command \"\(word)\"", remedy: remedy(forCommand: word))
    }
    if let absence = command.absence(self) { throw absence }
    return command
  }

  private func remedy(forCommand word: String) -> String {
    let folded = word.lowercased()
    if let known = commands.first(where: { ToolCommand.otherNames[$0.name]?.contains(folded) ?? false }) {
      return "Did you mean `\(name) \(known.name)` (\(known.summary))?"
    }
    if ToolCommand.undoing.contains(folded) {
      return
        "Migrations only run forward. In development, correct the file and run `\(name) rebuild`; otherwise, write a new migration."
    }
    let names = commands.map(\.name)
    let nearest = Suggestion.nearest(to: word, among: names) ?? names.first { !folded.isEmpty && $0.hasPrefix(folded) }
    return nearest.map { "Did you mean `\(name) \($0)`?" } ?? "`\(name) help` lists the commands."
  }
}

extension CommandContext {
  /// Throws a refusal if one of the databases is that of an environment which requires the token of a plan, and which the
  /// command line does not select.
  func requireUnguarded(_ addresses: [String]) throws(ToolFailure) {
    let identity = { (address: String) in FileSystem.identity(of: DatabaseScheme(address)?.path ?? address) }
    for (environment, settings) in arguments.guarded {
      let guarded = Set(FleetDatabases(of: settings, in: self).addresses.map(identity))
      guard let database = addresses.first(where: { guarded.contains(identity($0)) }) else { continue }
      throw .refused(
        "\(database) is \(settings.contains { $0.option == .database } ? "the" : "a") database of the environment "
          + "\(environment), which requires the token of a plan",
        why: ["\(arguments.configurationPath ?? "") says \"confirm\": \"plan\" there"],
        remedy: "Add --env \(environment.shellWord).")
    }
  }
}

extension ToolFailure {
  /// Returns the failure with complete command lines in its remedy, and with the one that a program may run.
  func naming(nextIn tool: MigratorTool, _ parsed: ParsedArguments) -> ToolFailure {
    var failure = self
    failure.remedy = remedy.map { tool.completed($0, parsed) }
    failure.next = remedy.flatMap { tool.nextCommand(in: $0, parsed) }
    failure.parts = parts.map { $0.naming(nextIn: tool, parsed) }
    return failure
  }
}

extension ParsedArguments {
  /// Whether one of the words of a command line is a placeholder, and not an argument of that form.
  fileprivate func leavesOpen(_ words: [Substring]) -> Bool {
    let given = Set(values.values.joined() + operands)
    return words.contains { $0.isPlaceholder && !given.contains(String($0)) }
  }
}

extension Substring {
  /// Whether the word stands for one that the user chooses, such as `NAME` or `NAME.backup-<time>`.
  fileprivate var isPlaceholder: Bool {
    contains("<") || contains("...") || count > 1 && allSatisfy { $0.isUppercase || $0 == "_" || $0 == "." }
  }
}
