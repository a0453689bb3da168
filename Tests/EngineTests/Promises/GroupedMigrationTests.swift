import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("Grouped migrations")
struct GroupedMigrationTests {
  private struct Custom: Error {}

  private func migrator(
    _ migrations: [[String]], commits: DatabaseMigrator.Commits = .grouped, ignoresErrors: Bool = false
  ) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.commits = commits
    for (number, statements) in migrations.enumerated() {
      migrator.registerMigration("m\(number)") { db in
        for sql in statements {
          do { try db.execute(sql: sql) } catch { if !ignoresErrors { throw error } }
        }
      }
    }
    return migrator
  }

  /// Returns the contents of a ledger without times.
  private func history(_ dbQueue: DatabaseQueue) throws -> [String] {
    try dbQueue.read { db in
      try DatabaseMigrator().history(db).map { entry in
        "\(entry.identifier) \(entry.position) \(entry.objects.text) \(entry.fingerprint ?? "")"
      }
    }
  }

  @Test(
    "a migration of a group that reads the ledger finds the entries of earlier ones", arguments: TestEngine.allCases)
  func lookingIntoLedger(engine: TestEngine) throws {
    for query in [
      "SELECT count(*) FROM migrator_history", "SELECT count(*) FROM seen", "SELECT count(identifier) FROM seen",
    ] {
      var grouped = migrator([
        ["CREATE TABLE a (x)"], ["CREATE VIEW seen AS SELECT * FROM migrator_history"], ["CREATE TABLE b (x)"],
      ])
      let before = grouped
      grouped.registerMigration("looks") { db throws in
        try db.execute(sql: "CREATE TABLE c (x)")
        #expect(try Int.fetchOne(db, sql: query) == 3)
        #expect(try before.appliedMigrations(db) == ["m0", "m1", "m2"])
        #expect(try before.history(db).map(\.objects.text) == ["+table a", "+view seen", "+table b"])
      }
      let dbQueue = try engine.inMemoryQueue()
      try grouped.migrate(dbQueue)
      try dbQueue.read { db throws in
        #expect(try grouped.history(db).map(\.objects.text) == ["+table a", "+view seen", "+table b", "+table c"])
      }
    }
  }

  @Test(
    "a statement retained by one migration is inspected in each migration that runs it", arguments: TestEngine.allCases)
  func keptStatements(engine: TestEngine) throws {
    // Unchecked: the migrations run one after the other, in one access.
    struct Kept: @unchecked Sendable {
      var count: Statement?
      var commit: Statement?
    }
    let kept = Lock(Kept())
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db throws in
      let commit = try db.makeStatement(sql: "COMMIT")
      kept.withLock { $0.commit = commit }
    }
    var migrator = migrator([["CREATE TABLE a (x)"]])
    migrator.registerMigration("keeps") { db in
      let count = try db.makeStatement(sql: "SELECT count(*) FROM migrator_history")
      kept.withLock { $0.count = count }
    }
    migrator.registerMigration("creates") { db in try db.execute(sql: "CREATE TABLE b (x)") }
    migrator.registerMigration("looks") { db in
      let count = try #require(kept.withLock { $0.count })
      #expect(try Row.fetchCursor(count).next()?[0] == 3)
    }
    migrator.registerMigration("commits") { db in
      let commit = try #require(kept.withLock { $0.commit })
      let error = #expect(throws: MigrationError.self) { try commit.execute() }
      guard case .refusedStatement(sql: "COMMIT", _) = error else { throw Custom() }
    }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try migrator.hasCompletedMigrations(db)) }
    kept.withLock { $0 = Kept() }
  }

  @Test(
    "undoing changes of a later migration, by failing or by its own savepoint, keeps earlier entries",
    arguments: TestEngine.allCases, [true, false])
  func undone(engine: TestEngine, fails: Bool) throws {
    var grouped = migrator([["CREATE TABLE a (x)"], ["CREATE TABLE b (x)"]])
    grouped.registerMigration("undoes") { db in
      try db.inSavepoint {
        // More than creating objects, so that the entries of earlier migrations are written here.
        try db.execute(sql: "INSERT INTO a VALUES (1)")
        return .rollback
      }
      if fails { throw Custom() }
    }
    let dbQueue = try engine.inMemoryQueue()
    if fails {
      #expect(throws: MigrationError.self) { try grouped.migrate(dbQueue) }
    } else {
      try grouped.migrate(dbQueue)
    }
    try dbQueue.read { db throws in
      #expect(try grouped.appliedMigrations(db) == ["m0", "m1"] + (fails ? [] : ["undoes"]))
      #expect(try grouped.history(db).prefix(2).map(\.objects.text) == ["+table a", "+table b"])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM a") == 0)
    }
    // The next run continues from the ledger's contents.
    try migrator([["CREATE TABLE a (x)"], ["CREATE TABLE b (x)"], ["CREATE TABLE c (x)"]]).migrate(dbQueue)
    let single = try engine.inMemoryQueue()
    try migrator([["CREATE TABLE a (x)"], ["CREATE TABLE b (x)"]], commits: .eachMigration).migrate(single)
    #expect(try history(dbQueue).prefix(2) == history(single)[...])
  }

  @Test("a migration that replaces others of the same run inherits their objects", arguments: TestEngine.allCases)
  func merged(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try migrator([["CREATE TABLE a (x)"], ["CREATE TABLE b (x)"]]).migrate(dbQueue)
    var merging = DatabaseMigrator()
    merging.commits = .grouped
    merging.registerMigration("new") { db in try db.execute(sql: "CREATE TABLE c (x)") }
    merging.registerMigration("all", merging: ["m0", "m1"]) { db, applied throws in
      #expect(applied == ["m0", "m1"])
      try db.execute(sql: "CREATE TABLE d (x)")
    }
    let before = merging
    merging.registerMigration("looks") { db throws in
      #expect(try before.appliedMigrations(db) == ["new", "all"])
    }
    try merging.migrate(dbQueue)
    try dbQueue.read { db throws in
      let objects = try before.history(db).map(\.objects.text)
      #expect(objects == ["+table c", "+table a\n+table b\n+table d\n=migration m0\n=migration m1", ""])
    }
  }

  @Test("a canceled task keeps the completed migrations of its group", arguments: TestEngine.allCases)
  func cancelled(engine: TestEngine) async throws {
    var grouped = migrator([["CREATE TABLE a (x)"], ["CREATE TABLE b (x)"]])
    let cancellation = CancelledMigration()
    grouped.registerMigration("long") { db in
      cancellation.wait()
      try db.execute(sql: "CREATE TABLE c (x)")
    }
    let dbQueue = try engine.inMemoryQueue()
    await cancellation.migrate(grouped, dbQueue)
    let migrator = grouped
    try await dbQueue.read { db throws in
      #expect(try migrator.history(db).map(\.objects.text) == ["+table a", "+table b"])
      #expect(try db.schema().object(.table, named: "c") == nil)
    }
    try await grouped.migrate(dbQueue)
    try await dbQueue.read { db throws in #expect(try migrator.hasCompletedMigrations(db)) }
  }

  @Test("an existing object with a migration's name does not count as the migration's", arguments: TestEngine.allCases)
  func foreignObjects(engine: TestEngine) throws {
    let migrations = [["CREATE TABLE IF NOT EXISTS a (x)"], ["CREATE TABLE b (x)"], ["no SQL"]]
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE a (x)") }
    #expect(throws: MigrationError.self) { try migrator(migrations).migrate(dbQueue) }
    try dbQueue.read { db throws in
      #expect(try DatabaseMigrator().history(db).map(\.objects.text) == ["", "+table b"])
    }
  }

  @Test(
    "a foreign key without a unique key makes the migration fail that leaves rows with it",
    arguments: TestEngine.allCases)
  func mismatch(engine: TestEngine) throws {
    let child = "CREATE TABLE child (x REFERENCES parent (x))"
    let row = "INSERT INTO child VALUES (1)"
    for migrations in [
      [["CREATE TABLE parent (x)"], [child, row], ["CREATE TABLE c (x)"]],
      [[child + "; " + row + "; DELETE FROM child"], ["CREATE TABLE parent (x)", row], ["CREATE TABLE c (x)"]],
      [["CREATE TABLE parent (x); " + child], [row], ["CREATE TABLE c (x)"]],
    ] {
      let dbQueue = try engine.inMemoryQueue()
      #expect(throws: MigrationError.self) { try migrator(migrations).migrate(dbQueue) }
      try dbQueue.read { db throws in #expect(try DatabaseMigrator().history(db).map(\.identifier) == ["m0"]) }
    }
  }

  @Test(
    "an object counts as that of the migration that has created it, not of an earlier one that names it, too",
    arguments: TestEngine.allCases, [true, false])
  func named(engine: TestEngine, isPrepared: Bool) throws {
    // SQLite 3.15 does not undo the statement that fails.
    if engine == .sqlCipher3, !isPrepared { return }
    var migrator = DatabaseMigrator()
    migrator.commits = .grouped
    migrator.registerMigration("names") { db in
      guard isPrepared else {
        // The absolute value of the smallest integer is no integer.
        #expect(throws: DatabaseError.self) { try db.execute(sql: "CREATE INDEX late ON old (abs(x))") }
        return
      }
      _ = try db.makeStatement(sql: "CREATE INDEX late ON old (x)")
    }
    migrator.registerMigration("creates") { db in try db.execute(sql: "CREATE INDEX late ON old (x)") }
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE old (x); INSERT INTO old VALUES (-9223372036854775807 - 1)")
    }
    try migrator.migrate(dbQueue)
    try dbQueue.read { [migrator] db throws in
      #expect(try migrator.history(db).map(\.objects.text) == ["", "+index late"])
    }
  }

  @Test("the warning of rows without a parent names the migration that touches them", arguments: TestEngine.allCases)
  func touched(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF; CREATE TABLE parent (x UNIQUE); CREATE TABLE child (x REFERENCES parent (x));
          INSERT INTO child VALUES (1); PRAGMA foreign_keys = ON
          """)
    }
    let group = migrator([
      ["CREATE TABLE a (x)"], ["CREATE INDEX i ON child (x)"], ["CREATE TABLE b (x)"], ["INSERT INTO a VALUES (1)"],
    ])
    var warnings: [MigrationWarning] = []
    try group.run(dbQueue) { event in if case .warning(let warning) = event { warnings.append(warning) } }
    #expect(warnings == [.oldForeignKeyViolations(identifier: "m1", count: 1)])
  }

  @Test(
    "if neither a failed migration nor its transaction can be rolled back, nothing is committed",
    arguments: TestEngine.allCases)
  func abandoned(engine: TestEngine) throws {
    /// Makes every rollback fail.
    final class NoRollback: CallInterceptor {
      func note(_ call: BorderCall) {}
      func admit(_ call: BorderCall) throws(DatabaseError) {
        switch call {
        case .rollback, .rollbackSavepoint: throw DatabaseError(.inputOutput, engine: "test", message: "no rollback")
        default: break
        }
      }
    }
    let backend = engine.backend(path: try engine.temporaryPath(), key: .rawWithSalt)
    var group = migrator([["CREATE TABLE a (x)"], ["INSERT INTO a VALUES (1)"]])
    group.registerMigration("fails") { _ in throw Custom() }
    do {
      let dbQueue = try DatabaseQueue(InterceptedBackend(backend, interceptor: NoRollback()))
      let error = #expect(throws: MigrationError.self) { try group.migrate(dbQueue) }
      guard case .failed(let failure) = error, failure.underlying is Custom else { throw error ?? Custom() }
    }
    try DatabaseQueue(backend).read { db throws in #expect(try db.schema().objects.isEmpty) }
  }

  @Test(
    "random groups have the same result as separate migrations, whether or not what they create is read at once",
    arguments: TestEngine.allCases, [true, false])
  func random(engine: TestEngine, isBorrowed: Bool) throws {
    var random = SeededGenerator.announced("groups \(engine) \(isBorrowed)")
    for round in 0..<TestTier.pick(15, full: 60) {
      let group = RandomGroup(number: round, &random)
      // A migration that begins with a query reads at once what it creates.
      let grouped = try group.outcome(engine, isBorrowed: isBorrowed, .grouped)
      let readAtOnce = try group.outcome(engine, isBorrowed: isBorrowed, .grouped, query: "SELECT 1")
      let isSame = grouped == readAtOnce
      #expect(isSame, "round \(round): \(group)\n\(grouped)\n\(readAtOnce)")
      guard isSame, !group.leavesViolations else { continue }
      let separate = try group.outcome(engine, isBorrowed: isBorrowed, .eachMigration)
      #expect(grouped == separate, "round \(round): \(group)\n\(grouped)\n\(separate)")
    }
  }

  @Test(
    "whichever call fails, a group leaves complete migrations with their entries, and the next run completes it",
    arguments: TestEngine.allCases, [false, true])
  func anyFailure(engine: TestEngine, ignoresErrors: Bool) throws {
    let migrations = [
      ["CREATE TABLE a (x)"], ["CREATE TABLE b (x)"], ["INSERT INTO a VALUES (1)", "CREATE TABLE c (x)"],
      ["CREATE TABLE d (x)"], ["CREATE INDEX i ON d (x)"],
    ]
    let names = ["a", "b", "c", "d", "i"]
    // The everyday run lets each call fail on one of the engines.
    let offset = TestEngine.allCases.firstIndex(of: engine) ?? 0
    for number in stride(
      from: TestTier.pick(1 + offset, full: 1), through: 1000, by: TestTier.pick(TestEngine.allCases.count, full: 1))
    {
      let backend = engine.backend(path: try engine.temporaryPath(), key: .rawWithSalt)
      let error = DatabaseError(.inputOutput, engine: "test", message: "a failure on purpose")
      let failing = FailingBackend(backend, failingCall: number, .once, with: error)
      // Success or failure does not matter, only the resulting database and the reported migrations.
      var reported: [String]?
      var succeeded = false
      do {
        try migrator(migrations, ignoresErrors: ignoresErrors).migrate(DatabaseQueue(failing))
        succeeded = true
      } catch MigrationError.failed(let failure) {
        reported = failure.appliedBefore
      } catch {}
      let dbQueue = try DatabaseQueue(backend)
      try dbQueue.read { db throws in
        let entries = try DatabaseMigrator().history(db)
        let there = try db.schema().objects.map(\.name).filter { $0 != "migrator_history" }
        if !ignoresErrors {
          #expect(there == Array(names.prefix(entries.count)), "call \(number): \(failing.failedCall as Any)")
        }
        let made = entries.flatMap { $0.objects.made.map(\.name) }
        #expect(made == there, "call \(number): \(failing.failedCall as Any)")
        #expect(
          reported == nil || reported == entries.map(\.identifier), "call \(number): \(failing.failedCall as Any)")
      }
      guard failing.failedCall != nil else {
        #expect(succeeded && number > 20)
        return
      }
      try migrator(migrations, ignoresErrors: ignoresErrors).migrate(dbQueue)
      try dbQueue.read { db throws in #expect(try DatabaseMigrator().history(db).count == names.count) }
    }
    Issue.record("a run makes more than 1000 calls")
  }

  @Test("with all or nothing, a failure leaves no migration applied", arguments: TestEngine.allCases)
  func allOrNothing(engine: TestEngine) throws {
    let steps = [
      ["CREATE TABLE a (x)"], ["CREATE TABLE b (x)"], ["CREATE TABLE c (x)", "INSERT INTO nowhere VALUES (1)"],
    ]
    let dbQueue = try engine.inMemoryQueue()
    #expect(throws: MigrationError.self) { try migrator(steps, commits: .allOrNothing).migrate(dbQueue) }
    try dbQueue.read { db throws in #expect(try db.schema().objects.isEmpty) }
    try migrator(Array(steps.prefix(2)), commits: .allOrNothing).migrate(dbQueue)
    #expect(try history(dbQueue).count == 2)
    #expect(throws: MigrationError.self) { try migrator(steps, commits: .allOrNothing).migrate(dbQueue) }
    #expect(try history(dbQueue).count == 2)
  }

  @Test(
    "with all or nothing, a migration that needs another transaction is refused by the plan and by the run",
    arguments: TestEngine.allCases, ["unwrapped", "immediate"])
  func separateTransaction(engine: TestEngine, kind: String) throws {
    var migrator = migrator([["CREATE TABLE a (x)"]], commits: .allOrNothing)
    if kind == "unwrapped" {
      migrator.registerUnwrappedMigration("other") { db in try db.execute(sql: "CREATE TABLE b (x)") }
    } else {
      migrator.registerMigration("other", foreignKeyChecks: .immediate) { db in
        try db.execute(sql: "CREATE TABLE b (x)")
      }
    }
    let dbQueue = try engine.inMemoryQueue()
    let refusals = try dbQueue.read { db in try migrator.plan(db).refusals }
    guard refusals.count == 1, case .separateTransaction("other") = refusals[0] else {
      Issue.record("\(refusals)")
      return
    }
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    guard case .separateTransaction("other") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try dbQueue.read { db throws in #expect(try db.schema().objects.isEmpty) }
    try migrator.migrate(dbQueue, upTo: "m0")
  }
}
