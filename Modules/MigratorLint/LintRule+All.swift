internal import SQLMigrations

extension LintRule {
  /// The rules in the order in which they are listed.
  package static let all: [LintRule] = [
    .doesNotRun, .refusedFile, .emptyMigration, .foreignKeyPragma, .dropReferencedTable, .destructive, .lostObject,
    .brokenObject, .addNotNullColumn, .addExpressionDefault, .addReferencingDefault, .addStoredColumn,
    .unindexedForeignKey, .insertSelectStar, .implicitRowID, .doubleQuotedText, .editedMigration, .unknownRule,
    .unusedAllowance,
  ]

  /// The rule of a name; nil when there is none.
  static func named(_ name: String) -> LintRule? { all.first { $0.name == name } }

  /// The remedy for a name that is no rule's.
  ///
  /// - Parameter toolName: The name of the tool that lists the rules.
  static func remedy(forUnknown name: String, toolName: String) -> String {
    Suggestion.nearest(to: name, among: all.map(\.name)).map { "Did you mean \($0)?" }
      ?? "`\(toolName) lint --rules` lists the rules."
  }
}
