import Migrator
import MigratorTestKit
import TestEngines
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Plans and rehearsals write nothing")
struct PlanReadsOnlyTests {
  private let sql = "CREATE TABLE t (x); INSERT INTO t VALUES (1); CREATE VIRTUAL TABLE search USING fts4 (body)"

  /// A migrator that needs to erase, drop and write.
  private var newer: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: sql) }
    migrator.registerMigration("b") { db in
      try db.execute(sql: "DELETE FROM t; INSERT INTO t VALUES (2); DROP TABLE search")
      try db.setUserVersion(7)
    }
    migrator.registerUnwrappedMigration("c") { db in try db.execute(sql: "VACUUM") }
    return migrator
  }

  /// Returns a backend of a database in which the first of the migrations is applied.
  private func backend(_ engine: TestEngine) throws -> (any DatabaseBackend, path: String) {
    let path = try engine.temporaryPath()
    let backend = engine.backend(path: path)
    let dbQueue = try DatabaseQueue(backend)
    try newer.migrate(dbQueue, upTo: "a")
    try dbQueue.close()
    return (backend, path)
  }

  private func planAndRehearse(_ db: Database) throws {
    var changed = newer
    changed.eraseDatabaseOnSchemaChange = true
    changed.registerMigration("d") { db in try db.execute(sql: "CREATE TABLE u (x)") }
    #expect(try changed.plan(db).entries.count == 3)
    var erasing = DatabaseMigrator()
    erasing.eraseDatabaseOnSchemaChange = true
    erasing.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE u (x)") }
    #expect(try erasing.plan(db).erasure?.losses.count == 2)
    for migrator in [changed, erasing] {
      for copy in [RehearsalCopy.schemaOnly, .rows(limitPerTable: 1), .allRows] {
        #expect(try migrator.rehearse(db, copying: copy).failure == nil)
      }
    }
  }

  @Test("a read-only connection is enough, and the file does not change", arguments: TestEngine.allCases)
  func unchangedFile(engine: TestEngine) throws {
    let (backend, path) = try backend(engine)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    var configuration = Configuration()
    configuration.readonly = true
    let dbQueue = try DatabaseQueue(backend, configuration: configuration)
    try dbQueue.read(planAndRehearse)
    try dbQueue.writeWithoutTransaction(planAndRehearse)
    try dbQueue.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["test.db"])
  }

  @Test(
    "no call across the border writes, locks or changes a setting",
    arguments: TestTier.pairs(TestEngine.allCases, [false, true]))
  func recordedBorder(engine: TestEngine, readsOnly: Bool) throws {
    let backend = RecordedApart(try backend(engine).0)
    let dbQueue = try DatabaseQueue(backend)
    backend.recording.forget()
    try readsOnly ? dbQueue.read(planAndRehearse) : dbQueue.writeWithoutTransaction(planAndRehearse)
    let writes = backend.recording.calls.filter { call in
      switch call {
      case .step(_, let isReadOnly): !isReadOnly
      case .begin(let kind): kind != .deferred
      case .commit, .setUserVersion, .setApplicationID, .setEnforcesForeignKeys, .eraseEverything, .beginSavepoint: true
      default: false
      }
    }
    #expect(writes.isEmpty, "\(writes)")
    #expect(backend.recording.calls.contains { if case .step = $0 { true } else { false } })
  }

  @Test("another connection may hold the write lock", arguments: TestEngine.allCases)
  func takesNoLock(engine: TestEngine) throws {
    let (backend, _) = try backend(engine)
    let dbQueue = try DatabaseQueue(backend)
    let other = try DatabaseQueue(backend)
    try other.writeWithoutTransaction { db in
      try db.inTransaction(.immediate) {
        try dbQueue.read(planAndRehearse)
        return .rollback
      }
    }
  }

  @Test("no file, not even a temporary one, appears while a rehearsal runs", arguments: TestEngine.encrypting)
  func noFileOfTheCopy(engine: TestEngine) throws {
    let (backend, path) = try backend(engine)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let dbQueue = try DatabaseQueue(backend)
    var migrator = newer
    migrator.registerMigration("look") { db throws in
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["test.db"])
      #expect(try Row.fetchAll(db, sql: "PRAGMA database_list").allSatisfy { try ($0[2] as String?) ?? "" == "" })
    }
    let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows) }
    #expect(rehearsal.applied.last == "look")
  }
}

/// A backend that records its own connections but not those of its scratch databases.
private struct RecordedApart: DatabaseBackend {
  let recording: RecordingBackend
  private let base: any DatabaseBackend

  init(_ base: any DatabaseBackend) {
    self.base = base
    recording = RecordingBackend(base)
  }

  var label: String { base.label }
  var isShared: Bool { base.isShared }

  func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    try recording.connect(options)
  }

  func scratch() throws(DatabaseError) -> any DatabaseBackend { try base.scratch() }
}
