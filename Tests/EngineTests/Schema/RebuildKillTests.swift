import Foundation
import Migrator
import SQLSyntax
import TestEngines
import Testing

/// Tools/test and --full kill a few rebuilds of a small table; Tools/soak kills 200 of a table of 100,000 rows.
@Suite("Rebuilding tables: killed")
struct RebuildKillTests {
  private static let isLong = TestTier.current == .soak
  private static let rows = isLong ? 100_000 : 5_000
  private static let trials = TestTier.pick(3, full: 5, soak: 200)

  @Test("after a kill at any statement, the old table is complete", arguments: TestEngine.allCases)
  func statements(engine: TestEngine) throws {
    let path = try prepared(engine)
    let count = try with(engine, path) { db in
      let plan = try db.connection.statements(for: KilledRebuild.nextChange(db))
      #expect(plan.statements.contains { $0.hasPrefix("INSERT OR ABORT") })
      return plan.statements.count + plan.restoring.count
    }
    #expect(count > 8)
    for number in Self.numbers(engine, count) {
      let worker = try WorkerProcess(engine, path, "rebuild", "\(number)")
      let (code, output) = try worker.finish()
      #expect(code == SIGKILL, "\(output)")
      try with(engine, path) { db throws in
        #expect(try KilledRebuild.defect(in: db, rows: Self.rows) == nil, "after statement \(number)")
        #expect(try db.columns(in: "item").first?.name == "id", "after statement \(number)")
      }
    }
  }

  @Test(
    "after a kill at any statement, the old table in an attached file is complete", arguments: TestEngine.allCases)
  func attachedStatements(engine: TestEngine) throws {
    let path = try engine.temporaryPath()
    let attached = KilledRebuild.attachedPath(besides: path)
    // Created through the main file, so that it gets the same key.
    try with(engine, path) { db in
      try KilledRebuild.attach(db, besides: path)
      try db.execute(sql: "CREATE TABLE \(KilledRebuild.attachedSchema.quotedIdentifier).log(x)")
    }
    try with(engine, attached) { db in
      try db.execute(sql: "DROP TABLE log")
      try KilledRebuild.prepare(db, rows: 500)
    }
    let count = try with(engine, path) { db in
      try KilledRebuild.attach(db, besides: path)
      let plan = try db.connection.statements(
        for: KilledRebuild.nextChange(db, inSchema: KilledRebuild.attachedSchema))
      #expect(plan.statements.contains { $0.hasPrefix("INSERT OR ABORT") })
      return plan.statements.count + plan.restoring.count
    }
    #expect(count > 8)
    for number in Self.numbers(engine, count) {
      let (code, output) = try WorkerProcess(engine, path, "rebuild-attached", "\(number)").finish()
      #expect(code == SIGKILL, "\(output)")
      try with(engine, attached) { db throws in
        #expect(try KilledRebuild.defect(in: db, rows: 500) == nil, "after statement \(number)")
        #expect(try db.columns(in: "item").first?.name == "id", "after statement \(number)")
      }
    }
  }

  @Test("after a kill at a random moment, either the old or the new table is complete", arguments: TestEngine.allCases)
  func moments(engine: TestEngine) throws {
    var random = SeededGenerator.announced("killed rebuild \(engine)")
    let path = try prepared(engine)
    var orders: Set<String> = []
    for trial in 1...Self.trials {
      let worker = try WorkerProcess(engine, path, "rebuild", "never")
      worker.waitUntilReady()
      try worker.go()
      Thread.sleep(forTimeInterval: Double.random(in: 0...(Self.isLong ? 1.5 : 0.2), using: &random))
      #expect(worker.isRunning)
      worker.kill()
      let (_, output) = try worker.finish()
      #expect(!output.contains("failed"), "\(output)")
      try with(engine, path) { db throws in
        #expect(try KilledRebuild.defect(in: db, rows: Self.rows) == nil, "after kill \(trial)")
        orders.insert(try db.columns(in: "item").first?.name ?? "")
      }
    }
    if Self.isLong { #expect(orders == ["id", "name"]) }
  }

  /// Returns the numbers of the statements to kill at: all, or in the everyday run each for one of the engines.
  private static func numbers(_ engine: TestEngine, _ count: Int) -> StrideThrough<Int> {
    let order = TestEngine.allCases.firstIndex(of: engine) ?? 0
    return stride(
      from: TestTier.pick(order, full: 0), through: count, by: TestTier.pick(TestEngine.allCases.count, full: 1))
  }

  private func prepared(_ engine: TestEngine) throws -> String {
    let path = try engine.temporaryPath()
    try with(engine, path) { db in try KilledRebuild.prepare(db, rows: Self.rows) }
    return path
  }

  private func with<T>(_ engine: TestEngine, _ path: String, _ body: (Database) throws -> T) throws -> T {
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    let result = try dbQueue.writeWithoutTransaction { db in try db.withoutForeignKeys { try body(db) } }
    try dbQueue.close()
    return result
  }
}
