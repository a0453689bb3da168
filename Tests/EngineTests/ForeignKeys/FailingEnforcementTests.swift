import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("Foreign keys: a switch that fails")
struct FailingEnforcementTests {
  /// Lets one of the switches take effect and then fail.
  private final class Failure: CallInterceptor {
    let count = Lock(0)
    private let failing: Int

    init(_ failing: Int) { self.failing = failing }

    func note(_ call: BorderCall) {}

    func admit(_ call: BorderCall) throws(DatabaseError) {
      guard case .setEnforcesForeignKeys = call else { return }
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == failing { throw DatabaseError(.interrupted, engine: "test", message: "interrupted on purpose") }
    }
  }

  private func migrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("deferred", foreignKeyChecks: .deferred) { db in
      try db.execute(sql: "CREATE TABLE a (x)")
    }
    migrator.registerMigration("immediate", foreignKeyChecks: .immediate) { db in
      try db.execute(sql: "CREATE TABLE b (x)")
    }
    migrator.registerMigration("again", foreignKeyChecks: .deferred) { db in try db.execute(sql: "CREATE TABLE c (x)") }
    return migrator
  }

  private func enforces(_ queue: DatabaseQueue) throws -> Bool? {
    try queue.read { db in try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") }
  }

  @Test("a run leaves foreign keys enforced, and the next one completes", arguments: TestEngine.allCases)
  func runs(engine: TestEngine) throws {
    for failing in 1...4 {
      let queue = try DatabaseQueue(InterceptedBackend(engine.temporaryBackend(), interceptor: Failure(failing)))
      #expect(throws: (any Error).self) { try migrator().migrate(queue) }
      #expect(try enforces(queue) == true, "switch \(failing)")
      try migrator().migrate(queue)
      #expect(try queue.read { db in try migrator().hasCompletedMigrations(db) })
      #expect(try enforces(queue) == true)
    }
    let counting = Failure(0)
    try migrator().migrate(DatabaseQueue(InterceptedBackend(engine.temporaryBackend(), interceptor: counting)))
    #expect(counting.count.withLock { $0 } == 4)
  }

  @Test("work without foreign keys leaves them enforced", arguments: TestEngine.allCases)
  func work(engine: TestEngine) throws {
    for failing in 1...2 {
      let queue = try DatabaseQueue(InterceptedBackend(engine.temporaryBackend(), interceptor: Failure(failing)))
      #expect(throws: DatabaseError.self) {
        try queue.writeWithoutTransaction { db in
          try db.withoutForeignKeys { try db.execute(sql: "CREATE TABLE a (x)") }
        }
      }
      #expect(try enforces(queue) == true, "switch \(failing)")
    }
  }
}
