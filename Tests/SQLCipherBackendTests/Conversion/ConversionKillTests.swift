import Foundation
import TestEngines
import Testing

/// Kills conversions at every call that changes a file, and at random moments.
///
/// The normal suite tests some of the calls; MIGRATOR_SOAK=1 tests all of them, and 500 random moments of each kind of
/// conversion, on each engine.
@Suite("Conversions that are killed")
struct ConversionKillTests {
  private static let isLong = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] != nil

  @Test(
    "When killed at any change of a file, the old or new database is complete, and a retry succeeds",
    arguments: TestEngine.encrypting, TestConversion.allCases)
  func everyCall(engine: TestEngine, conversion: TestConversion) throws {
    var random = SeededGenerator.announced("kills of \(conversion) \(engine)")
    for hasLog in [false, true] {
      let trial = try ConversionTrial(engine, conversion, hasLog: hasLog)
      let calls = try trial.calls()
      #expect(calls.contains("rename"))
      var states: [ConversionTrial.State: Int] = [:]
      for number in Self.numbers(calls, &random) {
        try trial.reset()
        let result = try trial.convert(["KILL": "\(number)"])
        #expect(result.isKilled, "\(result.output)")
        states[try trial.state(), default: 0] += 1
        let defect = try trial.defectAfterRetry()
        #expect(defect == nil, "killed at call \(number) of \(calls.count), \(calls[number - 1])")
      }
      #expect(states[.old] ?? 0 > 0 && states[.new] ?? 0 > 0, "all kills happened before or after the swap: \(states)")
      if Self.isLong { print("killed \(conversion) \(engine), log \(hasLog): \(calls.count) calls, \(states)") }
    }
  }

  /// Returns the numbers of the calls to kill at: all, or those around the swap and some others.
  private static func numbers(_ calls: [String], _ random: inout SeededGenerator) -> [Int] {
    guard !isLong else { return Array(1...calls.count) }
    let swap = (calls.firstIndex(of: "rename") ?? 0) + 1
    let others = (0..<3).map { _ in Int.random(in: 1...calls.count, using: &random) }
    return Set([1, swap, swap + 1, calls.count] + others).filter { $0 <= calls.count }.sorted()
  }

  @Test(
    "When killed at any moment, the old or new database is complete", arguments: TestEngine.encrypting,
    TestConversion.allCases)
  func anyMoment(engine: TestEngine, conversion: TestConversion) throws {
    var random = SeededGenerator.announced("kills at moments of \(conversion) \(engine)")
    let trials = try [false, true].map { try ConversionTrial(engine, conversion, hasLog: $0, rows: 400) }
    // From start to end, whatever the duration on this machine.
    let start = ContinuousClock.now
    try trials[0].reset()
    #expect(try trials[0].convert([:]).output.contains("done"))
    let time = (ContinuousClock.now - start) / .seconds(1)
    var states: [ConversionTrial.State: Int] = [:]
    for round in 0..<(Self.isLong ? 500 : 3) {
      let trial = trials[round % trials.count]
      try trial.reset()
      try trial.convertAndKill(after: Double.random(in: 0...time, using: &random))
      states[try trial.state(), default: 0] += 1
      let defect = try trial.defectAfterRetry()
      #expect(defect == nil, "round \(round), log \(trial.hasLog)")
    }
    if Self.isLong { print("killed at moments, \(conversion), \(engine): \(states)") }
  }
}
