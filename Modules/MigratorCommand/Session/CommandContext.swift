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
}
