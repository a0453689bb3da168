import Migrator
import TestEngines
import Testing

/// Ledgers with many rows of unknown migrations.
@Suite("A ledger with many unknown rows")
struct LargeLedgerTests {
  private static let count = 1000

  /// Returns a migrator with tables `v1`, `v2` and so on, each with a checksum.
  private func migrator(_ count: Int) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for number in 1...count {
      migrator.register(
        Migration(
          identifier: "v\(number)", checksum: "sum \(number)",
          work: .wrapped { db, _ in try db.execute(sql: "CREATE TABLE v\(number) (x)") }))
    }
    return migrator
  }

  /// Returns a database in which `v1` was applied after many unknown migrations.
  private func queue(_ engine: TestEngine) throws -> DatabaseQueue {
    let dbQueue = try engine.temporaryQueue()
    try migrator(1).migrate(dbQueue)
    try dbQueue.write { db in try db.execute(sql: "UPDATE migrator_history SET sequence = 1000000") }
    return dbQueue
  }

  private func add(_ identifier: String, count: Int, position: String = "n", _ dbQueue: DatabaseQueue) throws {
    try dbQueue.write { db in
      try db.execute(
        sql: """
          INSERT INTO migrator_history (sequence, identifier, position, applied_at, duration)
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
          SELECT (SELECT count(*) FROM migrator_history) + n, '\(identifier) ' || n, \(position), '2026-01-01T00:00:00.000Z', 0.1
          FROM numbers
          """)
    }
  }

  @Test("all known, renamed and replaced migrations are found among them", arguments: TestEngine.allCases)
  func found(engine: TestEngine) throws {
    let dbQueue = try queue(engine)
    try add("former", count: Self.count, dbQueue)
    try add("old name", count: 1, dbQueue)
    try add("all", count: 1, dbQueue)
    try dbQueue.write { db in
      try db.execute(sql: "UPDATE migrator_history SET checksum = 'sum 3' WHERE identifier = 'old name 1'")
      try db.execute(sql: "UPDATE migrator_history SET objects = '=migration v2' WHERE identifier = 'all 1'")
    }
    let migrator = migrator(3)
    try dbQueue.read { db throws in
      let history = try migrator.history(db)
      #expect(history.map(\.identifier).suffix(3) == ["old name 1", "all 1", "v1"])
      #expect(history.count == Self.count + 3)
      #expect(history.filter { !$0.replaced.isEmpty }.map(\.identifier) == ["all 1"])
      #expect(try migrator.appliedMigrations(db) == ["v1", "v2"])
      #expect(try migrator.appliedIdentifiers(db).count == Self.count + 4)
      #expect(try migrator.hasBeenSuperseded(db))
      let plan = try migrator.plan(db)
      #expect(plan.entries.map(\.identifier) == ["v3"])
      #expect(plan.unknown.count == Self.count + 2)
      let rehearsal = try migrator.rehearse(db)
      #expect(rehearsal.applied == ["v3"] && rehearsal.failure == nil)
    }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator.hasCompletedMigrations(db))
      #expect(try db.tableExists("v3") && !db.tableExists("v2"))
    }
  }

  @Test("a removed migration is found after many that were never registered", arguments: TestEngine.allCases)
  func neverRegistered(engine: TestEngine) throws {
    let dbQueue = try queue(engine)
    try add("adopted", count: Self.count, position: "-1", dbQueue)
    let migrator = migrator(1)
    try dbQueue.read { db throws in #expect(try migrator.schemaChanges(db).isEmpty) }
    try add("former", count: 1, dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator.schemaChanges(db).map(\.description).filter { $0.contains("former 1") }.count == 1)
    }
  }

  @Test("rows that another migrator has adopted do not count", arguments: TestEngine.allCases)
  func takenOver(engine: TestEngine) throws {
    let dbQueue = try queue(engine)
    try add("library", count: Self.count, dbQueue)
    try dbQueue.write { db in
      try db.execute(
        sql: "CREATE TABLE library_history AS SELECT * FROM migrator_history WHERE identifier LIKE 'library%'")
    }
    let migrator = migrator(1)
    try dbQueue.read { db throws in #expect(try !migrator.hasBeenSuperseded(db)) }
    try add("former", count: 1, dbQueue)
    try dbQueue.read { db throws in #expect(try migrator.plan(db).unknown == ["former 1"]) }
  }
}
