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

  /// A database that a process migrates while memory fails.
  private struct Trial {
    let engine: TestEngine
    let folder: TemporaryFolder

    var path: String { folder.file("db") }

    init(_ engine: TestEngine) throws {
      self.engine = engine
      folder = try TemporaryFolder()
      try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
    }

    /// Migrates a new database.
    ///
    /// - Returns: The exit code and the output; nil when the engine crashed.
    func migrate(_ faults: [String: String]) throws -> (code: Int32, output: String)? {
      for name in try folder.names() { try FileManager.default.removeItem(atPath: folder.file(name)) }
      var environment = ["LD_PRELOAD": BuiltEngines.faults, "MIGRATOR_FAULTS_ENGINE": try engine.loadablePath()]
      for (name, value) in faults { environment["MIGRATOR_FAULTS_\(name)"] = value }
      let worker = try WorkerProcess(engine, path, "migrate-everything", environment: environment)
      let result = try worker.finish()
      guard worker.isKilled else { return result }
      // SQLCipher 3.4 and the full-text search of SQLite 3.15 write through a null pointer when an allocation fails.
      #expect(engine == .sqlCipher3, "\(faults) \(result.output)")
      return nil
    }

    /// Returns the number of allocations of a run without failures.
    func count() throws -> Int {
      let list = try TemporaryFolder()
      let (code, output) = try #require(try migrate(["LOG": list.file("calls")]))
      try #require(code == 0, "\(output)")
      let last = String(decoding: try list.bytes(of: "calls"), as: UTF8.self).split(separator: "\n").last
      return try #require(last?.split(separator: " ").last.flatMap { Int($0) })
    }
  }

  @Test(
    "when any allocation fails, the run ends with that error between two migrations, or SQLite recovers and it is complete",
    arguments: TestEngine.allCases, ["MEMORY", "STARVED"])
  func everyAllocation(engine: TestEngine, fault: String) throws {
    var random = SeededGenerator.announced("failing memory \(fault) \(engine)")
    let trial = try Trial(engine)
    let states = try VariedMigrations.states(engine)
    let count = try trial.count()
    try #require(count > 1000)
    var recoveries = 0
    let numbers = Self.isLong ? Array(1...count) : (0..<40).map { _ in Int.random(in: 1...count, using: &random) }
    for number in numbers {
      let result = try trial.migrate([fault: "\(number)"])
      let isDone = result?.code == 0
      if isDone { recoveries += 1 }
      if let result, !isDone {
        #expect(result.output.contains("out of memory"), "allocation \(number) of \(count): \(result.output)")
      }
      let dbQueue = try engine.queue(path: trial.path, key: .raw)
      let (applied, defect) = try dbQueue.read { db in try VariedMigrations.defect(db, states: states) }
      #expect(defect == nil, "allocation \(number) of \(count)")
      #expect(!isDone || applied == states.count - 1, "allocation \(number) of \(count)")
      try VariedMigrations.migrator.migrate(dbQueue)
      let completed = try dbQueue.read { db in try VariedMigrations.defect(db, states: states) }
      #expect(completed.text == nil && completed.count == states.count - 1, "allocation \(number) of \(count)")
      try dbQueue.close()
    }
    if Self.isLong { print("\(fault) \(engine): \(count) allocations, \(recoveries) recoveries") }
  }
}
