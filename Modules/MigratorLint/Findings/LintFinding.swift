package import SQLSyntax

/// Something that a rule found.
package struct LintFinding: Sendable {
  /// The rule.
  package let rule: LintRule
  /// The file's path.
  package let path: String
  /// The place in the file; nil when it is about the whole file or folder.
  package let position: SQLTextPosition?
  /// The migration; nil when it is about the folder.
  package let migration: String?
  /// The statement's place among those of the file, from 0; nil when it is about none.
  package let statement: Int?
  /// The reason, as a sentence without its full stop.
  package let reason: String
  /// The remedy, as sentences.
  package let remedy: String
  /// The reason why it is accepted; nil when it is not.
  package var allowedFor: String?

  /// Creates a finding.
  package init(
    _ rule: LintRule, path: String, position: SQLTextPosition?, migration: String?, statement: Int? = nil,
    reason: String, remedy: String
  ) {
    (self.rule, self.path, self.position, self.migration) = (rule, path, position, migration)
    (self.statement, self.reason, self.remedy) = (statement, reason, remedy)
  }

  /// The place as editors understand it: "path:line:column".
  package var place: String { path + (position.map { ":\($0.line):\($0.column)" } ?? "") }
}

extension LintFinding: Encodable {
  private enum Key: CodingKey { case rule, file, line, column, migration, reason, remedy, allowedFor }

  /// Encodes the finding for programs: lines and columns count from 1, and what is nil is left out.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(rule.name, forKey: .rule)
    try container.encode(path, forKey: .file)
    try container.encodeIfPresent(position?.line, forKey: .line)
    try container.encodeIfPresent(position?.column, forKey: .column)
    try container.encodeIfPresent(migration, forKey: .migration)
    try container.encode(reason, forKey: .reason)
    try container.encode(remedy, forKey: .remedy)
    try container.encodeIfPresent(allowedFor, forKey: .allowedFor)
  }
}
