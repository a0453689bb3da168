extension HousePlan {
  /// The plan of this project: its targets, lowest first, and their folders, lowest first.
  ///
  /// Put a new folder at the lowest place from which it can reach its dependencies.
  static let project = HousePlan(
    targets: [
      Target("Modules/SQLSyntax", folders: ["Tokens", "Statements", "Tree", "Parser", "Names"]),
      Target(
        "Modules/Migrator", imports: ["SQLSyntax"],
        folders: [
          "System", "Values", "Schema", "Backend", "Access", "ForeignKeys", "Backup", "Migrations/Errors",
          "Migrations/Rows", "Migrations/Ledger", "Migrations/Migrator", "Migrations/Adoption", "Migrations/Status",
          "Migrations/Run",
          "Migrations/Plan", "Migrations/Rehearsal", "Fleet",
        ]),
      Target(
        "Modules/SQLiteDialect", imports: ["Migrator", "SQLSyntax"],
        folders: [
          "Errors", "Connection", "Schema", "ForeignKeys", "SchemaChanges/StoredSQL",
          "SchemaChanges/Plans", "SchemaChanges",
        ]),
      Target("Modules/CSQLiteLoader", folders: ["include", ""]),
      Target(
        "Modules/SQLiteEngine", imports: ["CSQLiteLoader", "Migrator", "SQLSyntax", "SQLiteDialect"],
        folders: ["Library", "Keys", "Files", "Handle", "Statement", "Connection", "Opening", "Conversion"]),
      Target(
        "Modules/SQLMigrations", imports: ["Migrator", "SQLSyntax"],
        folders: ["Problems", "Text", "Layouts", "Files"]),
      Target(
        "Modules/MigratorLint", imports: ["Migrator", "SQLMigrations", "SQLSyntax"],
        folders: ["Loss", "Findings", "Rules", ""]),
      Target(
        "Modules/MigratorCommand",
        imports: ["Migrator", "MigratorLint", "SQLiteDialect", "SQLMigrations", "SQLSyntax"],
        folders: ["System", "Tool", "Terminal", "Failures", "Arguments", "Session", "Commands"]),
      Target(
        "Modules/MigratorTestKit", imports: ["Migrator", "SQLSyntax", "SQLiteDialect"],
        folders: ["Wrappers", "Contract", "Support", "Upgrades", "Checks"]),
      Target("Plugins/CSystemSQLite", imports: ["CSQLiteLoader"]),
      Target("Plugins/SQLiteBackend", imports: ["CSystemSQLite", "Migrator", "SQLiteDialect", "SQLiteEngine"]),
      Target(
        "Plugins/SQLCipherBackend", imports: ["Migrator", "SQLiteDialect", "SQLiteEngine"],
        folders: ["Keys", "Settings", "Opening", "Conversion", ""]),
      Target("Plugins/DqliteWire", folders: ["Messages", "Transport"]),
      Target(
        "Plugins/DqliteBackend", imports: ["DqliteWire", "Migrator", "SQLSyntax", "SQLiteDialect"],
        folders: ["SQL", "Session", "Connection", ""]),
      Target("Plugins/DqliteCommand", imports: ["DqliteBackend", "Migrator", "MigratorCommand"]),
      Target("Plugins/EmbedSQLMigrations"),
      Target("Plugins/MigratorPlugin"),
      Target("Plugins/SQLiteCommand", imports: ["Migrator", "MigratorCommand", "SQLiteBackend"]),
      Target("Plugins/SQLCipherCommand", imports: ["Migrator", "MigratorCommand", "SQLCipherBackend"]),
    ])
}
