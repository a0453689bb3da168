package import Migrator

/// The differences between the versions of SQLite that matter to this module, beside the engine's abilities
/// (https://www.sqlite.org/changes.html).
package struct SQLiteFeatures: Sendable {
  /// Whether the engine has `PRAGMA writable_schema = RESET` (since 3.22,
  /// https://www.sqlite.org/pragma.html#pragma_writable_schema).
  package var resetsSchema: Bool
  /// Whether renaming a table also renames it in triggers and views (since 3.25).
  package var renamesTablesInTriggers: Bool
  /// Whether the engine has `PRAGMA legacy_alter_table` (since 3.26,
  /// https://www.sqlite.org/pragma.html#pragma_legacy_alter_table).
  package var hasLegacyAlterTable: Bool
  /// Whether `ADD COLUMN` accepts columns in an empty table that it rejects if the table has rows (since 3.31).
  package var addsAnyColumnToEmptyTables: Bool
  /// Whether `ADD COLUMN` checks existing rows against the column's CHECK constraints (since 3.34 or earlier).
  package var checksAddedColumns: Bool
  /// Whether the engine has `ALTER COLUMN ... SET NOT NULL`, `ADD CONSTRAINT` and `DROP CONSTRAINT` (since 3.53).
  package var altersConstraints: Bool
  /// Whether the engine has `PRAGMA table_xinfo` (since 3.26, https://www.sqlite.org/pragma.html#pragma_table_xinfo).
  package var listsHiddenColumns: Bool
  /// Whether the engine has `PRAGMA table_list` (since 3.37, https://www.sqlite.org/pragma.html#pragma_table_list).
  package var listsTables: Bool
  /// Whether `PRAGMA table_info` notices when another connection has changed the schema (since 3.40 or earlier).
  package var noticesSchemaChanges: Bool
  /// Whether `PRAGMA foreign_key_check` reads the correct columns and rows of every table (since 3.40 or earlier).
  package var checksForeignKeysRightly: Bool

  /// Creates the features of a version of SQLite; the number 3040001 stands for 3.40.1.
  package init(versionNumber: Int) {
    resetsSchema = versionNumber >= 3_022_000
    renamesTablesInTriggers = versionNumber >= 3_025_000
    hasLegacyAlterTable = versionNumber >= 3_026_000
    addsAnyColumnToEmptyTables = versionNumber >= 3_031_000
    checksAddedColumns = versionNumber >= 3_034_000
    altersConstraints = versionNumber >= 3_053_000
    listsHiddenColumns = versionNumber >= 3_026_000
    listsTables = versionNumber >= 3_037_000
    noticesSchemaChanges = versionNumber >= 3_040_000
    checksForeignKeysRightly = versionNumber >= 3_040_000
  }
}

extension EngineAbilities {
  /// The abilities of a version of SQLite that depend on nothing else (https://www.sqlite.org/changes.html).
  package init(sqliteVersionNumber version: Int) {
    let since: [(Int, EngineAbilities)] = [
      (3_024_000, .upsert), (3_025_000, [.renameColumn, .windowFunctions]), (3_031_000, .generatedColumns),
      (3_035_000, [.dropColumn, .returning]), (3_037_000, .strictTables),
    ]
    self = since.reduce([]) { version >= $1.0 ? $0.union($1.1) : $0 }
  }
}
