import Foundation
import TestEngines
import Testing

/// What happens to conversions on faulty and full disks, and without rights.
///
/// The normal suite takes a few of the calls; MIGRATOR_SOAK=1 takes all of them.
@Suite("Conversions that fail")
struct ConversionFaultTests {
  private static let isLong = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] != nil

  private static func numbers(_ calls: [String], _ random: inout SeededGenerator) -> [Int] {
    guard !isLong else { return Array(1...calls.count) }
    return [1] + (0..<4).map { _ in Int.random(in: 1...calls.count, using: &random) }
  }

  @Test(
    "A disk that is full leaves the original as it was, and says so", arguments: TestEngine.encrypting,
    TestConversion.allCases)
  func fullDisk(engine: TestEngine, conversion: TestConversion) throws {
    var random = SeededGenerator.announced("full disks of \(conversion) \(engine)")
    let trial = try ConversionTrial(engine, conversion, hasLog: false)
    let calls = try trial.calls()
    for number in Self.numbers(calls, &random) {
      try trial.reset()
      let result = try trial.convert(["FULL": "\(number)"])
      // Behind the last write there is nothing that a full disk keeps from being done.
      if result.output.contains("done") {
        #expect(!calls[(number - 1)...].contains { $0.contains("write") } || conversion == .encrypt)
        #expect(try trial.state() == .new)
        continue
      }
      let isReported = result.output.contains("full") || result.output.contains("No space left")
      #expect(isReported, "\(result.output) at call \(number), \(calls[number - 1])")
      if try trial.state() == .old { #expect(try trial.isUntouched(), "call \(number)") }
      let defect = try trial.defectAfterRetry()
      #expect(defect == nil, "full from call \(number) on, \(calls[number - 1])")
    }
  }

  @Test(
    "Any call that fails leaves the old or the new database, whole", arguments: TestEngine.encrypting,
    TestConversion.allCases)
  func faultyDisk(engine: TestEngine, conversion: TestConversion) throws {
    var random = SeededGenerator.announced("faults of \(conversion) \(engine)")
    for hasLog in [false, true] {
      let trial = try ConversionTrial(engine, conversion, hasLog: hasLog)
      let calls = try trial.calls()
      for number in Self.numbers(calls, &random) {
        try trial.reset()
        let result = try trial.convert(["FAIL": "\(number)"], number.isMultiple(of: 3) ? "keeping" : "")
        #expect(!result.isKilled)
        let state = try trial.state()
        if result.output.contains("done") { #expect(state == .new) }
        let defect = try trial.defectAfterRetry()
        #expect(defect == nil, "call \(number), \(calls[number - 1]), failed: \(result.output)")
      }
    }
  }

  @Test("A disk without room for a copy is found before anything is done", arguments: TestEngine.encrypting)
  func noRoom(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: false)
    try trial.reset()
    let result = try trial.convert(["FREE": "40960"])
    #expect(result.output.contains("and 40960 are free"), "\(result.output)")
    #expect(result.output.contains("bytes beside it"))
    #expect(try trial.isUntouched())
  }

  @Test("In a folder that cannot be written nothing is begun", arguments: TestEngine.encrypting)
  func readOnlyFolder(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: false)
    try trial.reset()
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: trial.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: trial.folder.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: trial.folder.path) }
    let result = try trial.convert([:], "nobody")
    #expect(result.output.contains("the folder \(trial.folder.path) cannot be written"), "\(result.output)")
    #expect(try trial.isUntouched())
    #expect(try trial.folder.names() == ["db"])
  }

  @Test(
    "No text of the database is ever written to a file but into a database without encryption, and no key to any",
    arguments: TestEngine.encrypting, TestConversion.allCases)
  func text(engine: TestEngine, conversion: TestConversion) throws {
    let trial = try ConversionTrial(engine, conversion, hasLog: false, rows: 400)
    try trial.reset()
    let (list, kept) = (try TemporaryFolder(), try TemporaryFolder())
    let result = try trial.convert([
      "LOG": list.file("calls"), "TEXT": ConversionFixture.marker, "KEEP": kept.path,
    ])
    #expect(result.output.contains("done"))
    let calls = String(decoding: try list.bytes(of: "calls"), as: UTF8.self).split(separator: "\n")
    let found = calls.filter { $0.hasPrefix("text in") }
    #expect(calls.count > found.count)
    // The control: there the text must be found.
    #expect(found.isEmpty == (conversion != .decrypt), "\(found)")
    #expect(found.allSatisfy { $0.hasSuffix("db-converting") }, "\(found)")

    let names = try kept.names()
    #expect(names.contains { $0.hasSuffix("db-converting") } && !names.contains("unseen"))
    for name in names {
      let bytes = try kept.bytes(of: name)
      for key in TestConversion.keyBytes {
        let digits = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(bytes.range(of: Data(key)) == nil && bytes.range(of: Data(digits.utf8)) == nil, "\(name)")
      }
    }
  }
}
