internal import Migrator
internal import SQLSyntax

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The output of a command: text for people, or a single JSON object for programs.
struct Output: Sendable {
  let environment: ToolEnvironment
  let style: Style
  let errorStyle: Style
  /// The progress bar, which disappears when something is printed; nil without a terminal.
  let bar: ProgressBar?
  /// The names of the options, some of which select the form of the output.
  private let options: Set<String>
  /// A closure that adds the options of the command line to the commands in a text.
  let completed: @Sendable (String) -> String
  var isJSON: Bool { options.contains("json") }
  var isQuiet: Bool { options.contains("quiet") }
  var isVerbose: Bool { options.contains("verbose") }
  var showsLines: Bool { !isJSON && !isQuiet }

  /// The error number of the last failed write to standard output; zero if no write failed.
  private let failure = Lock<Int32>(0)

  /// Creates the output in the form that the options select.
  init(
    _ environment: ToolEnvironment, options: Set<String>, completed: @escaping @Sendable (String) -> String = { $0 }
  ) {
    (self.environment, self.options, self.completed) = (environment, options, completed)
    // https://no-color.org: any non-empty value turns colors off.
    let isPlain =
      options.contains("no-color") || environment.variable("NO_COLOR").map { !$0.isEmpty } ?? false
      || environment.variable("TERM") == "dumb"
    style = Style(usesColor: environment.isOutputTerminal && !isPlain)
    errorStyle = Style(usesColor: environment.isErrorTerminal && !isPlain)
    let showsBar = environment.isErrorTerminal && environment.isOutputTerminal && !options.contains("quiet")
    bar = showsBar ? ProgressBar(environment) : nil
  }

  /// Prints a line of normal output; wraps it on a terminal, unless it is code to copy.
  func line(_ text: String = "", isCode: Bool = false) { lines(CollectionOfOne(text), isCode: isCode) }

  func lines(_ lines: some Collection<String>, isCode: Bool = false) {
    guard showsLines, !lines.isEmpty else { return }
    write(
      lines.map { Self.folded($0.harmless(keepsColors: style.usesColor), isCode ? nil : outputWidth) + "\n" }.joined())
  }

  /// Prints a line of additional output, which appears only with `--verbose`.
  func detail(_ text: String) { if isVerbose { line(style(text, .faint)) } }

  /// Prints lines even with `--quiet`; wraps them on a terminal.
  func finding(_ lines: [String]) {
    for line in lines { result(Self.folded(line.harmless(keepsColors: style.usesColor), outputWidth), isStyled: true) }
  }

  /// Prints the actual result, such as a path that a script reads, even with `--quiet`.
  ///
  /// A pipe gets the text unchanged; on a terminal, control characters are escaped, except the tool's own colors.
  func result(_ text: String, isStyled: Bool = false) {
    guard !isJSON else { return }
    let isTerminal = environment.isOutputTerminal
    write((isTerminal ? text.harmless(keepsColors: isStyled && style.usesColor) : text) + "\n")
  }

  func warning(_ text: String, remedy: String? = nil) {
    let lines = completed(text).split(separator: "\n", omittingEmptySubsequences: false)
    complain(errorStyle("warning:", .waiting) + " " + lines.joined(separator: "\n  "))
    guard let remedy else { return }
    for line in labelled("next: ", completed(remedy), errorWidth) { complain(line) }
  }

  /// Prints a line to standard error, regardless of `--quiet` and `--json`.
  func complain(_ line: String) {
    let line = line.harmless(keepsColors: errorStyle.usesColor)
    bar?.hide()
    environment.writeError(Self.folded(line, environment.isErrorTerminal ? environment.width : nil) + "\n")
  }

  func ask(_ question: String) {
    // The bar would be drawn over the answer.
    bar?.end()
    let question = question.harmless(keepsColors: errorStyle.usesColor)
    environment.writeError(Self.folded(question, environment.isErrorTerminal ? environment.width - 4 : nil) + " ")
  }

  /// The width of the terminal on standard output; nil if standard output is not a terminal, so that lines are not
  /// wrapped.
  var outputWidth: Int? { environment.isOutputTerminal ? environment.width : nil }
  /// The line width for text on standard error; limited, because longer lines are hard to read.
  var errorWidth: Int? { environment.isErrorTerminal ? min(environment.width, 120) : nil }

  private static func folded(_ text: String, _ width: Int?) -> String {
    guard let width else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { String($0).folded(columns: max(20, width)) }.joined(separator: "\n")
  }

  /// Returns an output that prints nothing and asks nothing.
  var silenced: Output {
    var environment = environment
    environment.isInputTerminal = false
    environment.writeOutput = { _ in 0 }
    environment.writeError = { _ in }
    return Output(environment, options: ["quiet"])
  }

  /// Prints a report as a JSON object if `--json` is given.
  ///
  /// - Parameter isLine: Whether to print the object in a single line, as one of many.
  func json(
    _ report: some Encodable, of command: String?, database: String? = nil, backend: String? = nil, isLine: Bool = false
  ) {
    guard isJSON else { return }
    document(Envelope(command: command, database: database, backend: backend, report: report), isLine: isLine)
  }

  /// Prints a value as JSON.
  func document(_ value: some Encodable, isLine: Bool = false) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if !isLine { encoder.outputFormatting.insert(.prettyPrinted) }
    // A report contains only strings, finite numbers and Booleans, so it can always be encoded.
    guard let data = try? encoder.encode(value) else { return write("{\"format\": 1}\n") }
    write(String(decoding: data, as: UTF8.self).harmlessJSON + "\n")
  }

  var writeFailure: Int32 { failure.withLock { $0 } }

  private func write(_ text: String) {
    bar?.hide()
    let number = environment.writeOutput(text)
    if number != 0 { failure.withLock { $0 = number } }
  }
}

/// A report, with the JSON keys that all reports have in common.
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

/// The colors of text on a terminal; without a terminal, there are none.
struct Style: Sendable {
  /// A meaning of a piece of text; the raw value is the code of its color.
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

  /// Returns the text in the role's color (ECMA-48, 8.3.117 "Select graphic rendition").
  func callAsFunction(_ text: String, _ role: Role?) -> String {
    guard usesColor, let role, !text.isEmpty else { return text }
    return "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m"
  }
}
