import Foundation
import Migrator
import TestEngines
import Testing

/// Makes allocations of the engine fail during a run of migrations.
///
/// The normal suite tests some of the allocations; MIGRATOR_SOAK=1 tests all of them.
@Suite("Processes: failing memory", .disabled(if: Sanitizer.isPresent, "a sanitizer replaces the allocator"))
struct MemoryTests {
  private static let isLong = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] != nil

  @Test(
    "when any allocation fails, the run ends with that error between two migrations, or SQLite recovers and it is complete",
    arguments: TestEngine.allCases, ["MEMORY", "STARVED"])
  func everyAllocation(engine: TestEngine, fault: String) throws {
    try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
    var random = SeededGenerator.announced("failing memory \(fault) \(engine)")
    var trials = MemoryTrials(engine, fault, try TemporaryFolder(isInMemory: true))
    let count = try trials.count()
    try #require(count > 1000)
    let numbers = Self.isLong ? Array(1...count) : (0..<40).map { _ in Int.random(in: 1...count, using: &random) }
    // The engine's start in a process has allocations, too.
    for number in numbers where number <= 200 { try trials.run([number]) }
    let later = numbers.filter { $0 > 200 }
    for start in stride(from: 0, to: later.count, by: 1000) {
      try trials.run(Array(later[start..<min(start + 1000, later.count)]))
    }
    #expect(trials.faults.isEmpty, "\(trials.faults.prefix(10).joined(separator: "\n"))")
    #expect(trials.trialCount == numbers.count)
    if Self.isLong {
      let (complete, crashes) = (trials.completeCount, trials.crashCount)
      print("\(fault) \(engine): \(count) allocations, \(complete) complete runs, \(crashes) crashes")
    }
  }
}

/// Runs of migrations in processes in which allocations fail.
private struct MemoryTrials {
  private let engine: TestEngine
  private let fault: String
  private let folder: TemporaryFolder
  private(set) var faults: [String] = []
  private(set) var trialCount = 0
  private(set) var completeCount = 0
  private(set) var crashCount = 0

  init(_ engine: TestEngine, _ fault: String, _ folder: TemporaryFolder) {
    (self.engine, self.fault, self.folder) = (engine, fault, folder)
  }

  /// Returns the number of allocations of a run without failures.
  mutating func count() throws -> Int {
    let (worker, output) = try started([0][...], isInterrupted: false)
    try #require(!worker.isKilled, "\(output)")
    return try #require(numbers(in: output, after: "allocations ").first)
  }

  /// Runs a trial for each of the numbers, in one process as long as the engine does not crash.
  mutating func run(_ numbers: [Int]) throws {
    var (left, isInterrupted) = (numbers[...], false)
    while !left.isEmpty {
      let (worker, output) = try started(left, isInterrupted: isInterrupted)
      // SQLCipher 4 whose start failed cannot be used in that process; another one examines the database.
      let start = "failed: SQLCipher error 7: out of memory"
      let hasNotStarted = numbers.count == 1 && output.contains(start)
      let marks = ["at ", "complete ", "done"] + (hasNotStarted ? [start] : [])
      faults += output.split(separator: "\n").filter { line in !marks.contains { line.hasPrefix($0) } }.map(String.init)
      let begun = self.numbers(in: output, after: "at ")
      completeCount += self.numbers(in: output, after: "complete ").first ?? 0
      trialCount += begun.count - (isInterrupted ? 1 : 0)
      guard worker.isKilled || hasNotStarted else { return }
      // SQLCipher 3.4 and the full-text search of SQLite 3.15 use freed memory or a null pointer when an allocation fails.
      try #require((engine == .sqlCipher3 || hasNotStarted) && !(isInterrupted && begun.count < 2), "\(fault) \(begun)")
      crashCount += worker.isKilled ? 1 : 0
      left = left.dropFirst(begun.count - 1)
      isInterrupted = true
    }
  }

  private func started(
    _ numbers: ArraySlice<Int>, isInterrupted: Bool
  ) throws -> (worker: WorkerProcess, output: String) {
    let list = numbers.map(String.init).joined(separator: ",")
    let worker = try WorkerProcess(
      engine, [folder.file("db"), "migrate-without-memory", fault, list] + (isInterrupted ? ["interrupted"] : []),
      environment: ["LD_PRELOAD": BuiltEngines.faults, "MIGRATOR_FAULTS_ENGINE": try engine.loadablePath()])
    return (worker, try worker.finish().output)
  }

  private func numbers(in output: String, after mark: String) -> [Int] {
    output.split(separator: "\n").filter { $0.hasPrefix(mark) }.compactMap { Int($0.dropFirst(mark.count)) }
  }
}
