import Foundation
import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("The documentation's samples: a minimal engine")
struct MinimalEngineTests {
  /// The rules that are skipped because the sample lacks an ability; it breaks none.
  private static let skippedRules: [(rules: ClosedRange<Int>, reason: String)] = [
    (27...27, "no keys"), (35...36, "no encryption"), (48...48, "no positions of errors"),
    (162...169, "no rebuild of a table"), (180...189, "no change recorder"), (190...194, "no interrupter"),
    (195...195, "no running reporter"), (196...196, "no extender"), (197...198, "no reader of stored bytes"),
    (215...215, "no encryption"), (216...216, "no reader of stored bytes"), (217...218, "no state keeper"),
    (219...219, "no lent connections"), (239...239, "no interrupter"),
  ]

  private static let sample = "\(BuiltEngines.packageRoot)/Tests/EngineTests/Documentation/Samples/MinimalEngine.swift"

  @Test(
    "it obeys each rule of the contract, and skips only those about abilities that it lacks",
    arguments: BackendContract.checks)
  func rule(check: BackendCheck) throws {
    let folder = try TemporaryFolder()
    var backend = BackendUnderTest(name: "Minimal", folder: folder.path) { MinimalEngine(path: $0 ?? ":memory:") }
    backend.failureStep = BackendUnderTest.usualFailureStep
    let result = check.run(on: backend)
    #expect(result.failure == nil, "\(result)")
    // Whether a file can be made read-only depends on the user.
    guard check.number != 26 else { return }
    let isSkipped = if case .skipped = result.outcome { true } else { false }
    #expect(isSkipped == Self.skippedRules.contains { $0.rules.contains(check.number) }, "\(result)")
  }

  @Test("a migrator applies each migration to a file once")
  func migrations() throws {
    let folder = try TemporaryFolder()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create players") { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    }
    migrator.registerMigration("Add scores") { db in
      try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER NOT NULL DEFAULT 0")
    }
    migrator.registerMigration("Add Ada") { db in
      try db.execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: ["Ada", 7])
    }
    // The second run finds nothing to do: another one of the last migration would add a row.
    for _ in 1...2 {
      let queue = try DatabaseQueue(MinimalEngine(path: folder.file("players.db")))
      try migrator.migrate(queue)
      #expect(try queue.read { try migrator.appliedIdentifiers($0) }.count == 3)
      #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT score FROM player") } == [7])
      try queue.close()
    }
  }

  @Test("it fits in 300 lines")
  func length() throws {
    let lines = try String(contentsOfFile: Self.sample, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count - 1 <= 300)
  }
}
