internal import Migrator

/// The confirmation of a run by the token of the plan, or of the list of losses, that someone has looked at.
struct PlanConfirmation: Sendable {
  let context: CommandContext
  let database: DatabaseTarget
  let migrator: DatabaseMigrator
  var target: String?
  /// The options that change what the command does, and the contents of the files that they name.
  var settings: [String] = []

  var typed: String? { context.arguments.value(of: .plan) }

  /// Returns the token of the database's state, as the open transaction sees it.
  func token(_ db: Database) throws -> PlanToken {
    // `plan` and `migrate --dry-run` show what `migrate` does.
    let purpose = context.command == ToolCommand.plan.name ? ToolCommand.migrate.name : context.command
    return try PlanToken(
      migrator, db, upTo: target, database: database.identity,
      settings: [purpose, context.arguments.value(of: .environment) ?? ""] + settings)
  }

  /// The function with which a run compares the state with the typed token under its lock; nil if there is no token.
  var check: ((Database) throws -> Void)? {
    typed.map { typed in { db in try token(db).require(typed) } }
  }

  /// Throws a refusal if a token was typed, and it is not the given one.
  func require(_ token: PlanToken) throws(ToolFailure) {
    guard let typed else { return }
    do throws(MigrationError) {
      try token.require(typed)
    } catch {
      throw context.tokenFailure(error)
    }
  }

  /// Throws a refusal if the token is required, and none was typed.
  func requireToken() throws(ToolFailure) {
    guard context.requiresPlan, typed == nil else { return }
    throw context.missingToken
  }
}

extension OptionSpecification {
  static let plan = OptionSpecification(
    name: "plan", placeholder: "TOKEN",
    help: "do it only if nothing has changed since the plan, or the list of losses, that printed this token")
}

extension CommandContext {
  /// Whether the configuration requires the token of a plan.
  var requiresPlan: Bool { arguments.contains(.confirm) }

  var reasonForToken: String {
    let place = arguments.value(of: .environment).map { " for the environment \($0)" } ?? ""
    return
      "\"confirm\": \"plan\" is set\(place), so every change must be reviewed first; --yes does not replace the token"
  }

  var missingToken: ToolFailure {
    .refused(
      "`\(command)` needs the token of a plan", why: [reasonForToken],
      remedy: command == ToolCommand.watch.name
        ? "Watch a database of another environment; the token of a plan is valid for one run only."
        : "Run `\(commandLine(.plan))`, look at what it shows, and then run the command that it prints.")
  }

  /// Returns the refusal for a token that does not match.
  func tokenFailure(_ error: MigrationError) -> ToolFailure {
    var changed: [MigrationError.PlanPart] = []
    if case .planChanged(let parts) = error { changed = parts }
    return .tokenMismatch(changed, reviewCommand: reviewCommand)
  }

  /// The command line that shows what the command would do, and prints a token.
  var reviewCommand: String { commandLine(command == ToolCommand.migrate.name ? .plan : nil) }

  /// Returns the command line that does what was just shown.
  func confirmedCommand(_ token: PlanToken) -> String {
    commandLine(command == ToolCommand.plan.name ? .migrate : nil, adding: " --plan \(token.text)")
  }

  /// Returns the command line of this command, or of another one with the same options as far as it has them, without
  /// those that confirm or only change what is shown.
  func commandLine(
    _ other: ToolCommand? = nil, _ operands: [String] = [], adding extra: String = ""
  ) -> String {
    let own = tool.commands.first { $0.name == command }
    let known = (other ?? own)?.options ?? []
    var left: [OptionSpecification] = [.plan, .yes, .quiet, .verbose, .rows, .dryRun]
    // A person reads the command, and types it.
    if !operands.isEmpty { left.append(.json) }
    let options = (known + tool.options).filter { arguments.typed.contains($0.name) && !left.contains($0) }
    let words = options.flatMap { option in
      option.takesValue
        ? arguments.values(of: option).flatMap { ["--" + option.name, $0.shellWord] } : ["--" + option.name]
    }
    return ([toolName, other?.name ?? command] + operands + words).joined(separator: " ") + extra
  }
}

extension DatabaseTarget {
  /// A text that identifies the database: the path of its file and, once it has contents, the file itself.
  fileprivate var identity: String {
    guard file != .served else { return "\(backend.name):\(location.path)" }
    guard !file.isNew else {
      return FileSystem.join(FileSystem.resolve(path.containingFolder).path, FileSystem.name(of: path))
    }
    return "\(FileSystem.resolve(path).path) \(FileSystem.identity(of: path))"
  }
}
