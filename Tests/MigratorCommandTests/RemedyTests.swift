import Foundation
import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

/// Each remedy for a failing migration, carried out on a database with rows in every table.
@Suite("Remedies")
struct RemedyTests {
  private static let all =
    Remedy.ofForeignKeys + Remedy.ofStatements + Remedy.ofHistories + Remedy.ofDrifts + Remedy.ofFiles + Remedy.ofLint

  /// Each remedy with each engine that needs it; in the everyday run with one of them.
  private static let trials: [(index: Int, engine: TestEngine)] = all.indices.flatMap { index in
    let engines = TestEngine.allCases.filter { engine in
      (try? minorVersion(of: engine)).map(all[index].engines.contains) ?? true
    }
    let some = TestTier.isFull || engines.isEmpty ? engines : [engines[index % engines.count]]
    return some.map { (index, $0) }
  }

  @Test(
    "Each remedy lets the migrations pass, and takes no row that the message does not name", arguments: trials)
  func remedy(index: Int, engine: TestEngine) throws {
    let remedy = Self.all[index]
    let trial = try ToolTrial(engine, ["1_tables.sql": Remedy.tables])
    #expect(trial.run("migrate").exitCode == 0)
    for step in remedy.before { try Self.perform(step, trial) }
    let failure = trial.run(remedy.command)
    #expect(failure.exitCode == remedy.exitCode, "\(remedy): \(failure)")
    #expect(failure.text.contains(remedy.remedy), "\(remedy): \(failure)")
    // The failure took no row.
    #expect(try Self.counts(trial).allSatisfy { $0 >= 2 }, "\(remedy)")
    for step in remedy.after { try Self.perform(step, trial) }
    let passing = trial.run(remedy.passing)
    #expect(passing.exitCode == 0, "\(remedy): \(passing)")
    #expect(try Self.counts(trial) == remedy.rows, "\(remedy)")
    // An edit that the user leaves in place remains a finding.
    let isSound = remedy.remedy != "or omit --strict"
    #expect((trial.run("verify").exitCode == 0) == isSound, "\(remedy)")
    #expect(trial.run("check", usesDatabase: false).output.contains("ok       upgrade paths"), "\(remedy)")
    let status = trial.run("status --check")
    #expect((status.exitCode == 0) == isSound, "\(remedy): \(status)")
  }

  @Test("A locked database is migrated when the other connection is done", arguments: TestEngine.allCases)
  func locked(engine: TestEngine) throws {
    let trial = try ToolTrial(engine, ["1_tables.sql": Remedy.tables])
    #expect(trial.run("migrate").exitCode == 0)
    try trial.write("CREATE TABLE more (a);\n", to: "2_more.sql")
    try trial.use { queue in
      try queue.write { db in
        try db.execute(sql: "UPDATE user SET name = name")
        let failure = trial.run("migrate --lock-timeout 0")
        #expect(failure.exitCode == 3)
        #expect(failure.text.contains("Wait for the other process to finish"), "\(failure)")
      }
    }
    #expect(trial.run("migrate --lock-timeout 0").exitCode == 0)
    #expect(try Self.counts(trial) == [2, 2])
  }

  @Test("A database that was transferred as text is called damaged")
  func text() throws {
    let trial = try ToolTrial(.sqlite, ["1_tables.sql": Remedy.tables])
    #expect(trial.run("migrate").exitCode == 0)
    let whole = try Data(contentsOf: URL(fileURLWithPath: trial.database))
    let changes: [(Data) -> Data] = [
      { Data($0.flatMap { $0 == 10 ? [13, 10] : [$0] }) }, { Data(String(decoding: $0, as: UTF8.self).utf8) },
    ]
    for change in changes {
      try change(whole).write(to: URL(fileURLWithPath: trial.database))
      for command in ["status", "migrate", "verify"] {
        let outcome = trial.run(command)
        #expect(outcome.exitCode == 3 && outcome.text.contains("transferred as text"), "\(outcome)")
      }
    }
  }

  private static func perform(_ step: Remedy.Step, _ trial: ToolTrial) throws {
    switch step {
    case .write(let text, let name): try trial.write(text, to: name)
    case .remove(let name): try trial.remove(name)
    case .sql(let sql): try trial.use { queue in try queue.write { db in try db.execute(sql: sql) } }
    case .run(let command):
      let outcome = trial.run(command)
      #expect(outcome.exitCode == 0, "\(command): \(outcome)")
    }
  }

  private static func counts(_ trial: ToolTrial) throws -> [Int] {
    let rows = try trial.rows()
    return ["user", "post"].map { rows[$0]?.count ?? 0 }
  }

  private static func minorVersion(of engine: TestEngine) throws -> Int {
    let version = try engine.inMemoryQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
    return try #require(version?.split(separator: ".").dropFirst().first.flatMap { Int($0) })
  }
}
