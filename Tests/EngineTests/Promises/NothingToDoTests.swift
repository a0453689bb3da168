import Migrator
import TestEngines
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Promise 5: nothing to do costs nothing")
struct NothingToDoTests {
  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.create(table: "t") { t in t.column("a") }
      try db.execute(sql: "INSERT INTO t VALUES (1)")
    }
    return migrator
  }

  @Test("with nothing pending, the file does not change by one byte", arguments: TestEngine.allCases)
  func writesNothing(engine: TestEngine) throws {
    let path = try engine.temporaryPath()
    var dbQueue = try DatabaseQueue(engine.backend(path: path))
    try migrator.migrate(dbQueue)
    try dbQueue.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    dbQueue = try DatabaseQueue(engine.backend(path: path))
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(db.totalChangesCount == 0) }
    try dbQueue.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test("with nothing pending, another connection may hold the write lock", arguments: TestEngine.allCases)
  func takesNoLock(engine: TestEngine) throws {
    let backend = try engine.temporaryBackend()
    let dbQueue = try DatabaseQueue(backend)
    try migrator.migrate(dbQueue)
    let other = try DatabaseQueue(backend)
    try other.writeWithoutTransaction { db in
      try db.inTransaction(.immediate) {
        try db.execute(sql: "INSERT INTO t VALUES (2)")
        try migrator.migrate(dbQueue)
        return .rollback
      }
    }
  }

  @Test(
    "with nothing pending, a read-only connection is enough; with something pending it is an error",
    arguments: TestEngine.allCases)
  func readOnlyConnection(engine: TestEngine) throws {
    let backend = try engine.temporaryBackend()
    try migrator.migrate(try DatabaseQueue(backend))
    var configuration = Configuration()
    configuration.readonly = true
    let dbQueue = try DatabaseQueue(backend, configuration: configuration)
    try migrator.migrate(dbQueue)
    var newer = migrator
    newer.registerMigration("v2") { _ in }
    let error = #expect(throws: MigrationError.self) { try newer.migrate(dbQueue) }
    let failure = try #require(error?.failure)
    #expect((failure.underlying as? DatabaseError)?.condition == .readOnly)
  }
}
