internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

/// What `lint` says, as JSON and as text.
struct LintReport: Encodable {
  /// Something that was found.
  struct Finding: Encodable {
    var rule: LintRule
    var file: String
    /// The line, from 1; nil when the whole file is meant.
    var line: Int?
    var column: Int?
    /// The migration; nil when it is about the folder.
    var migration: String?
    var reason: String
    var remedy: String
    /// Why it is accepted; nil when it is not.
    var allowedFor: String?

    /// The line of the file, for people.
    private var text: String?

    private enum CodingKeys: CodingKey {
      case rule, file, line, column, migration, reason, remedy, allowedFor
    }

    init(_ finding: LintFinding, allowedFor: String? = nil, text: String? = nil) {
      rule = finding.rule
      file = finding.path
      line = finding.position?.line
      column = finding.position?.column
      migration = finding.migration
      reason = finding.reason
      remedy = finding.remedy
      self.allowedFor = allowedFor
      self.text = text
    }

    var place: String {
      [file, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
    }

    /// The finding for people: one line that editors understand, the line of the file, and what to do.
    ///
    /// - Parameter width: The columns of the terminal, to shorten the line of the file; nil for all of it.
    func lines(style: Style, width: Int?) -> [String] {
      var lines = ["\(style(place, .strong)): \(style(rule.rawValue, .bad)): \(reason)"]
      if let line, let column, let text {
        lines += SourceFrame(line: line, column: column, text: text.harmless()).lines(style: style, width: width)
      }
      lines.append("   next: \(remedy)")
      return lines.map { $0.harmless(keepsColors: style.usesColor) }
    }
  }

  var migrationsFolder: String
  /// The engine with its version on which the migrations were tried.
  var engine: String?
  /// The SQLite that the app runs on.
  var targetEngine: String?
  var migrationCount: Int
  /// What was found, in the order of the files.
  var findings: [Finding] = []
  var allowed: [Finding] = []
  var notes: [String] = []

  /// One line that sums up.
  var summary: String {
    let count = counted(migrationCount, "migration")
    let accepted = allowed.isEmpty ? "" : ", \(allowed.count) allowed"
    let tried = engine.map { ", tried on \($0)" } ?? ""
    guard !findings.isEmpty else { return "No findings in \(count)\(accepted)\(tried)." }
    let files = Set(findings.map(\.file)).count
    return "\(counted(findings.count, "finding")) in \(counted(files, "file"))\(accepted); \(count)\(tried)."
  }
}
