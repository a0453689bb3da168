internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

/// The remedies for foreign key violations; no remedy removes a row that the message does not name.
extension FailureReport {
  /// Returns the next step after foreign key violations; `file` is the migration that left them, nil if it is unknown.
  func remedy(for error: ForeignKeyViolationError, in file: MigrationFile?) -> String {
    let steps =
      error.missingTables.isEmpty
      ? missingRows(error, file)
      // The rows themselves are not at fault.
      : lacking(error.missingTables)
        ?? "Keep the rows: the table that they refer to is gone. "
        + LintRule.remedy(forMissing: error.missingTables, in: file)
    return steps + " Then \(again)"
  }

  /// Returns the next step if no migration has ever made a table of these names; nil if one has.
  func lacking(_ missing: [String]) -> String? {
    let tables = (files ?? []).flatMap(\.statements).flatMap { statement -> [String] in
      switch SQLStatementEffect(of: statement.text) {
      case .createTable(let name): [name]
      case .renameTable(let name, let newName): [name, newName]
      default: []
      }
    }
    let known = Set(tables.map(\.asciiLowercased))
    guard files != nil, known.isDisjoint(with: missing.map(\.asciiLowercased)) else { return nil }
    // Any other short name resembles one.
    let nearest = missing.map { $0.count < 3 ? nil : Suggestion.nearest(to: $0, among: tables) }
    let question = nearest.contains(nil) ? "" : ": did you mean \(listed(nearest.compactMap(\.self)))"
    return "No migration makes \(listed(missing.map { "\"\($0)\"" }))\(question.isEmpty ? ". " : question + "? ")"
      + (question.isEmpty
        ? "Correct the name in the foreign key, or create the table first." : "Correct the foreign key.")
  }

  private func missingRows(_ error: ForeignKeyViolationError, _ file: MigrationFile?) -> String {
    var remedy = "Add the missing rows, or remove the rows that refer to them"
    guard let file else { return remedy + "." }
    let drops = file.statements.contains { statement in
      if case .dropTable = SQLStatementEffect(of: statement.text) { true } else { false }
    }
    // With foreign keys enforced, dropping a table would delete rows of other tables that the message does not name.
    if !error.tablesWithActions.isEmpty, !drops {
      remedy +=
        ". If the rows of \(listed(error.tablesWithActions)) should be deleted or changed by ON DELETE or ON UPDATE, write "
        + "`-- migrator: foreign-keys immediate` in the file"
    }
    if let repair = file.violationsUntil {
      remedy += ". \(repair.identifier), which repairs them, must be applied in the same run"
    } else {
      remedy +=
        ". If a later migration adds the rows, write `-- migrator: violations-until IDENTIFIER REASON` in the file, where "
        + "IDENTIFIER is the name of that migration"
    }
    return remedy + "."
  }
}
