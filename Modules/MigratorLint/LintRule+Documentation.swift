extension LintRule {
  /// What the rule finds, as a phrase.
  package var summary: String {
    switch self {
    case .doesNotRun: "a statement that fails on an empty database"
    case .refusedFile: "a file or folder that the migrator refuses to run"
    case .emptyMigration: "a file without a statement"
    case .foreignKeyPragma: "PRAGMA foreign_keys inside a transaction"
    case .dropReferencedTable: "dropping a table that another table refers to"
    case .destructive: "removing or overwriting what the database holds"
    case .lostObject: "a rebuild that loses an index or a trigger"
    case .brokenObject: "a view or trigger that names what is gone"
    case .addNotNullColumn: "ADD COLUMN ... NOT NULL without a default"
    case .addExpressionDefault: "ADD COLUMN ... DEFAULT with an expression"
    case .addReferencingDefault: "ADD COLUMN ... REFERENCES with a default"
    case .addStoredColumn: "ADD COLUMN of a stored generated column"
    case .unindexedForeignKey: "a foreign key that no index serves"
    case .insertSelectStar: "INSERT ... SELECT *"
    case .implicitRowID: "dependence on row numbers that may change"
    case .doubleQuotedText: "a text in double quotes"
    case .editedMigration: "a file that was changed after it was applied"
    case .unknownRule: "a comment that allows a rule which does not exist"
    case .unusedAllowance: "a comment that allows nothing"
    }
  }

  /// Why that is dangerous, and what else is told apart; the page of SQLite's documentation stands at the end.
  package var details: String {
    switch self {
    case .doesNotRun:
      "Every migration is tried in its order on an empty database in memory, with the tool's own engine. What fails there fails "
        + "for every new user; the migrations behind it are not looked at."
    case .refusedFile:
      "No command runs a folder with such a file. The other rules wait until all files can be read."
    case .emptyMigration:
      "Applying it records no more than its name. What is written into the file afterwards is an edit, which the databases that have it do "
        + "not get."
    case .foreignKeyPragma:
      "SQLite ignores it inside a transaction, and a migration runs in one. At the beginning of a file it is understood, as is "
        + "the comment `-- migrator: foreign-keys immediate`. (https://www.sqlite.org/pragma.html#pragma_foreign_keys)"
    case .dropReferencedTable:
      "With foreign keys on, DROP TABLE first deletes all rows, which fails or deletes the rows that refer to them. With foreign "
        + "keys off, a table that does not come back leaves keys behind that refer to nothing. "
        + "(https://www.sqlite.org/foreignkeys.html#fk_schemacommands)"
    case .destructive:
      "DROP TABLE, DROP COLUMN, a rebuild without some of the columns, and DELETE or UPDATE without WHERE, on tables that were "
        + "there before the migration."
    case .lostObject:
      "DROP TABLE takes the indexes and triggers of its table along; a table of the same name does not have them. "
        + "(https://www.sqlite.org/lang_altertable.html#otheralter)"
    case .brokenObject:
      "Views and triggers are compiled after each migration. One that names a table or column which is not there any more fails "
        + "when it is next used, and before that at the next ALTER TABLE. (https://www.sqlite.org/lang_altertable.html#compatibility)"
    case .addNotNullColumn:
      "SQLite takes it while the table is empty, as on a developer's machine, and refuses it where there are rows. "
        + "(https://www.sqlite.org/lang_altertable.html#altertabaddcol)"
    case .addExpressionDefault:
      "SQLite takes CURRENT_TIMESTAMP and expressions while the table is empty, and refuses them where there are rows. "
        + "(https://www.sqlite.org/lang_altertable.html#altertabaddcol)"
    case .addReferencingDefault:
      "With foreign keys on, SQLite takes it while the table is empty only. It is found where the migration runs with foreign keys "
        + "on. (https://www.sqlite.org/lang_altertable.html#altertabaddcol)"
    case .addStoredColumn:
      "SQLite takes it while the table is empty, and refuses it where there are rows. (https://www.sqlite.org/gencol.html)"
    case .unindexedForeignKey:
      "Each change of a row that is referred to reads the whole referring table. Found in the schema that all migrations "
        + "together make. (https://www.sqlite.org/foreignkeys.html#fk_indexes)"
    case .insertSelectStar:
      "It depends on the order and number of the columns, which differ between a database that was altered and one that was "
        + "made anew. (https://www.sqlite.org/lang_insert.html)"
    case .implicitRowID:
      "The rows of a table without INTEGER PRIMARY KEY get new numbers by VACUUM and by a rebuild. Found are full-text tables over "
        + "such a table's rows, views and triggers that use its numbers, INSERT that stores them, and foreign keys to them. "
        + "(https://www.sqlite.org/rowidtable.html)"
    case .doubleQuotedText:
      "A name in double quotes that names nothing is taken for a text, so that a misspelt column is no error but a constant. "
        + "Newer builds of SQLite refuse it. (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted)"
    case .editedMigration:
      "Looked for only when a database is named. Databases that have the migration do not get the change."
    case .unknownRule:
      "What the comment was meant to allow is found. The rules are those of this list."
    case .unusedAllowance:
      "A comment `allow` covers the statement that it stands in, at or before; `allow-file` covers the file. One that covers no "
        + "finding of its rule hides a later one, and some rules cannot be allowed."
    }
  }
}
