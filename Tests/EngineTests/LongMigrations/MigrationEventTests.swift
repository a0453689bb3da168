import Migrator
import TestEngines
import Testing

@Suite("Events and cancellation")
struct MigrationEventTests {
  @Test("the events report each step in order", arguments: TestEngine.allCases)
  func order(engine: TestEngine) async throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.create(table: "a") { t in t.column("x") } }
    migrator.registerMigration("b", foreignKeyChecks: .immediate) { db in
      try db.create(table: "b") { t in t.column("x") }
    }
    let dbQueue = try engine.temporaryQueue()
    var steps: [String] = []
    for try await event in migrator.migrationEvents(dbQueue) {
      switch event {
      case .planned(let names): steps.append("planned \(names)")
      case .started(let name, let index, let count): steps.append("started \(name) \(index)/\(count)")
      case .checkedForeignKeys(let name, _): steps.append("checked \(name)")
      case .committed(let name, _, _, let duration):
        steps.append("committed \(name)")
        #expect(duration > .zero)
      case .finished(let applied, _): steps.append("finished \(applied)")
      default: steps.append("\(event)")
      }
    }
    #expect(
      steps == [
        "planned [\"a\", \"b\"]", "started a 1/2", "checked a", "committed a", "started b 2/2", "committed b",
        "finished [\"a\", \"b\"]",
      ])
  }

  @Test(
    "nothing runs before the events are read, and nothing ever does if they are not", arguments: TestEngine.allCases)
  func laziness(engine: TestEngine) async throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    let dbQueue = try engine.temporaryQueue()
    _ = migrator.migrationEvents(dbQueue)
    let events = migrator.migrationEvents(dbQueue)
    // This would wait for a run that had begun, since accesses take turns.
    for _ in 1...20 {
      await Task.yield()
      #expect(try await dbQueue.read { db in try !db.tableExists("a") })
    }
    for try await _ in events {}
    #expect(try await dbQueue.read { db in try db.tableExists("a") })
  }

  @Test("a long migration reports its progress, at most ten times a second", arguments: TestEngine.allCases)
  func progress(engine: TestEngine) async throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("quick") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    migrator.registerMigration("long") { db in
      let clock = ContinuousClock()
      let end = clock.now + .milliseconds(400)
      let statement = try db.makeStatement(sql: "INSERT INTO a VALUES (?)")
      while clock.now < end { for number in 1...100 { try statement.execute(values: number) } }
      try db.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
          INSERT INTO a SELECT i FROM n
          """)
    }
    let dbQueue = try engine.temporaryQueue()
    var reports: [(elapsed: Duration, statements: Int, rows: Int)] = []
    for try await event in migrator.migrationEvents(dbQueue) {
      guard case .running(let identifier, let elapsed, let statements, let rows) = event else { continue }
      #expect(identifier == "long")
      reports.append((elapsed, statements, rows))
    }
    #expect(reports.count >= 2)
    #expect(reports.allSatisfy { $0.rows > 0 && $0.rows <= $0.statements })
    #expect(zip(reports, reports.dropFirst()).allSatisfy { $1.elapsed - $0.elapsed >= .milliseconds(100) })
    #expect(zip(reports, reports.dropFirst()).allSatisfy { $1.statements >= $0.statements && $1.rows >= $0.rows })
  }

  @Test("a failure ends the events with its error", arguments: TestEngine.allCases)
  func failure(engine: TestEngine) async throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: "no SQL") }
    let dbQueue = try engine.temporaryQueue()
    await #expect(throws: MigrationError.self) { for try await _ in migrator.migrationEvents(dbQueue) {} }
  }

  @Test(
    "after a cancellation at a random moment, the database is at a migration boundary and the next run completes",
    arguments: TestEngine.allCases)
  func randomCancellation(engine: TestEngine) async throws {
    var random = SeededGenerator.announced("cancellation \(engine)")
    let (count, rows) = (12, 40)
    let migrator = NumberedMigrations.migrator(count: count, rows: rows)
    var cancellations = 0
    for _ in 0..<TestTier.pick(15, full: 100, soak: 200) {
      let dbQueue = try DatabaseQueue(engine.inMemoryBackend)
      let task = Task { try await migrator.migrate(dbQueue) }
      try await Task.sleep(for: .microseconds(Int.random(in: 0...12_000, using: &random)))
      task.cancel()
      do {
        try await task.value
      } catch is CancellationError {
        cancellations += 1
      }
      try await dbQueue.write { db throws in
        #expect(try NumberedMigrations.defect(in: db, count: count, rows: rows) == nil)
        #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
      }
      try await migrator.migrate(dbQueue)
      try await dbQueue.read { db throws in #expect(try migrator.hasCompletedMigrations(db)) }
      try dbQueue.close()
    }
    #expect(cancellations > TestTier.pick(3, full: 10, soak: 20), "too few runs were canceled to prove anything")
  }
}
