/// What an engine's version can do when a schema changes (https://www.sqlite.org/changes.html).
struct SchemaFeatures: Sendable {
  /// `RENAME COLUMN`, since 3.25.
  var renamesColumns: Bool
  /// `DROP COLUMN`, since 3.35.
  var dropsColumns: Bool
  /// Renaming a table also renames it in triggers and views, since 3.25.
  var renamesTablesInTriggers: Bool
  /// `PRAGMA legacy_alter_table`, since 3.26 (https://www.sqlite.org/pragma.html#pragma_legacy_alter_table).
  var hasLegacyAlterTable: Bool
  /// `ADD COLUMN` refuses what existing rows cannot have only where rows exist.
  var addsAnyColumnToEmptyTables: Bool
  /// `ADD COLUMN` checks the rows that exist against the column's CHECK constraints, since 3.34 at the latest.
  var checksAddedColumns: Bool
  /// `STRICT`, since 3.37 (https://www.sqlite.org/stricttables.html).
  var hasStrictTables: Bool
  /// Generated columns, since 3.31 (https://www.sqlite.org/gencol.html).
  var hasGeneratedColumns: Bool
  /// `ALTER COLUMN ... SET NOT NULL`, `ADD CONSTRAINT` and `DROP CONSTRAINT`, since 3.53.
  var altersConstraints: Bool

  /// The features of a version, given as a number: 3040001 is 3.40.1.
  init(versionNumber: Int) {
    renamesColumns = versionNumber >= 3_025_000
    dropsColumns = versionNumber >= 3_035_000
    renamesTablesInTriggers = versionNumber >= 3_025_000
    hasLegacyAlterTable = versionNumber >= 3_026_000
    addsAnyColumnToEmptyTables = versionNumber >= 3_031_000
    checksAddedColumns = versionNumber >= 3_034_000
    hasStrictTables = versionNumber >= 3_037_000
    hasGeneratedColumns = versionNumber >= 3_031_000
    altersConstraints = versionNumber >= 3_053_000
  }
}
