internal import Migrator
internal import SQLSyntax

/// A rule of `lint` that finds one kind of dangerous SQL.
///
/// A rule is a value in a file of the folder `Rules/`, and an element of ``all``. It inspects each statement before the
/// statement runs, each migration before it commits, or the schema after all migrations.
package struct LintRule: Sendable {
  /// The rule's name, by which comments refer to it.
  package let name: String
  /// A phrase that describes the finding.
  package let summary: String
  /// The reason why the SQL is dangerous, followed by a link to SQLite's documentation.
  package let details: String
  /// Whether a comment can allow the rule's findings.
  ///
  /// False if every command would reject the migration anyway.
  package var canBeAllowed = true
  /// Returns the findings about a statement that is about to run.
  var beforeStatement: (@Sendable (LintedStatement, LintScene) throws -> [LintFinding])?
  /// Returns the findings about a migration that has run but has not been committed.
  var afterMigration: (@Sendable (LintScene) throws -> [LintFinding])?
  /// Returns the findings about the schema after all migrations.
  var afterAll: (@Sendable (Database, SchemaDeclarations) throws -> [LintFinding])?

  /// All rules, in the order of `lint --rules`.
  package static let all: [LintRule] = [
    .doesNotRun, .refusedFile, .emptyMigration, .sharedNumber, .foreignKeyPragma, .dropReferencedTable, .destructive,
    .lostRows, .uniqueOverRows, .existingTable, .lostAutoincrement, .lostProperty, .ledgerChange, .lostObject,
    .brokenObject, .undoesItself,
    .addNotNullColumn, .addExpressionDefault, .addReferencingDefault, .addStoredColumn,
    .unindexedForeignKey, .mismatchedForeignKey, .missingParent, .insertSelectStar, .omittedColumn, .implicitRowID,
    .misreadType, .misreadSpace, .misreadOperator, .misspelledPragma,
    .doubleQuotedText, .editedMigration, .unknownRule,
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
  /// Compares the names, which are unique.
  package static func == (one: LintRule, other: LintRule) -> Bool { one.name == other.name }

  /// Hashes the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
