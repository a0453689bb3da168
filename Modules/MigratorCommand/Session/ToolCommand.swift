internal import Migrator

/// One command of the tool: its place in the help, its options and its work.
struct ToolCommand: Sendable {
  /// A line that can be typed, after the program's name, and its purpose.
  struct Example: Sendable {
    var line: String
    var note: String

    init(_ line: String, _ note: String) { (self.line, self.note) = (line, note) }
  }

  struct Operand: Sendable {
    var placeholder: String
    var isOptional = false
    /// The most words that it may be; nil for any number.
    var limit: Int? = 1
    var words: [String] = []
  }

  var name: String
  var operand: Operand?
  var summary: String
  /// The command's work, in paragraphs; each is one line, wrapped when printed.
  var details: [String]
  var examples: [Example] = []
  var options: [OptionSpecification] = []
  var usesDatabase = true
  /// The reason why a tool does not have the command; nil when it does.
  var absence: @Sendable (MigratorTool) -> ToolFailure? = { _ in nil }
  var run: @Sendable (CommandContext) throws(ToolFailure) -> ExitCode

  /// The command as it is typed, without its options: "new NAME".
  var usage: String {
    guard let operand else { return name }
    return operand.isOptional ? "\(name) [\(operand.placeholder)]" : "\(name) \(operand.placeholder)"
  }
}

struct CommandContext: Sendable {
  let tool: MigratorTool
  let command: String
  var arguments: ParsedArguments
  let output: Output
  let interrupt = InterruptSignal()

  var toolName: String { tool.name }
  var folderPath: String { arguments.value(of: .migrations) ?? MigratorTool.usualFolder }

  /// The option that a suggested command must have to read the same migrations; empty where it needs none.
  var migrationsOption: String {
    guard tool.migrator == nil, arguments.contains(.migrations) else { return "" }
    return " --migrations " + folderPath.shellWord
  }

  /// The app's migrations, or a migrator without any, with the ledger that the command line names.
  var ownMigrator: DatabaseMigrator {
    var migrator =
      tool.migrator ?? arguments.value(of: .ledger).map { DatabaseMigrator(ledgerTable: $0) } ?? DatabaseMigrator()
    // The commands warn themselves, with remedies that name commands.
    if migrator.editedMigrations == .warn { migrator.editedMigrations = .ignore }
    return migrator
  }

  /// Prints the JSON object of a report, with the format's version, the command's name, and the database if any.
  func json(_ report: some Encodable, _ database: DatabaseTarget? = nil) {
    output.json(report, of: command, database: database?.path, backend: database?.backend.name)
  }

  /// Runs work on a database, and returns its result; Ctrl-C interrupts the database.
  func interruptible<Result>(_ database: any DatabaseWriter, _ work: () throws -> Result) rethrows -> Result {
    try interrupt.whileWatching(onArrival: { database.interrupt() }, work)
  }
}
