internal import Migrator

/// What a command works with: the tool, the command line, and where words go.
struct CommandContext: Sendable {
  /// The tool as it was made.
  let tool: MigratorTool
  /// The command that runs.
  let command: ToolCommand
  /// The command line.
  let arguments: ParsedArguments
  /// Where words go.
  let output: Output
  /// Ctrl-C.
  let interrupt = InterruptSignal()

  /// How the program is called, for messages that name a command.
  var toolName: String { tool.name }

  /// What a command that is suggested must have behind it to read the same migrations: nothing, where they are in the usual
  /// folder or are the app's own.
  var migrationsWords: String {
    guard tool.migrator == nil, arguments.given.contains(OptionSpecification.migrations.name) else { return "" }
    return " --migrations " + folderPath.shellWord
  }
}
