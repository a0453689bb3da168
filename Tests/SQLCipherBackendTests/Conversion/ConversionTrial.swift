import Foundation
import Migrator
import SQLCipherBackend
import TestEngines
import Testing

/// A conversion of one database, repeated by a process that faults are injected into.
struct ConversionTrial {
  let engine: TestEngine
  let conversion: TestConversion

  /// Whether the database has a write-ahead log that was not checkpointed.
  let hasLog: Bool

  private let database: Data
  private let log: Data?
  private let expected: [String]

  /// The files of a trial; the folder contains no others.
  let folder: TemporaryFolder

  var path: String { folder.file("db") }

  init(_ engine: TestEngine, _ conversion: TestConversion, hasLog: Bool, rows: Int = 40) throws {
    self.engine = engine
    self.conversion = conversion
    self.hasLog = hasLog
    folder = try TemporaryFolder()
    let maker = try TemporaryFolder()
    let connection = try conversion.before(engine).connect(maker.file("db"), engine)
    try connection.run(hasLog ? "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0" : "")
    try connection.run("BEGIN; \(ConversionFixture.script(rows: rows)); COMMIT")
    database = try maker.bytes(of: "db")
    log = hasLog ? try maker.bytes(of: "db-wal") : nil
    expected = try Self.rows(connection)
    try connection.close()
  }

  /// Restores the original.
  func reset() throws {
    for name in try folder.names() { try FileManager.default.removeItem(atPath: folder.file(name)) }
    try folder.write(database, to: "db")
    if let log { try folder.write(log, to: "db-wal") }
  }

  /// Returns whether the original is unchanged, byte for byte.
  func isUntouched() throws -> Bool {
    guard try folder.bytes(of: "db") == database else { return false }
    return try log == nil || folder.bytes(of: "db-wal") == log
  }

  /// Converts in a separate process.
  ///
  /// - Parameter faults: The settings of `Tests/Faults/`.
  func convert(_ faults: [String: String], _ options: String...) throws -> (isKilled: Bool, output: String) {
    let worker = try start(faults, options)
    let output = try worker.finish().output
    return (worker.isKilled, output)
  }

  /// Converts in a separate process, which is killed some seconds later.
  func convertAndKill(after seconds: Double) throws {
    let worker = try start([:], [])
    Thread.sleep(forTimeInterval: seconds)
    worker.kill()
    _ = try worker.finish()
  }

  private func start(_ faults: [String: String], _ options: [String]) throws -> WorkerProcess {
    try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
    var environment = ["LD_PRELOAD": BuiltEngines.faults]
    for (name, value) in faults { environment["MIGRATOR_FAULTS_\(name)"] = value }
    return try WorkerProcess(engine, [path, "convert", conversion.rawValue] + options, environment: environment)
  }

  /// Starts a process that opens the database and runs `first` immediately, and `second` when its input ends.
  func otherProcess(
    isConverted: Bool = false, patience: Int = 0, _ first: String, then second: String = ""
  ) throws -> WorkerProcess {
    try WorkerProcess(
      engine, path, "access", conversion.rawValue, isConverted ? "after" : "before", "\(patience)", first, second)
  }

  /// Returns the calls that change files, in order, without any injected fault.
  func calls() throws -> [String] {
    try reset()
    let list = try TemporaryFolder()
    let result = try convert(["LOG": list.file("calls")])
    #expect(result.output.contains("done"), "\(result.output)")
    return String(decoding: try list.bytes(of: "calls"), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The form of the file if it is complete; a defect otherwise.
  enum State: Hashable { case old, new, defect(String) }

  func state() throws -> State {
    let old = try contents(conversion.before(engine))
    let new = try contents(conversion.after(engine))
    switch (old, new) {
    case (let rows?, nil): return rows == expected ? .old : .defect("the old one is incomplete")
    case (nil, let rows?): return rows == expected ? .new : .defect("the new one is incomplete")
    case (nil, nil): return .defect("neither opens")
    default: return .defect("both open")
    }
  }

  private func contents(_ form: TestForm) throws -> [String]? {
    do {
      let connection = try form.connect(path, engine)
      defer { try? connection.close() }
      guard try connection.run("PRAGMA integrity_check") == ["ok"] else { return ["damaged"] }
      return try Self.rows(connection)
    } catch let error as DatabaseError
      where [.wrongKey, .notADatabase, .plaintextDatabase].contains(error.condition)
    {
      return nil
    }
  }

  /// Returns the rows without the journal mode, which a killed process may leave changed.
  private static func rows(_ connection: any DatabaseConnection) throws -> [String] {
    try ConversionFixture.contents(connection).filter { !$0.hasPrefix("journal_mode") }
  }

  /// Converts again in this process after a fault, and returns the defect that remains; nil for none.
  func defectAfterRetry() throws -> String? {
    let state = try state()
    if case .defect(let text) = state { return text }
    let outcome = try conversion.run(path, engine)
    guard (outcome == .alreadyConverted) == (state == .new) else { return "\(state), but \(outcome)" }
    guard try self.state() == .new else { return "not new after the retry" }
    if hasLog {
      let connection = try conversion.after(engine).connect(path, engine)
      defer { try? connection.close() }
      guard try connection.run("PRAGMA journal_mode") == ["wal"] else { return "no longer in WAL mode" }
    }
    let names = try folder.names().filter { $0 != "db" && $0 != "db-original" }
    return names.isEmpty ? nil : "leftover files: \(names)"
  }
}
