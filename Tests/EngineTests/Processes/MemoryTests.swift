import Foundation
import Migrator
import TestEngines
import Testing

/// Makes allocations of the engine fail during a run of migrations, and during commands of the tool.
///
/// Tools/test tests some of the allocations, more with --full. Tools/soak tests all of a run of migrations, and every tenth of
/// the commands, whose runs take longer.
@Suite("Processes: failing memory", .disabled(if: Sanitizer.isPresent, "a sanitizer replaces the allocator"))
struct MemoryTests {
  private static let isLong = TestTier.current == .soak

  @Test(
    "when any allocation fails, the run ends with that error between two migrations, or SQLite recovers and it is complete",
    arguments: TestTier.pairs(TestEngine.allCases, ["MEMORY", "STARVED"]))
  func everyAllocation(engine: TestEngine, fault: String) throws {
    try run(engine, fault, ["migrate-without-memory"], sampleCount: TestTier.pick(8, full: 20))
  }

  @Test(
    "when any allocation fails, the tool exits with an error that says so, or with success and complete work",
    arguments: TestTier.pairs(TestEngine.allCases, ["migrate", "verify", "status", "plan"]))
  func everyAllocationOfTool(engine: TestEngine, command: String) throws {
    for fault in ["MEMORY", "STARVED"] {
      try run(
        engine, fault, ["run-tool-without-memory", command], sampleCount: TestTier.pick(1, full: 4), longStep: 10)
    }
  }

  @Test(
    "when any allocation fails while a row is read, the values are right, or the reading fails with that error",
    arguments: TestTier.pairs(TestEngine.allCases, ["MEMORY", "STARVED"]))
  func everyAllocationOfReading(engine: TestEngine, fault: String) throws {
    try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
    let folder = try TemporaryFolder(isInMemory: true)
    let output = try MemoryTrials(engine, fault, ["read-without-memory"], folder).output()
    #expect(output.hasPrefix("failures "), "\(output)")
    #expect(Int(output.dropFirst("failures ".count).prefix { $0.isNumber }) ?? 0 >= 3, "\(output)")
  }

  /// - Parameter longStep: The distance between the allocations of the long form.
  private func run(
    _ engine: TestEngine, _ fault: String, _ task: [String], sampleCount: Int, longStep: Int = 1
  ) throws {
    try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
    let name = "\(task.joined(separator: " ")) \(fault) \(engine)"
    var random = SeededGenerator.announced("failing memory \(name)")
    var trials = MemoryTrials(engine, fault, task, try TemporaryFolder(isInMemory: true))
    let count = try trials.count()
    try #require(count > 300)
    let first = Int.random(in: 1...longStep, using: &random)
    let numbers =
      Self.isLong
      ? Array(stride(from: first, through: count, by: longStep))
      : (0..<sampleCount).map { _ in Int.random(in: 1...count, using: &random) }
    try trials.runAll(numbers)
    #expect(trials.faults.isEmpty, "\(name): \(trials.faults.prefix(10).joined(separator: "\n"))")
    #expect(trials.trialCount == numbers.count)
    // In all runs of the long form, the engine crashed in about 0.2 percent of the trials.
    #expect(trials.crashCount + trials.blockedCount <= max(2, count / 250), "\(name)")
    #expect(trials.blockedCount <= max(1, count / 1000), "\(name)")
    if Self.isLong {
      print(
        "\(name): \(numbers.count) of \(count) allocations, \(trials.completeCount) complete runs, \(trials.crashCount) crashes, "
          + "\(trials.blockedCount) blocked")
    }
  }
}
