internal import Synchronization

/// Where a command's words go: text for people, or nothing but one JSON object for programs.
struct Output: Sendable {
  /// The world outside.
  let environment: ToolEnvironment
  /// The colours of standard output.
  let style: Style
  /// The colours of standard error.
  let errorStyle: Style
  /// Whether one JSON object is printed instead of text.
  let isJSON: Bool
  /// Whether only warnings and errors are printed.
  let isQuiet: Bool
  /// Whether more is printed than usual.
  let isVerbose: Bool

  /// Whether the ordinary report is printed.
  var showsLines: Bool { !isJSON && !isQuiet }

  private let trouble = WriteTrouble()

  /// Reads what is wanted from the options and the environment.
  init(_ environment: ToolEnvironment, arguments: ParsedArguments) {
    self.environment = environment
    // https://no-color.org: any value but an empty one switches colours off.
    let isPlain =
      arguments.contains(.noColor) || environment.variable("NO_COLOR").map { !$0.isEmpty } ?? false
      || environment.variable("TERM") == "dumb"
    style = Style(usesColor: environment.isOutputTerminal && !isPlain)
    errorStyle = Style(usesColor: environment.isErrorTerminal && !isPlain)
    isJSON = arguments.contains(.json)
    isQuiet = arguments.contains(.quiet)
    isVerbose = arguments.contains(.verbose)
  }

  /// Prints a line of the ordinary report; on a terminal, in as many lines as it takes.
  ///
  /// - Parameter isCode: Whether it is to be copied from the screen as it is.
  func line(_ text: String = "", isCode: Bool = false) { lines(CollectionOfOne(text), isCode: isCode) }

  /// Prints lines of the ordinary report, all at once.
  ///
  /// - Parameter isCode: Whether they are to be copied from the screen as they are.
  func lines(_ lines: some Collection<String>, isCode: Bool = false) {
    guard showsLines, !lines.isEmpty else { return }
    var text = ""
    for line in lines {
      text += Self.folded(line.harmless(keepsColors: style.usesColor), isCode ? nil : outputWidth)
      text += "\n"
    }
    write(text)
  }

  /// Prints a line of the ordinary report when more is wanted than usual.
  func detail(_ text: String) {
    if isVerbose { line(style(text, .faint)) }
  }

  /// Prints lines for people also under `--quiet`, on a terminal in as many as they take.
  func finding(_ lines: [String]) {
    for line in lines { result(Self.folded(line.harmless(keepsColors: style.usesColor), outputWidth), isStyled: true) }
  }

  /// Prints the result itself, such as a path that a script reads; also under `--quiet`.
  ///
  /// A program gets it as it is; on a terminal, control characters are written out.
  ///
  /// - Parameter isStyled: Whether its colours are the tool's own, which stay.
  func result(_ text: String, isStyled: Bool = false) {
    guard !isJSON else { return }
    let isTerminal = environment.isOutputTerminal
    write((isTerminal ? text.harmless(keepsColors: isStyled && style.usesColor) : text) + "\n")
  }

  /// Prints a warning to standard error.
  func warning(_ text: String, remedy: String? = nil) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    complain(errorStyle("warning:", .waiting) + " " + lines.joined(separator: "\n  "))
    guard let remedy else { return }
    for line in ToolFailure.labelled("next: ", remedy, errorWidth) { complain(line) }
  }

  /// Prints a failure to standard error.
  func failure(_ failure: ToolFailure) {
    let text = failure.text(style: errorStyle, width: errorWidth)
    complain(String(text.dropLast()))
  }

  /// Prints a line to standard error, whatever is wanted on standard output.
  func complain(_ line: String) {
    let line = line.harmless(keepsColors: errorStyle.usesColor)
    environment.writeError(Self.folded(line, environment.isErrorTerminal ? environment.width : nil) + "\n")
  }

  /// Asks on standard error; the answer is typed behind the question.
  func ask(_ question: String) {
    let question = question.harmless(keepsColors: errorStyle.usesColor)
    environment.writeError(Self.folded(question, environment.isErrorTerminal ? environment.width - 4 : nil) + " ")
  }

  /// The columns of the terminal that standard output is; nil when it is none, since lines are wrapped for people only.
  var outputWidth: Int? { environment.isOutputTerminal ? environment.width : nil }

  /// Prose in longer lines than these is hard to read.
  private var errorWidth: Int? { environment.isErrorTerminal ? min(environment.width, 120) : nil }

  private static func folded(_ text: String, _ width: Int?) -> String {
    guard let width else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { String($0).folded(columns: max(20, width)) }.joined(separator: "\n")
  }

  /// Prints the JSON object of a report, which is not made unless it is wanted.
  func json(_ report: @autoclosure () -> some Encodable) {
    guard isJSON else { return }
    write(JSONText.encode(report()) + "\n")
  }

  /// The exit code of a command that ended with one, once its report is written: a report that was lost is no success.
  func settled(_ code: ExitCode) -> ExitCode {
    let number = trouble.number.load(ordering: .relaxed)
    guard number != 0, code == .done || code == .checkFailed else { return code }
    failure(
      .usage(
        "the report cannot be written to standard output", why: SystemCalls.message(number),
        remedy: "What the command had to do is done. Make room, or print to somewhere else."))
    return .usage
  }

  private func write(_ text: String) {
    let number = environment.writeOutput(text)
    if number != 0 { trouble.number.store(number, ordering: .relaxed) }
  }

  /// The last error number of standard output, zero when there was none.
  private final class WriteTrouble: Sendable {
    let number = Atomic<Int32>(0)
  }
}
