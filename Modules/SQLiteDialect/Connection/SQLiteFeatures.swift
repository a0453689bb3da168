/// The differences between the versions of SQLite that matter to this module (https://www.sqlite.org/changes.html).
package struct SQLiteFeatures: Sendable {
  private let versionNumber: Int

  /// The features of a version, given as a number: 3040001 is 3.40.1.
  package init(versionNumber: Int) { self.versionNumber = versionNumber }

  /// Whether `RENAME COLUMN` exists, since 3.25.
  package var renamesColumns: Bool { versionNumber >= 3_025_000 }
  /// Whether `DROP COLUMN` exists, since 3.35.
  package var dropsColumns: Bool { versionNumber >= 3_035_000 }
  /// Whether renaming a table also renames it in triggers and views, since 3.25.
  package var renamesTablesInTriggers: Bool { versionNumber >= 3_025_000 }
  /// Whether `PRAGMA legacy_alter_table` exists, since 3.26 (https://www.sqlite.org/pragma.html#pragma_legacy_alter_table).
  package var hasLegacyAlterTable: Bool { versionNumber >= 3_026_000 }
  /// Whether `ADD COLUMN` refuses what existing rows cannot have only where rows exist, since 3.31.
  package var addsAnyColumnToEmptyTables: Bool { versionNumber >= 3_031_000 }
  /// Whether `ADD COLUMN` checks the rows that exist against the column's CHECK constraints, since 3.34 at the latest.
  package var checksAddedColumns: Bool { versionNumber >= 3_034_000 }
  /// Whether `STRICT` tables exist, since 3.37 (https://www.sqlite.org/stricttables.html).
  package var hasStrictTables: Bool { versionNumber >= 3_037_000 }
  /// Whether generated columns exist, since 3.31 (https://www.sqlite.org/gencol.html).
  package var hasGeneratedColumns: Bool { versionNumber >= 3_031_000 }
  /// Whether `ALTER COLUMN ... SET NOT NULL`, `ADD CONSTRAINT` and `DROP CONSTRAINT` exist, since 3.53.
  package var altersConstraints: Bool { versionNumber >= 3_053_000 }
  /// Whether `PRAGMA table_xinfo` exists, since 3.26 (https://www.sqlite.org/pragma.html#pragma_table_xinfo).
  package var listsHiddenColumns: Bool { versionNumber >= 3_026_000 }
  /// Whether `PRAGMA table_list` exists, since 3.37 (https://www.sqlite.org/pragma.html#pragma_table_list).
  package var listsTables: Bool { versionNumber >= 3_037_000 }
  /// Whether `PRAGMA table_info` notices what another connection has changed, since 3.40 at the latest.
  package var noticesSchemaChanges: Bool { versionNumber >= 3_040_000 }
  /// Whether `PRAGMA foreign_key_check` reads the right columns and rows of every table, since 3.40 at the latest.
  package var checksForeignKeysRightly: Bool { versionNumber >= 3_040_000 }
}
