package import SQLMigrations

/// The findings that are accepted in a whole folder, from its file `.migrator-lint`.
///
/// A line of it is `allow RULE reason`; empty lines, and what follows `#` at the beginning of one, do not count.
package struct FolderAllowances {
  /// A rule whose findings are accepted.
  package struct Allowance {
    /// The rule.
    let rule: LintRule
    /// Why its findings are accepted.
    let reason: String
  }

  /// Why the file cannot be followed.
  package enum Fault: Error {
    /// The file cannot be read.
    case unreadable(MigrationProblem)
    /// A line of it cannot be followed.
    case line(String, remedy: String)
  }

  /// The file's name; its point keeps it from being taken for a migration.
  package static let fileName = ".migrator-lint"

  /// The allowances, in the order of the lines.
  package private(set) var list: [Allowance] = []

  /// Reads the file of a folder; there need not be one.
  ///
  /// - Throws: When the file cannot be read, or a line of it cannot be followed.
  package init(folder: String, toolName: String) throws(Fault) {
    let path = (folder.hasSuffix("/") ? folder : folder + "/") + Self.fileName
    let text: String
    do {
      guard try ScriptFile.names(in: folder).contains(Self.fileName) else { return }
      text = try ScriptFile.text(at: path)
    } catch {
      throw .unreadable(error)
    }
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.trimmingBlanks
      if words.isEmpty || words.hasPrefix("#") { continue }
      list.append(try Self.allowance(words, place: "\(path):\(index + 1)", toolName: toolName))
    }
  }

  private static func allowance(
    _ words: String, place: String, toolName: String
  ) throws(Fault) -> Allowance {
    let parts = words.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard parts.count == 2, parts[0] == "allow",
      let allowance = MigrationFile.Allowance(String(parts[1]), line: 1, coversFile: true)
    else { throw .line("\(place) cannot be understood: \(words)", remedy: "A line is: allow RULE reason") }
    guard let rule = LintRule(rawValue: allowance.rule) else {
      let nearest = Suggestion.nearest(to: allowance.rule, among: LintRule.allCases.map(\.rawValue))
      throw .line(
        "\(place): there is no rule \(allowance.rule)",
        remedy: nearest.map { "Did you mean \($0)?" } ?? "`\(toolName) lint --rules` lists the rules.")
    }
    guard rule.canBeAllowed else {
      throw .line("\(place): what \(rule.rawValue) finds cannot be allowed", remedy: "Remove the line.")
    }
    return Allowance(rule: rule, reason: allowance.reason)
  }
}
