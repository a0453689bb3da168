import Migrator

/// The database of an app.
public enum AppDatabase {
  /// The app's migrations.
  ///
  /// The app applies them when it starts, and its tool on request of a developer.
  public static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create authors") { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().unique()
      }
    }
    migrator.registerMigration("Create books") { db in
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", onDelete: .cascade).notNull()
        t.column("title", .text).notNull()
      }
      try db.execute(sql: "INSERT INTO author (name) VALUES ('Ursula')")
    }
    return migrator
  }
}
