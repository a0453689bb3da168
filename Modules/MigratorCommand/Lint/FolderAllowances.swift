/// The findings that are accepted in a whole folder, from its file `.migrator-lint`.
///
/// A line of it is `allow RULE reason`; empty lines, and what follows `#` at the beginning of one, do not count.
struct FolderAllowances {
  /// A rule whose findings are accepted.
  struct Allowance {
    /// The rule.
    let rule: LintRule
    /// Why its findings are accepted.
    let reason: String
  }

  /// The file's name; its point keeps it from being taken for a migration.
  static let fileName = ".migrator-lint"

  /// The allowances, in the order of the lines.
  private(set) var list: [Allowance] = []

  /// Reads the file of a folder; there need not be one.
  ///
  /// - Throws: ``ToolFailure`` of wrong usage when the file cannot be read, or a line of it cannot be followed.
  init(folder: String, toolName: String) throws(ToolFailure) {
    let path = (folder.hasSuffix("/") ? folder : folder + "/") + Self.fileName
    guard FileSystem.exists(path) else { return }
    let text: String
    do {
      text = try ScriptFile.text(at: path)
    } catch {
      throw ErrorReport.problem(error, toolName: toolName)
    }
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.trimmingBlanks
      if words.isEmpty || words.hasPrefix("#") { continue }
      list.append(try Self.allowance(words, place: "\(path):\(index + 1)", toolName: toolName))
    }
  }

  private static func allowance(
    _ words: String, place: String, toolName: String
  ) throws(ToolFailure) -> Allowance {
    let parts = words.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard parts.count == 2, parts[0] == "allow",
      let allowance = MigrationFile.Allowance(String(parts[1]), line: 1, coversFile: true)
    else { throw .usage("\(place) cannot be understood: \(words)", remedy: "A line is: allow RULE reason") }
    guard let rule = LintRule(rawValue: allowance.rule) else {
      let nearest = Suggestion.nearest(to: allowance.rule, among: LintRule.allCases.map(\.rawValue))
      throw .usage(
        "\(place): there is no rule \(allowance.rule)",
        remedy: nearest.map { "Did you mean \($0)?" } ?? "`\(toolName) lint --rules` lists the rules.")
    }
    guard rule.canBeAllowed else {
      throw .usage("\(place): what \(rule.rawValue) finds cannot be allowed", remedy: "Remove the line.")
    }
    return Allowance(rule: rule, reason: allowance.reason)
  }
}
