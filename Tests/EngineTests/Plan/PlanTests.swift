import Migrator
import TestEngines
import Testing

@Suite("A plan reports what would run and why")
struct PlanTests {
  private func migrator(_ names: String...) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for name in names { migrator.registerMigration(name) { db in try db.create(table: name) { t in t.column("x") } } }
    return migrator
  }

  private func plan(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue, upTo target: String? = nil) throws
    -> MigrationPlan
  {
    try dbQueue.read { db in try migrator.plan(db, upTo: target) }
  }

  @Test("in a new database all migrations are pending, in order", arguments: TestEngine.allCases)
  func newDatabase(engine: TestEngine) throws {
    let plan = try plan(migrator("a", "b"), engine.temporaryQueue())
    #expect(plan.entries.map(\.identifier) == ["a", "b"] && plan.entries.map(\.index) == [1, 2])
    #expect(plan.entries.allSatisfy { $0.reasons == [.neverApplied] && $0.commits == .once })
    #expect(plan.entries.map(\.group) == [1, 2] && plan.groupCount == 2)
    #expect(plan.refusals.isEmpty && plan.erasure == nil && plan.unknown.isEmpty && !plan.isWithoutEffect)
  }

  @Test("a run does what the plan says", arguments: TestEngine.allCases, [nil, "c"])
  func asTheRun(engine: TestEngine, target: String?) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator("a", "d").migrate(dbQueue, upTo: "a")
    let newer = migrator("a", "b", "c", "d")
    let planned = try plan(newer, dbQueue, upTo: target)
    var ran: [String] = []
    try newer.run(dbQueue, upTo: target) { if case .committed(let name, _, _, _) = $0 { ran.append(name) } }
    #expect(planned.entries.map(\.identifier) == ran && planned.applied == ["a"])
    let after = try plan(newer, dbQueue, upTo: target)
    #expect(after.entries.isEmpty && after.isWithoutEffect && after.applied == ["a"] + ran)
  }

  @Test("a migration that was inserted before applied ones is reported as out of order", arguments: TestEngine.allCases)
  func outOfOrder(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator("a", "c", "d").migrate(dbQueue)
    let plan = try plan(migrator("a", "b", "c", "d", "e"), dbQueue)
    #expect(plan.entries.map(\.identifier) == ["b", "e"])
    #expect(plan.entries.map(\.reasons) == [[.outOfOrder(before: ["c", "d"])], [.neverApplied]])
  }

  @Test("a migration that replaces others reports which of them are applied", arguments: TestEngine.allCases)
  func merging(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator("a", "b").migrate(dbQueue)
    var merged = DatabaseMigrator()
    merged.registerMigration("abc", merging: ["a", "b", "c"]) { _, _ in }
    let found = try plan(merged, dbQueue)
    #expect(found.entries.map(\.reasons) == [[.replaces(applied: ["a", "b"])]] && found.unknown.isEmpty)
    #expect(try plan(merged, engine.temporaryQueue()).entries.map(\.reasons) == [[.neverApplied]])
  }

  @Test("the commits and foreign key checks of migrations are reported", arguments: TestEngine.allCases)
  func modes(engine: TestEngine) throws {
    var migrator = migrator("deferred")
    migrator.registerMigration("immediate", foreignKeyChecks: .immediate) { _ in }
    migrator.registerUnwrappedMigration("unwrapped") { _ in }
    migrator.registerBatchedMigration("batched") { _, _ in .done }
    migrator = migrator.disablingDeferredForeignKeyChecks()
    migrator.registerMigration("unchecked") { _ in }
    let dbQueue = try engine.temporaryQueue()
    let entries = try plan(migrator, dbQueue).entries
    #expect(entries.map(\.foreignKeyChecks) == [.deferred, .immediate, .immediate, .deferred, .none])
    #expect(entries.map(\.commits) == [.once, .once, .byItself, .eachBatch, .once])
    migrator.foreignKeyScope = .database
    #expect(try plan(migrator, dbQueue).entries[0].foreignKeyChecks == .deferredInWholeDatabase)
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let unenforced = try plan(migrator, engine.temporaryQueue(configuration)).entries
    #expect(unenforced.allSatisfy { $0.foreignKeyChecks == .notEnforced })
  }

  @Test("migrations that share a commit have the same group", arguments: TestEngine.allCases)
  func groups(engine: TestEngine) throws {
    var migrator = migrator("a", "b")
    migrator.commits = .grouped
    migrator.registerMigration("immediate", foreignKeyChecks: .immediate) { _ in }
    migrator.registerUnwrappedMigration("unwrapped") { _ in }
    migrator.registerMigration("c") { _ in }
    migrator.registerMigration("d") { _ in }
    let plan = try plan(migrator, engine.temporaryQueue())
    #expect(plan.entries.map(\.group) == [1, 1, 2, 3, 4, 4])
  }

  @Test("a batched migration that is half done is reported as unfinished", arguments: TestEngine.allCases)
  func unfinished(engine: TestEngine) throws {
    struct Stop: Error {}
    let dbQueue = try engine.temporaryQueue()
    var migrator = DatabaseMigrator()
    migrator.registerBatchedMigration("batched") { _, cursor in
      if cursor.isNull { return .next(from: 1) }
      throw Stop()
    }
    #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    #expect(try plan(migrator, dbQueue).entries.map(\.reasons) == [[.unfinished]])
  }

  @Test("unknown migrations are listed, merged ones are not among them", arguments: TestEngine.allCases)
  func unknown(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator("a", "z", "y").migrate(dbQueue)
    #expect(try plan(migrator("a", "b"), dbQueue).unknown == ["y", "z"])
  }

  @Test("an adopted history counts before it is in the ledger", arguments: TestEngine.allCases)
  func adopted(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT); INSERT INTO grdb_migrations VALUES ('a')")
    }
    var migrator = migrator("a", "b")
    migrator.adopt(.grdb)
    let found = try plan(migrator, dbQueue)
    #expect(found.applied == ["a"] && found.entries.map(\.identifier) == ["b"] && found.adopted == ["a"])
    let adopting = try plan(migrator, dbQueue, upTo: "a")
    #expect(adopting.entries.isEmpty && !adopting.isWithoutEffect)
    try dbQueue.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('x')") }
    let refused = try plan(migrator, dbQueue)
    guard refused.refusals.count == 1, case .adoptionRefused = refused.refusals[0] else {
      Issue.record("\(refused.refusals)")
      return
    }
  }

  @Test("a plan with ten thousand migrations is made quickly", arguments: [TestEngine.sqlite])
  func many(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    for number in 0..<10_000 { migrator.registerMigration("m\(number)") { _ in } }
    let start = ContinuousClock.now
    #expect(try plan(migrator, engine.inMemoryQueue()).entries.count == 10_000)
    #expect(ContinuousClock.now - start < .seconds(10))
  }
}
