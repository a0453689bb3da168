import Migrator
import TestEngines
import Testing

@Suite("Dropping a full-text table")
struct SynchronizedTableTests {
  private static func createBooks(_ db: Database) throws {
    try db.create(table: "book") { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("title", .text)
    }
  }

  private static func createSearch(_ db: Database) throws {
    try db.create(virtualTable: "search", using: FTS4()) { t in
      t.synchronize(withTable: "book")
      t.column("title")
    }
  }

  @Test(
    "The triggers of a synchronized full-text table go with it, and the content table can be changed",
    arguments: TestEngine.allCases,
    [nil, "main"])
  func drop(engine: TestEngine, schema: String?) throws {
    try engine.inMemoryQueue().write { db in
      try Self.createBooks(db)
      try Self.createSearch(db)
      try db.execute(sql: "CREATE TRIGGER __book_ai AFTER INSERT ON book BEGIN SELECT 1; END")
      try db.execute(
        sql: "CREATE TRIGGER __X_AI AFTER INSERT ON book BEGIN INSERT INTO Search (title) VALUES ('x'); END")
      try db.drop(table: "search", inSchema: schema)
      try db.execute(sql: "INSERT INTO book (title) VALUES ('a'); UPDATE book SET title = 'b'; DELETE FROM book")
      // A trigger with such a name that belongs to no full-text table stays.
      #expect(try db.schema().objects.filter { $0.kind == .trigger }.map(\.name) == ["__book_ai"])
      try Self.createSearch(db)
      try db.drop(table: "nothing", ifExists: true)
    }
  }

  @Test("So do those of a table that was renamed", arguments: TestEngine.allCases)
  func dropRenamed(engine: TestEngine) throws {
    try engine.inMemoryQueue().write { db in
      try Self.createBooks(db)
      try Self.createSearch(db)
      try db.execute(sql: "CREATE TRIGGER __found_ai AFTER INSERT ON book BEGIN SELECT 1 AS found; END")
      try db.rename(table: "search", to: "found")
      try db.execute(sql: "INSERT INTO book (title) VALUES ('a'); UPDATE book SET title = 'b'")
      #expect(try Int.fetchOne(db, sql: "SELECT docid FROM found WHERE title MATCH 'b'") == 1)
      try db.drop(table: "found")
      try db.execute(sql: "INSERT INTO book (title) VALUES ('a'); UPDATE book SET title = 'b'; DELETE FROM book")
      #expect(try db.schema().objects.filter { $0.kind == .trigger }.map(\.name) == ["__found_ai"])
    }
  }

  @Test("So do those of a table of FTS5", arguments: TestEngine.allCases)
  func dropFTS5(engine: TestEngine) throws {
    try engine.inMemoryQueue().write { db in
      guard try Bool.fetchOne(db, sql: "SELECT sqlite_compileoption_used('ENABLE_FTS5')") == true else {
        return print("\(engine) has no FTS5")
      }
      try Self.createBooks(db)
      try db.create(virtualTable: "search", using: FTS5()) { t in
        t.synchronize(withTable: "book")
        t.column("title")
      }
      try db.drop(table: "search")
      try db.execute(sql: "INSERT INTO book (title) VALUES ('a'); UPDATE book SET title = 'b'; DELETE FROM book")
      #expect(try !db.schema().objects.contains { $0.kind == .trigger })
    }
  }
}
