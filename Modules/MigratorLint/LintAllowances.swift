internal import Migrator
package import SQLMigrations
internal import SQLSyntax

/// Applies the comments that allow findings.
package enum LintAllowances {
  /// A finding, and why it is accepted.
  package struct Allowed: Sendable {
    /// The finding.
    package var finding: LintFinding
    /// The reason that the comment gives.
    package var reason: String
  }

  /// Parts the findings in those that stay and those that a comment allows.
  ///
  /// What is wrong with the comments themselves is found, too: in the files of `judged`, whose statements were all looked at.
  package static func apply(
    _ findings: [LintFinding], _ files: [MigrationFile], judged: Set<String>, folder: FolderAllowances? = nil,
    toolName: String
  ) -> (kept: [LintFinding], allowed: [Allowed]) {
    var kept = findings
    var allowed: [Allowed] = []
    for file in files {
      for allowance in file.allowances {
        guard let rule = LintRule(rawValue: allowance.rule) else {
          kept.append(unknown(allowance, file, toolName: toolName))
          continue
        }
        let covered = coverage(of: allowance, in: file)
        let isCovered = { (finding: LintFinding) in
          finding.path == file.path && finding.rule == rule && covered(finding.statement)
        }
        let matches = rule.canBeAllowed ? kept.filter(isCovered) : []
        if !matches.isEmpty {
          allowed += matches.map { Allowed(finding: $0, reason: allowance.reason) }
          kept.removeAll(where: isCovered)
        } else if !allowed.contains(where: { isCovered($0.finding) }), judged.contains(file.identifier) {
          kept.append(unused(allowance, rule, file))
        }
      }
    }
    for allowance in folder?.list ?? [] {
      let isCovered = { (finding: LintFinding) in finding.rule == allowance.rule }
      allowed += kept.filter(isCovered).map { Allowed(finding: $0, reason: allowance.reason) }
      kept.removeAll(where: isCovered)
    }
    return (kept, allowed)
  }

  /// Tells of a statement's place whether a comment covers it; nil stands for the whole file.
  private static func coverage(of allowance: MigrationFile.Allowance, in file: MigrationFile) -> (Int?) -> Bool {
    // Where there is no statement, there is nothing else that a comment could be about.
    if allowance.coversFile || file.statements.isEmpty { return { _ in true } }
    let covered = statements(covering: allowance.line, in: file)
    return { $0.map(covered.contains) ?? false }
  }

  /// The statements whose lines include the comment's line, or else the next one.
  private static func statements(covering line: Int, in file: MigrationFile) -> Set<Int> {
    let places = file.statements.enumerated().map { index, statement in
      (index: index, lines: statement.line...statement.position(ofUTF8Offset: statement.text.utf8.count).line)
    }
    let around = places.filter { $0.lines.contains(line) }.map(\.index)
    guard around.isEmpty else { return Set(around) }
    return Set(places.first { $0.lines.lowerBound > line }.map { [$0.index] } ?? [])
  }

  private static func unknown(
    _ allowance: MigrationFile.Allowance, _ file: MigrationFile, toolName: String
  ) -> LintFinding {
    let nearest = Suggestion.nearest(to: allowance.rule, among: LintRule.allCases.map(\.rawValue))
    return finding(
      .unknownRule, allowance, file, "there is no rule \(allowance.rule)",
      remedy: nearest.map { "Did you mean \($0)?" } ?? "`\(toolName) lint --rules` lists the rules.")
  }

  private static func unused(
    _ allowance: MigrationFile.Allowance, _ rule: LintRule, _ file: MigrationFile
  ) -> LintFinding {
    guard rule.canBeAllowed else {
      return finding(
        .unusedAllowance, allowance, file, "what \(rule.rawValue) finds cannot be allowed",
        remedy: "Remove the comment.")
    }
    return finding(
      .unusedAllowance, allowance, file, "the comment covers no finding of \(rule.rawValue)",
      remedy: allowance.coversFile
        ? "Remove it." : "Put it directly before the statement that it is about, or remove it.")
  }

  private static func finding(
    _ rule: LintRule, _ allowance: MigrationFile.Allowance, _ file: MigrationFile, _ reason: String, remedy: String
  ) -> LintFinding {
    LintFinding(
      rule: rule, path: file.path, position: SQLTextPosition(line: allowance.line, column: 1),
      migration: file.identifier, statement: nil, reason: reason, remedy: remedy)
  }
}
