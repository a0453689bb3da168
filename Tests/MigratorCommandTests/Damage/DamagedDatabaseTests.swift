import Foundation
import Migrator
import SQLCipherBackend
import SQLiteCommand
import SQLCipherCommand
@testable import MigratorCommand
import TestEngines
import Testing

/// Runs each command that reads on databases with random damage.
///
/// The normal suite damages a few databases per engine. MIGRATOR_SOAK=1 damages 100,000 in all, and MIGRATOR_DATABASES=n
/// damages n per engine; MIGRATOR_SEED=s begins with that seed, which is printed.
@Suite("Damaged databases", .serialized)
struct DamagedDatabaseTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let isLong = environment["MIGRATOR_SOAK"] != nil
  private static let count =
    environment["MIGRATOR_DATABASES"].flatMap(Int.init) ?? (isLong ? 100_000 / TestEngine.allCases.count + 1 : 4)
  private static let seed = SeededGenerator.seed(of: "damaged databases")

  @Test("each command that uses a database is tested, or listed as one that writes")
  func commands() { #expect(ReadingCommand.missing.isEmpty, "\(ReadingCommand.missing)") }

  @Test(
    "no command crashes, hangs, changes the file, or prints a character that controls the terminal",
    arguments: TestEngine.allCases)
  func reading(engine: TestEngine) throws {
    // The watch counts the time of all tests of the process.
    let watch = TrialWatch("damaged-databases-\(engine.rawValue)", limit: .seconds(Self.isLong ? 10 : 60))
    var trials = try DamageTrials(engine, watch)
    var faults: [String] = []
    for seed in Self.seed..<(Self.seed + UInt64(Self.count)) where faults.count < 20 { faults += try trials.run(seed) }
    print("\(engine): \(trials.summary)")
    let count = faults.count
    #expect(count == 0, "\(faults.joined(separator: "\n"))")
    #expect(Self.count < 100 || trials.exitCodes.count >= 4)
  }
}

/// The trials with one engine.
private struct DamageTrials {
  private let engine: TestEngine
  private let watch: TrialWatch
  private let folder: TemporaryFolder
  private let tool: MigratorTool
  private let variables: [String: String]
  private var seeds: [Int: DatabaseFiles] = [:]
  /// Whether the engine itself crashes on damaged definitions.
  ///
  /// SQLite 3.15 does, when it reads a schema with `CREATE TABLE AS`; version 3.26 has defenses against such files
  /// (https://www.sqlite.org/security.html).
  private let isFragile: Bool

  private var databaseCount = 0
  private(set) var exitCodes: [Int32: Int] = [:]
  private var slowest = (time: Duration.zero, line: "")

  private static let files: Set<String> = ["app.db", "app.db-wal", "app.db-shm", "app.db-journal", "migrations"]

  var summary: String {
    let codes = exitCodes.sorted { $0.key < $1.key }.map { "\($0.value) with \($0.key)" }.joined(separator: ", ")
    return "\(databaseCount) damaged databases, commands exited \(codes); the slowest, `\(slowest.line)`, took "
      + slowest.time.shortText
  }

  init(_ engine: TestEngine, _ watch: TrialWatch) throws {
    (self.engine, self.watch) = (engine, watch)
    folder = try TemporaryFolder(isInMemory: true)
    try FileManager.default.createDirectory(atPath: folder.file("migrations"), withIntermediateDirectories: false)
    for (name, text) in DatabaseSeed.migrations { try folder.write(text.utf8, to: "migrations/\(name)") }
    tool = MigratorTool(backends: [.sqlite, .sqlCipher])
    variables = ["K": TestKey.rawText]
    let version = try engine.inMemoryQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? ""
    isFragile = version.split(separator: ".").dropFirst().first.flatMap { Int($0) } ?? 0 < 26
  }

  /// Damages a database, runs all commands, and returns the faults.
  mutating func run(_ seed: UInt64) throws -> [String] {
    var random = SeededGenerator(seed: seed)
    // Authentication finds most damage of an encrypted file; without it, the damage reaches the engine.
    let isAuthenticated = !engine.isEncrypted || isFragile || Bool.random(using: &random)
    var files = try files(DatabaseSeed.allCases.randomElement(using: &random) ?? .usual, isAuthenticated)
    var damage = DatabaseDamage(seed: random.next())
    let path = folder.file("app.db")
    try files.write(to: path)
    let kind = Int.random(in: 0..<4, using: &random)
    if kind > 0, !files.needsRecovery {
      try watch.run("seed \(seed), the damage") { try edit(path, isAuthenticated, &damage) }
      files = DatabaseFiles(path: path)
    }
    if kind < 2 || files.needsRecovery {
      for _ in 0...damage.pick(3) { damage.damage(&files, pageSize: engine.isEncrypted ? 1024 : 512) }
    }
    databaseCount += 1
    return try ReadingCommand.all(seed).compactMap { command in
      try files.write(to: path)
      return try run(command, seed, path, files, isAuthenticated).map { "seed \(seed), \(engine), \(command): \($0)" }
    }
  }

  private mutating func run(
    _ command: ReadingCommand, _ seed: UInt64, _ path: String, _ files: DatabaseFiles, _ isAuthenticated: Bool
  ) throws -> String? {
    let start = TrialWatch.processorTime()
    let arguments = command.arguments(path, options(isAuthenticated))
    let outcome = watch.run("seed \(seed), \(engine), \(command)") {
      tool.outcome(of: arguments, variables: variables, isTerminal: command.form == .terminal)
    }
    let time = TrialWatch.processorTime() - start
    if time > slowest.time { slowest = (time, command.line) }
    exitCodes[outcome.exitCode, default: 0] += 1
    if let fault = command.fault(of: outcome) { return "\(fault)\n\(outcome.text.prefix(2000))" }
    let others = try folder.names().filter { !Self.files.contains($0) }
    guard others.isEmpty else { return "it created \(others)" }
    guard !files.needsRecovery, DatabaseFiles(path: path).main != files.main else { return nil }
    return "the file was changed"
  }

  private func edit(_ path: String, _ isAuthenticated: Bool, _ damage: inout DatabaseDamage) throws {
    let queue = try DatabaseQueue(engine.backend(path: path, key: .raw, settings: settings(isAuthenticated)))
    // A damaged database may fail to be damaged further, or to close.
    try? queue.writeWithoutTransaction { db in try damage.damage(db, definitions: !isFragile) }
    try? queue.close()
  }

  private mutating func files(_ seed: DatabaseSeed, _ isAuthenticated: Bool) throws -> DatabaseFiles {
    let index = (DatabaseSeed.allCases.firstIndex(of: seed) ?? 0) * 2 + (isAuthenticated ? 1 : 0)
    if let files = seeds[index] { return files }
    let files = try seed.files(engine, settings(isAuthenticated), migrations: folder.file("migrations"))
    seeds[index] = files
    return files
  }

  private func settings(_ isAuthenticated: Bool) -> CipherSettings {
    var settings = CipherSettings()
    if !isAuthenticated { settings.usesHMAC = false }
    return settings
  }

  private func options(_ isAuthenticated: Bool) -> [String] {
    var options = ["--migrations", folder.file("migrations")]
    guard engine.isEncrypted else { return options }
    options += ["--key-env", "K", "--raw-key"] + (isAuthenticated ? [] : ["--no-hmac"])
    if let library = engine.libraryPath { options += ["--sqlcipher-library", library] }
    return options
  }
}
