import Migrator
import TestEngines
import Testing

@Suite("Migrations in batches")
struct BatchedMigrationTests {
  private struct Custom: Error {}

  /// Doubles a thousand numbers, a hundred at a time; fails in the batch that begins after `failing`.
  private func migrator(failing: Int64? = nil) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("create") { db in
      try db.execute(
        sql: """
          CREATE TABLE number (id INTEGER PRIMARY KEY, value, doubled);
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
          INSERT INTO number (id, value) SELECT i, i FROM n;
          """)
    }
    migrator.registerBatchedMigration("double") { db, cursor in
      let start = Int64.fromDatabaseValue(cursor) ?? 0
      try db.execute(
        sql: "UPDATE number SET doubled = coalesce(doubled, value) + value WHERE id > ? AND id <= ?",
        arguments: [start, start + 100])
      if start == failing { throw Custom() }
      return start + 100 < 1000 ? .next(from: start + 100, fraction: Double(start + 100) / 1000) : .done
    }
    migrator.registerMigration("after") { db in try db.create(table: "after") { t in t.column("x") } }
    return migrator
  }

  private func wrongNumbers(_ dbQueue: DatabaseQueue, upTo last: Int = 1000) throws -> Int? {
    try dbQueue.read { db in
      try Int.fetchOne(
        db, sql: "SELECT count(*) FROM number WHERE (doubled IS NOT value * 2) = (id <= ?)", arguments: [last])
    }
  }

  @Test(
    "a fraction out of range is clamped, and an invalid one is not reported",
    arguments: TestEngine.allCases)
  func fractions(engine: TestEngine) async throws {
    let given: [Double?] = [.nan, .infinity, -.infinity, -0.5, 1.5, 0.25, nil]
    var migrator = DatabaseMigrator()
    migrator.registerBatchedMigration("m") { _, cursor in
      let index = Int.fromDatabaseValue(cursor) ?? 0
      return index < given.count ? .next(from: index + 1, fraction: given[index]) : .done
    }
    var reported: [Double?] = []
    for try await event in migrator.migrationEvents(try engine.temporaryQueue()) {
      if case .progress(_, let fraction, _) = event { reported.append(fraction) }
    }
    #expect(reported == [nil, 1, 0, 0, 1, 0.25, nil])
  }

  @Test("each batch commits separately, and progress is reported", arguments: TestEngine.allCases)
  func batches(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var fractions: [Double] = []
    try migrator().run(dbQueue) { if case .progress(_, let fraction?, _) = $0 { fractions.append(fraction) } }
    #expect(fractions.map { Int(($0 * 10).rounded()) } == Array(1...9))
    #expect(try wrongNumbers(dbQueue) == 0)
    try dbQueue.read { db throws in
      #expect(try migrator().hasCompletedMigrations(db))
      #expect(try migrator().batchCursor(of: "double", db) == nil)
    }
  }

  @Test("after a failure the next run continues after the last batch", arguments: TestEngine.allCases)
  func resumes(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    let error = #expect(throws: MigrationError.self) { try migrator(failing: 400).migrate(dbQueue) }
    let failure = try #require(error?.failure)
    #expect(failure.undone == .lastBatch && failure.identifier == "double" && failure.appliedBefore == ["create"])
    #expect(try wrongNumbers(dbQueue, upTo: 400) == 0)
    try dbQueue.read { db throws in
      #expect(try migrator().batchCursor(of: "double", db) == .integer(400))
      #expect(try migrator().appliedMigrations(db) == ["create"])
    }
    try migrator().migrate(dbQueue)
    #expect(try wrongNumbers(dbQueue) == 0)
  }

  @Test("two connections share the batches, and none runs twice", arguments: TestEngine.allCases)
  func shared(engine: TestEngine) async throws {
    let backend = try engine.temporaryBackend()
    let final = migrator()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          let dbQueue = try DatabaseQueue(backend)
          try await final.migrate(dbQueue)
          try dbQueue.close()
        }
      }
      try await group.waitForAll()
    }
    #expect(try wrongNumbers(DatabaseQueue(backend)) == 0)
  }

  @Test("a batch's new orphans fail it", arguments: TestEngine.allCases)
  func orphans(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("create") { db in
      try db.execute(
        sql:
          "CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES parent)"
      )
    }
    migrator.registerBatchedMigration("fill") { db, cursor in
      let start = Int64.fromDatabaseValue(cursor) ?? 0
      if start < 3 { try db.execute(sql: "INSERT INTO parent VALUES (?)", arguments: [start]) }
      try db.execute(sql: "INSERT INTO child VALUES (?, ?)", arguments: [start, start])
      return start < 5 ? .next(from: start + 1) : .done
    }
    let dbQueue = try engine.temporaryQueue()
    #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    try dbQueue.read { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM child") == 3)
      #expect(try db.foreignKeyViolations().next() == nil)
    }
  }

  @Test("a canceled run loses no committed batch, and the next one completes", arguments: TestEngine.allCases)
  func cancelled(engine: TestEngine) async throws {
    let dbQueue = try engine.temporaryQueue()
    let events = migrator().migrationEvents(dbQueue)
    var batches = 0
    for try await event in events {
      if case .progress = event { batches += 1 }
      if batches == 3 { break }
    }
    // Releasing the events cancels the run; the next access waits for its end.
    try await dbQueue.write { _ in }
    let wrong = try wrongNumbers(dbQueue)
    #expect((wrong ?? 0) <= 1000)
    try await migrator().migrate(dbQueue)
    #expect(try wrongNumbers(dbQueue) == 0)
  }
}
