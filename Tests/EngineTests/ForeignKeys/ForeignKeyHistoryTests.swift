import Foundation
import Migrator
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

/// Compares the scoped check of a migration's touched tables with the full check, in random histories.
///
/// A run makes 30, 100 or 20,000 of them per engine, by its tier. MIGRATOR_HISTORIES=n makes n;
/// MIGRATOR_SEED=s begins with that seed, which is printed.
@Suite("Promise 4: the scoped check agrees with the full check")
struct ForeignKeyHistoryTests {
  private static let environment = ProcessInfo.processInfo.environment

  private static let count: Int = {
    if let count = environment["MIGRATOR_HISTORIES"].flatMap(Int.init) { return count }
    return TestTier.pick(20, full: 100, soak: 20_000)
  }()

  private static let firstSeed = SeededGenerator.seed(of: "foreign key histories")

  @Test(
    "random histories, on own connections and lent ones", arguments: TestTier.pairs(TestEngine.allCases, [false, true]))
  func histories(engine: TestEngine, isLent: Bool) throws {
    let seeds = Self.firstSeed..<(Self.firstSeed + UInt64(Self.count))
    let counts = try HistoryCheck(engine: engine, isLent: isLent).run(seeds)
    print("\(engine): \(counts)")
    #expect(counts.differences.count == 0, "\(counts.differences.prefix(2).joined(separator: "\n\n"))")
    #expect(counts.withViolations > 0 && counts.withMismatch > 0 && counts.failed > 0)
    #expect(counts.probes[.clean, default: 0] > 0 && counts.probes[.suspicious, default: 0] > 0)
  }

  @Test(
    "the histories distinguish a weaker rule from the right one",
    // The everyday run tries a third: they test this test.
    arguments: Blindness.allCases.enumerated().filter { TestTier.isFull || $0.offset.isMultiple(of: 3) }.map(\.element))
  func power(blindness: Blindness) throws {
    var differences = 0
    var seed: UInt64 = 1
    while differences == 0, seed < 20_000 {
      do {
        differences = try HistoryCheck(engine: .sqlite, blindness: blindness).run(seed..<(seed + 50)).differences.count
      } catch is DatabaseError {
        // A watch that uses an old schema may read objects that no longer exist.
        differences = 1
      }
      seed += 50
    }
    print(
      "without a part of the rule (\(blindness)), \(differences) of the histories \(seed - 50) to \(seed - 1) differ")
    #expect(differences > 0, "\(blindness) makes no difference")
  }
}
