import DqliteBackend
import DqliteWire
import Foundation
import Migrator
import SQLiteBackend
import TestCluster
import TestEngines
import Testing

/// Migrations whose cluster loses its leader at each request: each takes effect once, and the report is true.
///
/// Tools/test tries some of the requests, more with --full. Tools/soak tries all of them, and 100 leaders that stand still.
@Suite("Migrations while the leader is lost")
struct OutageTests {
  private static let isLong = TestTier.current == .soak

  private static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("start") { db in try db.execute(sql: "CREATE TABLE log (identifier TEXT)") }
    for index in 1...3 {
      migrator.registerMigration("m\(index)") { db in
        try db.create(table: "t\(index)") { t in
          t.autoIncrementedPrimaryKey("id")
          t.column("a", .text)
        }
        try db.execute(
          sql: "INSERT INTO t\(index) (a) VALUES ('x'), ('y'); INSERT INTO log VALUES ('m\(index)')")
      }
    }
    return migrator
  }()

  /// The observations of one trial.
  private struct Trial {
    var count = 0
    var hasHappened = false
    var calls = 0
    var unknownCount = 0
  }

  /// Migrates a new database until it succeeds, with an outage in the first call, and checks every report.
  private func trial(
    _ kind: Outage.Kind, at number: Int, ofCommits: Bool = false, in cluster: TestCluster, delay: UInt32 = 0
  ) throws -> Trial {
    let name = "db-\(UUID().uuidString)"
    let outage = Outage(kind, at: number, ofCommits: ofCommits, in: cluster, delay: delay)
    var backend = Dqlite(addresses: cluster.addresses, database: name)
    backend.willSend = outage.willSend
    var trial = Trial()
    var reported: [String] = []
    while true {
      trial.calls += 1
      do {
        let queue = try DatabaseQueue(backend)
        try Self.migrator.run(queue) { event in
          if case .committed(let identifier, _, _, _) = event { reported.append(identifier) }
        }
        break
      } catch {
        try #require(trial.calls < 4, "\(kind) at \(number): \(error)")
        try checkReport(error, reported, cluster, name, &trial)
      }
    }
    // The answers of a leader that stood still come only now.
    try outage.recover()
    (trial.count, trial.hasHappened) = (outage.count, outage.hasHappened)
    let queue = try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: name))
    let identifiers = Self.migrator.migrations
    try queue.read { db throws in
      #expect(try Self.migrator.appliedIdentifiers(db) == Set(identifiers), "\(kind) at \(number)")
      #expect(try String.fetchAll(db, sql: "SELECT identifier FROM log ORDER BY rowid") == ["m1", "m2", "m3"])
      for index in 1...3 { #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t\(index)") == 2) }
    }
    if trial.unknownCount == 0 { #expect(reported == identifiers, "\(kind) at \(number)") }
    #expect(Set(reported).count == reported.count)
    try expectEqualReplicas(of: name, in: cluster)
    return trial
  }

  /// Checks the report of a failed call against the ledger.
  private func checkReport(
    _ error: any Error, _ reported: [String], _ cluster: TestCluster, _ name: String, _ trial: inout Trial
  ) throws {
    let queue = try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: name))
    let applied = try queue.write { db in try Self.migrator.appliedIdentifiers(db) }
    #expect(applied.isSuperset(of: reported))
    guard case MigrationError.failed(let failure) = error else { return }
    switch failure.undone {
    case .unknown: trial.unknownCount += 1
    default: #expect(applied == Set(reported), "\(failure)")
    }
  }

  /// Expects that all nodes store the same schema and rows; a node that was away needs some time to follow.
  private func expectEqualReplicas(of name: String, in cluster: TestCluster) throws {
    let deadline = ContinuousClock.now + TestCluster.patience
    var contents: Set<String> = []
    repeat {
      guard let dumps = try? cluster.dumps(of: name) else { continue }
      contents = Set(try dumps.values.map(content))
      if contents.count == 1 { return }
    } while .now < deadline
    Issue.record("the replicas differ: \(contents)")
  }

  private func content(of files: [String: [UInt8]]) throws -> String {
    let folder = try TemporaryFolder(isInMemory: true)
    for (name, bytes) in files {
      try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name.hasSuffix("-wal") ? "copy-wal" : "copy")))
    }
    let queue = try DatabaseQueue(SQLite(path: folder.file("copy")))
    defer { try? queue.close() }
    return try queue.read { db in
      let schema = try Row.fetchAll(db, sql: "SELECT type, name, sql FROM sqlite_master ORDER BY name")
      let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      let rows = try tables.map { try Row.fetchAll(db, sql: "SELECT * FROM \($0)").description }
      let check = try String.fetchOne(db, sql: "PRAGMA integrity_check") ?? ""
      return ([schema.description] + rows + [check]).joined(separator: "\n")
    }
  }

  @Test("A leader that is killed at any request, or just after it", arguments: [Outage.Kind.killBefore, .killAfter])
  func killed(kind: Outage.Kind) async throws {
    let cluster = try await TestCluster()
    let total = try trial(kind, at: .max, in: cluster).count
    var generator = SeededGenerator(seed: 22)
    let numbers =
      Self.isLong ? Array(1...total) : Array(stride(from: 3, through: total, by: total / TestTier.pick(1, full: 4)))
    var (kills, calls) = (0, 0)
    for number in numbers {
      let delay = UInt32.random(in: 0...3000, using: &generator)
      let trial = try trial(kind, at: number, in: cluster, delay: delay)
      kills += trial.hasHappened ? 1 : 0
      calls += trial.calls
    }
    if Self.isLong { print("\(kind): \(total) requests, \(kills) kills, \(calls) calls") }
    #expect(kills == numbers.count)
  }

  @Test("A leader that is lost at a commit, or just after it", arguments: Outage.Kind.allCases)
  func atCommits(kind: Outage.Kind) async throws {
    let cluster = try await TestCluster()
    let isHalt = kind == .haltBefore || kind == .haltAfter
    let repetitions = !Self.isLong ? 1 : isHalt ? 13 : 10
    var generator = SeededGenerator(seed: 22)
    var (calls, trials, unknown) = (0, 0, 0)
    for _ in 1...repetitions {
      for commit in Self.isLong ? Array(1...4) : [2] {
        let delay = UInt32.random(in: 0...(isHalt ? 600 : 3000), using: &generator)
        let trial = try trial(kind, at: commit, ofCommits: true, in: cluster, delay: delay)
        #expect(trial.hasHappened)
        calls += trial.calls
        trials += 1
        unknown += trial.unknownCount
      }
    }
    if Self.isLong { print("\(kind): \(trials) commits, \(calls) calls, \(unknown) unknown") }
    #expect(unknown == 0)
  }

  @Test("If no leader is found after a commit, its outcome is unknown, and the next run completes")
  func withoutLeader() async throws { try expectUnknownOutcome(in: await TestCluster()) }

  private func expectUnknownOutcome(in cluster: TestCluster) throws {
    let commits = Lock(0)
    var backend = Dqlite(addresses: cluster.addresses, database: "app")
    backend.willSend = { address, request in
      guard request.commits else { return }
      let isSecond = commits.withLock { count in
        count += 1
        return count == 2
      }
      guard isSecond else { return }
      for node in cluster.nodes where node.address != address { node.halt() }
    }
    var migrator = Self.migrator
    migrator.lockTimeout = .milliseconds(100)
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(DatabaseQueue(backend)) }
    guard case .failed(let failure)? = error else { return }
    #expect(failure.undone == .unknown)
    for node in cluster.nodes { node.signal(SIGCONT) }
    let queue = try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: "app"))
    try Self.migrator.migrate(queue)
    #expect(
      try queue.read { db in try String.fetchAll(db, sql: "SELECT identifier FROM log ORDER BY rowid") }
        == ["m1", "m2", "m3"])
  }
}
