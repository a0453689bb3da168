import Migrator
import MigratorTestKit
import TestEngines
import Testing

/// Commits whose answer is lost, which any engine can simulate: some of them took effect, others did not.
@Suite("Commits of unknown outcome")
struct UnknownOutcomeTests {
  private let migrator = CountedMigrations.migrator

  private func failure(_ migrator: DatabaseMigrator, _ backend: any DatabaseBackend) throws -> MigrationFailure {
    let queue = try DatabaseQueue(backend)
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(queue) }
    guard case .failed(let failure)? = error else { throw LostAnswer.error(.other) }
    return failure
  }

  @Test(
    "The ledger settles whether the commit took effect, and the migration runs again if it did not",
    arguments: TestEngine.allCases, [true, false])
  func settled(engine: TestEngine, tookEffect: Bool) throws {
    for number in 1...3 {
      let backend = try engine.temporaryBackend()
      let lost = LostAnswer(of: backend, atCommit: number, tookEffect: tookEffect)
      var runs: [String] = []
      var committed: [String] = []
      try migrator.run(DatabaseQueue(lost.backend)) { event in
        if case .started(let identifier, _, _) = event { runs.append(identifier) }
        if case .committed(let identifier, _, _, _) = event { committed.append(identifier) }
      }
      #expect(lost.count == 1)
      #expect(runs.count == (tookEffect ? 3 : 4))
      #expect(committed == ["a", "b", "c"])
      try CountedMigrations.expectOnce(backend, "commit \(number)")
    }
  }

  @Test(
    "If no server answers within the lock timeout, the failure says that the outcome is unknown, and the next run completes",
    arguments: TestEngine.allCases, [true, false])
  func unsettled(engine: TestEngine, tookEffect: Bool) throws {
    let backend = try engine.temporaryBackend()
    var migrator = migrator
    migrator.lockTimeout = .milliseconds(50)
    let lost = LostAnswer(of: backend, atCommit: 2, tookEffect: tookEffect, later: .connectionLost)
    let failure = try failure(migrator, lost.backend)
    #expect(failure.identifier == "b")
    #expect(failure.appliedBefore == ["a"])
    #expect(failure.undone == .unknown)
    try self.migrator.migrate(DatabaseQueue(backend))
    try CountedMigrations.expectOnce(backend, "the next run")
  }

  @Test(
    "A commit of the migrations before a failed one is settled, too", arguments: TestEngine.allCases, [true, false])
  func kept(engine: TestEngine, isSettled: Bool) throws {
    var migrator = migrator
    migrator.commits = .grouped
    migrator.lockTimeout = .milliseconds(50)
    migrator.registerMigration("d") { _ in throw LostAnswer.error(.other) }
    let backend = try engine.temporaryBackend()
    let lost = LostAnswer(of: backend, atCommit: 1, tookEffect: true, later: isSettled ? nil : .connectionLost)
    let failure = try failure(migrator, lost.backend)
    #expect(failure.identifier == (isSettled ? "d" : "c"))
    #expect(failure.undone == (isSettled ? .everything : .unknown))
    #expect(failure.appliedBefore == (isSettled ? ["a", "b", "c"] : []))
    try CountedMigrations.expectOnce(backend, "after the failure")
  }

  @Test(
    "A commit after which nothing is recorded, because another connection was first, does not fail the run",
    arguments: TestEngine.allCases)
  func overtaken(engine: TestEngine) throws {
    let backend = try engine.temporaryBackend()
    let lost = LostAnswer(of: backend, atCommit: 1, tookEffect: false)
    let other = try DatabaseQueue(backend)
    lost.willBegin = { [migrator] in try? migrator.migrate(other) }
    try migrator.migrate(DatabaseQueue(lost.backend))
    #expect(lost.count == 1)
    try CountedMigrations.expectOnce(backend, "after both runs")
  }

  @Test(
    "Only the ledger settles the outcome: if reading it fails, the outcome stays unknown",
    arguments: TestEngine.allCases,
    [.inputOutput, .outOfMemory, .other] as [DatabaseError.Condition])
  func unread(engine: TestEngine, condition: DatabaseError.Condition) throws {
    let backend = try engine.temporaryBackend()
    let lost = LostAnswer(of: backend, atCommit: 2, tookEffect: true, later: condition)
    let failure = try failure(migrator, lost.backend)
    #expect(failure.identifier == "b")
    #expect(failure.undone == .unknown)
    #expect((failure.underlying as? DatabaseError)?.condition == .outcomeUnknown)
  }

  @Test(
    "A run that is canceled or interrupted while no server answers ends at once, and says that the outcome is unknown",
    arguments: TestEngine.allCases, [true, false])
  func stopped(engine: TestEngine, isCanceled: Bool) async throws {
    var migrator = migrator
    migrator.lockTimeout = .seconds(2)
    let lost = LostAnswer(
      of: try engine.temporaryBackend(), atCommit: 2, tookEffect: true, later: .connectionLost)
    let queue = try DatabaseQueue(lost.backend)
    let (isReady, ready) = AsyncStream<Void>.makeStream()
    let task = Task { [migrator] in
      for await _ in isReady {}
      try await migrator.migrate(queue)
    }
    let attempts = Lock(0)
    lost.willBegin = { [weak lost] in
      guard let lost, lost.count > 0 else { return }
      attempts.withLock { $0 += 1 }
      if isCanceled { task.cancel() } else { queue.interrupt() }
    }
    ready.finish()
    let error = await #expect(throws: MigrationError.self) { try await task.value }
    guard case .failed(let failure)? = error else { return }
    #expect(failure.identifier == "b")
    #expect(failure.undone == .unknown)
    #expect(attempts.withLock { $0 } == 1)
  }

  @Test(
    "A lost answer to any commit of a run that erases is made up for, and the erasure is reported once",
    arguments: TestTier.pairs(TestEngine.allCases, [true, false]))
  func erasure(engine: TestEngine, tookEffect: Bool) throws {
    func migrator(_ columns: String) -> DatabaseMigrator {
      var migrator = DatabaseMigrator()
      migrator.eraseDatabaseOnSchemaChange = true
      migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a (\(columns))") }
      return migrator
    }
    try losingEachAnswer(engine, tookEffect, before: { try migrator("x").migrate($0) }) { queue in
      var erasures = 0
      try migrator("x, y").run(queue) { if case .erased(let reasons) = $0, !reasons.isEmpty { erasures += 1 } }
      #expect(erasures == 1)
      #expect(try queue.read { db in try db.columns(in: "a").count } == 2)
      #expect(try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA foreign_keys") } == 1)
    }
  }

  @Test(
    "A lost answer to the commit that erases does not count as a change since the plan was made",
    arguments: TestTier.pairs(TestEngine.allCases, [true, false]))
  func confirmedErasure(engine: TestEngine, tookEffect: Bool) throws {
    func migrator(_ columns: String) -> DatabaseMigrator {
      var migrator = DatabaseMigrator()
      migrator.eraseDatabaseOnSchemaChange = true
      migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a (\(columns))") }
      return migrator
    }
    var plan: MigrationPlan?
    try losingEachAnswer(engine, tookEffect) { queue in
      try migrator("x").migrate(queue)
      plan = try queue.read { db in try migrator("x, y").plan(db) }
    } during: { queue in
      try migrator("x, y").migrate(queue, confirming: try #require(plan))
      #expect(try queue.read { db in try db.columns(in: "a").count } == 2)
    }
  }

  @Test(
    "A lost answer to any commit that adopts a history is made up for",
    arguments: TestTier.pairs(TestEngine.allCases, [true, false]))
  func adoption(engine: TestEngine, tookEffect: Bool) throws {
    let tool = HistorySample.grdb
    var migrator = tool.migrator
    migrator.eraseDatabaseOnSchemaChange = true
    try losingEachAnswer(engine, tookEffect, before: tool.install) { [migrator] queue in
      try migrator.migrate(queue, upTo: tool.names[1])
      try queue.read { db throws in
        #expect(try migrator.ledger.entries(db).map(\.identifier) == Array(tool.names.prefix(2)))
      }
    }
  }

  @Test(
    "A lost answer to any commit that marks migrations as applied is made up for", arguments: TestEngine.allCases,
    [true, false])
  func baseline(engine: TestEngine, tookEffect: Bool) throws {
    let migrator = HistorySample.unaware(["authors", "books", "shelves"])
    try losingEachAnswer(engine, tookEffect, before: HistorySample.grdb.install) { queue in
      try migrator.baseline(queue, upTo: "books")
      try queue.read { db throws in #expect(try migrator.appliedMigrations(db) == ["authors", "books"]) }
    }
  }

  /// Runs `work` on a prepared database once for each of its commits, whose answer is lost.
  private func losingEachAnswer(
    _ engine: TestEngine, _ tookEffect: Bool, before prepare: (DatabaseQueue) throws -> Void,
    during work: (DatabaseQueue) throws -> Void
  ) throws {
    for number in 1... {
      let backend = try engine.temporaryBackend()
      let prepared = try DatabaseQueue(backend)
      try prepare(prepared)
      try prepared.close()
      let lost = LostAnswer(of: backend, atCommit: number, tookEffect: tookEffect)
      let queue = try DatabaseQueue(lost.backend)
      try work(queue)
      try queue.close()
      guard lost.count > 0 else { return #expect(number > 1) }
    }
  }

  @Test("Each batch takes effect once", arguments: TestEngine.allCases, [true, false])
  func batches(engine: TestEngine, tookEffect: Bool) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("log") { db in try db.create(table: "log") { t in t.column("n") } }
    migrator.registerBatchedMigration("count") { db, cursor in
      let number = (Int.fromDatabaseValue(cursor) ?? 0) + 1
      try db.execute(sql: "INSERT INTO log VALUES (?)", arguments: [number])
      return number == 3 ? .done : .next(from: number)
    }
    for number in 2...4 {
      let backend = try engine.temporaryBackend()
      let lost = LostAnswer(of: backend, atCommit: number, tookEffect: tookEffect)
      let queue = try DatabaseQueue(lost.backend)
      try migrator.migrate(queue)
      #expect(lost.count == 1)
      #expect(try queue.read { db in try Int.fetchAll(db, sql: "SELECT n FROM log ORDER BY rowid") } == [1, 2, 3])
    }
  }
}

/// The loss of the answer to one commit.
private final class LostAnswer: CallInterceptor {
  /// A backend that makes the last connection available.
  ///
  /// `@unchecked Sendable`: a test uses its connections one after another.
  private final class Opened: DatabaseBackend, @unchecked Sendable {
    let base: any DatabaseBackend
    var connection: (any DatabaseConnection)?

    init(_ base: any DatabaseBackend) { self.base = base }

    var label: String { base.label }
    var isShared: Bool { base.isShared }

    func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
      let connection = try base.connect(options)
      self.connection = connection
      return connection
    }

    func scratch() throws(DatabaseError) -> any DatabaseBackend { try base.scratch() }
  }

  static func error(_ condition: DatabaseError.Condition) -> DatabaseError {
    DatabaseError(condition, engine: "test", message: "the connection was lost")
  }

  private let opened: Opened
  private let number: Int
  private let tookEffect: Bool
  private let later: DatabaseError.Condition?
  private let commits = Lock(0)
  private let lost = Lock(0)
  /// The number of open transactions: those of a scratch database are inside one of the database itself.
  private let depth = Lock(0)
  private let hook = Lock<(@Sendable () -> Void)?>(nil)

  /// - Parameter later: The condition of the error with which each later transaction fails to begin; nil for none.
  init(
    of backend: any DatabaseBackend, atCommit number: Int, tookEffect: Bool, later: DatabaseError.Condition? = nil
  ) {
    opened = Opened(backend)
    (self.number, self.tookEffect, self.later) = (number, tookEffect, later)
  }

  var backend: any DatabaseBackend { InterceptedBackend(opened, interceptor: self) }
  /// Runs before each transaction that writes.
  var willBegin: (@Sendable () -> Void)? {
    get { hook.withLock { $0 } }
    set { hook.withLock { $0 = newValue } }
  }
  /// The number of commits whose answer was lost.
  var count: Int { lost.withLock { $0 } }

  func note(_ call: BorderCall) {}

  func admit(_ call: BorderCall) throws(DatabaseError) {
    if call == .begin(.immediate) { willBegin?() }
    if case .begin = call, let later, count > 0 { throw Self.error(later) }
    let isNested = depth.withLock { depth in
      defer {
        switch call {
        case .begin: depth += 1
        case .commit, .rollback: depth = max(0, depth - 1)
        default: break
        }
      }
      return depth > 1
    }
    guard call == .commit else { return }
    let isChosen = commits.withLock { count in
      count += 1
      return count == number
    }
    guard isChosen else { return }
    // The commit of a scratch database is lost without an effect.
    if tookEffect, !isNested, let connection = opened.connection, connection.isInsideTransaction {
      try connection.commit()
    }
    lost.withLock { $0 += 1 }
    throw Self.error(.outcomeUnknown)
  }
}
