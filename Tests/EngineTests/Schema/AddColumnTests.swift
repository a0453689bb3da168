import Migrator
import TestEngines
import Testing

@Suite("Adding columns")
struct AddColumnTests {
  @Test("a column is added with its default and its index", arguments: TestEngine.allCases)
  func added(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "team") { t in t.autoIncrementedPrimaryKey("id") }
      try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, a, UNIQUE(a)); INSERT INTO player VALUES (1, 2)")
      try db.alter(table: "player") { t in
        t.add(column: "email", .text).notNull().defaults(to: "").indexed(unique: true)
        t.add(belongsTo: "team", onDelete: .setNull)
        t.addColumn(sql: "b INTEGER DEFAULT 7 -- seven")
        t.add(column: "signed", .integer).notNull().defaults(sql: "-1")
      }
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM player"))
      #expect(try row["email"] as String == "")
      #expect(try row["teamId"] as Int? == nil)
      #expect(try row["b"] as Int == 7)
      #expect(try row["signed"] as Int == -1)
      let indexes = try db.schema().objects.filter { $0.kind == .index && $0.sql != nil }.map(\.sql)
      #expect(
        indexes == [
          "CREATE UNIQUE INDEX \"player_on_email\" ON \"player\"(\"email\")",
          "CREATE INDEX \"player_on_teamId\" ON \"player\"(\"teamId\")",
        ])
      #expect(try db.foreignKeys(on: "player").map(\.destinationTable) == ["team"])
    }
  }

  @Test("any column can be added to an empty table on every engine", arguments: TestEngine.allCases)
  func emptyTable(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "user") { t in
        t.column("name", .text)
        t.uniqueKey(["name"])
      }
      try db.alter(table: "user") { t in
        t.add(column: "email", .text).notNull()
        t.add(column: "created", .datetime).notNull().defaults(sql: "CURRENT_TIMESTAMP").indexed()
        t.add(column: "teamId", .integer).defaults(to: 1).references("user", column: "name")
      }
      #expect(try db.columns(in: "user").map(\.name) == ["name", "email", "created", "teamId"])
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO user(name) VALUES ('a')") }
      try db.execute(sql: "INSERT INTO user(name, email, teamId) VALUES ('a', 'b', 'a')")
      #expect(try String.fetchOne(db, sql: "SELECT created FROM user")?.count == 19)
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
    }
    #expect(try dbQueue.read { db in try db.columns(in: "user").count } == 4)
  }

  @Test("existing rows must satisfy the constraint of a new column", arguments: TestEngine.allCases)
  func checks(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY); INSERT INTO player VALUES (1)")
      try db.alter(table: "player") { t in t.add(column: "a", .integer).defaults(to: 1).check(sql: "a > 0") }
      #expect(throws: DatabaseError.self) {
        try db.alter(table: "player") { t in t.add(column: "b", .integer).defaults(to: -1).check(sql: "b > 0") }
      }
      #expect(try db.columns(in: "player").map(\.name) == ["id", "a"])
    }
  }

  @Test("columns that SQLite cannot add are refused before anything runs", arguments: TestEngine.allCases)
  func refusals(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, a); INSERT INTO player VALUES (1, 2)")
      try db.execute(sql: "CREATE TABLE pair(a, b, PRIMARY KEY(a, b))")
    }
    let alterations: [(@Sendable (TableAlteration) -> Void, remedy: String)] = [
      ({ $0.add(column: "x", .text).notNull() }, "Give it a default"),
      ({ $0.add(column: "x", .text).notNull().defaults(sql: "(NULL)") }, "Give it a default"),
      ({ $0.add(column: "x", .text).defaults(sql: "CURRENT_TIMESTAMP") }, "constant default"),
      ({ $0.add(column: "x", .text).defaults(sql: "1 + 1") }, "constant default"),
      ({ $0.add(column: "x", .integer).references("player").defaults(to: 1) }, "Omit the default"),
      ({ $0.add(column: "x", .text).unique() }, "indexed(unique: true)"),
      ({ $0.add(column: "x", .text).primaryKey() }, "Create a new table"),
      ({ $0.add(belongsTo: "pair") }, "Create a new table"),
      ({ $0.add(belongsTo: "nothing") }, "Create the referenced table first"),
    ]
    for (alteration, remedy) in alterations {
      try dbQueue.write { db in
        let before = try db.schema()
        let error = #expect(throws: DatabaseError.self) {
          try db.alter(table: "player") { t in
            t.add(column: "fine")
            alteration(t)
          }
        }
        #expect(error?.remedy?.contains(remedy) == true, "\(remedy): \(error.map { "\($0)" } ?? "")")
        #expect(error?.sql == nil)
        #expect(try db.schema() == before)
      }
    }
  }
}
