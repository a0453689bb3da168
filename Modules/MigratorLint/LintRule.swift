/// What `lint` looks for.
package enum LintRule: String, Sendable, CaseIterable, Encodable {
  /// The engine refuses the statement on an empty database.
  case doesNotRun = "does-not-run"
  /// The migrator refuses the file.
  case refusedFile = "refused-file"
  /// A file without a statement.
  case emptyMigration = "empty-migration"
  /// `PRAGMA foreign_keys` inside a transaction.
  case foreignKeyPragma = "foreign-key-pragma"
  /// DROP TABLE of a table that others refer to.
  case dropReferencedTable = "drop-referenced-table"
  /// Rows or values are removed.
  case destructive
  /// A rebuild that loses an index or a trigger.
  case lostObject = "lost-object"
  /// A view or trigger that names what is gone.
  case brokenObject = "broken-object"
  /// ADD COLUMN NOT NULL without a default.
  case addNotNullColumn = "add-not-null-column"
  /// ADD COLUMN with a default that is an expression.
  case addExpressionDefault = "add-expression-default"
  /// ADD COLUMN REFERENCES with a default.
  case addReferencingDefault = "add-referencing-default"
  /// ADD COLUMN of a stored generated column.
  case addStoredColumn = "add-stored-column"
  /// A foreign key that no index serves.
  case unindexedForeignKey = "unindexed-foreign-key"
  /// `INSERT ... SELECT *`.
  case insertSelectStar = "insert-select-star"
  /// Use of row numbers that may change.
  case implicitRowID = "implicit-rowid"
  /// A text in double quotes.
  case doubleQuotedText = "double-quoted-text"
  /// A file that was changed after it was applied.
  case editedMigration = "edited-migration"
  /// A comment that allows a rule which does not exist.
  case unknownRule = "unknown-rule"
  /// A comment that allows nothing.
  case unusedAllowance = "unused-allowance"

  /// Whether a comment can allow what the rule finds; otherwise no command would take the migration anyway.
  package var canBeAllowed: Bool {
    switch self {
    case .doesNotRun, .refusedFile, .foreignKeyPragma, .editedMigration, .unknownRule, .unusedAllowance: false
    default: true
    }
  }
}
