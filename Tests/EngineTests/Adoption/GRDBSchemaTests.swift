import Migrator
import TestEngines
import Testing

/// The statements that GRDB 7 runs for `GRDBSchemaTests.migrator`, with some rows.
private let grdbSchema = """
  CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
  INSERT INTO grdb_migrations VALUES ('v1');
  CREATE TABLE "team" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL UNIQUE);
  CREATE TABLE "country" ("code" TEXT PRIMARY KEY NOT NULL);
  CREATE TABLE "season" ("id" INTEGER PRIMARY KEY, "countryCode" TEXT NOT NULL REFERENCES "country"("code"));
  CREATE TABLE "citizenship" ("left" TEXT NOT NULL, "right" INTEGER NOT NULL, PRIMARY KEY ("left", "right"));
  CREATE TABLE "passport" (
    "number" TEXT NOT NULL DEFAULT '' COLLATE NOCASE, "citizenshipLeft" TEXT, "citizenshipRight" INTEGER,
    FOREIGN KEY ("citizenshipLeft", "citizenshipRight") REFERENCES "citizenship"("left", "right"));
  CREATE INDEX "index_passport_on_citizenshipLeft_citizenshipRight"
    ON "passport"("citizenshipLeft", "citizenshipRight");
  CREATE TABLE "member" (
    "teamId" INTEGER NOT NULL REFERENCES "team"("id") ON DELETE CASCADE, "citizenshipLeft" TEXT NOT NULL,
    "citizenshipRight" INTEGER NOT NULL, PRIMARY KEY ("teamId", "citizenshipLeft", "citizenshipRight"),
    FOREIGN KEY ("citizenshipLeft", "citizenshipRight") REFERENCES "citizenship"("left", "right"));
  CREATE TABLE "player" (
    "id" INTEGER PRIMARY KEY, "email" TEXT NOT NULL UNIQUE, "score" INTEGER NOT NULL DEFAULT 0,
    "teamId" INTEGER REFERENCES "team"("id"));
  CREATE INDEX "player_on_score" ON "player"("score");
  CREATE INDEX "player_on_teamId" ON "player"("teamId");
  CREATE UNIQUE INDEX "index_player_on_email_score" ON "player"("email", "score");
  INSERT INTO team VALUES (1, 'Reds');
  INSERT INTO player VALUES (7, 'a@b.c', 3, 1);
  """

