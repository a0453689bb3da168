import Foundation
import Migrator
import TestEngines
import Testing

/// Tests of programs that do not know each other and migrate one file at the same time.
///
/// The normal suite starts them a few times; MIGRATOR_SOAK=1 forty times.
@Suite("Processes: several migrators at once", .serialized)
struct RivalProcessTests {
  private static let roundCount = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] == nil ? 3 : 40

  /// The second program's ledger: a separate one, or that of the first program.
  private static let ledgers = ["sdk's history", "migrator_history"]

  @Test(
    "two programs on an empty file, in two processes each: every migration runs once, and none fails",
    arguments: TestTier.pairs(TestEngine.allCases, ledgers))
  func begin(engine: TestEngine, ledger: String) throws {
    var turns = 0
    for round in 0..<Self.roundCount {
      let path = try engine.temporaryPath()
      let rivals = Self.rivals(ledger)
      let said = try Self.run(round.isMultiple(of: 2) ? rivals + rivals : rivals, engine, path)
      let committed = said.flatMap(\.self).filter { $0.hasPrefix("committed") }.map { String($0.dropFirst(10)) }
      #expect(committed.sorted() == rivals.flatMap(\.identifiers).sorted(), "round \(round): \(said)")
      turns += try Self.check(rivals, engine, path, "round \(round)")
    }
    print("\(engine), \(ledger): \(turns) changes of turn in \(Self.roundCount) rounds")
  }

  @Test(
    "one program would erase its work while another begins: the database is erased before that, or not at all",
    arguments: TestTier.pairs(TestEngine.allCases, ledgers))
  func erase(engine: TestEngine, ledger: String) throws {
    var erasedCount = 0
    for round in 0..<Self.roundCount {
      let path = try engine.temporaryPath()
      var (app, sdk) = (Self.rivals(ledger)[0], Self.rivals(ledger)[1])
      app.count = 3
      let dbQueue = try engine.queue(path: path)
      try app.migrator.migrate(dbQueue)
      try dbQueue.close()
      let old = app
      (app.edition, app.isErasing, app.count) = (2, true, 4)
      sdk.count = 4
      let said = try Self.run(round.isMultiple(of: 2) ? [app, sdk] : [sdk, app, app], engine, path)
      let (isErased, isRefused) = (said.contains { $0.contains("erased") }, said.contains { $0.contains("refused") })
      #expect(isErased || isRefused, "round \(round): \(said)")
      // With a shared ledger, migrations that the other program began after the erasure are a reason to refuse the next
      // one.
      #expect(!isErased || !isRefused || ledger == app.ledgerTable, "round \(round): \(said)")
      #expect(said.count { $0.contains("erased") } <= 1)
      if isErased { erasedCount += 1 }
      _ = try Self.check([isErased ? app : old, sdk], engine, path, "round \(round): \(said)")
    }
    print("\(engine), \(ledger): erased in \(erasedCount) of \(Self.roundCount) rounds")
  }

  private static func rivals(_ ledger: String) -> [RivalMigrator] {
    [RivalMigrator(prefix: "app", ledgerTable: "migrator_history"), RivalMigrator(prefix: "sdk", ledgerTable: ledger)]
  }

  /// Runs a process for each of the programs at the same time.
  ///
  /// - Returns: The lines that each process printed.
  private static func run(_ rivals: [RivalMigrator], _ engine: TestEngine, _ path: String) throws -> [[String]] {
    let workers = try rivals.map { try WorkerProcess(engine, [path, "migrate-beside-others"] + $0.arguments) }
    for worker in workers { worker.waitUntilReady() }
    for worker in workers { try worker.go() }
    return try workers.map { worker in
      let (code, output) = try worker.finish()
      #expect(code == 0, "\(output)")
      return output.split(separator: "\n").map(String.init)
    }
  }

  /// Checks that nothing is lost, duplicated or damaged.
  ///
  /// - Returns: The number of times that one program's work follows the other's.
  private static func check(
    _ rivals: [RivalMigrator], _ engine: TestEngine, _ path: String, _ note: String
  ) throws -> Int {
    let dbQueue = try engine.queue(path: path)
    defer { try? dbQueue.close() }
    return try dbQueue.read { db in
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"], "\(note)")
      for rival in rivals { #expect(try rival.defect(in: db) == nil, "\(note)") }
      let entries = try rivals.flatMap { rival in
        try rival.migrator.history(db).filter { $0.identifier.hasPrefix(rival.prefix) }.map {
          ($0.appliedAt, rival.prefix)
        }
      }
      let turns = entries.sorted { $0.0 < $1.0 }.map(\.1)
      return zip(turns, turns.dropFirst()).count { $0 != $1 }
    }
  }
}
