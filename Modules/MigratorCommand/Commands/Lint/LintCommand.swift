internal import Migrator
internal import MigratorLint
internal import SQLMigrations

extension ToolCommand {
  static let lint = ToolCommand(
    name: "lint",
    summary: "find dangerous SQL in migrations",
    details: [
      "Runs the migrations in order on an empty in-memory database, and reports dangerous SQL: where, why, and what to do "
        + "instead. `--rules` lists the rules. Exits with 1 when there are findings.",
      "The comment `-- migrator: allow RULE REASON` accepts a finding. It covers the statement that it is inside, next to or "
        + "before; `allow-file` covers the whole file. A comment that covers nothing is itself a finding. To accept a finding in "
        + "a whole folder, add a line `allow RULE REASON` to the folder's file .migrator-lint.",
      "With --database, also finds migrations that were edited after being applied. Writes nothing, and runs nothing on the "
        + "database.",
      "--format sarif prints the findings, and those that comments allow as suppressed ones, as SARIF 2.1.0. --format github "
        + "prints them as annotations of a GitHub workflow.",
    ],
    examples: [
      Example("lint", "check the folder \"migrations\""),
      Example("lint --since 0042_prices", "ignore findings in older migrations, which can no longer be changed"),
      Example("lint --rules", "list the rules"),
    ],
    options: [.since, .rules, .function, .findingFormat],
    absence: { tool in
      guard tool.migrator != nil else { return nil }
      return .usage(
        "`lint` reads SQL files, but the migrations of \(tool.name) are Swift code",
        remedy: "`\(tool.name) plan` runs them on a scratch copy and shows the data that they delete.")
    }
  ) { context throws(ToolFailure) in try LintCommand(context: context).run() }
}

extension OptionSpecification {
  static let rules = OptionSpecification(name: "rules", help: "list and explain the rules, without checking anything")
}

struct LintCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    if context.arguments.contains(.rules) {
      listRules()
      return .done
    }
    let report = try inspect(on: ScratchDatabase(context))
    let annotations = AnnotationReport(
      context: context, annotations: (report.findings + report.allowed).map(Annotation.init), summary: report.summary)
    if try !annotations.print() { print(report) }
    context.json(report)
    return report.findings.isEmpty ? .done : .checkFailed
  }

  private func inspect(on scratch: ScratchDatabase) throws(ToolFailure) -> LintReport {
    let folder = MigrationFolder(context.folderPath)
    let problems = folder.problems
    // An unreadable folder is a usage error, not a finding.
    guard problems.isEmpty || problems.contains(where: { $0.path == folder.path }) else {
      return refused(problems)
    }
    let source = try MigrationSource(context, folder)
    return try LintInspection(context: context, source: source, folder: folder, scratch: scratch).report()
  }

  private func refused(_ problems: [MigrationProblem]) -> LintReport {
    var report = LintReport(migrationsFolder: context.folderPath, migrationCount: 0)
    report.findings = problems.map { problem in
      let explanation = problem.explanation(toolName: context.toolName)
      let isAboutKeys = problem.kind == .misplacedForeignKeys || problem.kind == .contradictoryForeignKeys
      let rule: LintRule = isAboutKeys ? .foreignKeyPragma : .refusedFile
      return LintFinding(
        rule, path: problem.path, position: problem.position, migration: nil,
        reason: "\(explanation.what): \(explanation.why)", remedy: explanation.remedy.asSentence)
    }
    return report
  }

  private func print(_ report: LintReport) {
    let output = context.output
    // The findings are in the order of the files, each of which is read once.
    var (path, lines) = ("", [Substring]())
    for finding in report.findings {
      if path != finding.path {
        (path, lines) = (finding.path, (try? ScriptFile.text(at: finding.path)).map(ScriptFile.lines) ?? [])
      }
      output.finding(finding.lines(style: output.style, width: output.outputWidth, in: lines))
    }
    for allowed in report.allowed {
      output.detail("\(allowed.place): \(allowed.rule.name) is allowed: \(allowed.allowedFor ?? "")")
    }
    report.notes.forEach { output.warning($0) }
    output.line((report.findings.isEmpty ? "" : "\n") + report.summary)
    report.acceptance.map { output.line($0) }
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
