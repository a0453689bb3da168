extension ToolCommand {
  /// Every command by its name, in the order in which the help lists them; each is made when it is asked for.
  ///
  /// Parsing, help, manual page and completions use this table: a new command is one line here and a folder of its own.
  static let table: KeyValuePairs<String, @Sendable () -> ToolCommand> = [
    "status": { .status },
    "plan": { .plan },
    "migrate": { .migrate },
    "rebuild": { .rebuild },
    "watch": { .watch },
    "erase": { .erase },
    "new": { .new },
    "dump": { .dump },
    "diff": { .diff },
    "diagram": { .diagram },
    "lint": { .lint },
    "check": { .check },
    "verify": { .verify },
    "baseline": { .baseline },
    "adopt": { .adopt },
    "encrypt": { .encrypt },
    "decrypt": { .decrypt },
    "rekey": { .rekey },
    "upgrade-cipher": { .upgradeCipher },
    "completions": { .completions },
    "help": { .help },
  ]

  /// The names that other tools have for a command of this one.
  static let otherNames = [
    "migrate": ["up", "apply", "run", "upgrade", "update", "deploy", "latest"],
    "new": ["init", "create", "add", "generate", "make", "revision"],
    "status": ["info", "list", "pending", "current", "history"],
    "rebuild": ["reset", "refresh", "fresh", "redo"], "erase": ["drop", "clean"], "check": ["validate"],
    "dump": ["schema", "snapshot", "inspect"], "baseline": ["stamp", "mark", "fake", "resolve"], "adopt": ["import"],
    "diagram": ["erd", "graph"], "watch": ["dev"],
  ]

  /// The names that other tools have for undoing a migration.
  static let undoing: Set<String> = ["down", "rollback", "revert", "undo", "downgrade", "backward"]
}

extension MigratorTool {
  /// The commands that this tool has.
  var commands: [ToolCommand] { ToolCommand.table.map { $0.value() }.filter { $0.absence(self) == nil } }

  /// The command of that name; nil when this tool has none.
  func knownCommand(_ name: String) -> ToolCommand? {
    ToolCommand.table.first { $0.key == name }.map { $0.value() }.flatMap { $0.absence(self) == nil ? $0 : nil }
  }

  /// The options of every command.
  var options: [OptionSpecification] { OptionSpecification.common(backends: backends, readsFolder: migrator == nil) }

  /// The command of that name.
  ///
  /// - Throws: ``ToolFailure`` of wrong usage when there is none, or not in this tool.
  func command(_ word: String) throws(ToolFailure) -> ToolCommand {
    guard let command = ToolCommand.table.first(where: { $0.key == word })?.value() else {
      throw .usage("there is no command \(word)", remedy: remedy(forCommand: word))
    }
    if let absence = command.absence(self) { throw absence }
    return command
  }

  /// What to type in place of a word that is no command.
  private func remedy(forCommand word: String) -> String {
    let folded = word.lowercased()
    if let known = commands.first(where: { ToolCommand.otherNames[$0.name]?.contains(folded) ?? false }) {
      return "Here that is `\(name) \(known.name)`: \(known.summary)."
    }
    if ToolCommand.undoing.contains(folded) {
      return
        "Migrations run forward only. In development, correct the file and `\(name) rebuild`; elsewhere, write a new one."
    }
    let nearest = Suggestion.nearest(to: word, among: commands.map(\.name))
    return nearest.map { "Did you mean `\(name) \($0)`?" } ?? "`\(name) help` lists the commands."
  }
}
