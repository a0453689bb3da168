import Foundation
import Migrator
import TestEngines
import Testing

/// Kills conversions at every call that changes a file, and at random moments.
///
/// Tools/test tests some of the calls, more with --full; Tools/soak tests all of them, and 500 random moments of each kind of
/// conversion, on each engine.
@Suite("Conversions that are killed")
struct ConversionKillTests {
  private static let isLong = TestTier.current == .soak

  @Test(
    "When killed at any change of a file, the old or new database is complete, and a retry succeeds",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
  func everyCall(engine: TestEngine, conversion: TestConversion) throws {
    var random = SeededGenerator.announced("kills of \(conversion) \(engine)")
    // In the everyday run, each engine has conversions of both kinds of journal.
    let isEven = (TestConversion.allCases.firstIndex(of: conversion) ?? 0) % 4 < 2
    for hasLog in TestTier.pick([isEven], full: [false, true]) {
      let trial = try ConversionTrial(engine, conversion, hasLog: hasLog)
      let calls = try trial.calls()
      #expect(calls.contains("renameat"))
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

  @Test(
    "A retry recovers the journal of a killed process by itself",
    arguments: TestTier.pairs(TestEngine.encrypting, [TestConversion.rekey, .upgrade]))
  func hotJournal(engine: TestEngine, conversion: TestConversion) throws {
    let trial = try ConversionTrial(engine, conversion, hasLog: true)
    let calls = try trial.calls()
    let swap = try #require(calls.firstIndex(of: "renameat"))
    var recoveries = 0
    // The journal mode changes between the two files that are created without the engine: the log's mark, and the copy.
    let copy = try #require(calls.indices.filter { calls[$0] == "openat" }.dropFirst().first)
    let (first, last) = Self.isLong ? (1, swap) : (copy - 25, copy)
    for number in stride(from: first, through: last, by: TestTier.pick(4, full: 1)) {
      try trial.reset()
      try #require(try trial.convert(["KILL": "\(number)"]).isKilled)
      if FileManager.default.fileExists(atPath: trial.path + "-journal") { recoveries += 1 }
      #expect(try conversion.run(trial.path, engine) == .converted(original: nil), "killed at call \(number)")
      #expect(try trial.state() == .new)
    }
    #expect(recoveries > 0)
  }

  @Test(
    "A retry after the last step of a conversion that keeps the original reports that it is done",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
  func keptOriginal(engine: TestEngine, conversion: TestConversion) throws {
    let trial = try ConversionTrial(engine, conversion, hasLog: false)
    try trial.reset()
    #expect(try trial.convert([:], "keeping").output.contains("done"))
    #expect(try conversion.run(trial.path, engine, keepingOriginal: true) == .alreadyConverted)
    #expect(try trial.folder.names() == ["db", "db-original"])
    // Another file with the name of the original is never replaced.
    try trial.reset()
    try trial.folder.write(Data("unrelated".utf8), to: "db-original")
    let error = try databaseError { try conversion.run(trial.path, engine, keepingOriginal: true) }
    #expect(error.condition == .denied)
    #expect(try trial.isUntouched())
  }

  @Test("The claim of a copy that is gone is removed", arguments: TestEngine.encrypting)
  func orphanedClaim(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: false)
    try trial.reset()
    try TestConversion.encrypt.run(trial.path, engine)
    // A power failure may undo the removal of names, and a restored database has another inode number.
    try trial.folder.write(
      Data("migrator: file 1 is the copy that takes the place of file 2\n".utf8), to: "db-converting-claim")
    for suffix in ["journal", "wal", "shm"] { try trial.folder.write(Data(), to: "db-converting-\(suffix)") }
    #expect(try TestConversion.encrypt.run(trial.path, engine) == .alreadyConverted)
    #expect(try trial.folder.names() == ["db"])
  }

  /// Returns the numbers of the calls to kill at: all, or those around the swap and some others.
  private static func numbers(_ calls: [String], _ random: inout SeededGenerator) -> [Int] {
    guard !isLong else { return Array(1...calls.count) }
    let swap = (calls.firstIndex(of: "renameat") ?? 0) + 1
    let others = (0..<TestTier.pick(1, full: 3)).map { _ in Int.random(in: 1...calls.count, using: &random) }
    return Set([1, swap, swap + 1, calls.count] + others).filter { $0 <= calls.count }.sorted()
  }

  @Test(
    "When killed at any moment, the old or new database is complete",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
  func anyMoment(engine: TestEngine, conversion: TestConversion) throws {
    var random = SeededGenerator.announced("kills at moments of \(conversion) \(engine)")
    let trials = try [false, true].map { try ConversionTrial(engine, conversion, hasLog: $0, rows: 400) }
    // From start to end, whatever the duration on this machine.
    let start = ContinuousClock.now
    try trials[0].reset()
    #expect(try trials[0].convert([:]).output.contains("done"))
    let time = (ContinuousClock.now - start) / .seconds(1)
    var states: [ConversionTrial.State: Int] = [:]
    for round in 0..<TestTier.pick(1, full: 3, soak: 500) {
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
