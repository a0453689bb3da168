import Foundation
import Migrator
@testable import MigratorCommand
import SQLMigrations
import TestEngines
import Testing

/// Random folders, which `check` accepts only if each split into runs ends in the same schema and rows.
///
/// A run tries 18, about 100 or 5,000 folders, by its tier; MIGRATOR_SEED=s begins with that seed, which is
/// printed.
@Suite("Check and verify agree: random folders")
struct CheckAgreementTests {
  private static let count = TestTier.pick(6, full: 36, soak: 1667)
  private static let seed = SeededGenerator.seed(of: "random folders")

  /// The state after a way of running the migrations.
  private struct End: Equatable {
    var failure: String?
    var schema: [String] = []
    var rows: [String: [String]] = [:]
    /// The findings of `verify`; not compared.
    var findings: String?

    static func == (one: End, other: End) -> Bool {
      (one.failure == nil) == (other.failure == nil) && one.schema == other.schema && one.rows == other.rows
    }
  }

  @Test("All ways end in one schema and equal rows, or check has a finding", arguments: TestEngine.allCases)
  func agree(engine: TestEngine) throws {
    let version = try engine.inMemoryQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
    let renamesColumns = version.map { !$0.hasPrefix("3.15.") } ?? false
    var (accepted, refused, varying) = (0, 0, 0)
    for seed in Self.seed..<(Self.seed + UInt64(Self.count)) {
      let folder = RandomFolder(seed: seed, renamesColumns: renamesColumns)
      let trial = try ToolTrial(engine, folder.files)
      let check = trial.run("check --json", usesDatabase: false)
      let checks = try check.json()["checks"] as? [[String: Any]] ?? []
      let paths = checks.first { $0["name"] as? String == "upgrade paths" }
      // The files themselves are refused.
      guard let outcome = paths?["outcome"] as? String else { continue }
      let ends = try Self.ends(trial, seed)
      let note = { "seed \(seed), \(engine): \(check.output)\(folder.files.sorted { $0.key < $1.key })\n\(ends)" }
      let isOne = ends.allSatisfy { end in
        end.failure == nil && (end == ends[0] || folder.varies && end.schema == ends[0].schema)
      }
      if outcome == "ok" {
        accepted += 1
        if folder.varies { varying += 1 }
        #expect(isOne && ends.allSatisfy { $0.findings == nil }, "\(note())")
      } else {
        refused += 1
        #expect(!isOne || ends.contains { $0.findings != nil } || folder.varies, "\(note())")
      }
    }
    print("\(engine): \(accepted) accepted, of which \(varying) with varying rows; \(refused) refused")
    #expect(accepted * 8 > Self.count && refused > 0)
  }

  /// Migrates databases all at once, one by one, in random runs, and in one transaction.
  private static func ends(_ trial: ToolTrial, _ seed: UInt64) throws -> [End] {
    var migrator = DatabaseMigrator()
    try migrator.registerMigrations(in: trial.migrations)
    var random = SeededGenerator(seed: seed)
    let all = migrator.migrations
    let some = all.filter { _ in Bool.random(using: &random) }
    var ends = try [[], all, some, all.suffix(2).dropLast()].map { stops in
      try end(trial, migrator, stops: stops + all.suffix(1))
    }
    migrator.commits = .grouped
    ends.append(try end(trial, migrator, stops: all.suffix(1)))
    return ends
  }

  private static func end(_ trial: ToolTrial, _ migrator: DatabaseMigrator, stops: [String]) throws -> End {
    // The database of another way.
    for suffix in ["", "-journal"] { try? FileManager.default.removeItem(atPath: trial.database + suffix) }
    var end = End()
    for stop in stops where end.failure == nil {
      // Each run has a new connection.
      try trial.use { queue in
        do {
          try migrator.migrate(queue, upTo: stop)
        } catch MigrationError.migratedBeyond {
          return
        } catch {
          end.failure = "\(error)"
        }
      }
    }
    guard end.failure == nil else { return end }
    end.schema = try trial.use { queue in
      try queue.read { try $0.schema().objects.map { "\($0.name) \($0.sql ?? "")" } }
    }
    end.rows = try trial.rows()
    let verify = trial.run("verify")
    if verify.exitCode != 0 { end.findings = verify.output + verify.errors }
    return end
  }
}
