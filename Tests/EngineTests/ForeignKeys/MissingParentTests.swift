import Migrator
import TestEngines
import Testing

/// Foreign keys to tables and columns that do not exist, written in Swift.
@Suite("Foreign keys without a parent")
struct MissingParentTests {
  private static func migrator(_ second: @escaping @Sendable (Database) throws -> Void) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      try db.create(table: "author") { table in table.primaryKey("id", .integer) }
    }
    migrator.registerMigration("2", migrate: second)
    return migrator
  }

  @Test("A misspelled table or column fails the last migration", arguments: TestEngine.allCases)
  func misspelled(engine: TestEngine) throws {
    for (table, column) in [("auhtor", "id"), ("author", "idd")] {
      let queue = try engine.inMemoryQueue()
      let migrator = Self.migrator { db in
        try db.create(table: "book") { book in book.column("author", .integer).references(table, column: column) }
      }
      let error = try #require(throws: MigrationError.self) { try migrator.migrate(queue) }
      #expect(
        "\(error)".contains(table) && "\(error)".contains("which does not exist, after the last migration"), "\(error)")
      #expect(try queue.read { db in try !db.tableExists("book") && migrator.appliedMigrations(db) == ["1"] })
    }
  }

  @Test(
    "A key to columns that are not unique fails the last migration, and is mended by an index",
    arguments: TestEngine.allCases)
  func mismatched(engine: TestEngine) throws {
    let queue = try engine.inMemoryQueue()
    var migrator = Self.migrator { db in
      try db.alter(table: "author") { author in author.add(column: "code", .text) }
      try db.create(table: "book") { book in book.column("author", .text).references("author", column: "code") }
    }
    let error = try #require(throws: MigrationError.self) { try migrator.migrate(queue) }
    #expect("\(error)".contains("create a unique index on exactly these columns"), "\(error)")
    #expect(try queue.read { db in try migrator.appliedMigrations(db) } == ["1"])
    migrator.registerMigration("3") { db in
      try db.create(index: "author_on_code", on: "author", columns: ["code"], options: .unique)
    }
    try migrator.migrate(queue)
  }

  @Test("A table that the same migration or a later one creates is no error", arguments: TestEngine.allCases)
  func later(engine: TestEngine) throws {
    let queue = try engine.inMemoryQueue()
    var migrator = Self.migrator { db in
      try db.create(table: "book") { book in
        book.column("series", .integer).references("series", column: "id")
        book.column("shelf", .integer).references("shelf", column: "id")
      }
      try db.create(table: "series") { table in table.primaryKey("id", .integer) }
    }
    migrator.registerMigration("3") { db in
      try db.create(table: "shelf") { table in table.primaryKey("id", .integer) }
    }
    try migrator.migrate(queue, upTo: "2")
    try migrator.migrate(queue)
  }
}
