import Migrator
internal import SQLSyntax
import TestEngines
import Testing

@Suite("The documentation's samples: plans and policies")
struct PlansAndPoliciesTests {
  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create players") { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, folded TEXT);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
          INSERT INTO player (name) SELECT 'Player ' || i FROM n
          """)
    }
    return migrator
  }

  @Test("a plan and a rehearsal report and change nothing", arguments: TestEngine.allCases)
  func planning(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var migrator = Self.migrator
    try migrator.migrate(dbQueue)
    migrator.registerMigration("Empty") { db in try db.execute(sql: "DELETE FROM player") }
    let plan = try PlansAndPolicies.plan(migrator, dbQueue)
    #expect(plan.entries.map(\.identifier) == ["Empty"] && plan.refusals.isEmpty)
    let rehearsal = try PlansAndPolicies.rehearsal(migrator, dbQueue)
    #expect(rehearsal.failure == nil && rehearsal.destructiveStatements.count == 1)
    #expect(rehearsal.rowCounts.first { $0.table == "player" }?.after == 0)
    #expect(try dbQueue.number("SELECT count(*) FROM player") == 2500)
  }

  @Test("a newer database is refused if the policy says so", arguments: TestEngine.allCases)
  func policies(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try Self.migrator.migrate(dbQueue)
    #expect(try PlansAndPolicies.refused(PlansAndPolicies.policies(), dbQueue) == ["Create players"])
    #expect(try PlansAndPolicies.refused(Self.migrator, dbQueue).isEmpty)
  }

  @Test("rows are changed in batches, and space is reclaimed", arguments: TestEngine.allCases)
  func longMigrations(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var migrator = Self.migrator
    PlansAndPolicies.batches(&migrator)
    PlansAndPolicies.vacuum(&migrator)
    try migrator.migrate(dbQueue)
    #expect(try dbQueue.number("SELECT count(*) FROM player WHERE folded = lower(name)") == 2500)
    try dbQueue.read { db throws in #expect(try migrator.hasCompletedMigrations(db)) }
  }

  @Test("a merged migration completes the applied migrations", arguments: TestEngine.allCases, [0, 1, 2])
  func merging(engine: TestEngine, applied: Int) throws {
    let dbQueue = try engine.temporaryQueue()
    if applied > 0 {
      try GettingStarted.migrator.migrate(dbQueue, upTo: GettingStarted.migrator.migrations[applied - 1])
    }
    var migrator = DatabaseMigrator()
    PlansAndPolicies.merging(&migrator)
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator.appliedIdentifiers(db) == ["Create the library"])
      #expect(try db.tableExists("author") && db.tableExists("book"))
    }
  }

  @Test("an app and a library migrate one database", arguments: TestEngine.allCases)
  func severalMigrators(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try PlansAndPolicies.library().migrate(dbQueue)
    #expect(try PlansAndPolicies.sharing(Self.migrator, dbQueue))
    try dbQueue.write { db in try db.execute(sql: "ALTER TABLE player ADD COLUMN extra") }
    var changed = Self.migrator
    changed.eraseDatabaseOnSchemaChange = true
    changed.registerMigration("Pending") { _ in }
    #expect(try !PlansAndPolicies.sharing(changed, dbQueue))
    try dbQueue.read { db throws in
      #expect(try db.tableExists("cache"))
      #expect(try !PlansAndPolicies.library().hasSchemaChanges(db))
    }
  }

  @Test("a library moves its entries out of a shared ledger", arguments: TestEngine.allCases)
  func separating(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var library = DatabaseMigrator()
    library.registerMigration("Create the cache") { db in try db.execute(sql: "CREATE TABLE cache (url)") }
    try library.migrate(dbQueue)
    try Self.migrator.migrate(dbQueue)
    var separate = PlansAndPolicies.separateLibrary()
    separate.registerMigration("Create the cache") { db in try db.execute(sql: "CREATE TABLE cache (url)") }
    try separate.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try separate.appliedIdentifiers(db) == ["Create the cache"])
      #expect(try !Self.migrator.hasBeenSuperseded(db))
    }
  }

  @Test("a database is backed up before it is migrated, and on request", arguments: TestEngine.allCases)
  func backups(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let dbQueue = try engine.queue(path: folder.file("app.db"))
    var migrator = Self.migrator
    try migrator.migrate(dbQueue)
    PlansAndPolicies.backups(&migrator)
    try migrator.migrate(dbQueue)
    #expect(try folder.names().allSatisfy { !$0.contains("backup") })
    migrator.registerMigration("Empty") { db in try db.execute(sql: "DELETE FROM player") }
    try migrator.migrate(dbQueue)
    let name = try #require(try folder.names().first { $0.hasPrefix("app.db.backup-") })
    #expect(try engine.queue(path: folder.file(name)).number("SELECT count(*) FROM player") == 2500)
    try PlansAndPolicies.backup(dbQueue, to: folder.file("copy.db"))
    #expect(try engine.queue(path: folder.file("copy.db")).number("SELECT count(*) FROM player") == 0)
  }
}
