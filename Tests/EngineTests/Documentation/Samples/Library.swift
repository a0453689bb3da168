import Migrator
import SQLiteBackend

/// The database of an app: authors and their books, in a plain file.
enum Library {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create authors and books") { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", onDelete: .cascade).notNull()
        t.column("title", .text).notNull()
      }
    }
    // Once this has been released, it stays as it is: changes are new migrations, added below.
    migrator.registerMigration("Add author.birthYear") { db in
      try db.alter(table: "author") { t in t.add(column: "birthYear", .integer) }
    }
    return migrator
  }

  /// Opens the database with every migration applied; creates it when there is none.
  static func open(path: String) throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue(path: path)
    try migrator.migrate(dbQueue)
    return dbQueue
  }
}
