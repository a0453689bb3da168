import Dispatch
import Foundation
import Migrator
import SQLCipherBackend
import TestEngines
import Testing

@Suite("Conversions and other connections")
struct ConversionLockTests {
  @Test(
    "While another process holds a lock, the conversion fails and that process's writes are kept",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
  func otherProcess(engine: TestEngine, conversion: TestConversion) throws {
    // The first of these makes PRAGMA rekey destroy a file.
    let holds = [
      (false, "BEGIN IMMEDIATE; INSERT INTO gaps VALUES ('held')", "COMMIT"),
      (true, "BEGIN IMMEDIATE; INSERT INTO gaps VALUES ('held')", "COMMIT"),
      (false, "BEGIN; SELECT count(*) FROM gaps", "COMMIT; INSERT INTO gaps VALUES ('held')"),
      (true, "BEGIN; SELECT count(*) FROM gaps", "COMMIT; INSERT INTO gaps VALUES ('held')"),
      (true, "SELECT count(*) FROM gaps", "INSERT INTO gaps VALUES ('held')"),
    ]
    for (hasLog, first, second) in holds {
      var names = try heldAndConverted(engine, conversion, hasLog, first, second)
      // A process that another test starts shares the copy's lock from its fork to its exec: the conversion then leaves
      // its marks for the next one.
      if names != ["db"] { names = try heldAndConverted(engine, conversion, hasLog, first, second) }
      #expect(names == ["db"])
    }
  }

  /// Converts while another process holds a lock, which fails, and again afterwards; returns the names in the folder in
  /// between.
  private func heldAndConverted(
    _ engine: TestEngine, _ conversion: TestConversion, _ hasLog: Bool, _ first: String, _ second: String
  ) throws -> [String] {
    let trial = try ConversionTrial(engine, conversion, hasLog: hasLog)
    try trial.reset()
    let other = try trial.otherProcess(first, then: second)
    other.wait(for: "ready\n")
    let error = try databaseError { try conversion.run(trial.path, engine) }
    #expect(error.condition == .busy, "\(first): \(error)")
    #expect(try other.finish(endingInput: true).output.hasSuffix("done\n"))
    let connection = try conversion.before(engine).connect(trial.path, engine)
    #expect(try connection.run("SELECT count(*) FROM gaps WHERE a = 'held'") == ["1"])
    try connection.run("INSERT INTO gaps VALUES ('held')")
    #expect(try connection.run("PRAGMA integrity_check") == ["ok"])
    try connection.close()
    let names = try trial.folder.names()
    if names != ["db"] { print("after \(conversion) met a lock: \(names)") }
    try conversion.run(trial.path, engine)
    let converted = try conversion.after(engine).connect(trial.path, engine)
    #expect(try converted.run("SELECT count(*) FROM gaps WHERE a = 'held'") == ["2"])
    try converted.close()
    #expect(try trial.folder.names() == ["db"])
    return names
  }

  @Test(
    "A connection that another process kept open cannot write to the replaced file",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
  func idle(engine: TestEngine, conversion: TestConversion) throws {
    let trial = try ConversionTrial(engine, conversion, hasLog: false)
    try trial.reset()
    let other = try trial.otherProcess("SELECT count(*) FROM gaps", then: "INSERT INTO gaps VALUES ('lost')")
    other.wait(for: "ready\n")
    try conversion.run(trial.path, engine)
    let said = try other.finish(endingInput: true).output
    // If plaintext was removed, the file that the other process has open is no longer a database.
    let expected = conversion == .encrypt ? "error 26" : "error 8"
    #expect(said.contains(expected), "\(said)")
    #expect(try trial.state() == .new)
  }

  @Test("Connections of this process prevent a conversion of their file", arguments: TestEngine.encrypting)
  func ownConnection(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .rekey, hasLog: false)
    try trial.reset()
    let connection = try TestConversion.rekey.before(engine).connect(trial.path, engine)
    let error = try databaseError { try TestConversion.rekey.run(trial.path, engine) }
    #expect(error.condition == .busy)
    #expect(error.message.contains("open in this process through 1 connection"))
    #expect(try trial.isUntouched())
    try connection.close()
    #expect(try TestConversion.rekey.run(trial.path, engine) == .converted(original: nil))
  }

  @Test(
    "A conversion that is complete is found complete, even while connections of this process have the file open",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
  func openedAfterwards(engine: TestEngine, conversion: TestConversion) throws {
    let trial = try ConversionTrial(engine, conversion, hasLog: false)
    try trial.reset()
    try conversion.run(trial.path, engine)
    let connection = try conversion.after(engine).connect(trial.path, engine)
    #expect(try conversion.run(trial.path, engine) == .alreadyConverted)
    try connection.run("INSERT INTO gaps VALUES ('kept')")
    try connection.close()
    let reopened = try conversion.after(engine).connect(trial.path, engine)
    #expect(try reopened.run("SELECT count(*) FROM gaps WHERE a = 'kept'") == ["1"])
    #expect(try trial.folder.names() == ["db"])
  }

  @Test(
    "Opening a file during its conversion fails with beingConverted, or waits for the new file",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
  func opening(engine: TestEngine, conversion: TestConversion) throws {
    let trial = try ConversionTrial(engine, conversion, hasLog: false)
    try trial.reset()
    let answers = Lock<[String]>([])
    let isDone = DispatchSemaphore(value: 0)
    let waiting = Lock<WorkerProcess?>(nil)
    try conversion.run(trial.path, engine) { progress in
      guard progress.phase == .verifying, progress.completedUnitCount == 0 else { return }
      @Sendable func answer(_ body: () throws -> String) {
        let text: String
        do { text = try body() } catch { text = "\(error)" }
        answers.withLock { $0.append(text) }
      }
      let count = "SELECT count(*) FROM gaps"
      answer { try trial.otherProcess(count).finish(endingInput: true).output }
      answer { try trial.otherProcess(isConverted: true, count).finish(endingInput: true).output }
      waiting.withLock { $0 = try? trial.otherProcess(isConverted: true, patience: 900, count) }
      let isTold = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        answer { try conversion.before(engine).connect(trial.path, engine).run(count)[0] }
        isTold.signal()
        answer { try conversion.after(engine).connect(trial.path, engine, patience: .seconds(900)).run(count)[0] }
        isDone.signal()
      }
      isTold.wait()
    }
    isDone.wait()
    let said = answers.withLock { $0 }
    #expect(said.count == 4)
    for text in said.prefix(3) { #expect(text.contains("is being converted"), "\(text)") }
    #expect(Int(said[3]) != nil, "\(said[3])")
    let waited = try waiting.withLock { try $0?.finish(endingInput: true).output } ?? "nothing"
    #expect(waited.hasSuffix("done\n"), "\(waited)")
    #expect(try trial.state() == .new)
  }

  @Test(
    "Of many concurrent conversions, one converts and the others find the file converted",
    arguments: TestEngine.encrypting)
  func many(engine: TestEngine) async throws {
    for conversion in TestConversion.allCases {
      let trial = try ConversionTrial(engine, conversion, hasLog: false)
      try trial.reset()
      let path = trial.path
      let outcomes = try await withThrowingTaskGroup(of: ConversionOutcome.self) { group in
        for _ in 0..<4 {
          group.addTask { try conversion.run(path, engine, patience: .seconds(300)) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.count { $0 == .converted(original: nil) } == 1, "\(conversion): \(outcomes)")
      #expect(try trial.state() == .new)
      #expect(try trial.folder.names() == ["db"])
    }
  }
}
