import Foundation
import Migrator
import MigratorTestKit
import SQLMigrations
import TestEngines
import Testing

/// Migrations whose connection to a server is lost, which any engine can simulate.
@Suite("Lost connections")
struct LostConnectionTests {
  private static func error(_ condition: DatabaseError.Condition) -> DatabaseError {
    DatabaseError(condition, engine: "test", message: "the connection was lost")
  }

  private let migrator = CountedMigrations.migrator

  @Test("A run whose connection is lost once, at any call, completes", arguments: TestEngine.allCases)
  func once(engine: TestEngine) throws {
    for number in stride(from: 1, through: .max, by: TestTier.pick(5, full: 2, soak: 1)) {
      let backend = try engine.temporaryBackend()
      let failing = FailingBackend(backend, failingCall: number, with: Self.error(.connectionLost))
      // Opening is not part of the run.
      guard let queue = try? DatabaseQueue(failing) else { continue }
      do {
        try migrator.migrate(queue)
      } catch {
        Issue.record("\(failing.failedCall.map { "\($0)" } ?? "no call"): \(error)")
      }
      let isComplete = failing.failedCall == nil
      // After the last call of the run, closing is the call that fails.
      try? queue.close()
      try CountedMigrations.expectOnce(backend, "call \(number)")
      guard !isComplete else { return #expect(number > 50) }
    }
  }

  @Test(
    "After an outage of any length, foreign keys are checked as before, and enforced at the end",
    arguments: TestEngine.allCases)
  func outage(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("tables") { db in
      try db.execute(sql: "CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (p REFERENCES parent)")
    }
    migrator.registerMigration("orphan") { db in try db.execute(sql: "INSERT INTO child VALUES (1)") }
    for length in 0...12 {
      let outage = Outage(at: "INSERT INTO child", length: length)
      let queue = try DatabaseQueue(InterceptedBackend(engine.temporaryBackend(), interceptor: outage))
      let error = #expect(throws: MigrationError.self, "\(length)") { try migrator.migrate(queue) }
      guard case .failed(let failure)? = error else { return }
      #expect(failure.identifier == "orphan")
      #expect(failure.underlying is ForeignKeyViolationError, "\(length): \(failure)")
      #expect(outage.remaining.withLock { $0 } == 0)
      #expect(try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA foreign_keys") } == 1)
    }
  }

  @Test("A run that is older than its lock timeout continues after a loss, too", arguments: TestEngine.allCases)
  func late(engine: TestEngine) throws {
    let clock = ContinuousClock()
    var migrator = DatabaseMigrator()
    migrator.lockTimeout = .milliseconds(1)
    migrator.registerMigration("long") { _ in
      let end = clock.now + .milliseconds(2)
      while clock.now < end {}
    }
    migrator.registerMigration("lost") { db in try db.execute(sql: "CREATE TABLE lost (x)") }
    let outage = Outage(at: "CREATE TABLE lost", length: 0)
    let queue = try DatabaseQueue(InterceptedBackend(engine.temporaryBackend(), interceptor: outage))
    try migrator.migrate(queue)
    #expect(try queue.read { db in try db.tableExists("lost") })
  }

  @Test("Losses are counted since the last commit", arguments: TestEngine.allCases)
  func manyLosses(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    for number in 1...4 { migrator.registerMigration("\(number)") { _ in } }
    migrator.registerBatchedMigration("batches") { _, cursor in
      let number = Int.fromDatabaseValue(cursor) ?? 0
      return number == 4 ? .done : .next(from: number + 1)
    }
    let commits = Lock(0)
    let loss = Losses { call in
      guard call == .commit else { return false }
      return commits.withLock { count in
        count += 1
        return count % 3 != 0
      }
    }
    let queue = try DatabaseQueue(InterceptedBackend(engine.temporaryBackend(), interceptor: loss))
    try migrator.migrate(queue)
    #expect(loss.count.withLock { $0 } == 18)
    try queue.read { db throws in #expect(try migrator.hasCompletedMigrations(db)) }
  }

  @Test("A migration of SQL statements whose connection is lost runs again, too", arguments: TestEngine.allCases)
  func statements(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    try "CREATE TABLE a (x); INSERT INTO a VALUES (1)"
      .write(toFile: folder.file("1_a.sql"), atomically: true, encoding: .utf8)
    var migrator = DatabaseMigrator()
    try migrator.registerMigrations(in: folder.path)
    let isLost = Lock(false)
    let loss = Losses { call in
      guard case .step(let sql, _) = call, sql.contains("INSERT INTO a") else { return false }
      return isLost.withLock { isLost in
        defer { isLost = true }
        return !isLost
      }
    }
    let backend = try engine.temporaryBackend()
    let queue = try DatabaseQueue(InterceptedBackend(backend, interceptor: loss))
    try migrator.migrate(queue)
    #expect(loss.count.withLock { $0 } == 1)
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM a") } == 1)
  }

  @Test("A run whose connection stays lost ends with the statement", arguments: TestEngine.allCases)
  func always(engine: TestEngine) throws {
    let backend = try engine.temporaryBackend()
    let loss = Losses { call in
      if case .step(let sql, _) = call { sql.contains("INSERT INTO b") } else { false }
    }
    let queue = try DatabaseQueue(InterceptedBackend(backend, interceptor: loss))
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(queue) }
    guard case .failed(let failure) = error else { throw Self.error(.other) }
    #expect(failure.identifier == "b")
    #expect(failure.appliedBefore == ["a"])
    #expect(failure.undone == .everything)
    #expect(loss.count.withLock { $0 } == 3)
  }

  @Test("A migration without a transaction is not repeated", arguments: TestEngine.allCases)
  func unwrapped(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    let runs = Lock(0)
    migrator.registerUnwrappedMigration("a") { db in
      runs.withLock { $0 += 1 }
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS lost (x)")
    }
    let loss = Losses { call in
      if case .step(let sql, _) = call { sql.contains("lost") } else { false }
    }
    let queue = try DatabaseQueue(InterceptedBackend(engine.temporaryBackend(), interceptor: loss))
    #expect(throws: MigrationError.self) { try migrator.migrate(queue) }
    #expect(runs.withLock { $0 } == 1)
  }

  /// The loss of the connection at the first run of a statement, and the calls after it that find no server.
  private final class Outage: CallInterceptor {
    let remaining: Lock<Int>
    private let sql: String
    private let hasBegun = Lock(false)

    init(at sql: String, length: Int) {
      self.sql = sql
      remaining = Lock(length)
    }

    func note(_ call: BorderCall) {}

    func admit(_ call: BorderCall) throws(DatabaseError) {
      // A lost transaction can be rolled back without a server.
      guard call != .rollback else { return }
      let (isLost, isOut) = hasBegun.withLock { hasBegun in
        if hasBegun {
          return remaining.withLock { remaining in
            defer { remaining = max(0, remaining - 1) }
            return (false, remaining > 0)
          }
        }
        if case .step(let sql, _) = call { hasBegun = sql.contains(self.sql) }
        return (hasBegun, false)
      }
      if isLost { throw LostConnectionTests.error(.connectionLost) }
      if isOut { throw LostConnectionTests.error(.cannotOpen) }
    }
  }

  /// Fails the calls that a condition chooses.
  private final class Losses: CallInterceptor {
    let count = Lock(0)
    private let error: DatabaseError
    private let isLost: @Sendable (BorderCall) -> Bool

    init(
      _ error: DatabaseError = LostConnectionTests.error(.connectionLost),
      where isLost: @escaping @Sendable (BorderCall) -> Bool
    ) {
      (self.error, self.isLost) = (error, isLost)
    }

    func note(_ call: BorderCall) {}

    func admit(_ call: BorderCall) throws(DatabaseError) {
      guard isLost(call) else { return }
      count.withLock { $0 += 1 }
      throw error
    }
  }
}

/// Three migrations, each of which inserts one row into its table.
enum CountedMigrations {
  static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    for name in ["a", "b", "c"] {
      migrator.registerMigration(name) { db in
        try db.create(table: name) { t in t.column("x") }
        try db.execute(sql: "INSERT INTO \(name) VALUES (1)")
      }
    }
    return migrator
  }()

  /// Expects that each migration took effect once.
  static func expectOnce(_ backend: any DatabaseBackend, _ context: String) throws {
    let queue = try DatabaseQueue(backend)
    try queue.read { db throws in
      #expect(try migrator.appliedIdentifiers(db) == ["a", "b", "c"], "\(context)")
      for name in ["a", "b", "c"] {
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)") == 1, "\(context)")
      }
    }
  }
}
