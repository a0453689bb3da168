internal import SQLMigrations

struct CheckReport: Encodable, Sendable {
  struct Entry: Encodable, Sendable {
    let name: String
    let outcome: String
    let note: String
    let findings: [String]

    init(_ name: String, _ result: ToolCheck.Outcome) {
      self.name = name
      switch result {
      case .passed(let note): (outcome, self.note, findings) = ("ok", note, [])
      case .failed(let findings): (outcome, note, self.findings) = ("failed", "", findings)
      case .skipped(let note): (outcome, self.note, findings) = ("skipped", note, [])
      }
    }
  }

  var migrationsFolder: String?
  var engine: String?
  let isSound: Bool
  let checks: [Entry]

  init(_ checks: [Entry], migrationsFolder: String? = nil, engine: String? = nil) {
    self.checks = checks
    self.migrationsFolder = migrationsFolder
    self.engine = engine
    isSound = checks.allSatisfy(\.findings.isEmpty)
  }

  /// Prints a heading, the checks with up to `limit` findings each, and the number of failures; with `--quiet`, only
  /// failed checks.
  func print(heading: String, on output: Output, limit: Int = .max) {
    let failed = checks.filter { !$0.findings.isEmpty }
    if output.isQuiet { output.finding(Self.lines(failed, output.style, limit)) }
    output.lines([heading, ""] + Self.lines(checks, output.style, limit) + [""])
    output.line(isSound ? "All checks passed." : "\(counted(failed.count, "check")) failed.")
  }

  private static func lines(_ checks: [Entry], _ style: Style, _ limit: Int) -> [String] {
    var table = TextTable()
    for check in checks {
      let role: Style.Role = check.outcome == "ok" ? .good : check.outcome == "failed" ? .bad : .faint
      table.add([
        .init(text: check.outcome, role: role), .init(text: check.name), .init(text: check.note, role: .faint),
      ])
    }
    return zip(table.lines(style: style), checks).flatMap { line, check in
      [line] + check.findings.prefix(limit).map { "    " + $0.replacing("\n", with: "\n    ") }
        + (check.findings.count > limit ? ["    and more"] : [])
    }
  }
}
