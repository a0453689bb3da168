import Foundation
import Migrator
import TestEngines
import Testing

/// Kills the process that erases a database whose migrations were edited, or that restores a backup, at the calls that change
/// files, or lets the disk be full from such a call on.
///
/// A run tries the calls around the swap of the files and 2, 15 or all others for each engine and mode, by its tier.
@Suite("Processes: killed while a database is erased or restored, or without room on the disk")
struct ErasureKillTests {
  /// The settings of `Tests/Faults/`, each with the number of a call.
  private static let faults = ["KILL", "FULL"]

  private static let ways = TestEngine.allCases.flatMap { engine in faults.map { (engine: engine, fault: $0) } }

  /// Each fault of each kind of erasing.
  private static let faultyErasures = KilledErasure.allCases.flatMap { erasure in faults.map { (erasure, $0) } }

  @Test(
    "Whatever change of a file is the last, the rows are in the database or in a backup, and the next start completes it",
    arguments: TestTier.pairs(TestEngine.allCases, faultyErasures))
  func erasing(engine: TestEngine, trouble: (erasure: KilledErasure, fault: String)) throws {
    let (erasure, fault) = trouble
    for hasLog in Self.journals(engine, erasure.rawValue) {
      let trial = try Trial(engine, hasLog: hasLog)
      var states: Set<KilledErasure.State> = []
      try trial.tryEach(fault, of: "erase", erasure.rawValue) { what in
        let state = try trial.state()
        states.insert(state)
        let isOld = state == .old(players: KilledErasure.rows)
        let isRestored = state == .new(players: KilledErasure.rows)
        #expect(isOld || isRestored || state == .erased || state == .new(players: 0), "\(state), \(what)")
        let mustHaveBackup = erasure != .silent && !isOld
        #expect(try !mustHaveBackup || trial.hasBackup(.old(players: KilledErasure.rows)), "\(state), \(what)")

        try trial.use { try erasure.migrator(isEdited: true).migrate($0) }
        let players = erasure == .keepingRows ? KilledErasure.rows : 0
        #expect(try trial.state() == .new(players: players), "after the next start, \(what)")
        #expect(
          try !mustHaveBackup || trial.hasBackup(.old(players: KilledErasure.rows)), "after the next start, \(what)")
        #expect(try trial.leftovers() == [], "\(what)")
        let reasons = try trial.use { try $0.read(erasure.migrator(isEdited: true).schemaChanges) }
        #expect(reasons == [], "\(what)")
      }
      #expect(states.count > 1 && states.contains(.old(players: KilledErasure.rows)), "\(states)")
    }
  }

  @Test(
    "Whatever change of a file is the last, a restored backup is there or the file before it, and both remain",
    arguments: ways)
  func restoring(engine: TestEngine, fault: String) throws {
    for hasLog in Self.journals(engine, "restore") {
      let trial = try Trial(engine, hasLog: hasLog) { trial in
        try trial.use { try KilledErasure.keepingBackup.migrator(isEdited: true).migrate($0) }
      }
      let current = KilledErasure.State.new(players: KilledErasure.rows)
      let backup = try #require(try trial.backups().first)
      var states: Set<KilledErasure.State> = []
      try trial.tryEach(fault, of: "restore", trial.folder.file(backup)) { what in
        let state = try trial.state(countingRowsOf: "later")
        states.insert(state)
        let isRestored = state == .old(players: 0)
        #expect(state == current || isRestored, "\(state), \(what)")
        #expect(try trial.hasBackup(.old(players: KilledErasure.rows)), "\(what)")
        #expect(try !isRestored || trial.hasBackup(current, countingRowsOf: "later"), "\(what)")

        let queue = try DatabaseQueue(engine.backend(path: trial.path))
        try queue.restore(backupAt: trial.folder.file(backup))
        #expect(try trial.state() == .old(players: KilledErasure.rows), "after the next call, \(what)")
        #expect(try trial.hasBackup(current, countingRowsOf: "later"), "after the next call, \(what)")
        #expect(try trial.leftovers() == [], "\(what)")
      }
      // A full disk does not prevent the last step, a rename, but that is tried only if everything was written.
      #expect(states.count == 2 || fault == "FULL", "\(states)")
    }
  }

  @Test(
    "If only the folder of a restored file cannot be written to the disk, the error says that the file was replaced",
    arguments: TestEngine.allCases)
  func restoringWithoutSync(engine: TestEngine) throws {
    let trial = try Trial(engine, hasLog: false) { trial in
      try trial.use { try KilledErasure.keepingBackup.migrator(isEdited: true).migrate($0) }
    }
    let backup = try #require(try trial.backups().first)
    let output = try trial.failLastSync(of: "restore", trial.folder.file(backup))
    #expect(output.contains("failed: ") && output.contains("cannot be written to the disk"), "\(output)")
    #expect(output.contains("The file was replaced, but after a power cut the old one may be there"), "\(output)")
    #expect(try trial.state() == .old(players: KilledErasure.rows))
    #expect(try trial.hasBackup(.new(players: KilledErasure.rows), countingRowsOf: "later"))
    #expect(try trial.leftovers() == [])
  }

  /// Returns whether to try the database with a write-ahead log: both ways, or in the everyday run one of them.
  private static func journals(_ engine: TestEngine, _ kind: String) -> [Bool] {
    guard !TestTier.isFull else { return [false, true] }
    let number = (TestEngine.allCases.firstIndex(of: engine) ?? 0) + kind.utf8.count
    return [number.isMultiple(of: 2)]
  }
}

