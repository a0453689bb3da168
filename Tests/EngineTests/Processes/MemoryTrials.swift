import Foundation
import TestEngines
import Testing

/// Runs of a task in processes in which allocations of the engine fail.
struct MemoryTrials {
  private let engine: TestEngine
  private let fault: String
  private let task: [String]
  private let folder: TemporaryFolder
  private(set) var faults: [String] = []
  private(set) var trialCount = 0
  private(set) var completeCount = 0
  /// The number of processes that the engine crashed.
  private(set) var crashCount = 0
  /// The number of processes that the engine blocked for a minute.
  private(set) var blockedCount = 0

  /// - Parameters:
  ///   - fault: The kind of failure, `MEMORY` or `STARVED`; see faults.c.
  ///   - task: The worker's task, and the arguments before the fault.
  init(_ engine: TestEngine, _ fault: String, _ task: [String], _ folder: TemporaryFolder) {
    (self.engine, self.fault, self.task, self.folder) = (engine, fault, task, folder)
  }

  /// Returns the number of allocations of a run without failures.
  mutating func count() throws -> Int {
    let (worker, output) = try started([0][...], isInterrupted: false)
    try #require(!worker.isKilled, "\(output)")
    return try #require(numbers(in: output, after: "allocations ").first, "\(output)")
  }

  /// Runs a trial for each of the numbers; the engine's start in a process has allocations, too.
  mutating func runAll(_ numbers: [Int]) throws {
    for number in numbers where number <= 200 { try run([number]) }
    let later = numbers.filter { $0 > 200 }
    for start in stride(from: 0, to: later.count, by: 1000) {
      try run(Array(later[start..<min(start + 1000, later.count)]))
    }
  }

  /// Runs a trial for each of the numbers, in one process as long as the engine does not crash.
  private mutating func run(_ numbers: [Int]) throws {
    var (left, isInterrupted) = (numbers[...], false)
    while !left.isEmpty {
      let (worker, output) = try started(left, isInterrupted: isInterrupted)
      // SQLCipher 4 whose start failed cannot be used in that process; another one examines the database.
      let start = "failed: SQLCipher error 7: out of memory"
      let hasNotStarted = numbers.count == 1 && output.contains(start)
      let marks = ["at ", "complete ", "done"] + (hasNotStarted ? [start] : [])
      var lines = output.split(separator: "\n").filter { line in !marks.contains { line.hasPrefix($0) } }
      if engine == .sqlCipher4 { lines.removeAll(where: Self.isOfSQLCipher) }
      let begun = self.numbers(in: output, after: "at ")
      if let signal = worker.signal {
        let isAbort = signal == SIGABRT && lines.contains(where: Self.isOfCLibrary)
        if isAbort { lines.removeAll(where: Self.isOfCLibrary) }
        count(signal, isAbort, at: begun.last ?? 0)
      }
      faults += lines.map(String.init)
      completeCount += self.numbers(in: output, after: "complete ").first ?? 0
      trialCount += begun.count - (isInterrupted ? 1 : 0)
      guard worker.isKilled || hasNotStarted else { return }
      try #require(!(isInterrupted && begun.count < 2), "\(fault) \(begun)")
      left = left.dropFirst(begun.count - 1)
      isInterrupted = true
    }
  }

  /// Counts the end of a process by a signal, which is a fault unless it is the engine's.
  ///
  /// SQLCipher 3.4 and the full-text search of SQLite 3.15 use freed memory or a null pointer when an allocation fails,
  /// and may lock a freed mutex. A failed precondition of Swift is another signal: SIGILL or SIGTRAP, and SIGABRT from its
  /// runtime.
  private mutating func count(_ signal: Int32, _ isAbortOfCLibrary: Bool, at number: Int) {
    switch signal {
    case SIGSEGV where engine == .sqlCipher3, SIGBUS where engine == .sqlCipher3: crashCount += 1
    case SIGABRT where engine == .sqlCipher3 && isAbortOfCLibrary: crashCount += 1
    case SIGALRM where engine == .sqlCipher3: blockedCount += 1
    default: faults.append("allocation \(number): the process was ended by the signal \(signal)")
    }
  }

  /// Whether a line is from the C library, which checks the memory that it frees and the mutexes that it locks; only code
  /// in C can damage those.
  private static func isOfCLibrary(_ line: some StringProtocol) -> Bool {
    let starts = [
      "free(): ", "malloc(): ", "realloc(): ", "malloc_consolidate(): ", "corrupted ", "double free",
      "munmap_chunk(): ",
    ]
    return starts.contains { line.hasPrefix($0) } || line.contains(": __pthread_tpp_change_priority: Assertion")
  }

  /// Whether a line is a message of SQLCipher 4, which it prints if it cannot start.
  private static func isOfSQLCipher(_ line: some StringProtocol) -> Bool { line.contains(": ERROR MEMORY sqlcipher_") }

  /// Runs the task once, and returns what it prints.
  func output() throws -> String { try started([]).output }

  private func started(
    _ numbers: ArraySlice<Int>, isInterrupted: Bool
  ) throws -> (worker: WorkerProcess, output: String) {
    let list = numbers.map(String.init).joined(separator: ",")
    return try started([list] + (isInterrupted ? ["interrupted"] : []))
  }

  private func started(_ arguments: [String]) throws -> (worker: WorkerProcess, output: String) {
    var environment = [
      "LD_PRELOAD": BuiltEngines.faults, "MIGRATOR_FAULTS_ENGINE": try engine.loadablePath(),
      "SWIFT_BACKTRACE": "enable=no", "K": TestKey.rawText, "NO_COLOR": "1",
    ]
    environment["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    let worker = try WorkerProcess(
      engine, [folder.file("db")] + task + [fault] + arguments,
      environment: environment, mergesErrors: true)
    return (worker, try worker.finish().output)
  }

  private func numbers(in output: String, after mark: String) -> [Int] {
    output.split(separator: "\n").filter { $0.hasPrefix(mark) }.compactMap { Int($0.dropFirst(mark.count)) }
  }
}
