internal import Migrator

/// Migrations that contain every kind of change.
enum SampleMigrations {
  /// The migrations, in a new migrator on each access: information that a migrator retains from one backend must not
  /// hide a fault of another backend.
  static var all: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    // If a faulty backend never releases a lock, a check must not block for long.
    migrator.lockTimeout = .seconds(10)
    migrator.registerMigration("authors") { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
      try db.execute(sql: "INSERT INTO author(name) VALUES (?), (?)", arguments: ["Ada", "O'Brien"])
    }
    migrator.registerMigration("books") { db in
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", onDelete: .cascade).notNull()
        t.column("title", .text)
      }
      try db.execute(sql: "INSERT INTO book(authorId, title) SELECT id, name || '''s book' FROM author")
    }
    migrator.registerMigration("attempt") { db in
      // Attempts a change, rolls it back, and then makes it in another way.
      try db.inSavepoint {
        try db.execute(sql: "CREATE TABLE attempt(x); DELETE FROM book")
        return .rollback
      }
      try db.alter(table: "book") { t in t.add(column: "year", .integer).defaults(to: 1900) }
    }
    migrator.registerMigration("new authors") { db in
      try db.create(table: "new_author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().unique()
        t.column("born", .integer)
      }
      try db.execute(sql: "INSERT INTO new_author(id, name) SELECT id, name FROM author")
      try db.drop(table: "author")
      try db.rename(table: "new_author", to: "author")
    }
    return migrator
  }
}

extension DatabaseBackend {
  func withQueue<Value>(_ configuration: Configuration = Configuration(), _ body: (DatabaseQueue) throws -> Value)
    throws
    -> Value
  {
    let queue = try DatabaseQueue(self, configuration: configuration)
    // If closing fails, the connection is released together with its queue.
    defer { try? queue.close() }
    return try body(queue)
  }

  func appliedIdentifiers(of migrator: DatabaseMigrator) throws -> Set<String> {
    try withQueue { queue in try queue.read { db in try migrator.appliedIdentifiers(db) } }
  }
}
