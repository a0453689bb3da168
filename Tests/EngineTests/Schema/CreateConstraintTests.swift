import Migrator
import TestEngines
import Testing

@Suite("Creating constraints")
struct CreateConstraintTests {
  @Test("each conflict clause has its effect, on each kind of constraint", arguments: TestEngine.allCases)
  func conflictClauses(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "t") { t in
        t.column("id", .integer).primaryKey(onConflict: .ignore)
        t.column("a").notNull(onConflict: .replace).defaults(to: "filled")
        t.column("b").unique(onConflict: .replace)
        t.column("c")
        t.column("d")
        t.uniqueKey(["c", "d"], onConflict: .ignore)
      }
      try db.execute(
        sql: """
          INSERT INTO t VALUES (1, 'x', 'b1', 1, 1);
          INSERT INTO t VALUES (1, 'y', 'b2', 2, 2);
          INSERT INTO t VALUES (2, NULL, 'b3', 3, 3);
          INSERT INTO t VALUES (3, 'z', 'b3', 4, 4);
          INSERT INTO t VALUES (4, 'w', 'b4', 4, 4);
          """)
      let rows = try String.fetchAll(db, sql: "SELECT id || a || b FROM t ORDER BY id")
      #expect(rows == ["1xb1", "3zb3"])
      try db.create(table: "f") { t in
        t.primaryKey(["a", "b"], onConflict: .fail); t.column("a"); t.column("b")
      }
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO f VALUES (1,1),(1,1)") }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM f") == 1)
    }
  }

  @Test("a violated constraint is reported by name", arguments: TestEngine.allCases)
  func namedConstraints(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "order") { t in
        t.column("group", .integer).check(sql: "\"group\" > 0", named: "positive \"group\"")
        t.column("b", .integer).notNull(named: "not null").unique(named: "unique")
        t.column("c", .integer).references("order", column: "b", named: "references")
        t.primaryKey([.descending("group"), "b"], named: "primary")
        t.uniqueKey([.ascending("b", collate: .nocase)], named: "key")
        t.foreignKey(["b", "c"], references: "order", columns: ["group", "b"], onDelete: .noAction, named: "foreign")
        t.check(sql: "b < 10", named: "small")
      }
      for (values, name) in [("0, 1, NULL", "positive \"group\""), ("1, 10, NULL", "small")] {
        let error = #expect(throws: DatabaseError.self) {
          try db.execute(sql: "INSERT INTO \"order\" VALUES (\(values))")
        }
        #expect(error?.message.contains(name) == true)
      }
      let sql = try #require(try db.schema().object(.table, named: "order")?.sql)
      for name in ["not null", "unique", "references", "primary", "key", "foreign", "small"] {
        #expect(sql.contains("CONSTRAINT \"\(name)\" "))
      }
      let indexes = try Row.fetchAll(db, sql: "PRAGMA index_list(\"order\")")
      let primary = try #require(try indexes.first { try $0["origin"] == "pk" })
      let columns = try Row.fetchAll(db, sql: "PRAGMA index_xinfo(\(literal: primary["name"] as String))")
      #expect(try columns.filter { try $0["key"] }.map { try $0["desc"] as Int } == [1, 0])
      let keys = try Row.fetchAll(db, sql: "PRAGMA foreign_key_list(\"order\")")
      #expect(try Set(keys.map { try $0["on_delete"] as String }) == ["NO ACTION"])
    }
  }

  @Test("a key uses its own collation", arguments: TestEngine.allCases)
  func keyCollations(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "t") { t in
        t.column("a", .text)
        t.column("b", .text)
        t.uniqueKey([.ascending("a", collate: .nocase)])
      }
      try db.create(index: "by_b", on: "t", expressions: [.descending("b", collate: .rtrim)], options: .unique)
      try db.execute(sql: "INSERT INTO t VALUES ('x', 'y')")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES ('X', 'z')") }
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES ('z', 'y  ')") }
      let index = try #require(try Row.fetchOne(db, sql: "PRAGMA index_xinfo(by_b)"))
      #expect(try (index["desc"] as Int, index["coll"] as String) == (1, "RTRIM"))
    }
  }

  @Test("a descending INTEGER key is not the rowid, an ascending one is", arguments: TestEngine.allCases)
  func descendingIntegerKey(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "down") { t in t.column("id", .integer).primaryKey(descending: true) }
      try db.create(table: "up") { t in t.column("id", .integer).primaryKey() }
      for (table, isRowID) in [("down", false), ("up", true)] {
        try db.execute(sql: "INSERT INTO \(table) VALUES (7)")
        #expect(try Int.fetchOne(db, sql: "SELECT rowid FROM \(table)") == (isRowID ? 7 : 1))
      }
    }
  }

  @Test(
    "each foreign key action has its effect, and a deferred key waits for the commit", arguments: TestEngine.allCases)
  func foreignKeyActions(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "p") { t in t.column("id", .integer).primaryKey() }
      let actions: [ForeignKeyAction?] = [.cascade, .setNull, .setDefault, .restrict, .noAction, nil]
      for (number, action) in actions.enumerated() {
        try db.create(table: "c\(number)") { t in
          t.column("p", .integer).defaults(to: 100).references("p", onDelete: action, onUpdate: action)
        }
        try db.execute(sql: "INSERT INTO p VALUES (\(number)); INSERT INTO c\(number) VALUES (\(number))")
      }
      try db.execute(sql: "INSERT INTO p VALUES (100)")
      for number in 0..<3 { try db.execute(sql: "DELETE FROM p WHERE id = \(number)") }
      for number in 3..<6 {
        #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM p WHERE id = \(number)") }
      }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM c0") == 0)
      #expect(try Int.fetchOne(db, sql: "SELECT p FROM c1") == nil)
      #expect(try Int.fetchOne(db, sql: "SELECT p FROM c2") == 100)
      try db.create(table: "late") { t in t.column("p", .integer).references("p", deferred: true) }
      try db.execute(sql: "INSERT INTO late VALUES (50)")
      try db.execute(sql: "INSERT INTO p VALUES (50)")
    }
    try dbQueue.read { db in try db.checkForeignKeys() }
  }
}

extension DefaultStringInterpolation {
  fileprivate mutating func appendInterpolation(literal text: String) { appendLiteral("\"\(text)\"") }
}
