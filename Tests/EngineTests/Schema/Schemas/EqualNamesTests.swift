import Migrator
import TestEngines
import Testing

/// Tables with the same name in several schemas, with temporary triggers on each.
@Suite("Other schemas: equal names")
struct EqualNamesTests {
  private static let tables = """
    CREATE TABLE main.t(a, c); CREATE TABLE "aux 1".t(a, c); CREATE TABLE main.log(x);
    CREATE INDEX main.i ON t(a); CREATE INDEX "aux 1".i ON t(a);
    CREATE TRIGGER main.g AFTER INSERT ON t BEGIN SELECT 1; END;
    CREATE TRIGGER "aux 1".g AFTER INSERT ON t BEGIN SELECT 1; END;
    CREATE TEMP TRIGGER first AFTER DELETE ON main.t BEGIN INSERT INTO log VALUES ('main'); END;
    CREATE TEMP TRIGGER second AFTER DELETE ON "aux 1".t BEGIN INSERT INTO log VALUES ('aux'); END;
    INSERT INTO main.t VALUES (1, 2); INSERT INTO "aux 1".t VALUES (3, 4)
    """

  private func make(_ engine: TestEngine, _ sql: String = "", _ body: (Database) throws -> Void) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try OtherSchema.attached.make(db)
      try db.execute(sql: Self.tables)
      try db.execute(sql: sql)
      try body(db)
    }
  }

  private func columns(_ db: Database) throws -> [[String]] {
    try ["main", "aux 1", "temp"].map { schema in
      try db.tableExists("t", in: schema) ? db.columns(in: "t", in: schema).map { "\($0.name) \($0.declaredType)" } : []
    }
  }

  @Test("each table is altered with its dependents, and the other remains unchanged", arguments: TestEngine.allCases)
  func equalNames(engine: TestEngine) throws {
    for (schema, other, place) in [("main", "aux 1", 0), ("aux 1", "main", 1)] {
      try make(engine) { db in
        try db.alter(table: "t", inSchema: schema) { t in
          t.change(column: "c") { c in c.type(.text) }
        }
        try db.alter(table: "t", inSchema: schema) { t in t.add(column: "new", .integer).indexed() }
        var expected = [["a ", "c "], ["a ", "c "], []]
        expected[place] = ["a ", "c TEXT", "new INTEGER"]
        #expect(try columns(db) == expected)
        #expect(try db.indexes(on: "t", in: schema).map(\.name).sorted() == ["i", "t_on_new"])
        #expect(try db.indexes(on: "t", in: other).map(\.name) == ["i"])
        let triggers = "SELECT name FROM sqlite_temp_master WHERE type = 'trigger'"
        #expect(try String.fetchSet(db, sql: triggers) == ["first", "second"])
        #expect(try db.triggerExists("g", in: "main") && db.triggerExists("g", in: "aux 1"))
        try db.execute(sql: "DELETE FROM main.t; DELETE FROM \"aux 1\".t")
        #expect(try String.fetchAll(db, sql: "SELECT x FROM log") == ["main", "aux"])
      }
    }
  }

  @Test("a trigger whose table is uncertain prevents a rebuild", arguments: TestEngine.allCases)
  func uncertainTrigger(engine: TestEngine) throws {
    try make(engine, "CREATE TEMP TRIGGER third AFTER DELETE ON t BEGIN SELECT 1; END") { db throws in
      for schema in ["main", "aux 1"] {
        let error = #expect(throws: DatabaseError.self) {
          try db.alter(table: "t", inSchema: schema) { t in t.change(column: "c") { c in c.type(.text) } }
        }
        #expect(error?.condition == .unsupported)
        #expect(error?.message.contains("\"third\"") == true)
      }
      #expect(try columns(db) == [["a ", "c "], ["a ", "c "], []])
    }
  }

  @Test(
    "a temporary table comes first, and the engine must not confuse it with another one", arguments: TestEngine.allCases
  )
  func temporaryFirst(engine: TestEngine) throws {
    try make(engine) { db in
      try db.create(table: "t", options: .temporary) { t in
        t.column("a")
        t.column("c").indexed()
      }
      try db.execute(sql: "INSERT INTO temp.t VALUES (7, 8)")
      var expected = [["a ", "c "], ["a ", "c "], ["a ", "c "]]
      let adds = { (schema: String?) in
        try db.alter(table: "t", inSchema: schema) { t in t.add(column: "d", .text).indexed() }
      }
      if db.engine.abilities.contains(.renameColumn) {
        try adds(nil)
        try adds("main")
        #expect(try db.indexExists("t_on_d", in: "temp") && db.indexExists("t_on_d", in: "main"))
        for place in [0, 2] { expected[place].append("d TEXT") }
      } else {
        // It reads the triggers again even then.
        #expect(throws: DatabaseError.self) { try adds(nil) }
      }
      for schema in [nil, "main", "temp"] {
        for change in [{ $0.rename(column: "c", to: "z") }, { $0.reorder(columns: ["c"]) }]
          as [(TableAlteration) -> Void]
        {
          let error = #expect(throws: DatabaseError.self) { try db.alter(table: "t", inSchema: schema, body: change) }
          #expect(error?.condition == .unsupported)
        }
      }
      #expect(try columns(db) == expected)
      #expect(try String.fetchAll(db, sql: "SELECT a || c FROM t") == ["78"])
      try db.drop(table: "t", inSchema: "temp")
      try db.alter(table: "t") { t in t.reorder(columns: ["c"]) }
      #expect(try String.fetchAll(db, sql: "SELECT c || a FROM t") == ["21"])
    }
  }

  @Test("tables in other schemas are recreated with their references", arguments: TestEngine.allCases)
  func recreated(engine: TestEngine) throws {
    try make(engine) { db in
      try db.create(table: "p", inSchema: "aux 1") { t in t.autoIncrementedPrimaryKey("code") }
      try db.execute(sql: "INSERT INTO \"aux 1\".p VALUES (3)")
      try db.recreate(table: "t", inSchema: "aux 1", copying: ["pCode": "a", "note": "'was ' || c"]) { t in
        t.belongsTo("p")
        t.column("note", .text).notNull()
        t.column("a")
      }
      #expect(try columns(db)[1] == ["pCode INTEGER", "note TEXT", "a "])
      #expect(try String.fetchAll(db, sql: "SELECT pCode || note || a FROM \"aux 1\".t") == ["3was 43"])
      #expect(try db.foreignKeys(on: "t", in: "aux 1").map(\.destinationTable) == ["p"])
      #expect(Set(try db.indexes(on: "t", in: "aux 1").map(\.name)) == ["i", "t_on_pCode"])
      try db.alter(table: "t", inSchema: "aux 1") { t in t.add(belongsTo: "q", inTable: "p", indexed: false) }
      try db.execute(sql: "CREATE TEMP TABLE u(x); INSERT INTO u VALUES (1)")
      try db.recreate(table: "u", options: .temporary) { t in t.column("x", .integer).notNull() }
      #expect(try db.columns(in: "u", in: "temp").map(\.isNotNull) == [true])
      #expect(try columns(db)[0] == ["a ", "c "])
    }
  }

  @Test("rows that violate the change are named, and nothing has changed", arguments: TestEngine.allCases)
  func unmappableRows(engine: TestEngine) throws {
    try make(engine, "INSERT INTO \"aux 1\".t(rowid, a, c) VALUES (77, 1, NULL)") { db in
      let before = try SchemaContents(db, .attached).lines
      let error = #expect(throws: DatabaseError.self) {
        try db.alter(table: "t", inSchema: "aux 1") { t in
          t.reorder(columns: ["c"])
          t.change(column: "c") { c in c.notNull() }
        }
      }
      #expect(error?.condition == .constraint(.notNull))
      #expect(error?.message.contains("77") == true)
      #expect(try SchemaContents(db, .attached).lines == before)
    }
  }

  @Test("a rename with an uncertain meaning is refused, and named", arguments: TestEngine.allCases)
  func uncertainNames(engine: TestEngine) throws {
    try make(engine, "DROP TRIGGER first; DROP TRIGGER second; CREATE TEMP VIEW v AS SELECT c FROM \"aux 1\".t") { db in
      let rename = { try db.alter(table: "t", inSchema: "aux 1") { t in t.rename(column: "c", to: "d") } }
      if db.engine.abilities.contains(.renameColumn) {
        try rename()
        #expect(try columns(db)[1] == ["a ", "d "])
        #expect(try Int.fetchOne(db, sql: "SELECT * FROM v") == 4)
      } else {
        let error = #expect(throws: DatabaseError.self) { try rename() }
        #expect(error?.condition == .unsupported)
        #expect(error?.message.contains("temporary view \"v\"") == true, "\(error?.message ?? "")")
        #expect(try columns(db)[1] == ["a ", "c "])
      }
    }
  }
}