extension ErasureKillTests {
  /// A development database with the user's rows, and a process that changes it.
  private final class Trial {
    private let engine: TestEngine
    private let hasLog: Bool
    private let original: TemporaryFolder
    let folder: TemporaryFolder

    var path: String { folder.file("app.db") }

    /// Creates the database with the rows "typed", and then lets a closure change it and adds the rows "later".
    init(_ engine: TestEngine, hasLog: Bool, change: ((Trial) throws -> Void)? = nil) throws {
      (self.engine, self.hasLog) = (engine, hasLog)
      (folder, original) = (try TemporaryFolder(), try TemporaryFolder())
      try use { queue in
        if hasLog {
          _ = try queue.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode = WAL") }
        }
        try KilledErasure.keepingBackup.migrator(isEdited: false).migrate(queue)
        try queue.write { try KilledErasure.type($0) }
      }
      try change?(self)
      // Copied while it is open, since closing it would remove the log.
      try use { queue in
        if change != nil { try queue.write { try KilledErasure.type($0, name: "later") } }
        for name in try folder.names() where !name.hasSuffix("-shm") {
          try original.write(try folder.bytes(of: name), to: name)
        }
      }
      #expect(try original.names().contains("app.db-wal") == hasLog)
    }

    /// Lets the process meet a fault at one call after another, each time in the original state of all files.
    ///
    /// - Parameter examine: A closure that examines the files, and that is passed the name of the call.
    func tryEach(
      _ fault: String, of task: String, _ argument: String, _ examine: (String) throws -> Void
    ) throws {
      let list = try TemporaryFolder()
      try reset()
      let outcome = try run(task, argument, ["LOG": list.file("calls")])
      try #require(outcome.output.contains("done"), "\(outcome.output)")
      let calls = String(decoding: try list.bytes(of: "calls"), as: UTF8.self).split(separator: "\n")
      var random = SeededGenerator.announced("\(fault) of \(task) \(argument.suffix(20)) \(engine)")
      for number in numbers(calls.map(String.init), &random) {
        try reset()
        let outcome = try run(task, argument, [fault: "\(number)"])
        #expect(outcome.isKilled == (fault == "KILL"), "\(outcome.output)")
        try examine("\(fault) at call \(number) of \(calls.count), \(calls[number - 1]), log \(hasLog)")
      }
    }

    /// Lets the last call of fsync(2) by a process fail, and returns what the process prints.
    func failLastSync(of task: String, _ argument: String) throws -> String {
      let list = try TemporaryFolder()
      try reset()
      _ = try run(task, argument, ["LOG": list.file("calls")])
      let calls = String(decoding: try list.bytes(of: "calls"), as: UTF8.self).split(separator: "\n")
      let index = try #require(calls.lastIndex { $0.hasPrefix("fsync") })
      try reset()
      return try run(task, argument, ["FAIL": "\(index + 1)"]).output
    }

    private func numbers(_ calls: [String], _ random: inout SeededGenerator) -> [Int] {
      guard TestTier.current != .soak else { return Array(1...calls.count) }
      let swaps = calls.indices.filter { calls[$0].hasPrefix("rename") }.flatMap { [$0 + 1, $0 + 2] }
      let others = (0..<TestTier.pick(2, full: 6)).map { _ in Int.random(in: 1...calls.count, using: &random) }
      return Set([1, calls.count] + swaps + others).filter { $0 <= calls.count }.sorted()
    }

    private func reset() throws {
      for name in try folder.names() { try FileManager.default.removeItem(atPath: folder.file(name)) }
      for name in try original.names() { try folder.write(try original.bytes(of: name), to: name) }
    }

    private func run(
      _ task: String, _ argument: String, _ faults: [String: String]
    ) throws -> (isKilled: Bool, output: String) {
      try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
      var environment = ["LD_PRELOAD": BuiltEngines.faults]
      for (name, value) in faults { environment["MIGRATOR_FAULTS_\(name)"] = value }
      let worker = try WorkerProcess(engine, path, task, argument, environment: environment)
      let output = try worker.finish().output
      return (worker.isKilled, output)
    }

    /// Opens the database, or a backup of it.
    @discardableResult
    func use<Value>(_ name: String = "app.db", _ body: (DatabaseQueue) throws -> Value) throws -> Value {
      let queue = try DatabaseQueue(engine.backend(path: folder.file(name)))
      let value = try body(queue)
      try queue.close()
      return value
    }

    func state(of file: String = "app.db", countingRowsOf name: String = "typed") throws -> KilledErasure.State {
      try use(file) { queue in try queue.read { try KilledErasure.state(of: $0, countingRowsOf: name) } }
    }

    /// Returns the names of the finished backups, the oldest first.
    func backups() throws -> [String] {
      try folder.names().filter {
        $0.hasPrefix("app.db.backup-") && ($0.hasSuffix("Z") || $0.dropLast(2).hasSuffix("Z"))
      }
    }

    func hasBackup(_ state: KilledErasure.State, countingRowsOf name: String = "typed") throws -> Bool {
      try backups().contains { try self.state(of: $0, countingRowsOf: name) == state }
    }

    /// Returns the files besides the database and its finished backups.
    func leftovers() throws -> [String] {
      let known = try backups() + ["app.db"]
      return try folder.names().filter { !known.contains($0) }
    }
  }
}
