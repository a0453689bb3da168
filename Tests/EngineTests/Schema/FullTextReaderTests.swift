import Migrator
import TestEngines
import Testing

/// Virtual tables that read other tables by name.
@Suite("Altering tables that full-text tables read")
struct FullTextReaderTests {
  /// Full-text search reads `t`, without naming its columns; a table lists the terms of `own`.
  private static func queue(_ engine: TestEngine, listing columns: String = "") throws -> DatabaseQueue {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
          INSERT INTO t VALUES (1, 'hello', 'world');
          CREATE VIRTUAL TABLE search USING fts4 (content="t"\(columns));
          INSERT INTO search (search) VALUES ('rebuild');
          CREATE VIRTUAL TABLE own USING fts4 (x);
          INSERT INTO own VALUES ('mine');
          CREATE VIRTUAL TABLE terms USING fts4aux (own);
          """)
    }
    return dbQueue
  }

  private static func expectRefusal(_ db: Database, _ name: String, _ change: () throws -> Void) throws {
    let before = try db.schema()
    let error = #expect(throws: DatabaseError.self) { try change() }
    #expect(error?.condition == .unsupported && error?.message.contains("\"\(name)\"") ?? false, "\(error as Any)")
    #expect(try db.schema() == before)
    #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM search WHERE search MATCH 'hello'") == 1)
    #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM terms") ?? 0 > 0)
  }

  @Test(
    "a table whose columns are those of a full-text table keeps its columns", arguments: TestEngine.allCases)
  func allColumns(engine: TestEngine) throws {
    try Self.queue(engine).writeWithoutTransaction { db in
      try db.withoutForeignKeys {
        try Self.expectRefusal(db, "search") { try db.alter(table: "t") { t in t.rename(column: "a", to: "z") } }
        try Self.expectRefusal(db, "search") { try db.alter(table: "t") { t in t.drop(column: "a") } }
        try Self.expectRefusal(db, "search") { try db.alter(table: "t") { t in t.add(column: "c", .text) } }
        try Self.expectRefusal(db, "search") { try db.alter(table: "t") { t in t.reorder(columns: ["b", "a", "id"]) } }
        try Self.expectRefusal(db, "search") { try db.rename(table: "t", to: "u") }
        // Changes that leave the names and the order of columns as they are.
        try db.alter(table: "t") { t in t.change(column: "a") { c in c.defaults(to: "x") } }
      }
    }
  }

  @Test("a full-text table that lists its columns allows changes of others", arguments: TestEngine.allCases)
  func listed(engine: TestEngine) throws {
    try Self.queue(engine, listing: ", a").writeWithoutTransaction { db in
      try db.withoutForeignKeys {
        try Self.expectRefusal(db, "search") { try db.alter(table: "t") { t in t.rename(column: "a", to: "z") } }
        try db.alter(table: "t") { t in t.rename(column: "b", to: "z") }
        try db.alter(table: "t") { t in t.add(column: "c", .text) }
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM search WHERE search MATCH 'hello'") == 1)
      }
    }
  }

  @Test("a full-text table whose terms another table lists keeps its name", arguments: TestEngine.allCases)
  func terms(engine: TestEngine) throws {
    try Self.queue(engine).write { db in
      try Self.expectRefusal(db, "terms") { try db.rename(table: "own", to: "found") }
      try db.drop(table: "terms")
      try db.rename(table: "own", to: "found")
      guard db.engine.abilities.contains(.fts5) else { return }
      try db.execute(
        sql: """
          CREATE VIRTUAL TABLE five USING fts5 (x);
          CREATE VIRTUAL TABLE v1 USING fts5vocab ('five', 'row');
          CREATE VIRTUAL TABLE temp.v2 USING fts5vocab (main, five, col);
          """)
      for name in ["v1", "v2"] {
        let error = #expect(throws: DatabaseError.self) { try db.rename(table: "five", to: "six") }
        #expect(error?.condition == .unsupported && error?.message.contains("\"\(name)\"") ?? false, "\(error as Any)")
        try db.drop(table: name)
      }
      try db.rename(table: "five", to: "six")
    }
  }

  @Test(
    "an option whose name is abbreviated names the table, too", arguments: TestEngine.allCases,
    ["cont='t'", "c = \"t\"", "content=t, content_r='id'"])
  func abbreviated(engine: TestEngine, options: String) throws {
    try Self.queue(engine).write { db in
      guard db.engine.abilities.contains(.fts5) else { return }
      try db.execute(
        sql: """
          CREATE VIRTUAL TABLE five USING fts5 (a, \(options));
          INSERT INTO five (five) VALUES ('rebuild');
          DROP TABLE search;
          """)
      let before = try db.schema()
      for change in [
        { try db.rename(table: "t", to: "u") }, { try db.alter(table: "t") { t in t.rename(column: "a", to: "z") } },
      ] {
        let error = #expect(throws: DatabaseError.self) { try change() }
        #expect(error?.condition == .unsupported && error?.message.contains("\"five\"") ?? false, "\(error as Any)")
      }
      #expect(try db.schema() == before)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM five WHERE five MATCH 'hello'") == 1)
    }
  }

  @Test("the same applies in an attached database", arguments: TestEngine.allCases)
  func attached(engine: TestEngine) throws {
    try Self.queue(engine).writeWithoutTransaction { db in
      try db.execute(
        sql: """
          ATTACH ':memory:' AS other;
          CREATE TABLE other.t (a); CREATE VIRTUAL TABLE other.search USING fts4 (content="t", a);
          """)
      let error = #expect(throws: DatabaseError.self) { try db.rename(table: "t", inSchema: "other", to: "u") }
      #expect(error?.condition == .unsupported, "\(error as Any)")
    }
  }
}
