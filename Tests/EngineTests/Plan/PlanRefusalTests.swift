import Migrator
import TestEngines
import Testing

@Suite("A plan reports what a run would throw or erase")
struct PlanRefusalTests {
  private func migrator(_ names: String..., table: String = "x") -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for name in names {
      migrator.registerMigration(name) { db in try db.execute(sql: "CREATE TABLE \(name) (\(table))") }
    }
    return migrator
  }

  /// Returns whether the first refusal of a plan equals the error of the run, compared as text.
  private func agree(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue, upTo target: String? = nil) throws -> Bool
  {
    let plan = try dbQueue.read { db in try migrator.plan(db, upTo: target) }
    let error = #expect(throws: MigrationError.self) {
      if let target { try migrator.migrate(dbQueue, upTo: target) } else { try migrator.migrate(dbQueue) }
    }
    return plan.isWithoutEffect && plan.refusals.first?.description == error?.description
  }

  @Test("refusals are values and equal the errors of the run", arguments: TestEngine.allCases)
  func refusals(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator("a", "c", "z").migrate(dbQueue)
    var newer = migrator("a", "b", "c")
    #expect(try agree(newer, dbQueue, upTo: "missing"))
    #expect(try agree(newer, dbQueue, upTo: "b"))
    newer.outOfOrder = .refuse
    #expect(try agree(newer, dbQueue))
    newer.unknownMigrations = .refuse
    #expect(try agree(newer, dbQueue))
    let plan = try dbQueue.read { db in try newer.plan(db) }
    #expect(plan.refusals.count == 2 && plan.entries.map(\.identifier) == ["b"])
  }

  @Test("a planned erasure is reported with reasons and losses", arguments: TestEngine.allCases)
  func erasure(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    func migrators(_ names: String..., columns: String) -> DatabaseMigrator {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("search") { db in try db.execute(sql: "CREATE VIRTUAL TABLE search USING fts4 (body)")
      }
      for name in names {
        migrator.registerMigration(name) { db in try db.execute(sql: "CREATE TABLE \(name) (\(columns))") }
      }
      return migrator
    }
    try migrators("t", "u", columns: "x").migrate(dbQueue)
    try dbQueue.write { db in
      try db.execute(
        sql: "INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); INSERT INTO search VALUES ('x')")
    }
    var changed = migrators("t", "u", "v", columns: "x, y")
    changed.unknownMigrations = .refuse
    let kept = try dbQueue.read { db in try changed.plan(db) }
    #expect(kept.erasure == nil && kept.entries.map(\.identifier) == ["v"])
    changed.eraseDatabaseOnSchemaChange = true
    let plan = try dbQueue.read { db in try changed.plan(db) }
    #expect(plan.erasure?.reasons.count == 2)
    #expect(
      plan.erasure?.losses == [
        .init(table: "search", count: 1), .init(table: "t", count: 2), .init(table: "u", count: 0),
      ])
    #expect(plan.entries.map(\.reasons) == [[.erased], [.erased], [.erased], [.neverApplied]])
    #expect(plan.description.contains("ERASED") && plan.description.contains("table \"t\": 2 rows"))
    try dbQueue.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 2) }
  }

  @Test("erasing removes refusals that are based only on the history", arguments: TestEngine.allCases)
  func erasureBeforeRefusals(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator("a", "b", "z").migrate(dbQueue)
    var older = migrator("a", "b")
    older.eraseDatabaseOnSchemaChange = true
    // The policy comes first: newer code may have migrated the database.
    var refusing = older
    refusing.unknownMigrations = .refuse
    let refused = try dbQueue.read { db in try refusing.plan(db) }
    #expect(refused.erasure == nil && refused.refusals.map(\.description).count == 1)
    #expect {
      try refusing.migrate(dbQueue)
    } throws: { error in
      if case MigrationError.superseded(unknown: ["z"]) = error { true } else { false }
    }
    let plan = try dbQueue.read { db in try older.plan(db, upTo: "a") }
    #expect(plan.refusals.isEmpty && plan.entries.map(\.identifier) == ["a"])
    try older.migrate(dbQueue, upTo: "a")
    try dbQueue.read { db throws in #expect(try older.appliedIdentifiers(db) == ["a"]) }
  }

  @Test("migrations that cannot be replayed are reported as a refusal", arguments: TestEngine.allCases)
  func replayFails(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator("a").migrate(dbQueue)
    var failing = DatabaseMigrator()
    failing.eraseDatabaseOnSchemaChange = true
    failing.registerMigration("a") { db in try db.execute(sql: "DROP TABLE missing") }
    let plan = try dbQueue.read { db in try failing.plan(db) }
    guard plan.refusals.count == 1, case .replayFailed = plan.refusals[0] else {
      Issue.record("\(plan.refusals)")
      return
    }
  }

  @Test("a ledger that cannot be read is an error, not a new database", arguments: TestEngine.allCases)
  func unreadableLedger(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE migrator_history (other)") }
    for erases in [false, true] {
      var migrator = migrator("a")
      migrator.eraseDatabaseOnSchemaChange = erases
      let error = #expect(throws: MigrationError.self) { try dbQueue.read { db in try migrator.plan(db) } }
      guard case .ledgerUnreadable? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test("the description names each entry with its reason", arguments: TestEngine.allCases)
  func text(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator("a", "c", "z").migrate(dbQueue)
    let plan = try dbQueue.read { db in try migrator("a", "b", "c", "d").plan(db) }
    #expect(
      plan.description == """
        2 migrations would run; 2 already applied.
          1 of 2  "b": out of order: c, which comes later, is applied
            one transaction; foreign keys checked before the commit
          2 of 2  "d": never applied
            one transaction; foreign keys checked before the commit
        Unknown migrations in the ledger: "z"
        """)
  }
}
