import Migrator
import TestEngines
import Testing

@Suite("Promise 1: in order and once")
struct OrderOnceTests {
  @Test("migrations run in the order of registration, whatever their names", arguments: TestEngine.allCases)
  func order(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    let names = ["z", "a", "10", "2", "É", "with 'quotes' and \"more\"", ""]
    migrator.registerMigration("log") { db in try db.create(table: "log") { t in t.column("name", .text) } }
    for name in names {
      migrator.registerMigration(name) { db in try db.execute(literal: "INSERT INTO log VALUES (\(name))") }
    }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try String.fetchAll(db, sql: "SELECT name FROM log ORDER BY rowid") == names)
      #expect(try migrator.appliedMigrations(db) == ["log"] + names)
    }
  }

  @Test("two queues that start together on one file apply each migration once", arguments: TestEngine.allCases)
  func threads(engine: TestEngine) async throws {
    let backend = try engine.temporaryBackend()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("log") { db in try db.create(table: "log") { t in t.column("name", .text) } }
    for index in 0..<10 {
      migrator.registerMigration("m\(index)") { db in
        try db.execute(literal: "INSERT INTO log VALUES (\("m\(index)"))")
      }
    }
    let final = migrator
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          let dbQueue = try DatabaseQueue(backend)
          try await final.migrate(dbQueue)
          try dbQueue.close()
        }
      }
      try await group.waitForAll()
    }
    let dbQueue = try DatabaseQueue(backend)
    try await dbQueue.read { db throws in
      #expect(try String.fetchAll(db, sql: "SELECT name FROM log ORDER BY rowid") == (0..<10).map { "m\($0)" })
    }
  }

  @Test(
    "if another connection erases the database during a run, the run starts again",
    arguments: TestEngine.allCases)
  func erasedMeanwhile(engine: TestEngine) throws {
    let backend = try engine.temporaryBackend()
    let dbQueue = try DatabaseQueue(backend)
    let other = try DatabaseQueue(backend)
    var erasures = 0
    try NumberedMigrations.migrator(count: 5, rows: 3).run(dbQueue) { event in
      guard case .committed("m2", _, _, _) = event, erasures == 0 else { return }
      erasures += 1
      #expect(throws: Never.self) { try other.erase() }
    }
    #expect(erasures == 1)
    try dbQueue.read { db throws in
      #expect(try NumberedMigrations.defect(in: db, count: 5, rows: 3) == nil)
      #expect(try NumberedMigrations.migrator(count: 5, rows: 3).hasCompletedMigrations(db))
    }
  }

  @Test("merged migrations are removed from the ledger and remain known", arguments: TestEngine.allCases)
  func merging(engine: TestEngine) throws {
    var old = DatabaseMigrator()
    old.registerMigration("v1") { db in try db.create(table: "a") { t in t.column("x") } }
    old.registerMigration("v2") { db in try db.create(table: "b") { t in t.column("x") } }
    var new = DatabaseMigrator()
    new.registerMigration("v3", merging: ["v1", "v2"]) { db, applied in
      if !applied.contains("v1") { try db.create(table: "a") { t in t.column("x") } }
      if !applied.contains("v2") { try db.create(table: "b") { t in t.column("x") } }
    }
    for target in [nil, "v1", "v2"] {
      let dbQueue = try engine.temporaryQueue()
      if let target { try old.migrate(dbQueue, upTo: target) }
      try dbQueue.read { db throws in
        #expect(try new.hasBeenSuperseded(db) == false)
        #expect(try new.hasSchemaChanges(db) == false)
      }
      try new.migrate(dbQueue)
      try dbQueue.read { db throws in
        #expect(try new.appliedIdentifiers(db) == ["v3"])
        #expect(try db.tableExists("a"))
        #expect(try db.tableExists("b"))
        #expect(try new.schemaChanges(db).isEmpty)
      }
    }
  }

  @Test("a merged migration that is still registered does not run again", arguments: TestEngine.allCases)
  func mergedAndRegistered(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS log (x); INSERT INTO log VALUES ('a')")
    }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    migrator.registerMigration("m", merging: ["a"]) { _, applied in #expect(applied == ["a"]) }
    migrator.outOfOrder = .refuse
    try migrator.migrate(dbQueue)
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM log") == 1)
      #expect(try migrator.hasCompletedMigrations(db))
      #expect(try migrator.completedMigrations(db) == ["a", "m"])
    }
  }

  @Test("registering thousands of migrations is fast", arguments: [TestEngine.sqlite])
  func manyRegistrations(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    for index in 0..<20_000 { migrator.registerMigration("m\(index)") { _ in } }
    #expect(migrator.migrations.count == 20_000)
  }

  @Test("a record that a trigger removes from the ledger is no success", arguments: TestEngine.allCases)
  func lostRecord(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.execute(sql: "CREATE TABLE a (b)")
    }
    try migrator.migrate(dbQueue)
    try dbQueue.write { db in
      try db.execute(
        sql:
          "CREATE TRIGGER t AFTER INSERT ON migrator_history BEGIN DELETE FROM migrator_history WHERE identifier = 'v2'; END"
      )
    }
    migrator.registerMigration("v2") { db in try db.execute(sql: "CREATE TABLE c (d)") }
    expectRecordLost { try migrator.migrate(dbQueue) }
    #expect(try dbQueue.read { try !$0.tableExists("c") })
  }

  @Test(
    "so is one that a trigger does not insert, or that a later entry removes", arguments: TestEngine.allCases,
    [
      "BEFORE INSERT ON migrator_history BEGIN INSERT INTO log VALUES (1); SELECT raise(IGNORE); END",
      "AFTER INSERT ON migrator_history BEGIN DELETE FROM migrator_history WHERE identifier <> new.identifier; END",
    ])
  func lostRecords(engine: TestEngine, trigger: String) throws {
    let dbQueue = try engine.temporaryQueue()
    var migrator = DatabaseMigrator()
    migrator.commits = .grouped
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE log (b)") }
    try migrator.migrate(dbQueue)
    try dbQueue.write { db in try db.execute(sql: "CREATE TRIGGER t \(trigger)") }
    migrator.registerMigration("v2") { db in try db.execute(sql: "CREATE TABLE c (d)") }
    migrator.registerMigration("v3") { db in try db.execute(sql: "CREATE TABLE e (d)") }
    expectRecordLost { try migrator.migrate(dbQueue) }
    #expect(try dbQueue.read { try !$0.tableExists("c") && !$0.tableExists("e") })
  }

  @Test(
    "a migration that deletes the ledger's definition from the schema is rolled back", arguments: TestEngine.allCases,
    [
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_master; PRAGMA writable_schema = OFF",
      "DELETE FROM sqlite_master", "UPDATE a SET b = 8",
    ])
  func lostLedger(engine: TestEngine, deletion: String) throws {
    let backend = try engine.temporaryBackend()
    var configuration = Configuration()
    if !deletion.hasPrefix("PRAGMA") {
      configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA writable_schema = ON") }
    }
    let dbQueue = try DatabaseQueue(backend, configuration: configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.execute(
        sql: """
          CREATE TABLE a (b);
          INSERT INTO a VALUES (7);
          CREATE TRIGGER g AFTER UPDATE ON a BEGIN DELETE FROM sqlite_master; END;
          """)
    }
    migrator.registerMigration("v2") { db in try db.execute(sql: deletion) }
    expectRecordLost { try migrator.migrate(dbQueue) }
    try dbQueue.close()
    try DatabaseQueue(backend).read { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT b FROM a") == [7])
      #expect(try migrator.appliedMigrations(db) == ["v1"])
    }
  }

  @Test(
    "a migration without a transaction that deletes the ledger's definition is no success",
    arguments: TestEngine.allCases)
  func lostLedgerUnwrapped(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var migrator = DatabaseMigrator()
    migrator.registerUnwrappedMigration("v1") { db in
      try db.execute(
        sql: "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE tbl_name = 'migrator_history'")
    }
    expectRecordLost { try migrator.migrate(dbQueue) }
  }

  private func expectRecordLost(
    sourceLocation: SourceLocation = #_sourceLocation, _ migrating: () throws -> Void
  ) {
    #expect(sourceLocation: sourceLocation) {
      try migrating()
    } throws: {
      guard case MigrationError.failed(let failure) = $0, case MigrationError.recordLost = failure.underlying
      else { return false }
      return true
    }
  }
}
