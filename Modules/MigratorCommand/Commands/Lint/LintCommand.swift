internal import Migrator
internal import MigratorLint

extension ToolCommand {
  static let lint = ToolCommand(
    name: "lint",
    summary: "find dangerous SQL in migrations",
    details: [
      "Reads every migration, tries each in its order on an empty database in memory, and tells what is dangerous: where, why, and "
        + "what to do instead. `--rules` lists what is looked for. Ends with 1 when something is found.",
      "A comment accepts a finding: `-- migrator: allow RULE reason`. It covers the statement that it stands in, at or before; "
        + "`allow-file` in its place covers the file. A comment that covers nothing is itself a finding. What a whole folder "
        + "accepts stands in its file .migrator-lint, one line `allow RULE reason` each.",
      "With --database, migrations that were edited after being applied are found, too. Nothing is written, and nothing runs on "
        + "the database.",
    ],
    examples: [
      Example("lint", "the folder \"migrations\""),
      Example("lint --since 0042_prices", "findings from this migration on, where older ones are past mending"),
      Example("lint --rules", "what is looked for"),
    ],
    options: [.since, .rules],
    absence: { tool in
      guard tool.migrator != nil else { return nil }
      return .usage(
        "`lint` reads SQL files, and the migrations of \(tool.name) are Swift code",
        remedy: "`\(tool.name) plan` runs them on a scratch copy and shows what they destroy.")
    }
  ) { context throws(ToolFailure) in try LintCommand(context: context).run() }
}

extension OptionSpecification {
  static let rules = OptionSpecification(name: "rules", help: "list the rules with what they mean, and look at nothing")
}

struct LintCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    if context.arguments.contains(.rules) {
      listRules()
      return .done
    }
    let report = try LintInspection(context: context, scratch: try ScratchDatabase(context)).report()
    print(report)
    context.json(report)
    return report.findings.isEmpty ? .done : .checkFailed
  }

  private func print(_ report: LintReport) {
    let output = context.output
    for finding in report.findings { output.finding(finding.lines(style: output.style, width: output.outputWidth)) }
    for allowed in report.allowed {
      output.detail("\(allowed.place): \(allowed.rule.name) is allowed: \(allowed.allowedFor ?? "")")
    }
    report.notes.forEach { output.warning($0) }
    output.line((report.findings.isEmpty ? "" : "\n") + report.summary)
  }

  private func listRules() {
    let output = context.output
    let columns = output.outputWidth.map { $0 - 4 } ?? 96
    for rule in LintRule.all {
      output.result(output.style(rule.name, .strong) + ": " + rule.summary, isStyled: true)
      for line in wrapped(rule.details, columns: columns) { output.result("    " + line) }
      output.result("")
    }
    context.json(["rules": LintRule.all])
  }
}
