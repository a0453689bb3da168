internal import Migrator
internal import SQLMigrations

struct CheckReport: Encodable, Sendable {
  struct Entry: Encodable, Sendable {
    let name: String
    let outcome: String
    let note: String
    var findings: [String]
    /// The findings in the form that code hosts such as GitHub show beside the source.
    var annotations: [Annotation] = []
    /// The next step after findings; nil if the findings name it.
    var remedy: String?
    /// The identifier under which findings of the check are reported: its name, prefixed with `check-`.
    var rule: String { "check-" + name.replacing(" ", with: "-") }

    private enum CodingKeys: CodingKey { case name, outcome, note, findings, remedy }

    init(_ name: String, _ result: ToolCheck.Outcome) {
      self.name = name
      switch result {
      case .passed(let note): (outcome, self.note, findings) = ("ok", note, [])
      case .failed(let findings): (outcome, note, self.findings) = ("failed", "", findings)
      case .skipped(let note): (outcome, self.note, findings) = ("skipped", note, [])
      }
    }
  }

  /// The checks of the `check` command other than the rules of `lint`, each with an identifier and a description.
  static let rules = [
    ("check-files", "files that cannot be read, or are not read"), ("check-order", "migrations out of order"),
    ("check-edited-files", "files that were edited after they were applied"),
    ("check-upgrade-paths", "upgrade paths that fail or end in different schemas"),
    ("check-schema-file", "a schema file that is out of date"),
  ]

  var migrationsFolder: String?
  var engine: String?
  let isSound: Bool
  let checks: [Entry]
  /// The known defects of the engine that concern the database.
  let warnings: [String]

  init(_ checks: [Entry], migrationsFolder: String? = nil, engine: String? = nil, warnings: [String] = []) {
    self.checks = checks
    self.warnings = warnings
    self.migrationsFolder = migrationsFolder
    self.engine = engine
    isSound = checks.allSatisfy(\.findings.isEmpty)
  }

  /// Prints a heading, the checks with up to `limit` findings each, and the number of failed checks.
  ///
  /// With `--quiet`, prints only the failed checks.
  func print(heading: String, on output: Output, limit: Int = .max) {
    let failed = checks.filter { !$0.findings.isEmpty }
    if output.isQuiet { output.finding(Self.lines(failed, output.style, limit)) }
    output.lines([heading, ""] + Self.lines(checks, output.style, limit) + [""])
    output.line(summary)
    output.lines(checks.compactMap(\.remedy))
  }

  var summary: String {
    let failed = checks.count { !$0.findings.isEmpty }, skipped = checks.count { $0.outcome == "skipped" }
    guard failed == 0 else { return "\(counted(failed, "check")) failed." }
    return skipped == 0 ? "All checks passed." : "All checks passed, except for \(skipped) skipped."
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

extension CheckReport.Entry {
  /// Returns the check with an annotation for each finding that has none.
  ///
  /// The annotation is at the file that the finding names, or else at the last file.
  func annotated(files: [MigrationFile]) -> Self {
    guard annotations.isEmpty else { return self }
    var entry = self
    // Lines that begin with a space or a sign belong to the finding before them.
    for finding in findings {
      if [" ", "+", "-", "~"].contains(finding.first), let last = entry.annotations.indices.last {
        entry.annotations[last].message += "\n" + finding
      } else {
        let file = files.first { finding.hasPrefix($0.identifier + " ") } ?? files.last
        entry.annotations.append(Annotation(rule: rule, path: file?.path, message: finding))
      }
    }
    return entry
  }
}
