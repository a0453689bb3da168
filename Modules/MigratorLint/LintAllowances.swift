package import SQLMigrations
internal import SQLSyntax

/// The findings that the authors of migrations accept, by comments in the files or by lines of the file
/// `.migrator-lint` in the folder.
///
/// A line of that file has the form `allow RULE REASON`; empty lines and lines that begin with `#` are ignored.
package struct LintAllowances: Sendable {
  /// The reason why the file `.migrator-lint` cannot be used.
  package enum Fault: Error {
    /// The file cannot be read.
    case unreadable(MigrationProblem)
    /// A line of the file is not valid.
    case line(String, remedy: String)
  }

  /// The name of the file in the folder.
  ///
  /// Because of the leading period, it is not read as a migration.
  package static let fileName = ".migrator-lint"

  private var forFolder: [(rule: LintRule, reason: String)] = []
  private let toolName: String

  /// Creates allowances from the comments in the files only.
  ///
  /// - Parameter toolName: The name of the tool that can list the rules, for messages.
  package init(toolName: String) { self.toolName = toolName }

  /// Creates allowances from the comments in the files and from the file `.migrator-lint` of the folder.
  ///
  /// - Throws: ``Fault`` if the file cannot be read, or if a line is not valid.
  package init(folder: String, toolName: String) throws(Fault) {
    self.init(toolName: toolName)
    let path = (folder.hasSuffix("/") ? folder : folder + "/") + Self.fileName
    let whole: String
    do {
      whole = try ScriptFile.text(at: path)
    } catch {
      throw .unreadable(error)
    }
    // Editors on Windows write a byte order mark.
    let text = whole.hasPrefix("\u{FEFF}") ? String(whole.unicodeScalars.dropFirst()) : whole
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let trimmed = line.trimmingWhitespace
      if trimmed.isEmpty || trimmed.hasPrefix("#") { continue }
      forFolder.append(try allowance(trimmed, place: "\(path):\(index + 1)"))
    }
  }

  /// Whether the file `.migrator-lint` accepts all findings of a rule.
  package func acceptsForFolder(_ rule: LintRule) -> Bool { forFolder.contains { $0.rule == rule } }

  private func allowance(_ line: String, place: String) throws(Fault) -> (rule: LintRule, reason: String) {
    let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard parts.count == 2, parts[0] == "allow",
      let allowance = MigrationFile.Allowance(String(parts[1]), line: 1, coversFile: true)
    else { throw .line("\(place) is not valid: \(line)", remedy: "Write the line as: allow RULE REASON") }
    guard let rule = LintRule.named(allowance.rule) else {
      throw .line(
        "\(place): there is no rule \"\(allowance.rule)\"",
        remedy: LintRule.remedy(forUnknown: allowance.rule, toolName: toolName))
    }
    guard rule.canBeAllowed else {
      throw .line("\(place): the findings of \(rule.name) cannot be allowed", remedy: "Remove the line.")
    }
    return (rule, allowance.reason)
  }

  /// Separates the accepted findings from the others, without those that sample rows refuted.
  ///
  /// Also finds invalid comments. Finds unused comments only in the migrations whose identifiers are in `judged`: all
  /// statements of these migrations were inspected. A comment that covers a refuted finding counts as used,
  /// and so does one about lost rows at a statement that may remove rows: whether it does, only the rows of a database show.
  package func apply(
    to findings: [LintFinding], of files: [MigrationFile], judged: Set<String>
  ) -> (kept: [LintFinding], allowed: [LintFinding]) {
    let refuted = findings.filter(\.isRefuted)
    var kept = findings.filter { !$0.isRefuted }
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
          kept.append(
            LintFinding(
              .unknownRule, file, line: allowance.line, "there is no rule \"\(allowance.rule)\"",
              remedy: LintRule.remedy(forUnknown: allowance.rule, toolName: toolName)))
          continue
        }
        var covered = Self.coverage(of: allowance, in: file)
        if rule == .lostRows { covered = covered.map { $0 + $0.flatMap { Self.drops(ofRowsCopiedBy: $0, in: file) } } }
        let isCovered = { (finding: LintFinding) -> Bool in
          guard finding.path == file.path, finding.rule == rule else { return false }
          guard let covered else { return true }
          return finding.statement.map(covered.contains) ?? false
        }
        if rule.canBeAllowed { allow(allowance.reason, isCovered) }
        if !allowed.contains(where: isCovered), !refuted.contains(where: isCovered), judged.contains(file.identifier),
          !(rule == .lostRows && Self.mayRemoveRows(covered ?? Array(file.statements.indices), of: file))
        {
          kept.append(Self.unused(allowance, rule, file))
        }
      }
    }
    for (rule, reason) in forFolder { allow(reason) { $0.rule == rule } }
    return (kept, allowed)
  }

  // MARK: Comments

  /// Returns the indexes of the statements to which a comment applies; nil if it applies to the whole file.
  ///
  /// A comment applies to the statements whose lines include the comment's line or, if there are none, to the next
  /// statement.
  private static func coverage(of allowance: MigrationFile.Allowance, in file: MigrationFile) -> [Int]? {
    // In a file without statements, a comment can apply only to the whole file.
    if allowance.coversFile || file.statements.isEmpty { return nil }
    let lines = file.statements.map { $0.line...$0.position(ofUTF8Offset: $0.text.utf8.count).line }
    let around = lines.indices.filter { lines[$0].contains(allowance.line) }
    guard around.isEmpty else { return around }
    return lines.firstIndex { $0.lowerBound > allowance.line }.map { [$0] } ?? []
  }

  /// Returns the statements that drop a table from which a statement has copied the rows to a new table: what the copy leaves
  /// out is lost with the old table.
  private static func drops(ofRowsCopiedBy index: Int, in file: MigrationFile) -> [Int] {
    guard let syntax = try? SQLTree(parsing: file.statements[index].text) else { return [] }
    let target: String
    switch syntax.statement {
    case .data(.insert(let insert)) where insert.select != nil: target = insert.table.name.folded
    case .createTable(let table) where table.select != nil: target = table.name.name.folded
    default: return []
    }
    let statements = file.statements.map { SQLStatementSummary(of: $0.text) }
    var names = TableNames([])
    for statement in statements[...index] { names.follow(statement) }
    guard names.isNew(target) else { return [] }
    var sources = TableNames(SQLNames(in: syntax).tables)
    return statements.indices.dropFirst(index + 1).filter { index in
      defer { sources.follow(statements[index]) }
      guard case .dropTable(let table) = statements[index].effect else { return false }
      return sources.original(of: table, isQualified: statements[index].namesMainSchema) != nil
    }
  }

  /// Returns whether one of the statements may remove rows, by itself or by a trigger, a key's action or a conflict clause.
  private static func mayRemoveRows(_ statements: [Int], of file: MigrationFile) -> Bool {
    statements.map { file.statements[$0] }.contains { $0.writesData || RiskyStatement($0)?.removesRows ?? false }
  }

  private static func unused(
    _ allowance: MigrationFile.Allowance, _ rule: LintRule, _ file: MigrationFile
  ) -> LintFinding {
    guard rule.canBeAllowed else {
      return LintFinding(
        .unusedAllowance, file, line: allowance.line, "the findings of \(rule.name) cannot be allowed",
        remedy: "Remove the comment.")
    }
    return LintFinding(
      .unusedAllowance, file, line: allowance.line, "the comment covers no finding of \(rule.name)",
      remedy: allowance.coversFile
        ? "Remove it." : "Move it directly before the statement that it refers to, or remove it.")
  }
}
