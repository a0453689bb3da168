/// One command of the tool.
struct ToolCommand: Sendable {
  /// A line that somebody could type, and what it is good for.
  struct Example: Sendable {
    /// The line behind the program's name.
    var line: String
    /// What it does, as a phrase.
    var note: String

    init(_ line: String, _ note: String) {
      self.line = line
      self.note = note
    }
  }

  /// The word that is typed.
  var name: String
  /// What stands beside the options.
  var operand: Operand?
  /// What the command does, in a few words.
  var summary: String
  /// What the command does, in paragraphs; each is one line, wrapped when printed.
  var details: [String]
  /// Lines that show how it is used, the most usual first.
  var examples: [Example] = []
  /// The options that only this command has.
  var options: [OptionSpecification] = []
  /// Whether it works on a database, so that its help lists the options that name one.
  var usesDatabase = true
  /// Why a tool does not have the command; nil when it does.
  var absence: @Sendable (MigratorTool) -> ToolFailure? = { _ in nil }
  /// Does the work.
  var run: @Sendable (CommandContext) throws(ToolFailure) -> ExitCode

  /// What stands beside the options of a command.
  struct Operand: Sendable {
    /// What stands for it in the help, such as `NAME`.
    var placeholder: String
    /// Whether the command does without it, too.
    var isOptional = false
    /// How many words it may be; nil for any number.
    var limit: Int? = 1
    /// The words that it can be; empty when it is free.
    var words: [String] = []

    /// The operand as usage lines show it.
    var usage: String { isOptional ? "[\(placeholder)]" : placeholder }
  }

  /// How the command is typed, without its options: "new NAME".
  var usage: String { ([name] + [operand?.usage].compactMap(\.self)).joined(separator: " ") }
}
