import Migrator
import TestEngines
import Testing

@Suite("A rehearsal reports its progress")
struct RehearsalEventTests {
  /// Returns a database with many rows, including those of a full-text index, and a migration that takes a while.
  private func rehearsal(
    _ engine: TestEngine, _ copy: RehearsalCopy, rowCount: Int, takes time: Duration
  ) throws -> (events: [MigrationEvent], duration: Duration) {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE many (id INTEGER PRIMARY KEY AUTOINCREMENT, a, b, c);
          CREATE TABLE few (a);
          CREATE VIRTUAL TABLE words USING fts4 (body);
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rowCount))
            INSERT INTO many (a, b, c) SELECT i, 'row', i * 0.5 FROM n;
          INSERT INTO few VALUES (1), (2);
          INSERT INTO words VALUES ('one'), ('two');
          """)
    }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("long") { db in
      let clock = ContinuousClock()
      let end = clock.now + time
      while clock.now < end { try db.execute(sql: "UPDATE few SET a = (SELECT max(b) FROM many WHERE id < 10000)") }
    }
    migrator.registerMigration("last") { db in try db.execute(sql: "CREATE TABLE last (a)") }
    var events: [MigrationEvent] = []
    let start = ContinuousClock.now
    let rehearsal = try dbQueue.read { db in
      try migrator.rehearse(db, copying: copy) { events.append($0) }
    }
    #expect(rehearsal.failure == nil && rehearsal.applied == ["long", "last"])
    return (events, .now - start)
  }

  @Test(
    "first for the copied rows, then for the migrations, at most ten times a second",
    arguments: TestEngine.allCases)
  func order(engine: TestEngine) throws {
    // Enough rows that no machine copies them within a tenth of a second.
    let rowCount = TestTier.pick(80_000, full: 300_000)
    let (events, duration) = try rehearsal(engine, .allRows, rowCount: rowCount, takes: .milliseconds(300))
    var copied: [Int] = []
    var steps: [String] = []
    var runningCount = 0
    for event in events {
      switch event {
      case .copying(let count, let total, let elapsed):
        #expect(steps.isEmpty && elapsed < duration)
        // The rows of the full-text index's shadow tables are copied, too.
        #expect((rowCount + 4..<rowCount + 20).contains(total))
        copied.append(count)
        #expect(count <= total)
      case .planned(let names): steps.append("planned \(names)")
      case .started(let name, let index, let count): steps.append("started \(name) \(index)/\(count)")
      case .running(let name, _, _, _):
        #expect(name == "long")
        runningCount += 1
      case .committed(let name, _, _, _): steps.append("committed \(name)")
      default: break
      }
    }
    #expect(!copied.isEmpty && copied == copied.sorted() && Set(copied).count == copied.count)
    #expect(runningCount > 0 && copied.count + runningCount <= Int(duration / .milliseconds(100)) + 1)
    #expect(
      steps == [
        "planned [\"long\", \"last\"]", "started long 1/2", "committed long", "started last 2/2", "committed last",
      ])
  }

  @Test("nothing is reported about rows that are not copied", arguments: TestEngine.allCases)
  func schemaOnly(engine: TestEngine) throws {
    for copy in [RehearsalCopy.schemaOnly, .rows(limitPerTable: 5)] {
      let (events, _) = try rehearsal(engine, copy, rowCount: 1000, takes: .milliseconds(120))
      let isCopying = events.contains { event in
        if case .copying = event { true } else { false }
      }
      #expect(!isCopying)
    }
  }

  @Test("a rehearsal that is interrupted while it copies fails as interrupted", arguments: TestEngine.allCases)
  func interrupted(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE many (a);
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
            INSERT INTO many SELECT i FROM n;
          """)
    }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("never") { _ in Issue.record("the copy was not made") }
    do {
      _ = try dbQueue.read { [migrator] db in
        try migrator.rehearse(db, copying: .allRows) { _ in dbQueue.interrupt() }
      }
      Issue.record("the copy was made")
    } catch let error as DatabaseError {
      #expect(error.condition == .interrupted)
    }
  }
}
