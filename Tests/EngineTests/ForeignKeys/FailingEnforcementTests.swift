import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("Foreign keys: a switch that fails")
struct FailingEnforcementTests {
  /// Makes some of the calls of a kind fail; a switch takes effect before it fails.
  private final class Failure: CallInterceptor {
    let count = Lock(0)
    private let failing: ClosedRange<Int>
    private let isOfKind: @Sendable (BorderCall) -> Bool

    init(
      _ failing: ClosedRange<Int>, of isOfKind: @escaping @Sendable (BorderCall) -> Bool = { $0.switchesForeignKeys }
    ) {
      (self.failing, self.isOfKind) = (failing, isOfKind)
    }

    func note(_ call: BorderCall) {}

    func admit(_ call: BorderCall) throws(DatabaseError) {
      guard isOfKind(call) else { return }
      let number = count.withLock { count in
        count += 1
        return count
      }
      guard failing.contains(number) else { return }
      throw DatabaseError(.interrupted, engine: "test", message: "interrupted on purpose")
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
      let queue = try DatabaseQueue(
        InterceptedBackend(engine.temporaryBackend(), interceptor: Failure(failing...failing)))
      let result = Result { try migrator().migrate(queue) }
      // The last switch restores the setting, and is repeated.
      #expect(((try? result.get()) != nil) == (failing == 4), "switch \(failing): \(result)")
      #expect(try enforces(queue) == true, "switch \(failing)")
      try migrator().migrate(queue)
      #expect(try queue.read { db in try migrator().hasCompletedMigrations(db) })
      #expect(try enforces(queue) == true)
    }
    let counting = Failure(0...0)
    try migrator().migrate(DatabaseQueue(InterceptedBackend(engine.temporaryBackend(), interceptor: counting)))
    #expect(counting.count.withLock { $0 } == 4)
  }

  @Test("work without foreign keys leaves them enforced", arguments: TestEngine.allCases)
  func work(engine: TestEngine) throws {
    for failing in 1...2 {
      let queue = try DatabaseQueue(
        InterceptedBackend(engine.temporaryBackend(), interceptor: Failure(failing...failing)))
      #expect(throws: DatabaseError.self) {
        try queue.writeWithoutTransaction { db in
          try db.withoutForeignKeys { try db.execute(sql: "CREATE TABLE a (x)") }
        }
      }
      #expect(try enforces(queue) == true, "switch \(failing)")
    }
  }

  @Test(
    "a connection whose state cannot be restored enforces them, and one interruption prevents nothing",
    arguments: TestEngine.allCases)
  func restoring(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("setting", foreignKeyChecks: .deferred) { db in
      try db.execute(sql: "CREATE TABLE a (x); PRAGMA recursive_triggers = ON")
    }
    // The first call is made before the commit, and fails the migration; the second one after the run is repeated once.
    for (failing, calls, isRestored) in [(1...1, 2, true), (1...2, 3, true), (1...9, 3, false)] {
      let failure = Failure(failing) { $0 == .restoreConnectionState }
      let queue = try DatabaseQueue(InterceptedBackend(engine.temporaryBackend(), interceptor: failure))
      #expect(throws: (any Error).self) { try migrator.migrate(queue) }
      #expect(failure.count.withLock { $0 } == calls)
      #expect(try enforces(queue) == true)
      let setting = try queue.read { db in try Bool.fetchOne(db, sql: "PRAGMA recursive_triggers") }
      #expect(setting == !isRestored)
    }
  }
}

extension BorderCall {
  fileprivate var switchesForeignKeys: Bool { if case .setEnforcesForeignKeys = self { true } else { false } }
}
