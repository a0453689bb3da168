import Migrator
import TestEngines
import Testing

@Suite("Creating tables and indexes")
struct CreateTableTests {
  @Test("columns and constraints are created as specified", arguments: TestEngine.allCases)
  func columnsAndConstraints(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().collate(.nocase)
        t.column("score", .integer).notNull().defaults(to: 0).check(sql: "score >= 0 -- never negative")
        t.column("email", .text).unique(onConflict: .ignore).indexed()
        t.column("free")
        t.column(sql: "note VARCHAR(10) DEFAULT 'a,b'")
        t.uniqueKey(["name", "score"], onConflict: .replace)
        t.check(sql: "name <> ''")
        t.constraint(sql: "CONSTRAINT \"odd\" CHECK (free <> 1)")
      }
      #expect(
        try db.schema().object(.table, named: "player")?.sql == """
          CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL COLLATE "NOCASE", \
          "score" INTEGER NOT NULL CHECK (score >= 0 -- never negative
          ) DEFAULT 0, "email" TEXT UNIQUE ON CONFLICT IGNORE, "free", note VARCHAR(10) DEFAULT 'a,b', \
          UNIQUE ("name", "score") ON CONFLICT REPLACE, CHECK (name <> ''), CONSTRAINT "odd" CHECK (free <> 1))
          """)
      #expect(try db.schema().object(.index, named: "player_on_email") != nil)
    }
  }

  @Test("defaults are read back as the given values", arguments: TestEngine.allCases)
  func defaults(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "t") { t in
        t.column("smallest", .integer).defaults(to: Int64.min)
        t.column("real", .double).defaults(to: 1e-7)
        t.column("flag", .boolean).defaults(to: true)
        t.column("quote", .text).defaults(to: "O'Brien \"x\"")
        t.column("nul", .text).defaults(to: "a\u{0}b")
        t.column("computed", .text).defaults(sql: "upper('x')")
        t.column("signed", .integer).defaults(sql: "-3")
        t.column("time", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
      }
      try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
      #expect(try row["smallest"] as Int64 == .min)
      #expect(try row["real"] as Double == 1e-7)
      #expect(try row["flag"] as Bool)
      #expect(try row["quote"] as String == "O'Brien \"x\"")
      #expect(try row["nul"] as String == "a\u{0}b")
      #expect(try row["computed"] as String == "X")
      #expect(try row["signed"] as Int == -3)
      #expect(try (row["time"] as String).count == 19)
    }
  }

  @Test("belongsTo creates a column, a foreign key and an index", arguments: TestEngine.allCases)
  func belongsTo(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "authors") { t in t.autoIncrementedPrimaryKey("id") }
      try db.create(table: "country") { t in t.primaryKey("code", .text) }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", onDelete: .cascade).notNull()
        t.belongsTo("origin", inTable: "country", onUpdate: .setNull, deferred: true, indexed: false)
        t.belongsTo("country").unique()
      }
      #expect(
        try db.schema().object(.table, named: "book")?.sql == """
          CREATE TABLE "book" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, \
          "authorId" INTEGER NOT NULL REFERENCES "authors"("id") ON DELETE CASCADE, \
          "originCode" TEXT REFERENCES "country"("code") ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED, \
          "countryCode" TEXT UNIQUE REFERENCES "country"("code"))
          """)
      let indexes = try db.schema().objects.filter { $0.kind == .index && $0.sql != nil }.map(\.name)
      #expect(indexes == ["book_on_authorId"])
    }
  }

  @Test("belongsTo refers to composite keys and to the table itself", arguments: TestEngine.allCases)
  func compositeAndSelfReferences(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "citizen") { t in t.autoIncrementedPrimaryKey("id") }
      try db.create(table: "country") { t in t.primaryKey("code", .text) }
      try db.create(table: "citizenship") { t in
        t.primaryKey {
          t.belongsTo("citizen")
          t.belongsTo("country")
        }
      }
      try db.create(table: "passport", options: .ifNotExists) { t in
        t.belongsTo("citizenship").notNull()
        t.belongsTo("previous", inTable: "passport")
        t.primaryKey(["number"])
        t.column("number", .text)
      }
      #expect(
        try db.schema().object(.table, named: "passport")?.sql == """
          CREATE TABLE "passport" ("citizenshipCitizenId" INTEGER NOT NULL, "citizenshipCountryCode" TEXT NOT NULL, \
          "previousNumber" TEXT REFERENCES "passport"("number"), "number" TEXT, PRIMARY KEY ("number"), \
          FOREIGN KEY ("citizenshipCitizenId", "citizenshipCountryCode") \
          REFERENCES "citizenship"("citizenId", "countryCode"))
          """)
      #expect(
        try db.schema().object(.index, named: "index_passport_on_citizenshipCitizenId_citizenshipCountryCode") != nil)
      try db.execute(
        sql: """
          INSERT INTO citizen VALUES (1); INSERT INTO country VALUES ('fr'); INSERT INTO citizenship VALUES (1, 'fr');
          INSERT INTO passport VALUES (1, 'fr', NULL, 'A'), (1, 'fr', 'A', 'B')
          """)
      try db.checkForeignKeys()
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO citizenship VALUES (NULL, 'fr')") }
    }
  }

  @Test(
    "a missing parent is named; a parent without a key is referred to by its rowid",
    arguments: TestEngine.allCases)
  func missingParents(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      let missing = #expect(throws: DatabaseError.self) {
        try db.create(table: "book") { t in t.belongsTo("author") }
      }
      #expect(missing?.condition == .statement)
      #expect(missing?.message.contains("\"author\"") == true)
      #expect(missing?.remedy?.contains("Create the referenced table first") == true)
      try db.create(table: "author") { t in t.column("name") }
      try db.create(table: "book") { t in t.belongsTo("author").notNull() }
      #expect(
        try db.schema().object(.table, named: "book")?.sql
          == "CREATE TABLE \"book\" (\"authorId\" INTEGER NOT NULL REFERENCES \"author\"(\"rowid\"))")
      #expect(try db.indexes(on: "book").map(\.name) == ["book_on_authorId"])
      try db.create(table: "employee") { t in t.belongsTo("boss", inTable: "employee") }
      #expect(try db.foreignKeys(on: "employee").map(\.destinationColumns) == [["rowid"]])
    }
  }

  @Test("temporary, existing, WITHOUT ROWID and STRICT tables", arguments: TestEngine.allCases)
  func options(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "scratch", options: .temporary) { t in t.column("a").indexed() }
      #expect(try db.schema().objects.isEmpty)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_temp_master") == 2)
      try db.create(index: "scratch_again", on: "scratch", columns: ["a"])
      for _ in 1...2 {
        try db.create(table: "t", options: [.ifNotExists, .withoutRowID]) { t in
          t.primaryKey("id", .text)
          t.column("a").indexed(unique: true)
        }
      }
      #expect(
        try db.schema().object(.table, named: "t")?.sql
          == "CREATE TABLE \"t\" (\"id\" TEXT PRIMARY KEY NOT NULL, \"a\") WITHOUT ROWID")
      #expect(
        try db.schema().object(.index, named: "t_on_a")?.sql == "CREATE UNIQUE INDEX \"t_on_a\" ON \"t\"(\"a\")")
      let strict = { try db.create(table: "s", options: .strict) { t in t.primaryKey("id", .integer) } }
      let generated = {
        try db.create(table: "g") { t in
          t.column("a", .integer)
          t.column("b", .integer).generatedAs(sql: "a + 1", .stored)
        }
      }
      for (ability, create) in [(EngineAbilities.strictTables, strict), (.generatedColumns, generated)] {
        if db.engine.abilities.contains(ability) {
          try create()
        } else {
          let error = #expect(throws: DatabaseError.self) { try create() }
          #expect(error?.condition == .unsupported)
        }
      }
    }
  }

  @Test("indexes by name, by default name, on expressions, and on some rows", arguments: TestEngine.allCases)
  func indexes(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "player") { t in
        t.column("email")
        t.column("score")
      }
      try db.create(index: "player_on_email", on: "player", columns: ["email"])
      try db.create(index: "player_on_email", on: "player", columns: ["email"], options: .ifNotExists)
      try db.create(indexOn: "player", columns: ["email", "score"], options: .unique, condition: "score > 0 -- some")
      try db.create(
        index: "byLowerEmail", on: "player", expressions: [.sql("lower(email) DESC"), .column("score")])
      let sql = try db.schema().objects.filter { $0.kind == .index }.map(\.sql)
      #expect(
        sql == [
          "CREATE INDEX \"player_on_email\" ON \"player\"(\"email\")",
          "CREATE UNIQUE INDEX \"index_player_on_email_score\" ON \"player\"(\"email\", \"score\") WHERE score > 0 -- some",
          "CREATE INDEX \"byLowerEmail\" ON \"player\"(lower(email) DESC, \"score\")",
        ])
      try db.drop(indexOn: "player", columns: ["email", "score"])
      try db.drop(index: "byLowerEmail")
      try db.drop(index: "byLowerEmail", ifExists: true)
      #expect(try db.schema().objects.count == 2)
    }
  }
}
