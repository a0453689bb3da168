internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

/// The exit codes of the tool.
enum ExitCode: Int32, Sendable, CaseIterable, Encodable {
  case done = 0
  case checkFailed = 1
  case usage = 2
  case cannotOpen = 3
  case migrationFailed = 4
  case refused = 5
  case interrupted = 130

  var meaning: String {
    switch self {
    case .done: "done"
    case .checkFailed: "a check failed, or something is pending under --check"
    case .usage: "wrong usage, or the output cannot be written"
    case .cannotOpen:
      "the database cannot be opened or written: missing, not a database, wrong key, no permission, locked"
    case .migrationFailed: "a migration failed and was rolled back"
    case .refused: "refused for safety"
    case .interrupted: "interrupted and rolled back"
    }
  }
}

/// The failure of a command, with the message for the user and the exit code.
struct ToolFailure: Error, Sendable {
  /// A location in a file, with the text of the line.
  struct Place: Sendable, Encodable, CustomStringConvertible {
    var path: String
    /// The line, from 1; nil for the whole file.
    var line: Int?
    /// The column in characters, from 1; nil for the whole line.
    var column: Int?
    var text: String?
    /// The statement's number in its file, from 1; nil if the failure is not about a statement.
    var statement: Int?
    var statementCount = 0

    private enum CodingKeys: String, CodingKey { case path = "file", line, column, statement }

    /// The location in a form that editors recognize: "path:line:column".
    var description: String {
      [path, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
    }
  }

  var exitCode: ExitCode
  /// The headline of the message, without a period.
  var what: String
  var migration: String?
  var place: Place?
  /// The reasons, such as the engine's error message.
  var why: [String] = []
  /// A phrase about the other databases with the same failure; nil if there are none.
  var also: String?
  /// A sentence about the changes that were rolled back and those that remain.
  var rolledBack: String?
  /// The next step for the user, as sentences.
  var remedy: String?
  /// The command line of the next step; nil if the remedy names none, or one that needs a decision.
  var next: String?
  /// The migrations that were applied before the failure.
  var applied: [String] = []
  /// The failures that this one summarizes; they are printed before it.
  var parts: [ToolFailure] = []
  /// Whether another connection's lock is the cause.
  var isLocked = false
  /// The last migration that is applied to the database; empty if there is none, nil if unknown.
  var version: String?
  /// The token with which the command can be confirmed, once the losses were looked at; nil for none.
  var token: String?
  /// The losses that were not confirmed; the text has them as warnings before the error.
  var losses: [LintFinding] = []
  /// The report of the work before the failure; nil if it had not started, or if the command has none.
  var report: (any Encodable & Sendable)?

  static func usage(_ what: String, why: String? = nil, remedy: String? = nil) -> ToolFailure {
    ToolFailure(exitCode: .usage, what: what, why: why.map { [$0] } ?? [], remedy: remedy)
  }

  static func refused(_ what: String, why: [String] = [], remedy: String) -> ToolFailure {
    ToolFailure(exitCode: .refused, what: what, why: why, remedy: remedy)
  }

  /// Returns the refusal for a token that was printed for another state.
  static func tokenMismatch(_ changed: [MigrationError.PlanPart], reviewCommand: String) -> ToolFailure {
    refused(
      "the token does not match", why: [MigrationError.PlanPart.sentence(changed)],
      remedy:
        "Nothing was changed. Run `\(reviewCommand)`, look at what it shows, and then run the command that it prints.")
  }
}

extension ToolFailure {
  /// Returns the failure as text, wrapped to a width if one is given.
  func text(style: Style, width: Int? = nil) -> String {
    let before = parts.map { $0.text(style: style, width: width) }.joined()
    let head = namedPath.map { "\($0): \(what)" } ?? what
    var lines = [style("error:", .bad) + " " + style(head.oneLine, .strong)]
    if let place, namedPath == nil { lines += Self.lines(of: place, style: style, width) }
    for (index, reason) in why.enumerated() { lines += labelled(index == 0 ? "why: " : "     ", reason, width) }
    if let also { lines += labelled("also: ", also, width) }
    if let rolledBack { lines += labelled("rolled back: ", rolledBack, width) }
    if let remedy { lines += labelled("next: ", remedy, width) }
    return before + lines.joined(separator: "\n") + "\n"
  }

  /// The path of a file or folder that cannot be used, printed before the message; nil for any other failure.
  private var namedPath: String? {
    guard exitCode == .usage, let place, place.line == nil else { return nil }
    return place.path
  }

  private static func lines(of place: Place, style: Style, _ width: Int?) -> [String] {
    var head = "  " + style("-->", .faint) + " " + place.description.oneLine
    if let statement = place.statement, place.statementCount > 1 {
      head += " (statement \(statement) of \(place.statementCount))"
    }
    guard let number = place.line, let text = place.text else { return [head] }
    return [head] + SourceFrame(line: number, column: place.column, text: text).lines(style: style, width: width)
  }
}

extension ToolFailure.Place {
  init(_ error: SQLMigration.StatementError) {
    let position = error.position
    self.init(
      path: error.file.path, line: position.line, column: position.column,
      text: ScriptFile.line(position.line, of: error.file.text), statement: error.index + 1,
      statementCount: error.file.statements.count)
  }
}

extension ToolFailure: Encodable {
  private enum CodingKeys: String, CodingKey {
    case exitCode, what, migration, why, rolledBack, remedy, next, token, losses, applied, parts
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(exitCode, forKey: .exitCode)
    try container.encode(what, forKey: .what)
    try container.encodeIfPresent(migration, forKey: .migration)
    try place?.encode(to: encoder)
    try container.encode(why, forKey: .why)
    try container.encodeIfPresent(rolledBack, forKey: .rolledBack)
    try container.encodeIfPresent(remedy, forKey: .remedy)
    try container.encodeIfPresent(next, forKey: .next)
    try container.encodeIfPresent(token, forKey: .token)
    if !losses.isEmpty { try container.encode(losses, forKey: .losses) }
    try container.encode(applied, forKey: .applied)
    try container.encode(parts, forKey: .parts)
  }
}

extension Output {
  func failure(_ failure: ToolFailure) {
    complain(String(failure.text(style: errorStyle, width: errorWidth).dropLast()))
  }

  func json(_ failure: ToolFailure, of command: String?) { json(["error": failure], of: command) }

  /// Returns the exit code of a command, or that of a usage failure if its output could not be written.
  func settled(_ code: ExitCode) -> ExitCode {
    guard writeFailure != 0, code == .done || code == .checkFailed else { return code }
    failure(
      .usage(
        "the output cannot be written to standard output", why: SystemCalls.message(writeFailure),
        remedy: "The command itself succeeded. Free up disk space, or redirect the output elsewhere."))
    return .usage
  }
}
