extension MigratorTool {
  /// Runs the command that the process was started with, and ends the process.
  public func main() -> Never {
    SignalHub.ignoreSignalsOfWriting()
    SignalHub.exit(run(arguments: Array(CommandLine.arguments.dropFirst())))
  }

  /// Runs a command.
  ///
  /// - Parameter arguments: What was typed, without the program's name.
  /// - Returns: The exit code: 0 done; 1 a check failed; 2 wrong usage; 3 the database cannot be opened; 4 a migration
  ///   failed and was rolled back; 5 refused for safety; 130 interrupted.
  public func run(arguments: [String]) -> Int32 { run(arguments: arguments, environment: .process) }

  /// Runs a command with the input, output and variables of an environment.
  package func run(arguments: [String], environment: ToolEnvironment) -> Int32 {
    let parser = ArgumentParser(
      toolName: name, options: options, commandOptions: { knownCommand($0)?.options },
      allCommands: { commands.map { ($0.name, $0.options) } }, variable: environment.variable)
    do {
      let parsed = try parser.parse(arguments)
      let output = Output(environment, modes: parsed.outputModes)
      return output.settled(try run(parsed, output)).rawValue
    } catch {
      // The line may be the reason why nothing else is known of it.
      var parsed = ParsedArguments()
      parsed.given = Set(arguments.filter { $0 == "--json" || $0 == "--no-color" }.map { String($0.dropFirst(2)) })
      let command = arguments.first { knownCommand($0) != nil }
      let output = Output(environment, modes: parsed.outputModes)
      output.failure(error)
      output.json(error, of: command)
      return error.exitCode.rawValue
    }
  }

  private func run(_ parsed: ParsedArguments, _ output: Output) throws(ToolFailure) -> ExitCode {
    if parsed.contains(.version) {
      output.result("\(name) \(version)")
      output.json(["name": name, "version": version], of: "version")
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
    try requireOperands(parsed, command)
    return try command.run(CommandContext(tool: self, command: command.name, arguments: parsed, output: output))
  }

  private func requireOperands(_ parsed: ParsedArguments, _ command: ToolCommand) throws(ToolFailure) {
    let limit = command.operand.map(\.limit) ?? 0
    if let limit, let extra = parsed.operands.dropFirst(limit).first {
      // The first of two is the one to work on.
      let database = parsed.operands.first(where: DatabaseFile.looksLikeOne)
      let namesDatabase = command.usesDatabase && parsed.value(of: .database) == nil
      throw .usage(
        "`\(command.name)` does not take \"\(extra)\"",
        remedy: database.flatMap { namesDatabase ? "Name a database with --database \($0.shellWord)." : nil }
          ?? "`\(name) help \(command.name)` says what it takes.")
    }
    guard let words = command.operand?.words, !words.isEmpty, let word = parsed.operands.first, !words.contains(word)
    else { return }
    throw .usage(
      "`\(command.name)` does not know \"\(word)\"", remedy: "It is one of: \(words.joined(separator: ", ")).")
  }
}
