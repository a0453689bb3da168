internal import Migrator
package import SQLMigrations
internal import SQLSyntax

/// The findings that the authors of migrations accept: in comments of the files, and in the folder's file `.migrator-lint`.
///
/// A line of the folder's file is `allow RULE reason`; empty lines, and what follows `#` at the beginning of one, do not count.
package struct LintAllowances {
  /// The reason why the folder's file cannot be followed.
  package enum Fault: Error {
    /// The file cannot be read.
    case unreadable(MigrationProblem)
    /// A line of it cannot be followed.
    case line(String, remedy: String)
  }

  /// The name of the folder's file; its point keeps it from being taken for a migration.
  package static let fileName = ".migrator-lint"

  private var forFolder: [(rule: LintRule, reason: String)] = []
  private let toolName: String

  /// Accepts what the comments of the files accept.
  ///
  /// - Parameter toolName: The name of the tool that lists the rules.
  package init(toolName: String) { self.toolName = toolName }

  /// Reads the file of a folder, which need not be there.
  ///
  /// - Throws: When the file cannot be read, or a line of it cannot be followed.
  package init(folder: String, toolName: String) throws(Fault) {
    self.init(toolName: toolName)
    let path = (folder.hasSuffix("/") ? folder : folder + "/") + Self.fileName
    let text: String
    do {
      guard try ScriptFile.names(in: folder).contains(Self.fileName) else { return }
      text = try ScriptFile.text(at: path)
    } catch {
      throw .unreadable(error)
    }
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let trimmed = line.trimmingBlanks
      if trimmed.isEmpty || trimmed.hasPrefix("#") { continue }
      forFolder.append(try allowance(trimmed, place: "\(path):\(index + 1)"))
    }
  }

  private func allowance(_ line: String, place: String) throws(Fault) -> (rule: LintRule, reason: String) {
    let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard parts.count == 2, parts[0] == "allow",
      let allowance = MigrationFile.Allowance(String(parts[1]), line: 1, coversFile: true)
    else { throw .line("\(place) cannot be understood: \(line)", remedy: "A line is: allow RULE reason") }
    guard let rule = LintRule.named(allowance.rule) else {
      throw .line(
        "\(place): there is no rule \(allowance.rule)",
        remedy: LintRule.remedy(forUnknown: allowance.rule, toolName: toolName))
    }
    guard rule.canBeAllowed else {
      throw .line("\(place): what \(rule.name) finds cannot be allowed", remedy: "Remove the line.")
    }
    return (rule, allowance.reason)
  }

  /// Parts the findings in those that stay and those that are allowed.
  ///
  /// What is wrong with the comments themselves is found, too: in the files of `judged`, whose statements were all looked at.
  package func apply(
    to findings: [LintFinding], of files: [MigrationFile], judged: Set<String>
  ) -> (kept: [LintFinding], allowed: [LintFinding]) {
    var kept = findings
    var allowed: [LintFinding] = []
    let allow = { (reason: String, isCovered: (LintFinding) -> Bool) in
      for var finding in kept where isCovered(finding) {
        finding.allowedFor = reason
        allowed.append(finding)
      }
      kept.removeAll(where: isCovered)
    }
    for file in files {
      for allowance in file.allowances {
        guard let rule = LintRule.named(allowance.rule) else {
          kept.append(unknown(allowance, file))
          continue
        }
        let covered = Self.coverage(of: allowance, in: file)
        let isCovered = { (finding: LintFinding) in
          finding.path == file.path && finding.rule == rule && covered(finding.statement)
        }
        if rule.canBeAllowed { allow(allowance.reason, isCovered) }
        if !allowed.contains(where: isCovered), judged.contains(file.identifier) {
          kept.append(Self.unused(allowance, rule, file))
        }
      }
    }
    for (rule, reason) in forFolder { allow(reason) { $0.rule == rule } }
    return (kept, allowed)
  }

  // MARK: Comments

  /// Whether a comment covers a statement, by its place in the file; nil stands for the whole file.
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

  private func unknown(_ allowance: MigrationFile.Allowance, _ file: MigrationFile) -> LintFinding {
    Self.finding(
      .unknownRule, allowance, file, "there is no rule \(allowance.rule)",
      remedy: LintRule.remedy(forUnknown: allowance.rule, toolName: toolName))
  }

  private static func unused(
    _ allowance: MigrationFile.Allowance, _ rule: LintRule, _ file: MigrationFile
  ) -> LintFinding {
    guard rule.canBeAllowed else {
      return finding(
        .unusedAllowance, allowance, file, "what \(rule.name) finds cannot be allowed", remedy: "Remove the comment.")
    }
    return finding(
      .unusedAllowance, allowance, file, "the comment covers no finding of \(rule.name)",
      remedy: allowance.coversFile
        ? "Remove it." : "Put it directly before the statement that it is about, or remove it.")
  }

  private static func finding(
    _ rule: LintRule, _ allowance: MigrationFile.Allowance, _ file: MigrationFile, _ reason: String, remedy: String
  ) -> LintFinding {
    LintFinding(
      rule, path: file.path, position: SQLTextPosition(line: allowance.line, column: 1), migration: file.identifier,
      reason: reason, remedy: remedy)
  }
}
