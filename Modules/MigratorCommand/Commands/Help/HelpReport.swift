/// What `help` says, as JSON.
struct HelpReport: Encodable {
  /// A command of the tool.
  struct Entry: Encodable {
    /// The word.
    var name: String
    /// What it does, in a few words.
    var summary: String
  }

  /// The version of this format.
  var format = 1
  /// The command; the same where `--help` asks.
  var command = "help"
  /// The command that is explained; nil for all of them.
  var topic: String?
  /// What is printed otherwise.
  var text: String
  /// All commands, in the order of the help; nil where one is explained.
  var commands: [Entry]?

  init(_ tool: MigratorTool, topic: String?, text: String) {
    self.topic = topic
    self.text = text
    commands = topic == nil ? tool.commands.map { Entry(name: $0.name, summary: $0.summary) } : nil
  }
}