@Suite("The same migrations create the same schema as GRDB")
struct GRDBSchemaTests {
  private static func define(_ db: Database) throws {
    try db.create(table: "team") { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text).notNull().unique(onConflict: .abort)
    }
    try db.create(table: "country") { t in t.primaryKey("code", .text) }
    try db.create(table: "season") { t in
      t.primaryKey("id", .integer)
      t.column("countryCode", .text).notNull(onConflict: .abort).references("country")
    }
    try db.create(table: "citizenship") { t in
      t.primaryKey {
        t.column("left", .text)
        t.column("right", .integer)
      }
    }
    try db.create(table: "passport") { t in
      t.column("number", .text).defaults(to: "").collate(.nocase).notNull()
      t.belongsTo("citizenship")
    }
    try db.create(table: "member") { t in
      t.primaryKey {
        t.belongsTo("team", onDelete: .cascade)
        t.belongsTo("citizenship")
      }
    }
    try db.create(table: "player") { t in
      t.primaryKey("id", .integer)
      t.column("email", .text).unique().notNull()
      t.column("score", .integer).notNull().defaults(to: 0).indexed()
      t.belongsTo("team")
    }
    try db.create(indexOn: "player", columns: ["email", "score"], options: .unique)
  }

  private func migrator(
    _ change: @escaping @Sendable (Database) throws -> Void = { _ in },
    _ register: (inout DatabaseMigrator) -> Void = { _ in }
  ) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = true
    migrator.registerMigration("v1") { db in
      try Self.define(db)
      try change(db)
    }
    register(&migrator)
    migrator.adopt(.grdb)
    return migrator
  }

  private func queue(_ engine: TestEngine, _ more: String = "") throws -> DatabaseQueue {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in try db.execute(sql: grdbSchema + more) }
    return dbQueue
  }

  private func expectRow(_ dbQueue: DatabaseQueue, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try dbQueue.read { db throws in
      #expect(
        try String.fetchAll(db, sql: "SELECT email FROM player") == ["a@b.c"], sourceLocation: sourceLocation)
    }
  }

  @Test("a database created by GRDB does not differ from them", arguments: TestEngine.allCases)
  func noDifference(engine: TestEngine) throws {
    let dbQueue = try queue(engine)
    try dbQueue.read { db throws in #expect(try migrator().differencesFromMigrations(db) == []) }
  }

  @Test(
    "an adopted GRDB database is not erased; a changed migration is reported",
    arguments: TestEngine.allCases)
  func adopted(engine: TestEngine) throws {
    let dbQueue = try queue(engine)
    for _ in 1...2 {
      try migrator().migrate(dbQueue)
      try dbQueue.read { db throws in #expect(try migrator().schemaChanges(db) == []) }
      try expectRow(dbQueue)
    }
    let changed = migrator { db in try db.alter(table: "player") { t in t.add(column: "level") } }
    try dbQueue.read { db throws in
      let reasons = try changed.schemaChanges(db)
      #expect(reasons.count == 1)
      guard case .differentObject(.table, "player", _, _) = reasons.first else {
        Issue.record("\(reasons)")
        return
      }
    }
  }

  @Test(
    "differences that an adopted database always had do not count as changes", arguments: TestEngine.allCases)
  func oldDifferences(engine: TestEngine) throws {
    let dbQueue = try queue(
      engine, "; ALTER TABLE player ADD COLUMN byHand; DROP INDEX player_on_score; DROP INDEX player_on_teamId;")
    try dbQueue.read { db throws in
      #expect(try migrator().differencesFromMigrations(db).count == 3)
      #expect(try migrator().schemaChanges(db) == [])
    }
    try migrator().migrate(dbQueue)
    try expectRow(dbQueue)
    // A later migration, and one that renames a differing object.
    let extended = { (definition: String) in
      migrator { _ in
      } _: { migrator in
        migrator.registerMigration("v2") { db in
          try db.rename(table: "player", to: "person")
          try db.execute(sql: "CREATE TABLE later (\(definition)); CREATE VIEW player AS SELECT * FROM person")
        }
      }
    }
    try extended("a").migrate(dbQueue)
    for _ in 1...2 {
      try dbQueue.read { db throws in #expect(try extended("a").schemaChanges(db) == []) }
      try extended("a").migrate(dbQueue)
      try expectRow(dbQueue)
    }
    try dbQueue.read { db throws in
      #expect(try extended("a, b").schemaChanges(db).count == 1)
      #expect(
        try migrator { db in try db.drop(index: "index_player_on_email_score") }.schemaChanges(db).isEmpty == false)
    }
    try extended("a, b").migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM player") == 0) }
  }

  @Test("an index is dropped by its columns, whatever its name", arguments: TestEngine.allCases)
  func droppedIndexes(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE player (a, b, c); CREATE TEMP TABLE passing (a)")
      for name in ["player_on_a_b", "index_player_on_a_b", "anything"] {
        try db.execute(sql: "CREATE INDEX \(name) ON player (a, b)")
        try db.drop(indexOn: "player", columns: ["A", "b"])
        #expect(try db.indexes(on: "player").isEmpty)
      }
      try db.create(indexOn: "player", columns: ["a"])
      #expect(try db.indexes(on: "player").map(\.name) == ["index_player_on_a"])
      try db.drop(indexOn: "player", columns: ["a"])
      try db.create(indexOn: "passing", columns: ["a"])
      try db.drop(indexOn: "passing", columns: ["a"])
      try db.drop(indexOn: "player", columns: ["a"], ifExists: true)
      try db.execute(sql: "CREATE INDEX one ON player (c); CREATE INDEX two ON player (c) WHERE c > 0")
      let missing = #expect(throws: DatabaseError.self) { try db.drop(indexOn: "player", columns: ["a"]) }
      #expect(missing?.condition == .notFound)
      #expect(missing?.remedy?.contains("\"one\", \"two\"") == true)
      let ambiguous = #expect(throws: DatabaseError.self) { try db.drop(indexOn: "player", columns: ["c"]) }
      #expect(ambiguous?.condition == .misuse)
      #expect(throws: DatabaseError.self) { try db.drop(index: "player_on_c") }
    }
  }
}
