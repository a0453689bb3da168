internal import Migrator
internal import SQLMigrations

/// A rule of `lint`, which finds one kind of dangerous SQL.
///
/// A rule is a value in a file of `Rules/` and an element of ``all``. It inspects each statement before it runs, each
/// migration before it commits, or the schema that all migrations together create.
package struct LintRule: Sendable {
  /// The rule's name, which a comment uses to allow its findings.
  package let name: String
  /// A phrase that describes the finding.
  package let summary: String
  /// The reason why it is dangerous, followed by a link to SQLite's documentation.
  package let details: String
  /// Whether a comment can allow the findings.
  ///
  /// False where every command would refuse the migration anyway.
  package var canBeAllowed = true
  /// Returns the findings on a statement that is about to run.
  var beforeStatement: (@Sendable (LintedStatement, LintScene) throws -> [LintFinding])?
  /// Returns the findings on a migration that has run but is not committed yet.
  var afterMigration: (@Sendable (LintScene) throws -> [LintFinding])?
  /// Returns the findings on the schema that all migrations together create.
  var afterAll: (@Sendable (Database, ForeignKeyDeclarations) throws -> [LintFinding])?

  /// The rules in the order in which they are listed.
  package static let all: [LintRule] = [
    .doesNotRun, .refusedFile, .emptyMigration, .sharedNumber, .foreignKeyPragma, .dropReferencedTable, .destructive,
    .lostObject,
    .brokenObject, .addNotNullColumn, .addExpressionDefault, .addReferencingDefault, .addStoredColumn,
    .unindexedForeignKey, .mismatchedForeignKey, .insertSelectStar, .implicitRowID, .doubleQuotedText, .editedMigration, .unknownRule,
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
  /// Compares names, which are unique.
  package static func == (one: LintRule, other: LintRule) -> Bool { one.name == other.name }

  /// Hashes the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
