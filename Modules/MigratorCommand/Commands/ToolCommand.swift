/// One command of the tool.
struct ToolCommand: Sendable {
  /// The word that is typed.
  var name: String
  /// What stands for the operands in the help, such as `NAME`; empty when there are none.
  var operands: [String] = []
  /// What the command does, in a few words.
  var summary: String
  /// What the command does, in paragraphs; each is one line, wrapped when printed.
  var details: [String]
  /// The options that only this command has.
  var options: [OptionSpecification] = []
  /// Does the work.
  var run: @Sendable (CommandContext) throws(ToolFailure) -> ExitCode
}
