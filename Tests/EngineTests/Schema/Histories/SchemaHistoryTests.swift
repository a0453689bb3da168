import Foundation
import Migrator
import TestEngines
import Testing

/// Compares random changes of random schemas made with this library's methods and with SQLite's twelve steps, by hand.
///
/// A run makes 30, 150 or 20,000 histories per engine, by its tier. MIGRATOR_HISTORIES=n makes n;
/// MIGRATOR_SEED=s begins with that seed, which is printed.
@Suite("Random histories of schemas")
struct SchemaHistoryTests {
  private static let environment = ProcessInfo.processInfo.environment

  private static let count: Int = {
    if let count = environment["MIGRATOR_HISTORIES"].flatMap(Int.init) { return count }
    return TestTier.pick(30, full: 150, soak: 20_000)
  }()

  private static let firstSeed = SeededGenerator.seed(of: "histories of schemas")

  @Test("changes with methods have the same result as the twelve steps", arguments: TestEngine.allCases)
  func histories(engine: TestEngine) throws {
    var history = SchemaHistory(engine)
    for seed in Self.firstSeed..<(Self.firstSeed + UInt64(Self.count)) { try history.run(seed: seed) }
    let counts = history.counts
    let needless = counts.needless.values.reduce(0, +)
    print(
      "\(engine): \(counts.changes) changes in \(counts.histories) histories, \(counts.misfits) that the rows do not allow,"
        + " \(counts.refusals) refused, of which \(needless) are possible by hand: \(counts.needless.keys.sorted().prefix(3))"
    )
    let differences = counts.differences.count
    #expect(differences == 0, "\(counts.differences.prefix(2).joined(separator: "\n\n"))")
    // Refused or skipped changes prove nothing.
    #expect(counts.histories > Self.count * 9 / 10 && counts.changes > Self.count)
    #expect(needless * 50 < counts.changes)
    let missing = Set(SchemaHistory.kinds).subtracting(counts.kinds.keys)
    #expect(missing.isEmpty || Self.count < 1_000, "\(missing)")
  }

  @Test(
    "the histories detect a faulty manual procedure",
    // The everyday run tries a third: they test this test.
    arguments: HandmadeFault.allCases.enumerated().filter { TestTier.isFull || $0.offset.isMultiple(of: 3) }
      .map(\.element))
  func power(fault: HandmadeFault) throws {
    var history = SchemaHistory(.sqlite, fault: fault)
    var seed: UInt64 = 0
    while history.counts.differences.isEmpty, seed < 2_000 {
      try history.run(seed: seed)
      seed += 1
    }
    print("history \(seed) detects the manual fault \(fault)")
    #expect(!history.counts.differences.isEmpty)
  }
}
