internal import Migrator
package import SQLSyntax

/// Something that a rule found.
package struct LintFinding: Sendable {
  /// The rule.
  package var rule: LintRule
  /// The file's path.
  package var path: String
  /// Where in the file; nil when it is about the whole file or folder.
  package var position: SQLTextPosition?
  /// The migration; nil when it is about the folder.
  package var migration: String?
  /// The statement's place among those of the file, from 0; nil when it is about none.
  package var statement: Int?
  /// What is wrong, as a sentence without its full stop.
  package var reason: String
  /// What to do about it, as sentences.
  package var remedy: String

  /// Creates a finding.
  package init(
    rule: LintRule, path: String, position: SQLTextPosition?, migration: String?, statement: Int?, reason: String,
    remedy: String
  ) {
    (self.rule, self.path, self.position, self.migration) = (rule, path, position, migration)
    (self.statement, self.reason, self.remedy) = (statement, reason, remedy)
  }

  /// The place as editors understand it: "path:line:column".
  package var place: String {
    [path, position.map { String($0.line) }, position.map { String($0.column) }].compactMap(\.self)
      .joined(separator: ":")
  }
}
