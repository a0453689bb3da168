import Migrator
import TestEngines
import Testing

@Suite("Migrations without a transaction")
struct UnwrappedMigrationTests {
  private struct Custom: Error {}

  private func count(_ dbQueue: DatabaseQueue) throws -> Int? {
    try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM log") }
  }

  private func queueWithLog(_ engine: TestEngine) throws -> DatabaseQueue {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE log (x)") }
    return dbQueue
  }

  @Test("connections that start together run it once", arguments: TestEngine.allCases)
  func once(engine: TestEngine) async throws {
    let backend = try engine.temporaryBackend()
    try await DatabaseQueue(backend).write { db in try db.execute(sql: "CREATE TABLE log (x)") }
    var migrator = DatabaseMigrator()
    migrator.registerUnwrappedMigration("slow") { db in
      let sum = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT sum(i) FROM n"
      _ = try Int.fetchOne(db, sql: sum)
      try db.execute(sql: "INSERT INTO log VALUES (1); VACUUM")
    }
    let final = migrator
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { try await final.migrate(DatabaseQueue(backend)) } }
      try await group.waitForAll()
    }
    #expect(try count(DatabaseQueue(backend)) == 1)
  }

  @Test("after an error it runs again at once", arguments: TestEngine.allCases)
  func again(engine: TestEngine) throws {
    let dbQueue = try queueWithLog(engine)
    for fails in [true, true, false, false] {
      var migrator = DatabaseMigrator()
      migrator.registerUnwrappedMigration("m") { db in
        try db.execute(sql: "INSERT INTO log VALUES (1)")
        if fails { throw Custom() }
      }
      if fails {
        #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
      } else {
        try migrator.migrate(dbQueue)
      }
    }
    #expect(try count(dbQueue) == 3)
  }

  @Test("after a cancellation it runs again at once", arguments: TestEngine.allCases)
  func cancelled(engine: TestEngine) async throws {
    let dbQueue = try queueWithLog(engine)
    var migrator = DatabaseMigrator()
    let cancellation = CancelledMigration()
    migrator.registerUnwrappedMigration("m") { db in
      cancellation.wait()
      try db.execute(sql: "INSERT INTO log VALUES (1)")
    }
    await cancellation.migrate(migrator, dbQueue)
    // Without a date in the ledger, no process waits for the one that began.
    try await dbQueue.read { db throws in
      #expect(try String.fetchAll(db, sql: "SELECT applied_at FROM migrator_history") == [""])
    }
    try await migrator.migrate(dbQueue)
    #expect(try count(dbQueue) == 1)
  }

  @Test("a cancellation after its work does not repeat the work", arguments: TestEngine.allCases)
  func cancelledAtTheEnd(engine: TestEngine) async throws {
    let backend = try engine.temporaryBackend()
    let dbQueue = try DatabaseQueue(backend)
    try await dbQueue.write { db in try db.execute(sql: "CREATE TABLE log (x)") }
    let other = try DatabaseQueue(backend)
    var migrator = DatabaseMigrator()
    let cancellation = CancelledMigration()
    migrator.registerUnwrappedMigration("m") { db in
      try db.execute(sql: "INSERT INTO log VALUES (1)")
      // Another connection writes, so that the ledger must be read again.
      try other.write { db in try db.execute(sql: "CREATE TABLE other (x)") }
      cancellation.wait()
    }
    migrator.registerMigration("n") { db in try db.execute(sql: "CREATE TABLE n (x)") }
    let final = migrator
    await cancellation.migrate(final, dbQueue)
    let applied = try await dbQueue.read { db in try final.appliedIdentifiers(db) }
    #expect(applied == ["m"])
    try await final.migrate(dbQueue)
    #expect(try count(dbQueue) == 1)
  }

  @Test("a migration that a crash left unfinished runs again after the lock timeout", arguments: TestEngine.allCases)
  func afterCrash(engine: TestEngine) throws {
    let dbQueue = try queueWithLog(engine)
    var migrator = DatabaseMigrator()
    migrator.lockTimeout = .milliseconds(200)
    migrator.registerUnwrappedMigration("m") { db in try db.execute(sql: "INSERT INTO log VALUES (1)") }
    try migrator.migrate(dbQueue)
    try dbQueue.write { db in try db.execute(sql: "UPDATE migrator_history SET duration = NULL") }
    try dbQueue.read { db throws in #expect(try migrator.hasCompletedMigrations(db) == false) }
    try migrator.migrate(dbQueue)
    #expect(try count(dbQueue) == 2)
    try dbQueue.read { db throws in #expect(try migrator.hasCompletedMigrations(db)) }
  }

  @Test("a failing migration has replaced nothing", arguments: TestEngine.allCases)
  func merging(engine: TestEngine) throws {
    let dbQueue = try queueWithLog(engine)
    var old = DatabaseMigrator()
    old.registerMigration("a") { _ in }
    try old.migrate(dbQueue)
    var new = DatabaseMigrator()
    new.register(
      Migration(
        identifier: "m", mergedIdentifiers: ["a"],
        work: .unwrapped { _, applied in
          #expect(applied == ["a"])
          throw Custom()
        }))
    #expect(throws: MigrationError.self) { try new.migrate(dbQueue) }
    try dbQueue.read { db throws in #expect(try old.appliedIdentifiers(db) == ["a"]) }
  }
}
