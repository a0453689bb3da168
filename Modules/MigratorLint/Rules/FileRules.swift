internal import SQLMigrations

// Rules about whole files. The code that reads, runs and compares the files creates their findings.
extension LintRule {
  /// A rule that finds a statement that fails in an empty database.
  package static let doesNotRun: LintRule = LintRule(
    name: "does-not-run", summary: "a statement that fails on an empty database",
    details:
      "Every migration runs, in order, on an empty in-memory database, with the tool's own engine. A statement that fails there "
      + "fails for every new user; statements that depend on it are not checked.",
    canBeAllowed: false)

  /// A rule that finds a file or folder that the migrator rejects.
  package static let refusedFile: LintRule = LintRule(
    name: "refused-file", summary: "a file or folder that the migrator refuses to run",
    details: "No command runs a folder with such a file. The other rules apply once all files can be read.",
    canBeAllowed: false)

  /// A rule that finds a file without statements.
  package static let emptyMigration: LintRule = LintRule(
    name: MigrationFile.Allowance.emptyMigration, summary: "a file without a statement",
    details:
      "Applying it records only its name. Statements added to the file afterwards are an edit, which databases that have "
      + "applied the file do not get.")

  /// A rule that finds a file with the same number as another file.
  package static let sharedNumber: LintRule = LintRule(
    name: "shared-number", summary: "a file with the same number as another",
    details:
      "Files with the same number run in the order of their names, and a file that is added later may come between them; other "
      + "tools refuse them.")

  /// A rule that finds a `PRAGMA foreign_keys` inside a transaction.
  package static let foreignKeyPragma: LintRule = LintRule(
    name: "foreign-key-pragma", summary: "PRAGMA foreign_keys that cannot be followed",
    details:
      "SQLite ignores it inside a transaction, and a migration runs in one. The migrator accepts OFF anywhere, and ON, or the "
      + "comment `-- migrator: foreign-keys immediate`, at the beginning of a file. It refuses a file in which they contradict "
      + "each other. "
      + "(https://www.sqlite.org/pragma.html#pragma_foreign_keys)",
    canBeAllowed: false)

  /// A rule that finds a file that was changed after it was applied.
  package static let editedMigration: LintRule = LintRule(
    name: "edited-migration", summary: "a file that was changed after it was applied",
    details: "Checked only with --database. Databases that have applied the migration do not get the change.",
    canBeAllowed: false)

  static let unknownRule: LintRule = LintRule(
    name: "unknown-rule", summary: "a comment that allows an unknown rule",
    details: "The comment allows nothing. This list has all the rules.", canBeAllowed: false)

  static let unusedAllowance: LintRule = LintRule(
    name: "unused-allowance", summary: "a comment that allows nothing",
    details:
      "An `allow` comment covers the statement that it is inside, next to or before; `allow-file` covers the file. A comment without "
      + "a finding would hide a later one. The findings of some rules cannot be allowed.",
    canBeAllowed: false)
}
