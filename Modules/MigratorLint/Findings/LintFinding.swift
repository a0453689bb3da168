internal import SQLMigrations
package import SQLSyntax

/// A finding of a lint rule.
package struct LintFinding: Sendable {
  /// The rule that produced the finding.
  package let rule: LintRule
  /// The path of the file or folder that the finding concerns.
  package let path: String
  /// The position in the file; nil if the finding concerns the whole file or folder.
  package let position: SQLTextPosition?
  /// The identifier of the migration; nil if the finding concerns the folder.
  package let migration: String?
  /// The statement's index in the file; nil if the finding does not concern a single statement.
  package let statement: Int?
  /// The reason for the finding, as a sentence without a period.
  package let reason: String
  /// The advice to the author of the migration, as sentences.
  package let remedy: String
  /// The name, in ASCII lower case, of the table whose rows the finding concerns; nil if it concerns no table, or
  /// several.
  package var table: String?
  /// The harm that the migration does to the rows of ``table``; nil if the finding is not about existing data.
  package var harm: Harm?
  /// Whether the rehearsal on sample rows refuted the finding.
  ///
  /// A refuted finding is not reported, but a comment that allows it still counts as used.
  package internal(set) var isRefuted = false
  /// The reason for which the author accepts the finding; nil if it is not accepted.
  package var allowedFor: String?

  /// A kind of harm to existing data.
  package enum Harm: Sendable, Hashable {
    /// Rows are removed.
    case rows
    /// Sample rows are removed; whether the rows of a database are removed, counting them shows.
    case sampleRows
    /// Values are removed or changed.
    case values
    /// Values of sample rows are removed or changed; whether those of a database are removed with a column or a table, or
    /// emptied, counting them shows.
    case sampleValues
    /// The definition of the table loses something; its rows do not change.
    case definition
  }

  /// Creates a finding that is not accepted yet.
  package init(
    _ rule: LintRule, path: String, position: SQLTextPosition?, migration: String?, statement: Int? = nil,
    reason: String, remedy: String
  ) {
    (self.rule, self.path, self.position, self.migration) = (rule, path, position, migration)
    (self.statement, self.reason, self.remedy) = (statement, reason, remedy)
  }

  /// Creates a finding about a line of a file that is not accepted yet.
  init(_ rule: LintRule, _ file: MigrationFile, line: Int = 1, _ reason: String, remedy: String) {
    self.init(
      rule, path: file.path, position: SQLTextPosition(line: line, column: 1), migration: file.identifier,
      reason: reason, remedy: remedy)
  }

  /// The location in a form that editors recognize: "path:line:column".
  package var place: String { path + (position.map { ":\($0.line):\($0.column)" } ?? "") }
}

extension LintFinding: Encodable {
  private enum Key: CodingKey { case rule, file, line, column, migration, reason, remedy, allowedFor }

  /// Encodes the finding.
  ///
  /// Lines and columns start at 1; nil values are omitted.
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
