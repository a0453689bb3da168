import Foundation
import Migrator
import TestEngines
import Testing

/// A run kills the process of ``migrations(engine:)`` 12, 60 or 3,400 times per engine, by its tier.
@Suite("Processes: killed at random moments")
struct KillTests {
  private static let killCount = TestTier.pick(12, full: 60, soak: 3400)

  @Test(
    "after each of many kills, the database is at a migration boundary and matches its ledger",
    arguments: TestEngine.allCases)
  func migrations(engine: TestEngine) throws {
    let count = 50
    let rows = 30
    var random = SeededGenerator.announced("kill migrations \(engine)")
    var path = try engine.temporaryPath()
    var kills = 0
    var kinds: Set<Int> = []
    while kills < Self.killCount {
      let worker = try WorkerProcess(
        engine, path, "migrate", "\(count)", "\(rows)", kills.isMultiple(of: 2) ? "delete" : "wal")
      worker.waitUntilReady()
      try worker.go()
      // Not only by time: opening takes longer than migrating if a key is derived.
      worker.waitForLines(Int.random(in: 0...12, using: &random))
      Thread.sleep(forTimeInterval: Double.random(in: 0...0.02, using: &random))
      if worker.isRunning { kills += 1 }
      worker.kill()
      _ = try worker.finish()

      let dbQueue = try DatabaseQueue(engine.backend(path: path))
      let applied = try dbQueue.read { db in
        let defect = try NumberedMigrations.defect(in: db, count: count, rows: rows)
        #expect(defect == nil, "after kill \(kills)")
        return try Int.fetchOne(
          db, sql: "SELECT count(*) FROM sqlite_master WHERE name LIKE 'item%' AND type = 'table'")
      }
      try dbQueue.close()
      kinds.insert(applied ?? -1)
      // A finished database proves nothing more; continue with a new one.
      if applied == count { path = try engine.temporaryPath() }
    }
    #expect(
      kinds.count > TestTier.pick(2, full: 6, soak: 10),
      "the kills hit too few places to prove anything: \(kinds.sorted())")
  }

  @Test("after a kill in the middle of a group, either none or all of it is committed", arguments: TestEngine.allCases)
  func groups(engine: TestEngine) throws {
    let (count, rows) = (50, 30)
    var random = SeededGenerator.announced("kill groups \(engine)")
    var outcomes: Set<Int> = []
    for kill in 0..<TestTier.pick(8, full: 36, soak: 60) {
      let path = try engine.temporaryPath()
      let mode = kill.isMultiple(of: 2) ? "delete" : "wal"
      let worker = try WorkerProcess(engine, path, "migrate-grouped", "\(count)", "\(rows)", mode)
      worker.waitUntilReady()
      try worker.go()
      if kill % 6 == 5 { worker.waitForLines(1) }
      Thread.sleep(forTimeInterval: Double.random(in: 0...0.05, using: &random))
      worker.kill()
      _ = try worker.finish()
      let dbQueue = try DatabaseQueue(engine.backend(path: path))
      try dbQueue.read { db throws in
        #expect(try NumberedMigrations.defect(in: db, count: count, rows: rows) == nil, "after kill \(kill)")
        outcomes.insert(try DatabaseMigrator().history(db).count)
      }
      try dbQueue.close()
    }
    // Few kills may all hit the same side of the commit.
    #expect(TestTier.isFull ? outcomes == [0, count] : outcomes.isSubset(of: [0, count]))
  }

  @Test(
    "after a kill during a schema change, no table and no row is lost",
    arguments: TestTier.pairs(TestEngine.allCases, KilledChange.allCases))
  func changes(engine: TestEngine, change: KilledChange) throws {
    var random = SeededGenerator.announced("kill \(change) \(engine)")
    let path = try engine.temporaryPath()
    var dbQueue = try DatabaseQueue(engine.backend(path: path))
    try dbQueue.write { db in try KilledChange.prepare(db) }
    try dbQueue.close()
    for kill in 1...TestTier.pick(3, full: 20) {
      let worker = try WorkerProcess(engine, path, "rewrite", change.rawValue)
      worker.waitUntilReady()
      try worker.go()
      Thread.sleep(forTimeInterval: Double.random(in: 0...0.15, using: &random))
      #expect(worker.isRunning)
      worker.kill()
      let (_, output) = try worker.finish()
      #expect(!output.contains("failed"), "\(output)")
      dbQueue = try DatabaseQueue(engine.backend(path: path))
      try dbQueue.read { db throws in #expect(try KilledChange.defect(in: db) == nil, "after kill \(kill)") }
      try dbQueue.close()
    }
  }
}
