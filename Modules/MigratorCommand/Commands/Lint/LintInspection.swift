internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

struct LintInspection {
  let context: CommandContext
  let source: MigrationSource
  let folder: MigrationFolder
  let scratch: ScratchDatabase

  func report() throws(ToolFailure) -> LintReport {
    let reported = try reportedMigrations()
    switch source.allowancesFault {
    case .unreadable(let problem): throw FailureReport.problem(problem, toolName: context.toolName)
    case .line(let what, let remedy): throw .usage(what, remedy: remedy)
    case nil: break
    }
    var report = LintReport(migrationsFolder: folder.path, migrationCount: folder.files.count)
    let failures = context.failures(of: source, path: folder.path)
    context.output.bar?.show("checking \(folder.path)", 0, of: 0, "")
    defer { context.output.bar?.end() }
    var result = try scratch.withQueue(failure: failures.failure) { queue in
      try queue.writeWithoutTransaction { db in
        report.engine = "\(db.engine.name) \(db.engine.version)"
        var linter = Linter(folder.files, ledgerTable: context.ownMigrator.ledgerTable) { context.interrupt.hasArrived }
        return try linter.run(on: db)
      }
    }
    result.findings += try edited()
    let (kept, allowed) = source.allowances.apply(to: result.findings, of: folder.files, judged: result.judged)
    let isReported = { (finding: LintFinding) in finding.migration.map(reported.contains) ?? true }
    report.findings = sorted(kept.filter(isReported))
    report.allowed = allowed.filter(isReported)
    report.notes = folder.warnings.map(\.what) + result.notes
    return report
  }

  private func reportedMigrations() throws(ToolFailure) -> Set<String> {
    let identifiers = folder.files.map(\.identifier)
    guard let since = context.arguments.value(of: .since) else { return Set(identifiers) }
    guard let start = identifiers.firstIndex(of: since) else {
      throw context.failures(of: source, path: folder.path).unknownTarget(since)
    }
    return Set(identifiers[start...])
  }

  private func edited() throws(ToolFailure) -> [LintFinding] {
    guard let target = scratch.target, !target.file.isNew else { return [] }
    return try target.states(of: source).states.all(.edited).compactMap { state in
      source.file(state.identifier).map { file in
        LintFinding(
          .editedMigration, path: file.path, position: SQLTextPosition(line: 1, column: 1), migration: file.identifier,
          reason: "the file was changed after it was applied to \(target.path), which does not get the change",
          remedy: "Undo the change, and write a new migration instead.")
      }
    }
  }

  private func sorted(_ findings: [LintFinding]) -> [LintFinding] {
    let order = Dictionary(folder.files.enumerated().map { ($1.path, $0) }) { first, _ in first }
    func key(_ finding: LintFinding) -> (Int, Int, Int, String, String) {
      let (line, column) = (finding.position?.line ?? 0, finding.position?.column ?? 0)
      return (order[finding.path] ?? 0, line, column, finding.rule.name, finding.reason)
    }
    return findings.sorted { key($0) < key($1) }
  }
}

struct LintReport: Encodable {
  var migrationsFolder: String
  var engine: String?
  var migrationCount: Int
  var findings: [LintFinding] = []
  var allowed: [LintFinding] = []
  var notes: [String] = []

  var summary: String {
    let count = counted(migrationCount, "migration")
    let accepted = allowed.isEmpty ? "" : ", \(allowed.count) allowed"
    let tried = engine.map { ", tried on \($0)" } ?? ""
    guard !findings.isEmpty else { return "No findings in \(count)\(accepted)\(tried)." }
    let files = Set(findings.map(\.path)).count
    return "\(counted(findings.count, "finding")) in \(counted(files, "file"))\(accepted); \(count)\(tried)."
  }

  /// The ways to accept findings; nil if there are none that can be accepted.
  var acceptance: String? {
    guard findings.contains(where: \.rule.canBeAllowed) else { return nil }
    return "To accept the findings of a rule, add the line `allow RULE REASON` to "
      + "\(FileSystem.join(migrationsFolder, LintAllowances.fileName)); to accept one finding, add the comment "
      + "`-- migrator: allow RULE REASON` before its statement."
  }
}

extension LintFinding {
  /// Returns the finding as text: a location that editors recognize, the source line with a caret, and the remedy.
  ///
  /// - Parameter text: The lines of the file; empty if it cannot be read.
  func lines(style: Style, width: Int?, in text: [Substring]) -> [String] {
    var lines = ["\(style(place, .strong)): \(style(rule.name, .bad)): \(reason)"]
    if let position, text.indices.contains(position.line - 1) {
      let line = String(text[position.line - 1])
      lines += SourceFrame(line: position.line, column: position.column, text: line).lines(style: style, width: width)
    }
    lines.append("   next: \(remedy)")
    return lines.map { $0.harmless(keepsColors: style.usesColor) }
  }
}
