internal import Migrator
internal import SQLMigrations

/// Turns errors of every layer into what the user reads, with the exit code: the one place where that happens.
enum ErrorReport {
  /// A database could not be opened.
  static func opening(_ error: any Error, location: ToolLocation, backend: ToolBackend) -> ToolFailure {
    if let failure = error as? ToolFailure { return failure }
    guard let error = error as? DatabaseError else {
      return ToolFailure(
        exitCode: .cannotOpen, what: "\(location.path) cannot be opened", why: [String(describing: error)])
    }
    let (what, remedy) = OpeningWords.of(error, location: location, backend: backend)
    return ToolFailure(exitCode: .cannotOpen, what: what, why: [reason(error)], remedy: remedy)
  }

  /// The migrations of a folder cannot be used.
  static func folder(_ error: MigrationFolderError, toolName: String) -> ToolFailure {
    let parts = error.problems.map { problem($0, toolName: toolName) }
    guard parts.count != 1 else { return parts[0] }
    return ToolFailure(
      exitCode: .usage, what: "\(parts.count) problems in \(error.folder); nothing was run", parts: parts)
  }

  /// One problem of a folder or a file.
  static func problem(_ problem: MigrationProblem, toolName: String) -> ToolFailure {
    let words = problem.explanation(toolName: toolName)
    let creating =
      "create \(problem.kind == .noMigrations ? "one" : "it") with \(newCommand(in: problem.path, toolName))"
    let remedy =
      switch problem.kind {
      case .missingFolder: "\(creating), or name another with --migrations DIR"
      case .noMigrations: "\(creating), or name another folder with --migrations DIR"
      default: words.remedy
      }
    let text = problem.position.flatMap { position in
      // The line is shown for comfort; a file that cannot be read shows none.
      (try? ScriptFile.text(at: problem.path)).flatMap { ScriptFile.line(position.line, of: $0) }
    }
    return ToolFailure(
      exitCode: .usage, what: words.what,
      place: ToolFailure.Place(
        path: problem.path, line: problem.position?.line, column: problem.position?.column, text: text),
      why: [words.why], remedy: remedy.asSentence)
  }

  /// The command that makes a file in a folder.
  private static func newCommand(in path: String, _ toolName: String) -> String {
    "`\(toolName) new NAME\(path == CommandContext.usualFolder ? "" : " --migrations \(path.shellWord)")`"
  }

  /// Reading or writing the database failed outside of migrations.
  static func database(_ error: any Error, path: String) -> ToolFailure {
    if let failure = error as? ToolFailure { return failure }
    if case MigrationError.ledgerUnreadable(let table, let error) = error {
      return ToolFailure(
        exitCode: .cannotOpen, what: "the record of applied migrations in \(path) cannot be read",
        why: ["table \(table): \(reason(error))"],
        remedy: "It was made by another program, or damaged: restore a backup, or keep the record in another table "
          + "(--ledger, or ledgerTable in Swift code).")
    }
    guard let error = error as? DatabaseError else {
      return ToolFailure(exitCode: .cannotOpen, what: "\(path) cannot be used", why: [String(describing: error)])
    }
    let what = error.condition == .busy ? "\(path) is locked by another connection" : "\(path) cannot be used"
    return ToolFailure(exitCode: .cannotOpen, what: what, why: [reason(error)], remedy: error.remedy)
  }

  /// The engine's own words, with its number to look up.
  static func reason(_ error: DatabaseError) -> String {
    error.reason
  }
}

extension String {
  /// The text with a capital at its beginning, unless a command stands there, and a full stop at its end.
  var asSentence: String {
    guard let first else { return self }
    let start = first.isLetter ? first.uppercased() + dropFirst() : self
    return hasSuffix(".") ? start : start + "."
  }
}
