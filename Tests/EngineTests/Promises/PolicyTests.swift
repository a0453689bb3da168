import Foundation
import Migrator
import TestEngines
import Testing

@Suite("Policies")
struct PolicyTests {
  private struct Custom: Error {}

  private func migrator(_ names: [String], failing: String? = nil) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for name in names {
      migrator.registerMigration(name) { db in
        try db.create(table: name) { t in t.column("x") }
        if name == failing { throw Custom() }
      }
    }
    return migrator
  }

  @Test("unknown migrations are refused if the policy says so, and nothing is changed", arguments: TestEngine.allCases)
  func unknownMigrations(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator(["a", "b", "z"]).migrate(dbQueue)
    var older = migrator(["a", "c"])
    older.unknownMigrations = .refuse
    #expect {
      try older.migrate(dbQueue)
    } throws: { error in
      if case MigrationError.superseded(unknown: ["b", "z"]) = error { true } else { false }
    }
    try dbQueue.read { db throws in #expect(try db.tableExists("c") == false) }
    older.unknownMigrations = .allow
    try older.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try db.tableExists("c")) }
  }

  @Test(
    "a second migrator, with a separate or a shared ledger: each runs its own migrations, and nothing is erased",
    arguments: TestEngine.allCases)
  func secondMigrator(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator(["a"]).migrate(dbQueue)
    var own = DatabaseMigrator(ledgerTable: "library_history")
    own.unknownMigrations = .refuse
    own.eraseDatabaseOnSchemaChange = true
    own.registerMigration("library") { db in try db.execute(sql: "CREATE TABLE library (x)") }
    for _ in 1...2 { try own.migrate(dbQueue) }
    var sharing = migrator(["x", "y"])
    try sharing.migrate(dbQueue)
    try migrator(["a"]).migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try sharing.hasBeenSuperseded(db) && !own.hasBeenSuperseded(db))
      #expect(try sharing.appliedIdentifiers(db) == ["a", "x", "y"])
      #expect(try db.tableExists("library"))
    }
    sharing.unknownMigrations = .refuse
    #expect(throws: MigrationError.self) { try sharing.migrate(dbQueue) }
  }

  @Test("a gap in the order is refused if the policy says so, and named", arguments: TestEngine.allCases)
  func outOfOrder(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator(["a", "c"]).migrate(dbQueue)
    var newer = migrator(["a", "b", "c", "d"])
    newer.outOfOrder = .refuse
    #expect {
      try newer.migrate(dbQueue)
    } throws: { error in
      if case MigrationError.outOfOrder(pending: "b", applied: "c") = error { true } else { false }
    }
    try dbQueue.read { db throws in #expect(try db.tableExists("d") == false) }
    newer.outOfOrder = .allow
    try newer.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try newer.hasCompletedMigrations(db)) }
  }

  @Test(
    "when a grouped migration fails, earlier ones are committed and later ones do not run",
    arguments: TestEngine.allCases)
  func groupedFailure(engine: TestEngine) throws {
    var grouped = migrator(["a", "b", "c", "d"], failing: "c")
    grouped.commits = .grouped
    let dbQueue = try engine.temporaryQueue()
    var committed: [String] = []
    let error = #expect(throws: MigrationError.self) {
      try grouped.run(dbQueue) { if case .committed(let name, _, _, _) = $0 { committed.append(name) } }
    }
    let failure = try #require(error?.failure)
    #expect(failure.identifier == "c" && failure.appliedBefore == ["a", "b"] && committed == ["a", "b"])
    try dbQueue.read { db throws in
      #expect(try grouped.appliedMigrations(db) == ["a", "b"])
      #expect(
        try db.schema().objects.filter { $0.kind == .table }.map(\.name).sorted() == ["a", "b", "migrator_history"])
    }
  }

  @Test("when the engine itself rolls back a group, none of it is reported as applied", arguments: TestEngine.allCases)
  func groupedEngineRollback(engine: TestEngine) throws {
    var grouped = migrator(["a", "b"])
    grouped.commits = .grouped
    grouped.registerMigration("c") { db in
      try db.execute(
        sql: "CREATE TABLE c (x UNIQUE ON CONFLICT ROLLBACK); INSERT INTO c VALUES (1); INSERT INTO c VALUES (1)")
    }
    let dbQueue = try engine.temporaryQueue()
    let error = #expect(throws: MigrationError.self) { try grouped.migrate(dbQueue) }
    let failure = try #require(error?.failure)
    #expect(failure.identifier == "c" && failure.appliedBefore.isEmpty)
    try dbQueue.read { db throws in #expect(try db.schema().objects.isEmpty) }
  }

  @Test("a grouped migration cannot release the run's savepoint", arguments: TestEngine.allCases)
  func savepointsOfMigrations(engine: TestEngine) throws {
    var grouped = migrator(["a"])
    grouped.commits = .grouped
    grouped.registerMigration("b") { db in
      try db.execute(sql: "CREATE TABLE b (x); ROLLBACK TO migrator_migration; RELEASE migrator_migration")
    }
    let dbQueue = try engine.temporaryQueue()
    #expect(throws: MigrationError.self) { try grouped.migrate(dbQueue) }
    try dbQueue.read { db throws in
      #expect(try grouped.appliedMigrations(db) == ["a"])
      #expect(try db.tableExists("b") == false)
    }
  }

  @Test("a commit that readers prevent is reported as undone, and is", arguments: TestEngine.allCases)
  func blockedCommit(engine: TestEngine) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(.milliseconds(50))
    let backend = try engine.temporaryBackend()
    let dbQueue = try DatabaseQueue(backend, configuration: configuration)
    try migrator(["a"]).migrate(dbQueue)
    var migrator = migrator(["a", "b"])
    migrator.lockTimeout = .zero
    let reader = try DatabaseQueue(backend)
    try reader.read { db in
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM a")
      let error = #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
      let failure = try #require(error?.failure)
      #expect((failure.underlying as? DatabaseError)?.condition == .busy)
      #expect(failure.appliedBefore.isEmpty)
    }
    try dbQueue.read { db throws in #expect(try migrator.appliedMigrations(db) == ["a"]) }
    try migrator.migrate(dbQueue)
  }

  @Test("a commit waits for readers even if the migration took longer than the timeout", arguments: TestEngine.allCases)
  func lateCommit(engine: TestEngine) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(.milliseconds(1))
    let backend = try engine.temporaryBackend()
    let dbQueue = try DatabaseQueue(backend, configuration: configuration)
    try migrator(["a"]).migrate(dbQueue)
    let reader = try DatabaseQueue(backend)
    let (isReading, isWorking) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Thread {
      try? reader.read { db in
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM a")
        isReading.signal()
        isWorking.wait()
        Thread.sleep(forTimeInterval: 0.3)
      }
    }
    thread.start()
    isReading.wait()
    var migrator = migrator(["a"])
    migrator.lockTimeout = .seconds(1)
    migrator.registerMigration("b") { db in
      try db.execute(sql: "CREATE TABLE b (x)")
      Thread.sleep(forTimeInterval: 1.1)
      isWorking.signal()
    }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try migrator.appliedMigrations(db) == ["a", "b"]) }
  }

  @Test("each batch waits for other writers as long as the first", arguments: TestEngine.allCases)
  func lateBatch(engine: TestEngine) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(.milliseconds(1))
    let backend = try engine.temporaryBackend()
    let dbQueue = try DatabaseQueue(backend, configuration: configuration)
    try migrator(["a"]).migrate(dbQueue)
    let other = try DatabaseQueue(backend)
    let (isWriting, mayBegin) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Thread {
      mayBegin.wait()
      try? other.write { db in
        try db.execute(sql: "CREATE TABLE other (x)")
        isWriting.signal()
        Thread.sleep(forTimeInterval: 0.3)
      }
    }
    thread.start()
    var migrator = migrator(["a"])
    migrator.lockTimeout = .seconds(1)
    migrator.registerBatchedMigration("b") { db, cursor in
      guard cursor.isNull else { return .done }
      Thread.sleep(forTimeInterval: 1.1)
      return .next(from: 1)
    }
    try migrator.run(dbQueue) { event in
      guard case .progress = event else { return }
      mayBegin.signal()
      isWriting.wait()
    }
    try dbQueue.read { db throws in #expect(try migrator.appliedMigrations(db) == ["a", "b"]) }
  }

  @Test(
    "groups end where foreign key enforcement changes or a migration has no transaction", arguments: TestEngine.allCases
  )
  func mixedGroups(engine: TestEngine) throws {
    var grouped = migrator(["a", "b"])
    grouped.commits = .grouped
    grouped.registerMigration("immediate", foreignKeyChecks: .immediate) { db throws in
      #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
    }
    grouped.registerUnwrappedMigration("vacuum") { db in try db.execute(sql: "VACUUM") }
    grouped.registerMigration("last") { db throws in
      #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == false)
    }
    let dbQueue = try engine.temporaryQueue()
    try grouped.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try grouped.hasCompletedMigrations(db)) }
  }

  @Test("the whole database is checked if the policy says so, including old orphans", arguments: TestEngine.allCases)
  func wholeDatabase(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          CREATE TABLE child (parentId REFERENCES parent);
          INSERT INTO child VALUES (9);
          PRAGMA foreign_keys = ON;
          """)
    }
    var strict = migrator(["unrelated"])
    strict.foreignKeyScope = .database
    let error = #expect(throws: MigrationError.self) { try strict.migrate(dbQueue) }
    let failure = try #require(error?.failure)
    #expect((failure.underlying as? ForeignKeyViolationError)?.violations.count == 1)
    strict.foreignKeyScope = .touched
    try strict.migrate(dbQueue)
  }
}
