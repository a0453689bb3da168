import Migrator
import TestEngines
import Testing

@Suite("Names that users of GRDB know")
struct FamiliarNameTests {
  @Test("queues and pools run transactions that their closure ends", arguments: TestEngine.allCases)
  func transactions(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.inDatabase { db in try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)") }
    try dbQueue.inTransaction { db in
      try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')")
      return .commit
    }
    try dbQueue.inTransaction(.deferred) { db in
      try db.execute(sql: "DELETE FROM player")
      return .rollback
    }
    #expect(try dbQueue.number("SELECT count(*) FROM player") == 1)
    let dbPool = try engine.temporaryPool()
    try dbPool.writeInTransaction { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
      return .rollback
    }
    #expect(try dbPool.read { db in try !db.tableExists("player") })
  }

  @Test("columns, keys of views, and full-text columns", arguments: TestEngine.allCases)
  func schema(engine: TestEngine) throws {
    try engine.temporaryQueue().write { db in
      try db.execute(sql: "CREATE TABLE t (a VARCHAR(10) PRIMARY KEY, b); CREATE VIEW v AS SELECT * FROM t")
      #expect(try db.columns(in: "t").map(\.type) == ["VARCHAR(10)", ""])
      #expect(try db.primaryKey("v") == nil)
      #expect(throws: DatabaseError.self) { try db.primaryKey("missing") }
      guard db.engine.abilities.contains(.fts5) else { return }
      try db.create(virtualTable: "search", using: FTS5()) { t in
        t.column("title")
        t.column("body").notIndexed()
      }
      try db.execute(sql: "INSERT INTO search VALUES ('seen', 'unseen')")
      let count = "SELECT count(*) FROM search WHERE search MATCH ?"
      #expect(try Int.fetchOne(db, sql: count, arguments: ["seen"]) == 1)
      #expect(try Int.fetchOne(db, sql: count, arguments: ["unseen"]) == 0)
    }
  }
}
