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

  /// Reads what is wanted from the options and the environment.
  init(_ environment: ToolEnvironment, arguments: ParsedArguments) {
    self.environment = environment
    // https://no-color.org: any value but an empty one switches colours off.
    let isPlain =
      arguments.contains(.noColor) || environment.variables["NO_COLOR"].map { !$0.isEmpty } ?? false
      || environment.variables["TERM"] == "dumb"
    style = Style(usesColor: environment.isOutputTerminal && !isPlain)
    errorStyle = Style(usesColor: environment.isErrorTerminal && !isPlain)
    isJSON = arguments.contains(.json)
    isQuiet = arguments.contains(.quiet)
    isVerbose = arguments.contains(.verbose)
  }

  /// Prints a line of the ordinary report.
  func line(_ text: String = "") {
    guard !isJSON, !isQuiet else { return }
    environment.writeOutput(text + "\n")
  }

  /// Prints a line of the ordinary report when more is wanted than usual.
  func detail(_ text: String) {
    if isVerbose { line(style(text, .faint)) }
  }

  /// Prints the result itself, such as a path that a script reads; also under `--quiet`.
  func result(_ text: String) {
    if !isJSON { environment.writeOutput(text + "\n") }
  }

  /// Prints a warning to standard error.
  func warning(_ text: String, remedy: String? = nil) {
    environment.writeError(errorStyle("warning:", .waiting) + " \(text)\n")
    guard let remedy else { return }
    for line in ToolFailure.labelled("next: ", remedy, errorWidth) { environment.writeError(line + "\n") }
  }

  /// Prints a failure to standard error.
  func failure(_ failure: ToolFailure) {
    environment.writeError(failure.text(style: errorStyle, width: errorWidth))
  }

  /// Lines are wrapped for people only.
  private var errorWidth: Int? { environment.isErrorTerminal ? min(environment.width, 120) : nil }

  /// Prints the JSON object of a report.
  func json(_ report: some Encodable) {
    guard isJSON else { return }
    environment.writeOutput(JSONText.encode(report) + "\n")
  }
}
