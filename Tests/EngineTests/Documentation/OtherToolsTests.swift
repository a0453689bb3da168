import Migrator
import TestEngines
import Testing

@Suite("The documentation's samples: coming from another migrator")
struct OtherToolsTests {
  @Test("GRDB's history is continued", arguments: TestEngine.allCases)
  func grdb(engine: TestEngine) throws {
    let dbQueue = try database(
      engine,
      """
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES ('v1');
      CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
      INSERT INTO player (name) VALUES ('Arthur')
      """)
    let migrator = OtherTools.grdb()
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator.appliedMigrations(db) == ["v1", "v2"])
      #expect(try Row.fetchOne(db, sql: "SELECT * FROM player")?["score"] == 0)
      #expect(try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations") == ["v1"])
    }
  }

  @Test("a sequence of user versions is continued", arguments: TestEngine.allCases, [0, 1, 2])
  func userVersion(engine: TestEngine, version: Int) throws {
    let steps = [
      "PRAGMA user_version = 1; CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT)",
      "PRAGMA user_version = 2; ALTER TABLE users ADD COLUMN name TEXT",
    ]
    let dbQueue = try database(engine, steps.prefix(version).joined(separator: ";"))
    let migrator = OtherTools.userVersion()
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator.hasCompletedMigrations(db))
      #expect(try db.columns(in: "users").map(\.name) == ["id", "email", "name"])
    }
  }

  @Test("the history of SQLiteMigrationManager is continued", arguments: TestEngine.allCases)
  func migrationManager(engine: TestEngine) throws {
    let dbQueue = try database(
      engine,
      """
      CREATE TABLE schema_migrations (version INTEGER UNIQUE NOT NULL);
      INSERT INTO schema_migrations VALUES (20160117220032038);
      CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT)
      """)
    let migrator = OtherTools.migrationManager()
    try migrator.migrate(dbQueue)
    #expect(try dbQueue.number("SELECT count(*) FROM users") == 1)
    try dbQueue.write { db in try db.execute(sql: "INSERT INTO schema_migrations VALUES (20160117220050560)") }
    try migrator.migrate(dbQueue)
    #expect(try dbQueue.number("SELECT count(*) FROM users") == 1)
  }

  @Test("goose's numbers are mapped", arguments: TestEngine.allCases)
  func goose(engine: TestEngine) throws {
    let dbQueue = try database(
      engine,
      """
      CREATE TABLE goose_db_version (
        id INTEGER PRIMARY KEY, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP);
      INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (3, 1), (9, 1);
      CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL)
      """)
    var migrator = GettingStarted.migrator
    OtherTools.goose(&migrator)
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator.appliedIdentifiers(db) == ["Create authors", "Create books"])
    }
  }

  @Test("a database without a history gets one", arguments: TestEngine.allCases)
  func baseline(engine: TestEngine) throws {
    let dbQueue = try database(engine, "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT)")
    try OtherTools.baseline(OtherTools.userVersion(), dbQueue)
    try dbQueue.read { db throws in
      #expect(try db.columns(in: "users").map(\.name) == ["id", "email", "name"])
    }
  }

  private func database(_ engine: TestEngine, _ sql: String) throws -> DatabaseQueue {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in try db.execute(sql: sql) }
    return dbQueue
  }
}
