internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// The remedies for foreign key violations; no remedy removes a row that the message does not name.
extension FailureReport {
  /// Returns the next step after foreign key violations; `file` is the migration that left them, nil if it is unknown.
  func remedy(for error: ForeignKeyViolationError, in file: MigrationFile?) -> String {
    let steps =
      error.missingTables.isEmpty
      ? missingRows(error, file) : Self.missingTables(error.missingTables, file)
    return steps + " Then \(again)"
  }

  /// Returns the next step if the referenced tables are missing: the rows themselves are not at fault.
  private static func missingTables(_ tables: [String], _ file: MigrationFile?) -> String {
    let renamed = (file?.statements ?? []).contains { statement in
      guard case .renameTable(_, let newName) = SQLStatementEffect(of: statement.text) else { return false }
      return tables.contains { $0.asciiLowercased == newName.asciiLowercased }
    }
    let keep = "Keep the rows: the table that they refer to is gone. "
    guard renamed else {
      return keep
        + "If \(listed(tables)) is meant to be recreated, create the new table under another name, copy the rows, drop the old "
        + "table and rename the new one, in this order. If it is meant to be gone, first recreate the tables that refer to it "
        + "without the foreign key, in the same way."
    }
    // https://www.sqlite.org/lang_altertable.html#alter_table_rename
    return keep
      + "Renaming a table also changes the foreign keys that refer to it. Create the new table under another name, copy the rows, "
      + "drop the old table and rename the new one, in this order; or write PRAGMA legacy_alter_table = ON before ALTER TABLE."
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
        ". If a later migration adds the rows, write `-- migrator: violations-until IDENTIFIER reason` in the file, where "
        + "IDENTIFIER is the name of that migration"
    }
    return remedy + "."
  }
}
