import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("Several migrators on one database: ownership of objects")
struct OwnershipTests {
  private func migrator(_ ledgerTable: String, _ identifier: String, _ sql: String) -> DatabaseMigrator {
    var migrator = DatabaseMigrator(ledgerTable: ledgerTable)
    migrator.registerMigration(identifier) { db in try db.execute(sql: sql) }
    return migrator
  }

  @Test("objects of another migrator that a migration rewrites remain the other's", arguments: TestEngine.allCases)
  func rewritten(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var app = migrator("app", "a", "CREATE TABLE a (x)")
    try app.migrate(dbQueue)
    try migrator("sdk", "v", "CREATE VIEW v AS SELECT x FROM a").migrate(dbQueue)
    app.registerMigration("a2") { db in try db.rename(table: "a", to: "a2") }
    try app.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try app.schemaChanges(db).isEmpty)
      let made = try app.history(db).flatMap(\.objects.made).map(\.name)
      #expect(Set(made) == ["a", "a2"])
      #expect(try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'v'")?.contains("a2") == true)
    }
  }

  @Test(
    "objects that another migrator creates during an unwrapped migration are not the migration's",
    arguments: TestEngine.allCases)
  func unwrapped(engine: TestEngine) throws {
    for disturbs in [true, false] {
      let backend = try engine.temporaryBackend()
      let dbQueue = try DatabaseQueue(backend)
      let sdk = migrator("sdk", "s", "CREATE TABLE s (x); CREATE INDEX s_on_x ON s (x)")
      var app = DatabaseMigrator()
      let isReplay = Lock(false)
      app.registerUnwrappedMigration("own") { db in
        try db.execute(sql: "CREATE TABLE own (x)")
        if disturbs, !isReplay.withLock({ $0 }) { try sdk.migrate(DatabaseQueue(backend)) }
        try db.execute(sql: "VACUUM")
      }
      try app.migrate(dbQueue)
      isReplay.withLock { $0 = true }
      try dbQueue.read { db throws in
        let made = try app.history(db).flatMap(\.objects.made).map(\.name)
        #expect(made == (disturbs ? [] : ["own"]))
        #expect(try app.schemaChanges(db).isEmpty && sdk.schemaChanges(db).isEmpty)
      }
      app.eraseDatabaseOnSchemaChange = true
      try app.migrate(dbQueue)
    }
  }

  @Test("upgrade tests and rehearsals cover only the migrator's own work", arguments: TestEngine.allCases)
  func upgrades(engine: TestEngine) throws {
    let sdk = migrator("sdk", "s", "CREATE TABLE s (x)")
    var app = migrator("app", "a", "CREATE TABLE a (x)")
    app.registerMigration("b") { db in try db.execute(sql: "CREATE TABLE b (x)") }
    let dbQueue = try engine.temporaryQueue()
    try app.migrate(dbQueue, upTo: "a")
    try sdk.migrate(dbQueue)
    let rehearsal = try dbQueue.read { db in try app.rehearse(db, copying: .allRows) }
    #expect(rehearsal.failure == nil)
    #expect(rehearsal.rowCounts.map(\.table).sorted() == ["a", "b", "s"])
    try app.migrate(dbQueue)
    let fresh = try engine.temporaryQueue()
    try app.migrate(fresh)
    let schema = try fresh.read { db in try db.schema() }
    try dbQueue.write { db throws in
      #expect(try app.differences(of: db, from: schema).isEmpty)
      try db.execute(sql: "CREATE TABLE c (x)")
      #expect(try app.differences(of: db, from: schema) == [.leftoverObject(kind: .table, name: "c")])
    }
  }

  @Test("a migrator moves its applied migrations out of a shared ledger", arguments: TestEngine.allCases)
  func separating(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var app = migrator("migrator_history", "a", "CREATE TABLE a (x)")
    var sdk = migrator("migrator_history", "s", "CREATE TABLE s (x); CREATE INDEX i ON s (x)")
    try app.migrate(dbQueue)
    try sdk.migrate(dbQueue)
    sdk = migrator("sdk", "s", "CREATE TABLE s (x); CREATE INDEX i ON s (x)")
    sdk.adopt(.migrator)
    for migrator in [sdk, app] {
      try migrator.migrate(dbQueue)
      try dbQueue.read { db throws in
        #expect(try sdk.appliedIdentifiers(db) == ["s"])
        #expect(try !sdk.hasBeenSuperseded(db) && sdk.schemaChanges(db).isEmpty)
        // The entries that the other migrator adopted are no longer unknown.
        #expect(try !app.hasBeenSuperseded(db) && app.schemaChanges(db).isEmpty && app.plan(db).unknown.isEmpty)
      }
    }
    // Its objects were adopted, too.
    try dbQueue.read { db throws in
      #expect(
        try migrator("sdk", "s", "CREATE TABLE s (x)").schemaChanges(db)
          == [.leftoverObject(kind: .index, name: "i")])
    }
    // Neither erases because of its own change, whichever ledger it uses.
    try dbQueue.write { db in try db.execute(sql: "ALTER TABLE a ADD COLUMN y; ALTER TABLE s ADD COLUMN y") }
    app.eraseDatabaseOnSchemaChange = true
    sdk.eraseDatabaseOnSchemaChange = true
    for migrator in [sdk, app] {
      #expect {
        try migrator.migrate(dbQueue)
      } throws: { error in
        if case MigrationError.erasureRefused(.otherMigrators) = error { true } else { false }
      }
    }
  }

  @Test(
    "a single migrator that has renamed its ledger does not count as two",
    arguments: TestEngine.allCases)
  func renamedLedger(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator("migrator_history", "a", "CREATE TABLE a (x)").migrate(dbQueue)
    var renamed = migrator("app", "a", "CREATE TABLE a (x, y)")
    renamed.adopt(.migrator)
    renamed.eraseDatabaseOnSchemaChange = true
    try renamed.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try db.columns(in: "a").count == 2)
      #expect(try db.schema().ledgerTables == ["app"])
    }
  }

  @Test("unfinished migrations of the other migrator cannot be adopted", arguments: TestEngine.allCases)
  func unfinishedSharing(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator("migrator_history", "s", "CREATE TABLE s (x)").migrate(dbQueue)
    try dbQueue.write { db in try db.execute(sql: "UPDATE migrator_history SET duration = NULL") }
    var sdk = migrator("sdk", "s", "CREATE TABLE s (x)")
    sdk.adopt(.migrator)
    #expect {
      try sdk.migrate(dbQueue)
    } throws: { error in
      if case MigrationError.adoptionRefused(.unfinished(history: "migrator_history", entries: ["s"])) = error {
        true
      } else {
        false
      }
    }
  }

  @Test("each migrator keeps separate backups", arguments: TestEngine.allCases)
  func backups(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let dbQueue = try DatabaseQueue(engine.backend(path: folder.file("test.db")))
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE user (x)") }
    for name in ["migrator_history", "SDK/..", "cache"] {
      var migrator = migrator(name, "first", "CREATE TABLE \"of \(name)\" (x)")
      migrator.backup = .beforeMigrating(keep: 1)
      try migrator.migrate(dbQueue)
      migrator.registerMigration("second") { _ in }
      try migrator.migrate(dbQueue)
    }
    let names = try folder.names().filter { $0.contains(".backup-") }
    #expect(names.count == 3)
    #expect(names.contains { $0.hasPrefix("test.db.backup-2") })
    #expect(names.contains { $0.hasPrefix("test.db.backup-sdk%2f%2e%2e-2") })
    #expect(names.contains { $0.hasPrefix("test.db.backup-cache-2") })
  }
}
