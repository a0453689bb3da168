import Foundation
import TestEngines
import Testing

/// Tests of conversions on faulty and full disks, and without permissions.
///
/// Tools/test tests some of the calls, more with --full; Tools/soak tests all of them.
@Suite("Conversions that fail")
struct ConversionFaultTests {
  private static let isLong = TestTier.current == .soak

  private static func numbers(_ calls: [String], _ random: inout SeededGenerator) -> [Int] {
    guard !isLong else { return Array(1...calls.count) }
    return [1] + (0..<TestTier.pick(1, full: 4)).map { _ in Int.random(in: 1...calls.count, using: &random) }
  }

  @Test(
    "A full disk leaves the original unchanged, and is reported",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
  func fullDisk(engine: TestEngine, conversion: TestConversion) throws {
    var random = SeededGenerator.announced("full disks of \(conversion) \(engine)")
    let trial = try ConversionTrial(engine, conversion, hasLog: false)
    let calls = try trial.calls()
    for number in Self.numbers(calls, &random) {
      try trial.reset()
      let result = try trial.convert(["FULL": "\(number)"])
      // After the last write, a full disk cannot cause a failure.
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
    "Any failing call leaves the complete old or new database",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
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

  @Test("A disk without enough space for a copy is reported before any change", arguments: TestEngine.encrypting)
  func noRoom(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: false)
    try trial.reset()
    let result = try trial.convert(["FREE": "40960"])
    #expect(result.output.contains("only 40960 are free"), "\(result.output)")
    #expect(result.output.contains("bytes on the same disk"))
    #expect(try trial.isUntouched())
  }

  @Test("In a folder that is not writable, the conversion does not begin", arguments: TestEngine.encrypting)
  func readOnlyFolder(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: false)
    try trial.reset()
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: trial.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: trial.folder.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: trial.folder.path) }
    let result = try trial.convert([:], "unprivileged")
    #expect(result.output.contains("the folder \(trial.folder.path) is not writable"), "\(result.output)")
    #expect(try trial.isUntouched())
    #expect(try trial.folder.names() == ["db"])
  }

  @Test(
    "The database's text is written only to a plaintext database, and a key to no file at all",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
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
    // The control: here the text must be found.
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
