import Foundation
import Migrator
import MigratorTestKit
import SQLiteBackend
import TestEngines
import Testing

@Suite("Fleets")
struct FleetTests {
  private let folder: TemporaryFolder
  private var migrator = DatabaseMigrator()

  init() throws {
    folder = try TemporaryFolder()
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1)") }
    migrator.registerMigration("v2") { db in try db.execute(sql: "UPDATE t SET x = x + 1") }
  }

  private func backends(_ engine: TestEngine, _ count: Int) -> [any DatabaseBackend] {
    (0..<count).map { engine.backend(path: folder.file("\($0).db"), key: .raw) }
  }

  private func name(_ backend: any DatabaseBackend) -> String {
    String(backend.label.split(separator: "/").last ?? "")
  }

  @Test("each database gets each migration once, and a second run skips all", arguments: TestEngine.allCases)
  func once(engine: TestEngine) async throws {
    let fleet = DatabaseFleet(backends(engine, 20))
    for expected in [DatabaseFleet.Migration.applied(["v1", "v2"]), .skipped] {
      var names: Set<String> = []
      for try await outcome in migrator.migrate(fleet, concurrency: 3) {
        #expect(try outcome.result.get() == expected)
        names.insert(name(outcome.database))
      }
      #expect(names == Set((0..<20).map { "\($0).db" }))
    }
    for try await outcome in fleet.read({ db in try Int.fetchAll(db, sql: "SELECT x FROM t") }) {
      #expect(try outcome.result.get() == [2])
    }
  }

  @Test("databases that become known one by one are migrated as they come")
  func asynchronous() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: (any DatabaseBackend).self)
    let outcomes = migrator.migrate(DatabaseFleet(stream), concurrency: 4).makeAsyncIterator()
    // The outcome of each arrives before the next one is known.
    for backend in backends(.sqlite, 6) {
      continuation.yield(backend)
      let outcome = try #require(try await outcomes.next())
      #expect(outcome.database.label == backend.label)
      #expect(try outcome.result.get() == .applied(["v1", "v2"]))
    }
    continuation.finish()
    let last = try await outcomes.next()
    #expect(last == nil)
  }

  @Test("an error of the sequence of databases comes after the outcomes of those before it")
  func sequenceFails() async throws {
    struct Lost: Error {}
    let (stream, continuation) = AsyncThrowingStream<any DatabaseBackend, any Error>.makeStream()
    for backend in backends(.sqlite, 3) { continuation.yield(backend) }
    continuation.finish(throwing: Lost())
    var count = 0
    await #expect(throws: Lost.self) {
      for try await outcome in migrator.migrate(DatabaseFleet(stream)) {
        #expect(try outcome.result.get() == .applied(["v1", "v2"]))
        count += 1
      }
    }
    #expect(count == 3)
  }

  @Test("plain and encrypted databases, and files of other kinds, each get their outcome")
  func mixed() async throws {
    try folder.write("This is a text file.".utf8, to: "text.db")
    let wrong = folder.file("wrong.db")
    try await TestEngine.sqlCipher4.queue(path: wrong, key: .raw).write { db in
      try db.execute(sql: "CREATE TABLE t (x)")
    }
    let fleet = DatabaseFleet([
      TestEngine.sqlite.backend(path: folder.file("plain.db")),
      TestEngine.sqlCipher4.backend(path: folder.file("raw.db"), key: .raw),
      TestEngine.sqlCipher4.backend(path: folder.file("passphrase.db"), key: .passphrase),
      TestEngine.sqlCipher4.backend(path: wrong, key: .otherPassphrase),
      TestEngine.sqlite.backend(path: folder.file("text.db")),
      TestEngine.sqlite.backend(path: folder.path),
    ])
    var conditions: [String: DatabaseError.Condition?] = [:]
    for try await outcome in migrator.migrate(fleet, concurrency: 2, maximumFailures: nil) {
      switch outcome.result {
      case .success(let migration):
        #expect(migration == .applied(["v1", "v2"]))
        conditions[name(outcome.database)] = .some(nil)
      case .failure(let error): conditions[name(outcome.database)] = (error as? DatabaseError)?.condition
      }
    }
    let folderName = String(folder.path.split(separator: "/").last ?? "")
    #expect(
      conditions == [
        "plain.db": nil, "raw.db": nil, "passphrase.db": nil, "wrong.db": .wrongKey, "text.db": .notADatabase,
        folderName: .isDirectory,
      ])
  }

  @Test("after the maximum of failures no further database is begun")
  func maximum() async throws {
    for number in [1, 3] { try folder.write("This is a text file.".utf8, to: "\(number).db") }
    var results: [Bool] = []
    var errors: [any Error] = []
    await #expect(throws: DatabaseFleet.TooManyFailures.self) {
      for try await outcome in migrator.migrate(
        DatabaseFleet(backends(.sqlite, 9)), concurrency: 1, maximumFailures: 2)
      {
        results.append((try? outcome.result.get()) != nil)
        if case .failure(let error) = outcome.result { errors.append(error) }
      }
    }
    #expect(results == [true, false, true, false], "\(errors)")
    #expect(try folder.names() == ["0.db", "1.db", "2.db", "3.db"])
  }

  @Test("the maximum of failures ends the run, even if no further database becomes known", .timeLimit(.minutes(30)))
  func maximumBeforeTheEnd() async throws {
    try folder.write("This is a text file.".utf8, to: "0.db")
    let (stream, continuation) = AsyncStream.makeStream(of: (any DatabaseBackend).self)
    for backend in backends(.sqlite, 1) { continuation.yield(backend) }
    await #expect(throws: DatabaseFleet.TooManyFailures.self) {
      for try await outcome in migrator.migrate(DatabaseFleet(stream), concurrency: 4) {
        #expect((try? outcome.result.get()) == nil)
      }
    }
    continuation.finish()
  }

  @Test("a locked database is tried again at the end, and delays no other one", arguments: TestEngine.allCases)
  func locked(engine: TestEngine) async throws {
    let all = backends(engine, 5)
    let holder = try DatabaseQueue(all[0])
    let (isHeld, holding) = AsyncStream.makeStream(of: Void.self)
    let released = DispatchSemaphore(value: 0)
    holder.asyncBarrierWriteWithoutTransaction { db, _ in
      do {
        try db.execute(sql: "CREATE TABLE held (x); BEGIN EXCLUSIVE")
        holding.finish()
        released.wait()
        try db.execute(sql: "COMMIT")
      } catch {
        holding.finish()
        Issue.record(error)
      }
    }
    for await _ in isHeld {}
    // The second attempt can begin before this test has received the fourth outcome, and wait for it.
    var configuration = Configuration()
    configuration.busyMode = .timeout(.seconds(3600))
    var names: [String] = []
    for try await outcome in migrator.migrate(DatabaseFleet(all, configuration: configuration), concurrency: 1) {
      #expect(try outcome.result.get() == .applied(["v1", "v2"]))
      names.append(name(outcome.database))
      if names.count == 4 { released.signal() }
    }
    #expect(names == ["1.db", "2.db", "3.db", "4.db", "0.db"])
  }

  @Test(
    "a database on which another process runs an unwrapped migration delays no other one",
    arguments: TestEngine.allCases)
  func unfinished(engine: TestEngine) async throws {
    let all = backends(engine, 3)
    var migrator = DatabaseMigrator()
    // Longer than this test can have to wait for a thread.
    migrator.lockTimeout = .seconds(3600)
    migrator.registerUnwrappedMigration("u") { db in try db.execute(sql: "CREATE TABLE IF NOT EXISTS u (x)") }
    let other = try DatabaseQueue(all[0])
    try await migrator.migrate(other)
    try await other.write { db in try db.execute(sql: "UPDATE migrator_history SET duration = NULL") }
    // As if the other process had failed.
    let end = { @Sendable in
      try other.write { db in try db.execute(sql: "UPDATE migrator_history SET applied_at = ''") }
    }
    let rescue = DispatchWorkItem { try? end() }
    DispatchQueue.global().asyncAfter(deadline: .now() + 900, execute: rescue)
    defer { rescue.cancel() }
    var names: [String] = []
    for try await outcome in migrator.migrate(DatabaseFleet(all), concurrency: 1) {
      #expect(try outcome.result.get() == .applied(["u"]))
      names.append(name(outcome.database))
      if names.count == 2 { try end() }
    }
    #expect(names == ["1.db", "2.db", "0.db"])
  }

  @Test("a lock that a statement of a file meets is a lock")
  func wrappedLock() async throws {
    struct FileError: WrappingError {
      let underlying: any Error
    }
    let attempts = Lock(0)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("file") { _ in
      let isFirst = attempts.withLock { attempts in
        attempts += 1
        return attempts == 1
      }
      if isFirst { throw FileError(underlying: DatabaseError(.busy, engine: "test", message: "locked on purpose")) }
    }
    for try await outcome in migrator.migrate(DatabaseFleet(backends(.sqlite, 1))) {
      #expect(try outcome.result.get() == .applied(["file"]))
    }
    #expect(attempts.withLock { $0 } == 2)
  }

  @Test("as many databases as requested are migrated at the same time, on threads that may block")
  func concurrency() async throws {
    let count = 24
    let arrived = Lock(0)
    let everyone = DispatchSemaphore(value: 0)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("meet") { db in
      let isLast = arrived.withLock { arrived in
        arrived += 1
        return arrived == count
      }
      if isLast { for _ in 0..<count { everyone.signal() } }
      // Long, because the machine may be busy; it passes only if some migration waits for a thread.
      #expect(everyone.wait(timeout: .now() + 900) == .success)
    }
    for try await outcome in migrator.migrate(DatabaseFleet(backends(.sqlite, count)), concurrency: count) {
      #expect(try outcome.result.get() == .applied(["meet"]))
    }
  }

  @Test("a run is never far ahead of the task that reads the outcomes, nor above its concurrency")
  func bounded() async throws {
    let (running, begun, highest) = (Lock(0), Lock(0), Lock(0))
    var migrator = DatabaseMigrator()
    migrator.registerMigration("count") { db in
      let count = running.withLock { running in
        running += 1
        return running
      }
      begun.withLock { $0 += 1 }
      highest.withLock { $0 = max($0, count) }
      try db.execute(sql: "CREATE TABLE t (x)")
      running.withLock { $0 -= 1 }
    }
    var received = 0
    for try await outcome in migrator.migrate(DatabaseFleet(backends(.sqlite, 60)), concurrency: 3) {
      #expect(try outcome.result.get() == .applied(["count"]))
      received += 1
      // Three in work or waiting to be reported, and one reported.
      #expect(begun.value - received <= 4)
    }
    #expect(received == 60)
    #expect(highest.value <= 3)
  }

  @Test("canceling rolls back the running migration and begins no other database", arguments: TestEngine.allCases)
  func cancelled(engine: TestEngine) async throws {
    let work = CancelledWork()
    var migrator = migrator
    migrator.registerMigration("endless") { db in
      try db.execute(sql: "CREATE TABLE late (x)")
      work.cancelSoon()
      while true { try db.execute(sql: "SELECT 1") }
    }
    let fleet = DatabaseFleet(backends(engine, 8))
    let (errors, end) = try await work.result { [migrator] in
      var errors: [any Error] = []
      do {
        for try await outcome in migrator.migrate(fleet, concurrency: 2) {
          if case .failure(let error) = outcome.result { errors.append(error) }
        }
        return (errors, nil as (any Error)?)
      } catch {
        return (errors, error)
      }
    }
    #expect((1...2).contains(errors.count))
    #expect(errors.allSatisfy { $0 is CancellationError })
    #expect(end is CancellationError)
    // The second one may have been canceled before its first migration.
    for try await outcome in migrator.appliedMigrations(fleet) {
      guard case .success(let applied) = outcome.result else { continue }
      #expect(["v1", "v2"].starts(with: applied))
    }
    #expect(try folder.names().count { $0.hasSuffix(".db") } <= 2)
  }

  @Test("releasing the iterator cancels the run")
  func released() async throws {
    let (isThere, arrival) = AsyncStream.makeStream(of: Void.self)
    let (isOver, end) = AsyncStream.makeStream(of: Void.self)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("endless in the second") { db in
      guard try db.tableExists("second") else { return }
      arrival.finish()
      defer { end.finish() }
      // The test may wait for a thread of Swift concurrency for minutes.
      while true {
        try db.execute(sql: "SELECT 1")
        usleep(1000)
      }
    }
    // Not in the test's folder, since the run may close the second database after the end of the test.
    let all = [try TestEngine.sqlite.temporaryBackend(), try TestEngine.sqlite.temporaryBackend()]
    try await DatabaseQueue(all[1]).write { db in try db.execute(sql: "CREATE TABLE second (x)") }
    do {
      let outcomes = migrator.migrate(DatabaseFleet(all), concurrency: 1).makeAsyncIterator()
      let first = try await outcomes.next()
      #expect(try first?.result.get() == .applied(["endless in the second"]))
      for await _ in isThere {}
    }
    for await _ in isOver {}
    let applied = try await DatabaseQueue(all[1]).read { [migrator] db in try migrator.appliedMigrations(db) }
    #expect(applied.isEmpty)
  }

  @Test("the samples of the article migrate a fleet, and count its versions")
  func samples() async throws {
    let fleet = try await ManyDatabases.migrate(migrator, (0..<5).map { folder.file("\($0).db") })
    #expect(try await ManyDatabases.counts(migrator, fleet) == ["v2": 5])
  }

  @Test("plans and states of a fleet create no database", arguments: TestEngine.allCases)
  func readsOnly(engine: TestEngine) async throws {
    let all = backends(engine, 3)
    try await migrator.migrate(DatabaseQueue(all[1]), upTo: "v1")
    var plans: [String: [String]] = [:]
    for try await outcome in migrator.plan(DatabaseFleet(all)) {
      plans[name(outcome.database)] = try? outcome.result.get().entries.map(\.identifier)
    }
    #expect(plans == ["1.db": ["v2"]])
    var applied: [String: [String]] = [:]
    for try await outcome in migrator.appliedMigrations(DatabaseFleet(all)) {
      applied[name(outcome.database)] = try? outcome.result.get()
    }
    #expect(applied == ["1.db": ["v1"]])
    #expect(try folder.names() == ["1.db"])
  }
}
