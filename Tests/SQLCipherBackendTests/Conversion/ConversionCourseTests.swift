import Foundation
import Migrator
import SQLCipherBackend
import SQLiteBackend
import TestEngines
import Testing

@Suite("Progress and outcome of a conversion")
struct ConversionCourseTests {
  @Test(
    "Progress is reported phase by phase, increasing, to the end",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
  func progress(engine: TestEngine, conversion: TestConversion) throws {
    let trial = try ConversionTrial(engine, conversion, hasLog: false, rows: 3000)
    try trial.reset()
    let reported = Lock<[ConversionProgress]>([])
    let start = ContinuousClock.now
    try conversion.run(trial.path, engine) { progress in reported.withLock { $0.append(progress) } }
    let twentieths = Int((ContinuousClock.now - start) / .milliseconds(50))
    let list = reported.withLock { $0 }
    let phases = list.map(\.phase)
    #expect(Set(phases) == Set(ConversionProgress.Phase.allCases))
    let order = ConversionProgress.Phase.allCases
    for (one, next) in zip(list, list.dropFirst()) {
      #expect(order.firstIndex(of: one.phase) ?? 0 <= order.firstIndex(of: next.phase) ?? 0)
      if one.phase == next.phase { #expect(one.completedUnitCount <= next.completedUnitCount, "\(one) \(next)") }
    }
    // Each phase reports its beginning and end, and in between not each of the engine's steps, of which there are
    // hundreds.
    #expect(list.count <= 2 * order.count + twentieths, "\(list.count) in \(twentieths) twentieths of a second")
    for phase in order where phase != .waiting {
      let last = list.last { $0.phase == phase }
      #expect(last?.completedUnitCount == last?.totalUnitCount, "\(phase)")
    }
    let rows = list.last { $0.phase == .verifying }?.totalUnitCount ?? 0
    #expect(rows > 12_000, "\(rows) rows")
  }

  @Test(
    "A canceled conversion leaves the original and no other file",
    arguments: TestTier.pairs(TestEngine.encrypting, [ConversionProgress.Phase.copying, .verifying, .finishing]))
  func cancelling(engine: TestEngine, phase: ConversionProgress.Phase) async throws {
    for conversion in [TestConversion.encrypt, .rekey] {
      let trial = try ConversionTrial(engine, conversion, hasLog: false, rows: 2000)
      try trial.reset()
      let path = trial.path
      let task = Lock<Task<ConversionOutcome, any Error>?>(nil)
      let started = DispatchSemaphore(value: 0)
      let new = Task {
        try conversion.run(path, engine) { progress in
          guard progress.phase == phase else { return }
          started.wait()
          task.withLock { $0?.cancel() }
          started.signal()
        }
      }
      task.withLock { $0 = new }
      started.signal()
      await #expect(throws: CancellationError.self) { try await new.value }
      #expect(try trial.isUntouched())
      #expect(try trial.folder.names() == ["db"])
      #expect(try trial.state() == .old)
      #expect(try conversion.run(path, engine) == .converted(original: nil))
      #expect(try trial.state() == .new)
    }
  }

  @Test("The asynchronous functions do the same and are canceled with their task", arguments: TestEngine.encrypting)
  func asynchronous(engine: TestEngine) async throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: false)
    try trial.reset()
    let one = TestKey.raw.encryptionKey
    let two = EncryptionKey.rawWithSalt((0..<48).map { UInt8(200 - $0) })
    let options = ConversionOptions(patience: .zero, engine: engine.source)
    var smaller = CipherSettings()
    smaller.pageSizeInBytes = 2048
    #expect(try await SQLCipher.encrypt(trial.path, key: one, options: options) == .converted(original: nil))
    #expect(try await SQLCipher.rekey(trial.path, from: one, to: two, options: options) == .converted(original: nil))
    #expect(
      try await SQLCipher.upgrade(trial.path, key: two, from: CipherSettings(), to: smaller, options: options)
        == .converted(original: nil))
    #expect(
      try await SQLCipher.decrypt(trial.path, key: two, settings: smaller, options: options)
        == .converted(original: nil))
    #expect(try trial.state() == .old)

    let path = trial.path
    let task = Task { [options] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await SQLCipher.encrypt(path, key: one, options: options)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try trial.state() == .old)
  }

  @Test(
    "The original is kept on request, and never replaces another file",
    arguments: TestTier.pairs(TestEngine.encrypting, TestConversion.allCases))
  func keeping(engine: TestEngine, conversion: TestConversion) throws {
    let trial = try ConversionTrial(engine, conversion, hasLog: false)
    try trial.reset()
    let bytes = try trial.folder.bytes(of: "db")
    let kept = trial.path + "-original"
    try trial.folder.write(Array("mine".utf8), to: "db-original")
    let error = try databaseError { try conversion.run(trial.path, engine, keepingOriginal: true) }
    #expect(error.condition == .denied)
    #expect(try trial.isUntouched())
    try FileManager.default.removeItem(atPath: kept)
    let outcome = try conversion.run(trial.path, engine, keepingOriginal: true)
    #expect(outcome == .converted(original: kept))
    #expect(try trial.folder.bytes(of: "db-original") == bytes)
    #expect(try trial.state() == .new)
    let original = try conversion.before(engine).connect(kept, engine)
    #expect(try original.run("SELECT count(*) FROM big") == ["4"])
  }

  @Test("The file keeps its permissions, and a link to it refers to the new file", arguments: TestEngine.encrypting)
  func place(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: false)
    try trial.reset()
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: trial.path)
    let other = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: other.file("link"), withDestinationPath: trial.path)
    #expect(try TestConversion.encrypt.run(other.file("link"), engine) == .converted(original: nil))
    #expect(try trial.state() == .new)
    #expect(try other.names() == ["link"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: other.file("link")) == trial.path)
    let mode = try FileManager.default.attributesOfItem(atPath: trial.path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
  }

  @Test("A file that is not a database of the expected form is unchanged", arguments: TestEngine.encrypting)
  func otherFiles(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    for conversion in TestConversion.allCases {
      let missing = try databaseError { try conversion.run(folder.file("missing"), engine) }
      #expect(missing.condition == .fileMissing)
      let junk = [UInt8](repeating: 0x5a, count: 8192)
      try folder.write(junk, to: "junk")
      let error = try databaseError { try conversion.run(folder.file("junk"), engine) }
      #expect(error.condition == .wrongKey || error.condition == .notADatabase, "\(error)")
      #expect(try Array(folder.bytes(of: "junk")) == junk)
      #expect(try folder.names() == ["junk"])
    }
    let trial = try ConversionTrial(engine, .rekey, hasLog: false)
    try trial.reset()
    let options = ConversionOptions(patience: .zero, engine: engine.source)
    let wrong = EncryptionKey.passphrase("wrong")
    #expect(
      try databaseError { try SQLCipher.decrypt(trial.path, key: wrong, options: options) }.condition == .wrongKey)
    #expect(
      try databaseError { try SQLCipher.encrypt(trial.path, key: wrong, options: options) }.condition == .notADatabase)
    #expect(
      try databaseError { try SQLCipher.upgrade(trial.path, key: wrong, options: options) }.condition == .wrongKey)
    #expect(
      try databaseError { try SQLCipher.encrypt(trial.path, key: .raw([1]), options: options) }.condition
        == .invalidKey)
    #expect(try trial.isUntouched())
  }

  @Test("An empty file and an empty database become encrypted ones", arguments: TestEngine.encrypting)
  func empty(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    try folder.write([], to: "empty")
    let connection = try ConversionFixture.plaintext(folder.file("bare"), engine)
    try connection.run("PRAGMA user_version = 3; CREATE TABLE t(a); DROP TABLE t")
    try connection.close()
    for (name, version) in [("empty", "0"), ("bare", "3")] {
      #expect(try TestConversion.encrypt.run(folder.file(name), engine) == .converted(original: nil))
      let encrypted = try TestConversion.encrypt.after(engine).connect(folder.file(name), engine)
      #expect(try encrypted.run("PRAGMA user_version") == [version])
      try encrypted.run("CREATE TABLE t(a)")
    }
  }
}
