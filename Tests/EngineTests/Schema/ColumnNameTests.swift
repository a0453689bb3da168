import Migrator
import TestEngines
import Testing

@Suite("Names of columns and tables are looked up before they are used")
struct ColumnNameTests {
  private func expectRefusal(
    _ db: Database, _ columns: String = "\"id\", \"name\"", sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) throws {
    let before = try db.schema().objects
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.condition == .statement, sourceLocation: sourceLocation)
    #expect(error?.message.contains("no such column: nmae in table \"player\"") == true, sourceLocation: sourceLocation)
    #expect(error?.remedy?.contains(columns) == true, sourceLocation: sourceLocation)
    #expect(try db.schema().objects == before, sourceLocation: sourceLocation)
  }

  @Test("an index on a misspelled column is refused, and the error lists the columns", arguments: TestEngine.allCases)
  func indexes(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT); CREATE TEMP TABLE passing (nmae)")
      try expectRefusal(db) { try db.create(indexOn: "player", columns: ["nmae"], options: .unique) }
      try expectRefusal(db) { try db.create(index: "i", on: "player", columns: ["name", "nmae"]) }
      try expectRefusal(db) { try db.create(index: "i", on: "player", expressions: [.descending("nmae")]) }
      try db.create(index: "i", on: "player", columns: ["NAME"])
      // An existing object is left unchanged, even if its columns no longer exist.
      try db.create(index: "i", on: "player", columns: ["nmae"], options: .ifNotExists)
      try db.create(index: "j", on: "passing", columns: ["nmae"])
      try db.create(index: "k", on: "player", expressions: [.sql("lower(name)")])
    }
  }

  @Test(
    "an alteration of a misspelled column is refused, and the error lists the columns", arguments: TestEngine.allCases)
  func alterations(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
      try expectRefusal(db) { try db.alter(table: "player") { t in t.drop(column: "nmae") } }
      try expectRefusal(db) { try db.alter(table: "player") { t in t.rename(column: "nmae", to: "title") } }
      try expectRefusal(db) { try db.alter(table: "player") { t in t.change(column: "nmae") { c in c.notNull() } } }
      try expectRefusal(db, "\"id\", \"name\", \"x\"") {
        try db.alter(table: "player") { t in
          t.add(column: "x", .text)
          t.drop(column: "nmae")
        }
      }
    }
  }

  @Test("a key of a misspelled column is refused, in new and existing tables", arguments: TestEngine.allCases)
  func keys(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      let bodies: [(TableDefinition) -> Void] = [
        { t in t.primaryKey(["nmae"]) }, { t in t.uniqueKey(["name", "nmae"]) },
        { t in t.foreignKey(["nmae"], references: "player", columns: ["id"]) },
      ]
      for body in bodies {
        try expectRefusal(db) {
          try db.create(table: "player") { t in
            t.column("id")
            t.column(sql: "\"name\" TEXT")
            body(t)
          }
        }
      }
      try db.execute(sql: "PRAGMA foreign_keys = OFF; CREATE TABLE player (id, name TEXT)")
      let alterations: [(TableAlteration) -> Void] = [
        { t in t.setPrimaryKey(["nmae"]) }, { t in t.addUniqueKey(["name", "nmae"]) },
        { t in t.addForeignKey(["nmae"], references: "player", columns: ["id"]) },
      ]
      for alteration in alterations { try expectRefusal(db) { try db.alter(table: "player", body: alteration) } }
    }
  }

  @Test(
    "an empty name does not trap, and a refused one changes nothing",
    arguments: TestEngine.allCases)
  func emptyNames(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE \"\" (a); CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
      let before = try db.schema().objects
      for use in Self.useOfEmptyNames(db) {
        try db.inSavepoint {
          do {
            try use()
          } catch is DatabaseError {
            let after = try db.schema().objects
            #expect(after == before)
          }
          return .rollback
        }
      }
      let error = #expect(throws: DatabaseError.self) { try db.create(table: "u") { _ in } }
      #expect(error?.condition == .misuse)
      // An existing object without a name can be dropped.
      try db.drop(table: "")
    }
  }

  private static func useOfEmptyNames(_ db: Database) -> [() throws -> Void] {
    [
      { try db.create(table: "") { t in t.column("a") } }, { try db.recreate(table: "") { t in t.column("a") } },
      { try db.alter(table: "") { t in t.add(column: "b") } }, { try db.rename(table: "t", to: "") },
      { try db.create(view: "", as: "SELECT 1") }, { try db.create(view: "v", columns: [""], as: "SELECT 1") },
      { try db.create(trigger: "", .after, .insert, on: "t", statements: "SELECT 1") },
      { try db.create(virtualTable: "", using: "fts4") }, { try db.create(virtualTable: "u", using: "") },
      { try db.create(virtualTable: "", using: FTS4()) { t in t.column("a") } },
      { try db.create(virtualTable: "u", using: FTS4()) { t in t.column("") } },
      { try db.create(virtualTable: "", using: FTS5()) { t in t.column("a") } },
      { try db.create(index: "", on: "t", columns: ["a"]) },
      { try db.create(index: "", on: "t", expressions: [.sql("a + 1")]) },
      { try db.alter(table: "t") { t in t.rename(column: "a", to: "") } },
      { try db.alter(table: "t") { t in t.add(column: "") } },
      { try db.alter(table: "t") { t in t.add(belongsTo: "", inTable: "t") } },
      { try db.create(table: "u") { t in t.column("") } },
      { try db.create(table: "u") { t in t.primaryKey { t.column("", .integer) } } },
      { try db.create(table: "u") { t in t.autoIncrementedPrimaryKey("") } },
      { try db.create(table: "u") { t in t.belongsTo("", inTable: "t") } },
      { try db.create(table: "u") { $0.belongsTo("") } },
      {
        try db.create(table: "u") { t in
          t.autoIncrementedPrimaryKey("id")
          t.belongsTo("", inTable: "u")
        }
      },
      { try db.recreate(table: "t") { t in t.column("") } },
    ]
  }

  @Test("a primary key that refers to itself is an error and does not trap", arguments: TestEngine.allCases)
  func selfReference(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      _ = #expect(throws: DatabaseError.self) {
        try db.create(table: "player") { t in t.primaryKey { t.belongsTo("player") } }
      }
    }
  }

  @Test("temporary objects are found", arguments: TestEngine.allCases)
  func temporary(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TEMP TABLE t (a); CREATE TEMP VIEW v AS SELECT 1; CREATE INDEX temp.i ON t (a)")
      #expect(try db.tableExists("t") && db.viewExists("v") && db.indexExists("i"))
      #expect(try !db.tableExists("t", in: "main"))
    }
  }
}
