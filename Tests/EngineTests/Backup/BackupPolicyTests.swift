import Foundation
import Migrator
import TestEngines
import Testing

@Suite("Backups before each run that changes something")
struct BackupPolicyTests {
  private static func migrator(_ count: Int, keeping kept: Int = 2) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.backup = .beforeMigrating(keep: kept)
    for number in 0..<count {
      migrator.registerMigration("m\(number)") { db in try db.execute(sql: "CREATE TABLE t\(number) (x)") }
    }
    return migrator
  }

  private static func backups(beside path: String) throws -> [String] {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".backup-") }.sorted()
      .map { "\(folder)/\($0)" }
  }

  private static func tables(_ engine: TestEngine, _ path: String) throws -> [String] {
    let copy = try DatabaseQueue(engine.backend(path: path))
    defer { try? copy.close() }
    return try copy.read { db in try db.schema().objects.filter { $0.kind == .table }.map(\.name) }
  }

  @Test(
    "the newest backups are kept, each with the exact state before its run", arguments: TestEngine.allCases,
    [false, true])
  func newest(engine: TestEngine, isLogged: Bool) async throws {
    let path = try engine.temporaryPath()
    var configuration = Configuration()
    configuration.journalMode = isLogged ? .wal : nil
    let dbQueue = try DatabaseQueue(engine.backend(path: path), configuration: configuration)
    // The database was empty before the first run.
    try await Self.migrator(1).migrate(dbQueue)
    #expect(try Self.backups(beside: path).isEmpty)
    let unrelated = path + ".backup-mine"
    try Data().write(to: URL(filePath: unrelated))
    for count in 2...4 {
      try await dbQueue.write { db in try db.execute(sql: "CREATE TABLE app\(count) (x)") }
      var kept: [String] = []
      for try await event in Self.migrator(count).migrationEvents(dbQueue) {
        if case .backedUp(let file, let size, _) = event {
          kept.append(file)
          #expect(size > 0)
        }
      }
      #expect(try kept.count == 1 && Self.backups(beside: path).contains(kept[0]))
      #expect(
        try Self.tables(engine, kept[0])
          == ["migrator_history", "t0"]
          + (2...count).flatMap { $0 == count ? ["app\($0)"] : ["app\($0)", "t\($0 - 1)"] })
      // A second run has nothing to do, and writes nothing.
      let before = try Self.backups(beside: path)
      try await Self.migrator(count).migrate(dbQueue)
      #expect(try Self.backups(beside: path) == before)
    }
    #expect(try Self.backups(beside: path).filter { $0 != unrelated }.count == 2)
    #expect(FileManager.default.fileExists(atPath: unrelated))
    try dbQueue.close()
  }

  @Test(
    "a backup is made before a database is erased, and unfinished backups are removed", arguments: TestEngine.allCases)
  func erased(engine: TestEngine) throws {
    let path = try engine.temporaryPath()
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    try Self.migrator(2).migrate(dbQueue)
    let dead = path + ".backup-20200101T000000.000Z.unfinished"
    try Data("half".utf8).write(to: URL(filePath: dead))
    var migrator = Self.migrator(1)
    migrator.eraseDatabaseOnSchemaChange = true
    migrator.registerMigration("other") { db in try db.execute(sql: "CREATE TABLE other (x)") }
    try migrator.migrate(dbQueue)
    let kept = try Self.backups(beside: path)
    #expect(kept.count == 1)
    #expect(try Self.tables(engine, try #require(kept.first)) == ["migrator_history", "t0", "t1"])
    #expect(!FileManager.default.fileExists(atPath: dead))
    try dbQueue.close()
  }

  @Test("if the backup fails, nothing is migrated", arguments: TestEngine.allCases)
  func failing(engine: TestEngine) throws {
    let path = try engine.temporaryPath()
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    try Self.migrator(1).migrate(dbQueue)
    var migrator = Self.migrator(2)
    migrator.backup = .beforeMigrating(keep: 1, folder: path + "-no-folder")
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    guard case .failed(let failure) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect((failure.underlying as? DatabaseError)?.condition == .folderMissing)
    try dbQueue.read { db throws in #expect(try migrator.appliedMigrations(db) == ["m0"]) }
    try dbQueue.close()
  }

  @Test("a backup also precedes migrations without a transaction and in batches", arguments: TestEngine.allCases)
  func long(engine: TestEngine) throws {
    let path = try engine.temporaryPath()
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    try Self.migrator(1).migrate(dbQueue)
    var migrator = Self.migrator(1)
    migrator.registerUnwrappedMigration("u") { db in try db.execute(sql: "VACUUM") }
    try migrator.migrate(dbQueue)
    #expect(try Self.backups(beside: path).count == 1)
    try dbQueue.close()
  }
}
