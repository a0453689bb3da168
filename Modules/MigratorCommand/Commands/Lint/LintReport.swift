internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

/// What `lint` says, as JSON and as text.
struct LintReport: Encodable {
  /// The folder.
  var migrationsFolder: String
  /// The engine with its version on which the migrations were tried.
  var engine: String?
  /// How many migrations there are.
  var migrationCount: Int
  /// What was found, in the order of the files.
  var findings: [LintFinding] = []
  /// What was found and is accepted.
  var allowed: [LintFinding] = []
  /// What could not be looked at.
  var notes: [String] = []

  /// One line that sums up.
  var summary: String {
    let count = counted(migrationCount, "migration")
    let accepted = allowed.isEmpty ? "" : ", \(allowed.count) allowed"
    let tried = engine.map { ", tried on \($0)" } ?? ""
    guard !findings.isEmpty else { return "No findings in \(count)\(accepted)\(tried)." }
    let files = Set(findings.map(\.path)).count
    return "\(counted(findings.count, "finding")) in \(counted(files, "file"))\(accepted); \(count)\(tried)."
  }
}

extension LintFinding {
  /// The finding for people: one line that editors understand, the line of the file, and what to do.
  ///
  /// - Parameter width: The columns of the terminal, to shorten the line of the file; nil for all of it.
  func lines(style: Style, width: Int?) -> [String] {
    var lines = ["\(style(place, .strong)): \(style(rule.name, .bad)): \(reason)"]
    // The line is shown for comfort; a file that cannot be read shows none.
    if let position, let text = try? ScriptFile.text(at: path), let line = ScriptFile.line(position.line, of: text) {
      lines += SourceFrame(line: position.line, column: position.column, text: line.harmless())
        .lines(style: style, width: width)
    }
    lines.append("   next: \(remedy)")
    return lines.map { $0.harmless(keepsColors: style.usesColor) }
  }
}
