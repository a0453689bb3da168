internal import SQLMigrations

// Rules about a file as a whole; their findings are made where the files are read, run and compared.
extension LintRule {
  /// The engine refuses a statement on an empty database.
  package static let doesNotRun: LintRule = LintRule(
    name: "does-not-run", summary: "a statement that fails on an empty database",
    details:
      "Every migration is tried in its order on an empty database in memory, with the tool's own engine. What fails there fails "
      + "for every new user; the migrations behind it are not looked at.",
    canBeAllowed: false)

  /// The migrator refuses the file.
  package static let refusedFile: LintRule = LintRule(
    name: "refused-file", summary: "a file or folder that the migrator refuses to run",
    details: "No command runs a folder with such a file. The other rules wait until all files can be read.",
    canBeAllowed: false)

  /// A file has no statement.
  package static let emptyMigration: LintRule = LintRule(
    name: MigrationFile.Allowance.emptyMigration, summary: "a file without a statement",
    details:
      "Applying it records no more than its name. What is written into the file afterwards is an edit, which the databases that have it do "
      + "not get.")

  /// A file has the number of another one.
  package static let sharedNumber: LintRule = LintRule(
    name: "shared-number", summary: "a file with the number of another one",
    details:
      "Files with the same number run in the order of their names, and the next one may come between them; other tools refuse "
      + "them.")

  /// `PRAGMA foreign_keys` is inside a transaction.
  package static let foreignKeyPragma: LintRule = LintRule(
    name: "foreign-key-pragma", summary: "PRAGMA foreign_keys that cannot be followed",
    details:
      "SQLite ignores it inside a transaction, and a migration runs in one. OFF is understood at any place, ON at the beginning "
      + "of a file, as is the comment `-- migrator: foreign-keys immediate`; a file that says both is refused. "
      + "(https://www.sqlite.org/pragma.html#pragma_foreign_keys)",
    canBeAllowed: false)

  /// A file was changed after it was applied.
  package static let editedMigration: LintRule = LintRule(
    name: "edited-migration", summary: "a file that was changed after it was applied",
    details: "Looked for only when a database is named. Databases that have the migration do not get the change.",
    canBeAllowed: false)

  static let unknownRule: LintRule = LintRule(
    name: "unknown-rule", summary: "a comment that allows a rule which does not exist",
    details: "What the comment was meant to allow is found. The rules are those of this list.", canBeAllowed: false)

  static let unusedAllowance: LintRule = LintRule(
    name: "unused-allowance", summary: "a comment that allows nothing",
    details:
      "A comment `allow` covers the statement that it stands in, at or before; `allow-file` covers the file. One that covers no "
      + "finding of its rule hides a later one, and some rules cannot be allowed.",
    canBeAllowed: false)
}
