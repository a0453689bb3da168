import Migrator
import TestEngines
import Testing

/// The samples in the usual documentation of a migrator, as its readers would type them.
@Suite("Samples: first migrations")
struct OverviewSampleTests {
  @Test("authors and books are created, and a column is added", arguments: TestEngine.allCases)
  func settingUp(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create authors") { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("creationDate", .datetime)
        t.column("name", .text).notNull()
      }
    }
    migrator.registerMigration("Add books and author.birthYear") { db in
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author").notNull()
        t.column("title", .text).notNull()
      }
      try db.alter(table: "author") { t in
        t.add(column: "birthYear", .integer)
      }
    }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)

    try dbQueue.read { db in
      #expect(try db.columns(in: "author").map(\.name) == ["id", "creationDate", "name", "birthYear"])
      #expect(try db.columns(in: "book").map(\.name) == ["id", "authorId", "title"])
      #expect(try db.columns(in: "book")[1].isNotNull)
      let key = try #require(try db.foreignKeys(on: "book").first)
      #expect(key.destinationTable == "author" && key.originColumns == ["authorId"])
      #expect(try migrator.hasCompletedMigrations(db))
    }
  }

  @Test("tables, columns, indexes and rows are created with the usual methods", arguments: TestEngine.allCases)
  func examples(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create players") { db in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("score", .integer).notNull().defaults(to: 0)
        t.column("email", .text).unique()
      }
      try db.create(table: "category") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text)
      }
    }
    migrator.registerMigration("Add player avatarURL") { db in
      try db.alter(table: "player") { t in
        t.add(column: "avatarURL", .text)
      }
    }
    migrator.registerMigration("Index player emails") { db in
      try db.create(index: "player_on_email", on: "player", columns: ["email"])
    }
    migrator.registerMigration("Add default categories") { db in
      try db.execute(
        sql: """
          INSERT INTO category (name) VALUES ('Sports'), ('News'), ('Entertainment')
          """)
    }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)

    try dbQueue.write { db in
      #expect(
        try String.fetchAll(db, sql: "SELECT name FROM category ORDER BY id") == ["Sports", "News", "Entertainment"])
      #expect(try db.schema().object(.index, named: "player_on_email")?.tableName == "player")
      try db.execute(sql: "INSERT INTO player (name, email) VALUES (?, ?)", arguments: ["Arthur", "a@example.com"])
      #expect(try Int.fetchOne(db, sql: "SELECT score FROM player") == 0)
      #expect {
        try db.execute(sql: "INSERT INTO player (name, email) VALUES ('Barbara', 'a@example.com')")
      } throws: { error in
        (error as? DatabaseError)?.condition == .constraint(.unique)
      }
    }
  }

  @Test("migrations in plain SQL run in order", arguments: TestEngine.allCases)
  func plainSQL(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("createAuthors") { db in
      try db.execute(
        sql: """
          CREATE TABLE authors (
              id INTEGER PRIMARY KEY,
              creationDate TEXT,
              name TEXT NOT NULL
          )
          """)
    }
    migrator.registerMigration("createBooks") { db in
      try db.execute(
        sql: """
          CREATE TABLE books (
              uuid TEXT PRIMARY KEY,
              authorID INTEGER NOT NULL
                       REFERENCES authors(id)
                       ON DELETE CASCADE ON UPDATE CASCADE,
              title TEXT NOT NULL
          )
          """)
    }
    migrator.registerMigration("AddBirthYearToAuthors") { db in
      try db.execute(sql: "ALTER TABLE authors ADD COLUMN birthYear INT")
    }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO authors (id, name, birthYear) VALUES (1, 'Herman', 1819)")
      try db.execute(sql: "INSERT INTO books VALUES ('b', 1, 'Moby-Dick')")
      try db.execute(sql: "DELETE FROM authors")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM books") == 0)
    }
  }

  @Test("the deprecated spelling registers a migration with deferred checks", arguments: TestEngine.allCases)
  @available(*, deprecated)
  func deprecatedSpelling(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigrationWithDeferredForeignKeyCheck("v1") { db throws in
      #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == false)
    }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try migrator.appliedMigrations(db) == ["v1"]) }
  }
}
