import Migrator

/// The samples of the articles about coming from another migrator.
enum OtherTools {
  static func grdb() -> DatabaseMigrator {
    // sample
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
    }
    migrator.registerMigration("v2") { db in
      try db.alter(table: "player") { t in
        t.add(column: "score", .integer).notNull().defaults(to: 0)
      }
    }
    migrator.adopt(.grdb)
    // end of sample
    return migrator
  }

  static func userVersion() -> DatabaseMigrator {
    // sample
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create users") { db in
      try db.execute(sql: "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT)")
    }
    migrator.registerMigration("Add users.name") { db in
      try db.execute(sql: "ALTER TABLE users ADD COLUMN name TEXT")
    }
    // At user_version 1 the first is applied, at 2 both.
    migrator.adopt(.userVersion(ladder: ["Create users", "Add users.name"]))
    // end of sample
    return migrator
  }

  static func migrationManager() -> DatabaseMigrator {
    // sample
    var migrator = DatabaseMigrator()
    migrator.registerMigration("20160117220032038_create_users") { db in
      try db.execute(sql: "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT)")
    }
    migrator.registerMigration("Seed") { db in
      try db.execute(sql: "INSERT INTO users (email) VALUES ('root@example.com')")
    }
    migrator.adopt(.schemaMigrations.mapping(["20160117220050560": "Seed"]))
    // end of sample
    return migrator
  }

  static func goose(_ migrator: inout DatabaseMigrator) {
    // sample
    migrator.adopt(.goose.mapping(["3": "Create authors"]).unmapped(.leaveOut))
    // end of sample
  }

  static func baseline(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) throws {
    // sample
    try migrator.baseline(dbQueue, upTo: "Create users")
    try migrator.migrate(dbQueue)
    // end of sample
  }
}
