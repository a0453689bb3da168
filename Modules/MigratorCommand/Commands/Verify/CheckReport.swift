internal import SQLMigrations

/// The outcome of one check, for `verify` and `check`.
struct CheckReport: Encodable {
  var name: String
  /// ok, failed or skipped.
  var outcome: String
  var note: String
  /// What is wrong; empty unless it failed.
  var findings: [String]

  init(_ name: String, _ result: ToolCheck.Outcome) {
    self.name = name
    switch result {
    case .passed(let note): (outcome, self.note, findings) = ("ok", note, [])
    case .failed(let findings): (outcome, note, self.findings) = ("failed", "", findings)
    case .skipped(let note): (outcome, self.note, findings) = ("skipped", note, [])
    }
  }
}

extension [CheckReport] {
  var failed: [CheckReport] { filter { !$0.findings.isEmpty } }

  /// Prints a heading, the checks and how many failed; under `--quiet` those that failed only.
  ///
  /// - Parameter limit: How many findings of each check are printed.
  func print(heading: String, on output: Output, limit: Int = .max) {
    if output.isQuiet { output.finding(failed.lines(style: output.style, limit: limit)) }
    output.line(heading)
    output.line()
    output.lines(lines(style: output.style, limit: limit))
    output.line()
    output.line(failed.isEmpty ? "All is well." : "\(counted(failed.count, "check")) failed.")
  }

  /// A line for each check, and below it what it found.
  private func lines(style: Style, limit: Int) -> [String] {
    var table = TextTable()
    for check in self {
      let role: Style.Role = check.outcome == "ok" ? .good : check.outcome == "failed" ? .bad : .faint
      table.add([
        .init(text: check.outcome, role: role), .init(text: check.name), .init(text: check.note, role: .faint),
      ])
    }
    return zip(table.lines(style: style), self).flatMap { line, check in
      [line] + check.findings.prefix(limit).map { "    " + $0.replacing("\n", with: "\n    ") }
        + (check.findings.count > limit ? ["    and more"] : [])
    }
  }
}
