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
    case .usage: "wrong usage, or the report cannot be written"
    case .cannotOpen: "the database cannot be opened: missing, not a database, wrong key, no permission, locked"
    case .migrationFailed: "a migration failed and was rolled back"
    case .refused: "refused for safety"
    case .interrupted: "interrupted, and rolled back"
    }
  }
}

/// The reason why a command ended without doing what was asked for: the message for the user, and the exit code.
struct ToolFailure: Error, Sendable {
  /// A place in a file, with the line as it stands there.
  struct Place: Sendable, Encodable, CustomStringConvertible {
    var path: String
    /// The line, from 1; nil when the whole file is meant.
    var line: Int?
    /// The column in characters, from 1; nil when the whole line is meant.
    var column: Int?
    var text: String?
    /// The statement's number within its file, from 1; nil when it is not about one.
    var statement: Int?
    var statementCount = 0

    private enum CodingKeys: String, CodingKey { case path = "file", line, column, statement }

    /// The place as editors understand it: "path:line:column".
    var description: String {
      [path, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
    }
  }

  var exitCode: ExitCode
  /// The message, without a full stop.
  var what: String
  var migration: String?
  var place: Place?
  /// The reasons: the engine's own message, where there is one.
  var why: [String] = []
  /// The changes that were undone and those that stay.
  var rolledBack: String?
  /// The next step, as sentences.
  var remedy: String?
  /// The migrations that were applied before the failure.
  var applied: [String] = []
  /// The failures that this one sums up, which are printed before it.
  var parts: [ToolFailure] = []

  static func usage(_ what: String, why: String? = nil, remedy: String? = nil) -> ToolFailure {
    ToolFailure(exitCode: .usage, what: what, why: why.map { [$0] } ?? [], remedy: remedy)
  }

  static func refused(_ what: String, why: [String] = [], remedy: String) -> ToolFailure {
    ToolFailure(exitCode: .refused, what: what, why: why, remedy: remedy)
  }

  /// The same failure, of which nothing is left, since it was met on a scratch database.
  func tried(on place: String) -> ToolFailure {
    var failure = self
    (failure.rolledBack, failure.applied) = ("nothing; it was tried on \(place)", [])
    return failure
  }
}

extension ToolFailure {
  /// The failure as people read it; lines are as long as a terminal is wide, and long for programs that read.
  func text(style: Style, width: Int? = nil) -> String {
    let before = parts.map { $0.text(style: style, width: width) }.joined()
    let head = namedPath.map { "\($0): \(what)" } ?? what
    var lines = [style("error:", .bad) + " " + style(head, .strong)]
    if let place, namedPath == nil { lines += Self.lines(of: place, style: style, width) }
    for (index, reason) in why.enumerated() { lines += labelled(index == 0 ? "why: " : "     ", reason, width) }
    if let rolledBack { lines += labelled("rolled back: ", rolledBack, width) }
    if let remedy { lines += labelled("next: ", remedy, width) }
    return before + lines.joined(separator: "\n") + "\n"
  }

  /// The file or folder that as a whole cannot be used, which is named before the reason; nil for places inside a file.
  private var namedPath: String? {
    guard exitCode == .usage, let place, place.line == nil else { return nil }
    return place.path
  }

  private static func lines(of place: Place, style: Style, _ width: Int?) -> [String] {
    var head = "  " + style("-->", .faint) + " " + place.description
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
    case exitCode, what, migration, why, rolledBack, remedy = "next", applied, parts
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
    try container.encode(applied, forKey: .applied)
    try container.encode(parts, forKey: .parts)
  }
}

extension Output {
  func failure(_ failure: ToolFailure) {
    complain(String(failure.text(style: errorStyle, width: errorWidth).dropLast()))
  }

  func json(_ failure: ToolFailure, of command: String?) { json(["error": failure], of: command) }

  /// The exit code of a command that ended with one, once its report is written: a report that was lost is no success.
  func settled(_ code: ExitCode) -> ExitCode {
    guard writeFailure != 0, code == .done || code == .checkFailed else { return code }
    failure(
      .usage(
        "the report cannot be written to standard output", why: SystemCalls.message(writeFailure),
        remedy: "What the command had to do is done. Make room, or print to somewhere else."))
    return .usage
  }
}
