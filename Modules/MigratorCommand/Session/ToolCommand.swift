internal import Migrator

/// A command of the tool: its help, its options and its implementation.
struct ToolCommand: Sendable {
  /// An example command line, without the program's name, and its purpose.
  struct Example: Sendable {
    var line: String
    var note: String

    init(_ line: String, _ note: String) { (self.line, self.note) = (line, note) }
  }

  struct Operand: Sendable {
    var placeholder: String
    var isOptional = false
    /// The maximum number of operands; nil for any number.
    var limit: Int? = 1
    var words: [String] = []
    /// Whether the operand may be the path of a file.
    var isFile = false
  }

  var name: String
  var operand: Operand?
  var summary: String
  /// The description of the command, as paragraphs that are wrapped when printed.
  var details: [String]
  var examples: [Example] = []
  var options: [OptionSpecification] = []
  var usesDatabase = true
  /// Returns the reason why a given tool does not have this command; nil if the tool has it.
  var absence: @Sendable (MigratorTool) -> ToolFailure? = { _ in nil }
  var run: @Sendable (CommandContext) throws(ToolFailure) -> ExitCode

  /// The command line without options: "new NAME".
  var usage: String {
    guard let operand else { return name }
    return operand.isOptional ? "\(name) [\(operand.placeholder)]" : "\(name) \(operand.placeholder)"
  }
}

struct CommandContext: Sendable {
  let tool: MigratorTool
  let command: String
  var arguments: ParsedArguments
  var output: Output
  let interrupt = InterruptSignal()
  /// The key that all databases of a fleet share; nil to read it from its source.
  var key: ToolKey?
  /// Whether to wait for other connections' locks; a fleet first works on the databases that are not locked.
  var waitsForLocks = true

  var toolName: String { tool.name }
  /// Whether options name many databases.
  var isFleet: Bool { arguments.isFleet }
  var folderPath: String { arguments.value(of: .migrations) ?? MigratorTool.usualFolder }

  /// The option that a suggested command needs to read the same migrations; empty if it needs none.
  var migrationsOption: String {
    guard tool.migrator == nil, arguments.typed.contains(OptionSpecification.migrations.name) else { return "" }
    return " --migrations " + folderPath.shellWord
  }

  /// The app's migrator; if there is none, a migrator without migrations, with the ledger that the command line names.
  var ownMigrator: DatabaseMigrator {
    var migrator =
      tool.migrator ?? arguments.value(of: .ledger).map { DatabaseMigrator(ledgerTable: $0) } ?? DatabaseMigrator()
    // The migrator's own warnings are off: the commands print warnings with remedies that name commands.
    if migrator.editedMigrations == .warn { migrator.editedMigrations = .ignore }
    if arguments.contains(.allowOutOfOrder) { migrator.outOfOrder = .allow }
    migrator.lockWait = lockTimeout
    return migrator
  }

  /// The value of `--lock-timeout`; nil if the option is absent.
  var lockTimeout: Duration? { arguments.value(of: .lockTimeout).flatMap(Double.init).map { .seconds($0) } }

  /// Prints a report as a JSON object with the format's version, the command's name and, if given, the database.
  func json(_ report: some Encodable, _ database: DatabaseTarget? = nil) {
    output.json(report, of: command, database: database?.path, backend: database?.backend.name)
  }

  /// Asks a question on the terminal; throws a refusal, with the resulting state, unless the answer is yes.
  func confirm(_ question: String, orElse state: String = "nothing was changed") throws(ToolFailure) {
    guard isAffirmed(question) else {
      throw .refused("not confirmed; \(state)", remedy: "Answer y, or add --yes.")
    }
  }

  /// Asks a question on the terminal; returns whether the answer is yes.
  func isAffirmed(_ question: String) -> Bool {
    output.ask("\(question) [y/N]")
    let answer = SignalHub.shared.leavingAtOnce { output.environment.readLine()?.lowercased() ?? "" }
    if answer.isEmpty { output.environment.writeError("\n") }
    return ["y", "yes"].contains(answer)
  }

  /// Returns the path of a database's key file in the folder that `--key-dir` names; nil without that option.
  ///
  /// Also nil for a command on one database: a configuration file may contain the option for other commands.
  func keyFile(of path: String) -> String? {
    guard isFleet else { return nil }
    return arguments.value(of: .keyFolder).map { FileSystem.join($0, FileSystem.name(of: path) + ".key") }
  }

  /// Runs a closure that uses a database; Ctrl-C interrupts the database.
  ///
  /// - Throws: The errors of the closure; `CancellationError` if Ctrl-C came before. A fleet handles it at any time, so
  ///   it may have come between two of these calls.
  func interruptible<Result>(_ database: any DatabaseWriter, _ work: () throws -> Result) throws -> Result {
    try interrupt.whileWatching(onArrival: { database.interrupt() }) { () throws -> Result in
      guard !interrupt.hasArrived else { throw CancellationError() }
      return try work()
    }
  }
}

/// The result of a command on one database.
struct DatabaseReport: Sendable {
  let database: DatabaseTarget
  var json: any Encodable & Sendable
  var exitCode = ExitCode.done
  /// The failure that the report describes; nil for none.
  var failure: ToolFailure?
  /// The result in a few words; the summary of a fleet counts the databases with the same result.
  var outcome: String
  /// The last applied migration; nil for none.
  var version: String?
  var warnings: [String] = []
  /// The tables, columns and rows that a run would remove, as phrases.
  var losses: [String] = []
  /// Whether the database exists after the command.
  var exists = true
  /// Whether the command applied migrations to the database.
  var isMigrated = false
  /// The token of the plan; nil for other commands, and if `migrate` would fail.
  var token: PlanToken?
  /// Whether the command found pending migrations that it did not apply.
  var isPending = false
}
