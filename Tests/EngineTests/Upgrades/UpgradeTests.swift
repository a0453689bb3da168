import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("Testing an app's upgrades")
struct UpgradeTests {
  /// The last migration is the one under test.
  private static func test(
    _ engine: TestEngine, _ last: @escaping @Sendable (Database) throws -> Void
  ) -> UpgradeTest {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("team") { db in try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY, name)") }
    migrator.registerMigration("player") { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, teamId REFERENCES team)")
    }
    migrator.registerMigration("last", migrate: last)
    return UpgradeTest(migrator) { engine.inMemoryBackend }
  }

  private static var seeds: [String: (Database) throws -> Void] {
    [
      "team": { db in try db.execute(sql: "INSERT INTO team VALUES (1, 'a'), (2, NULL)") },
      "player": { db in try db.execute(sql: "INSERT INTO team VALUES (1, 'a'); INSERT INTO player VALUES (7, 1)") },
    ]
  }

  private static func failures(_ body: () throws -> Void) throws -> [UpgradeFailure] {
    try #require(#expect(throws: UpgradeMatrixFailure.self, performing: body)).failures
  }

  @Test("a matrix of correct upgrades passes, and covers each start", arguments: TestEngine.allCases)
  func passing(engine: TestEngine) throws {
    let test = Self.test(engine) { db in try db.execute(sql: "ALTER TABLE team ADD COLUMN city") }
    var seen: [String?: Set<Int>] = [:]
    try test.runMatrix(seeds: Self.seeds) { db, start in
      seen[start, default: []].insert(try Int.fetchOne(db, sql: "SELECT count(*) FROM team") ?? -1)
    }
    #expect(seen == [nil: [0], "team": [2], "player": [1], "last": [0]])
  }

  @Test(
    "a migration that fails on the rows of one version is reported with that version", arguments: TestEngine.allCases)
  func failing(engine: TestEngine) throws {
    let test = Self.test(engine) { db in
      try db.execute(
        sql: "CREATE TABLE named (name NOT NULL); INSERT INTO named SELECT name FROM team; DROP TABLE named")
    }
    try test.runMatrix()
    let failures = try Self.failures { try test.runMatrix(seeds: Self.seeds) }
    #expect(failures.map(\.start) == ["team"])
    #expect(failures[0].description.contains("upgrading from \"team\" to \"last\""))
    #expect(failures[0].description.contains("NOT NULL"))
  }

  @Test("a schema that depends on the rows differs from that of a fresh install", arguments: TestEngine.allCases)
  func schema(engine: TestEngine) throws {
    let test = Self.test(engine) { db in
      if try Int.fetchOne(db, sql: "SELECT count(*) FROM player") == 0 {
        try db.execute(sql: "CREATE TABLE extra (x); ALTER TABLE team ADD COLUMN city")
      } else {
        try db.execute(sql: "CREATE TABLE other (x)")
      }
    }
    let failures = try Self.failures { try test.runMatrix(seeds: Self.seeds) }
    #expect(failures.map(\.start) == ["player"])
    let text = failures[0].description
    #expect(text.contains("a fresh install has table \"extra\""))
    #expect(text.contains("the upgrade has table \"other\"") && text.contains("table \"team\" differs"))
  }

  @Test("a table without rowids is intact, although the engine reports NULL values", arguments: TestEngine.allCases)
  func withoutRowIDs(engine: TestEngine) throws {
    let test = Self.test(engine) { db in
      try db.execute(
        sql: """
          CREATE TABLE tag (post TEXT NOT NULL, weight INT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (name, post))
          WITHOUT ROWID;
          INSERT INTO tag VALUES ('p', 1, 'n');
          """)
    }
    try test.runMatrix(seeds: Self.seeds)
  }

  @Test("dangling rows, and a check that throws, are failures", arguments: TestEngine.allCases)
  func rows(engine: TestEngine) throws {
    struct Lost: Error {}
    var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
    migrator.registerMigration("a") { db in
      try db.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a)")
    }
    migrator.registerMigration("b") { db in try db.execute(sql: "DELETE FROM a") }
    let test = UpgradeTest(migrator) { engine.inMemoryBackend }
    let seeds: [String: (Database) throws -> Void] = [
      "a": { db in try db.execute(sql: "INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)") }, "b": { _ in },
    ]
    #expect(
      try Self.failures { try test.runMatrix(seeds: seeds) }.map(\.reasons) == [
        ["FOREIGN KEY constraint violation - from b to a, in rowid 1"]
      ])
    let failures = try Self.failures { try test.runMatrix { _, start in if start == "b" { throw Lost() } } }
    #expect(failures.map(\.start) == ["b"] && failures[0].description.contains("Lost"))
  }

  @Test("a database is created at a version, seeded, and migrated further", arguments: TestEngine.allCases)
  func steps(engine: TestEngine) throws {
    let test = Self.test(engine) { db in try db.execute(sql: "CREATE INDEX i ON team (name)") }
    let database = try test.database(at: "team") { db in try db.execute(sql: "INSERT INTO team VALUES (5, 'e')") }
    #expect(database.version == "team")
    try database.expectFreshInstall()
    #expect(try database.step() == "player")
    try database.expectFreshInstall()
    try database.upgrade()
    #expect(try database.version == "last" && database.step() == nil)
    try database.queue.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT id FROM team") == 5) }
    try database.queue.write { db in try db.execute(sql: "DROP INDEX i") }
    #expect(throws: UpgradeFailure.self) { try database.expectFreshInstall() }
    database.close()
  }

  @Test("a closure that returns the same database again is reported as that", arguments: TestEngine.allCases)
  func sameDatabase(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("app.db")
    let test = UpgradeTest(Self.test(engine) { _ in }.migrator) { engine.backend(path: file) }
    defer { withExtendedLifetime(folder) {} }
    let error = try #require(throws: UpgradeMatrixFailure.self) { try test.runMatrix() }
    #expect("\(error)".contains("makeBackend returned a database that is not empty"), "\(error)")
  }

  @Test("merged migrations are tested with databases of the older code", arguments: TestEngine.allCases)
  func merged(engine: TestEngine) throws {
    let older = Self.test(engine) { _ in }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("all", merging: ["team", "player", "last"]) { db, applied in
      if !applied.contains("team") { try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY, name)") }
      // Wrong: databases between the two versions lose the other table.
      if applied.isEmpty {
        try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, teamId REFERENCES team)")
      }
    }
    let test = UpgradeTest(migrator) { engine.inMemoryBackend }
    for (version, isRight) in [("player", true), ("team", false)] {
      let database = try test.database(at: version, of: older.migrator)
      try database.upgrade()
      if isRight {
        try database.expectFreshInstall()
      } else {
        #expect(throws: UpgradeFailure.self) { try database.expectFreshInstall() }
      }
      database.close()
    }
  }
}
