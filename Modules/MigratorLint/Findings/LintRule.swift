internal import Migrator
internal import SQLMigrations

/// Something dangerous that `lint` looks for.
///
/// A rule is a value in a file of `Rules/`, and an element of ``all``. It looks at each statement before it runs, at each
/// migration before it commits, or at the schema that all migrations together make.
package struct LintRule: Sendable {
  /// The rule's name, by which a comment allows its findings.
  package let name: String
  /// The finding, as a phrase.
  package let summary: String
  /// The reason why that is dangerous, with the page of SQLite's documentation at the end.
  package let details: String
  /// Whether a comment can allow the findings; otherwise no command would take the migration anyway.
  package var canBeAllowed = true
  /// Returns the findings on a statement that is about to run.
  var beforeStatement: (@Sendable (LintedStatement, LintScene) throws -> [LintFinding])?
  /// Returns the findings on a migration that has run and is not committed yet.
  var afterMigration: (@Sendable (LintScene) throws -> [LintFinding])?
  /// Returns the findings on the schema that all migrations together make.
  var afterAll: (@Sendable (Database, ForeignKeyDeclarations) throws -> [LintFinding])?

  /// The rules in the order in which they are listed.
  package static let all: [LintRule] = [
    .doesNotRun, .refusedFile, .emptyMigration, .sharedNumber, .foreignKeyPragma, .dropReferencedTable, .destructive,
    .lostObject,
    .brokenObject, .addNotNullColumn, .addExpressionDefault, .addReferencingDefault, .addStoredColumn,
    .unindexedForeignKey, .insertSelectStar, .implicitRowID, .doubleQuotedText, .editedMigration, .unknownRule,
    .unusedAllowance,
  ]

  static func named(_ name: String) -> LintRule? { all.first { $0.name == name } }

  static func remedy(forUnknown name: String, toolName: String) -> String {
    Suggestion.nearest(to: name, among: all.map(\.name)).map { "Did you mean \($0)?" }
      ?? "`\(toolName) lint --rules` lists the rules."
  }
}

extension LintRule: Encodable {
  private enum CodingKeys: CodingKey { case name, summary, details, canBeAllowed }
}

extension LintRule: Hashable {
  /// Compares by the name, which no two rules share.
  package static func == (one: LintRule, other: LintRule) -> Bool { one.name == other.name }

  /// Hashes the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
