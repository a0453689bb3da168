internal import SQLMigrations

extension ToolCommand {
  /// The words of the commands, in the order in which the help lists them.
  ///
  /// The one table of commands: parsing, help, manual page and completions are made from it.
  enum Word: String, CaseIterable {
    case status
    case plan
    case migrate
    case rebuild
    case watch
    case erase
    case new
    case dump
    case diff
    case diagram
    case lint
    case check
    case verify
    case baseline
    case adopt
    case encrypt
    case decrypt
    case rekey
    case upgradeCipher = "upgrade-cipher"
    case completions
    case help

    /// The word that is spelt so; nil when there is none.
    ///
    /// Looks through the few words, where the compiler would have a dictionary made of them for looking into it once.
    init?(spelling: String) {
      guard let word = Self.allCases.first(where: { $0.rawValue == spelling }) else { return nil }
      self = word
    }
  }

  /// Every command, in the order in which the help lists them.
  static var all: [ToolCommand] { Word.allCases.map(ToolCommand.init) }

  /// The command of a word.
  ///
  /// Only the one that is asked for is made: all their help and options together take longer than a short command runs.
  init(_ word: Word) {
    self =
      switch word {
      case .status: .status
      case .plan: .plan
      case .migrate: .migrate
      case .rebuild: .rebuild
      case .watch: .watch
      case .erase: .erase
      case .new: .new
      case .dump: .dump
      case .diff: .diff
      case .diagram: .diagram
      case .lint: .lint
      case .check: .check
      case .verify: .verify
      case .baseline: .baseline
      case .adopt: .adopt
      case .encrypt: .encrypt
      case .decrypt: .decrypt
      case .rekey: .rekey
      case .upgradeCipher: .upgradeCipher
      case .completions: .completions
      case .help: .help
      }
  }

  /// The word nearest to one that is no command; nil when none is near.
  static func nearest(to word: String, in tool: MigratorTool) -> String? {
    Suggestion.nearest(to: word, among: tool.commands.map(\.name))
  }
}

extension MigratorTool {
  /// The commands that this tool has.
  var commands: [ToolCommand] { ToolCommand.all.filter { $0.absence(self) == nil } }

  /// The command of that name; nil when this tool has none.
  func knownCommand(_ name: String) -> ToolCommand? {
    ToolCommand.Word(spelling: name).map(ToolCommand.init).flatMap { $0.absence(self) == nil ? $0 : nil }
  }
}
