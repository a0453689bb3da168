internal import Migrator

/// Something dangerous that `lint` looks for.
///
/// A rule is a value in a file of `Rules/`, and an element of `LintRule.all`. It looks at each statement before it runs, at each migration
/// before it commits, or at the schema that all migrations together make.
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
}

extension LintRule: Hashable {
  /// Compares by the name, which no two rules share.
  package static func == (one: LintRule, other: LintRule) -> Bool { one.name == other.name }

  /// Hashes the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
