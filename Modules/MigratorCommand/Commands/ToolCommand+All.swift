extension ToolCommand {
  /// Every command, in the order in which the help lists them.
  ///
  /// The one table of commands: parsing, help, manual page and completions are made from it.
  static let all: [ToolCommand] = [
    .status,
    .plan,
    .migrate,
    .rebuild,
    .watch,
    .erase,
    .new,
    .verify,
    .baseline,
    .adopt,
    .encrypt,
    .decrypt,
    .rekey,
    .upgradeCipher,
    .completions,
    .help,
  ]

  /// The word nearest to one that is no command; nil when none is near.
  static func nearest(to word: String, in tool: MigratorTool) -> String? {
    Suggestion.nearest(to: word, among: tool.commands.map(\.name))
  }
}

extension MigratorTool {
  /// The commands that this tool has.
  var commands: [ToolCommand] { ToolCommand.all.filter { $0.absence(self) == nil } }
}
