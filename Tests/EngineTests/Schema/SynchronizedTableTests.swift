import Migrator
import TestEngines
import Testing

@Suite("Dropping a full-text table")
struct SynchronizedTableTests {
  @Test(
    "The triggers of a synchronized full-text table go with it, and the content table can be changed",
    arguments: TestEngine.allCases,
    [nil, "main"])
  func drop(engine: TestEngine, schema: String?) throws {
    try engine.inMemoryQueue().write { db in
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("title", .text)
      }
      try db.create(virtualTable: "search", using: FTS4()) { t in
        t.synchronize(withTable: "book")
        t.column("title")
      }
      try db.execute(sql: "CREATE TRIGGER __book_ai AFTER INSERT ON book BEGIN SELECT 1; END")
      try db.drop(table: "search", inSchema: schema)
      try db.execute(sql: "INSERT INTO book (title) VALUES ('a'); UPDATE book SET title = 'b'; DELETE FROM book")
      // A trigger with such a name that belongs to no full-text table stays.
      #expect(try db.schema().objects.filter { $0.kind == .trigger }.map(\.name) == ["__book_ai"])
      try db.create(virtualTable: "search", using: FTS4()) { t in
        t.synchronize(withTable: "book")
        t.column("title")
      }
      try db.drop(table: "nothing", ifExists: true)
    }
  }
}
