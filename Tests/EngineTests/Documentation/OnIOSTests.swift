import Migrator
import SQLCipherBackend
import SQLiteBackend
import TestEngines
import Testing

@Suite("The documentation's samples: iOS")
struct OnIOSTests {
  @Test("an extension uses the database only while it has exactly the known migrations")
  func extensions() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shared.sqlite")
    var newer = GettingStarted.migrator
    newer.registerMigration("Newer") { db in try db.create(table: "newer") { t in t.autoIncrementedPrimaryKey("id") } }
    #expect {
      _ = try OnIOS.opened(newer, path: path)
    } throws: { error in
      (error as? DatabaseError)?.condition == .fileMissing
    }
    #expect(try folder.names().isEmpty)
    let app = try DatabaseQueue(path: path)
    try GettingStarted.migrator.migrate(app)
    #expect(try OnIOS.opened(GettingStarted.migrator, path: path) != nil)
    #expect(try OnIOS.opened(newer, path: path) == nil)
    try newer.migrate(app)
    #expect(try OnIOS.opened(newer, path: path) != nil)
    #expect(try OnIOS.opened(GettingStarted.migrator, path: path) == nil)
  }

  @MainActor
  @Test("a migration is applied in a background task, and rolled back when the time runs out")
  func background() async throws {
    let folder = try TemporaryFolder()
    let dbQueue = try DatabaseQueue(path: folder.file("shared.sqlite"))
    try await OnIOS.migrate(GettingStarted.migrator, dbQueue)
    #expect(UIApplication.shared.handlers.isEmpty)
    var slow = GettingStarted.migrator
    slow.registerMigration("Endless") { db in
      Task { @MainActor in UIApplication.shared.handlers.values.forEach { $0() } }
      try db.execute(sql: "CREATE TABLE endless (i)")
      try db.execute(
        sql:
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO endless SELECT count(*) FROM n")
    }
    await #expect(throws: CancellationError.self) { try await OnIOS.migrate(slow, dbQueue) }
    #expect(UIApplication.shared.handlers.isEmpty)
    let (isComplete, hasTable) = try await dbQueue.read { db in
      try (GettingStarted.migrator.hasCompletedMigrations(db), db.tableExists("endless"))
    }
    #expect(isComplete && !hasTable)
  }

  @Test("a shared encrypted database has a plaintext header, and is neither opened nor created without its key")
  func encrypted() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shared.db")
    func open(_ item: OnIOS.KeychainItem) throws -> DatabaseQueue {
      let (settings, key) = OnIOS.credentials { item }
      let engine = TestEngine.sqlCipher4.source
      return try DatabaseQueue(SQLCipher(path: path, key: key, settings: settings, engine: engine))
    }
    func condition(_ item: OnIOS.KeychainItem) -> DatabaseError.Condition? {
      do {
        try open(item).close()
        return nil
      } catch {
        return (error as? DatabaseError)?.condition
      }
    }
    #expect(condition(.missing) == .keyNotAvailable && condition(.locked) == .keyNotAvailable)
    #expect(try folder.names().isEmpty)
    let keyAndSalt = Array(UInt8(0)..<48)
    let app = try open(.found(keyAndSalt))
    try GettingStarted.migrator.migrate(app)
    try app.close()
    #expect(try folder.bytes(of: "shared.db").starts(with: Array("SQLite format 3\0".utf8)))
    #expect(condition(.found(keyAndSalt)) == nil)
    #expect(condition(.missing) == .keyMissing && condition(.locked) == .keyNotAvailable)
  }
}
