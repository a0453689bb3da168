internal import Migrator
internal import SQLSyntax

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The output of a command: text for people, or nothing but one JSON object for programs.
struct Output: Sendable {
  let environment: ToolEnvironment
  let style: Style
  let errorStyle: Style
  private let modes: Set<Mode>
  var isJSON: Bool { modes.contains(.json) }
  var isQuiet: Bool { modes.contains(.quiet) }
  var isVerbose: Bool { modes.contains(.verbose) }
  var showsLines: Bool { !isJSON && !isQuiet }

  /// The last error number of standard output; zero when there was none.
  private let failure = Lock<Int32>(0)

  /// The modes by the names of their options.
  private enum Mode: String {
    case json, quiet, verbose
    case plain = "no-color"
  }

  /// Prints in the modes that the options ask for.
  init(_ environment: ToolEnvironment, options: Set<String>) {
    self.environment = environment
    let modes = Set(options.compactMap(Mode.init))
    self.modes = modes
    // https://no-color.org: any value but an empty one switches colors off.
    let isPlain =
      modes.contains(.plain) || environment.variable("NO_COLOR").map { !$0.isEmpty } ?? false
      || environment.variable("TERM") == "dumb"
    style = Style(usesColor: environment.isOutputTerminal && !isPlain)
    errorStyle = Style(usesColor: environment.isErrorTerminal && !isPlain)
  }

  /// Prints a line of the ordinary report; on a terminal, in as many lines as it takes, unless it is code to be copied.
  func line(_ text: String = "", isCode: Bool = false) { lines(CollectionOfOne(text), isCode: isCode) }

  func lines(_ lines: some Collection<String>, isCode: Bool = false) {
    guard showsLines, !lines.isEmpty else { return }
    write(
      lines.map { Self.folded($0.harmless(keepsColors: style.usesColor), isCode ? nil : outputWidth) + "\n" }.joined())
  }

  /// Prints a line of the ordinary report when more is wanted than usual.
  func detail(_ text: String) { if isVerbose { line(style(text, .faint)) } }

  /// Prints lines for people also under `--quiet`, on a terminal in as many as they take.
  func finding(_ lines: [String]) {
    for line in lines { result(Self.folded(line.harmless(keepsColors: style.usesColor), outputWidth), isStyled: true) }
  }

  /// Prints the result itself, such as a path that a script reads; also under `--quiet`.
  ///
  /// A program gets it as it is; on a terminal, control characters are written out, but for the tool's own colours.
  func result(_ text: String, isStyled: Bool = false) {
    guard !isJSON else { return }
    let isTerminal = environment.isOutputTerminal
    write((isTerminal ? text.harmless(keepsColors: isStyled && style.usesColor) : text) + "\n")
  }

  func warning(_ text: String, remedy: String? = nil) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    complain(errorStyle("warning:", .waiting) + " " + lines.joined(separator: "\n  "))
    guard let remedy else { return }
    for line in labelled("next: ", remedy, errorWidth) { complain(line) }
  }

  /// Prints a line to standard error, whatever is wanted on standard output.
  func complain(_ line: String) {
    let line = line.harmless(keepsColors: errorStyle.usesColor)
    environment.writeError(Self.folded(line, environment.isErrorTerminal ? environment.width : nil) + "\n")
  }

  func ask(_ question: String) {
    let question = question.harmless(keepsColors: errorStyle.usesColor)
    environment.writeError(Self.folded(question, environment.isErrorTerminal ? environment.width - 4 : nil) + " ")
  }

  /// The columns of the terminal that standard output is; nil when it is none, since lines are wrapped for people only.
  var outputWidth: Int? { environment.isOutputTerminal ? environment.width : nil }
  /// Prose in longer lines than these is hard to read.
  var errorWidth: Int? { environment.isErrorTerminal ? min(environment.width, 120) : nil }

  private static func folded(_ text: String, _ width: Int?) -> String {
    guard let width else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { String($0).folded(columns: max(20, width)) }.joined(separator: "\n")
  }

  func json(_ report: some Encodable, of command: String?, database: String? = nil, backend: String? = nil) {
    guard isJSON else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let envelope = Envelope(command: command, database: database, backend: backend, report: report)
    // Reports hold strings, finite numbers and booleans only, which JSON can always say.
    guard let data = try? encoder.encode(envelope) else { return write("{\"format\": 1}\n") }
    write(String(decoding: data, as: UTF8.self) + "\n")
  }

  var writeFailure: Int32 { failure.withLock { $0 } }

  private func write(_ text: String) {
    let number = environment.writeOutput(text)
    if number != 0 { failure.withLock { $0 = number } }
  }
}

/// A report, and beside its own keys those that all reports have.
private struct Envelope<Report: Encodable>: Encodable {
  let command: String?
  let database: String?
  let backend: String?
  let report: Report

  private enum CodingKeys: CodingKey { case format, command, database, backend }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(1, forKey: .format)
    try container.encodeIfPresent(command, forKey: .command)
    try container.encodeIfPresent(database, forKey: .database)
    try container.encodeIfPresent(backend, forKey: .backend)
    try report.encode(to: encoder)
  }
}

/// Colours for a terminal, and nothing for a pipe.
struct Style: Sendable {
  /// The meaning of a piece of text, by the number of its colour.
  enum Role: String, Sendable, CaseIterable {
    case good = "32"
    case waiting = "33"
    case bad = "31"
    case strong = "1"
    case faint = "2"
  }

  static let sequences: [[Unicode.Scalar]] = (Role.allCases.map(\.rawValue) + ["0"]).map {
    Array("\u{1B}[\($0)m".unicodeScalars)
  }

  var usesColor: Bool

  /// The text in the role's colour (ECMA-48, 8.3.117 "Select graphic rendition").
  func callAsFunction(_ text: String, _ role: Role?) -> String {
    guard usesColor, let role, !text.isEmpty else { return text }
    return "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m"
  }
}
