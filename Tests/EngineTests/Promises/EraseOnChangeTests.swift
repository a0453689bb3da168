import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("Promise 8: erasing on change is safe")
struct EraseOnChangeTests {
  private func migrator(_ table: String = "CREATE TABLE t (a, b)", _ name: String = "v1") -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = true
    migrator.registerMigration(name) { db in try db.execute(sql: table) }
    return migrator
  }

  /// Returns a database that `migrator()` has migrated, with a row of the user's.
  private func queue(_ engine: TestEngine) throws -> DatabaseQueue {
    let dbQueue = try engine.temporaryQueue()
    try migrator().migrate(dbQueue)
    try dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (1, 2)") }
    return dbQueue
  }

  private func rows(_ dbQueue: DatabaseQueue) throws -> Int? {
    try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM t") }
  }

  @Test("unchanged migrations erase nothing", arguments: TestEngine.allCases)
  func unchanged(engine: TestEngine) throws {
    let dbQueue = try queue(engine)
    try migrator().migrate(dbQueue)
    #expect(try rows(dbQueue) == 1)
  }

  @Test(
    "whitespace, comments, the case of keywords and quoting do not count as changes", arguments: TestEngine.allCases,
    ["create  table t\n(a,b)", "CREATE TABLE t (a /* first */, b) -- done", "CREATE TABLE \"t\" ([a], `b`)"])
  func sameMeaning(engine: TestEngine, sql: String) throws {
    let dbQueue = try queue(engine)
    try migrator(sql).migrate(dbQueue)
    #expect(try rows(dbQueue) == 1)
  }

  @Test("a changed table causes erasure, and the event names it", arguments: TestEngine.allCases)
  func changedTable(engine: TestEngine) throws {
    let dbQueue = try queue(engine)
    let changed = migrator("CREATE TABLE t (a, b, c)")
    var reasons: [SchemaChangeReason] = []
    try changed.run(dbQueue) { if case .erased(let found) = $0 { reasons = found } }
    #expect(
      reasons == [
        .differentObject(
          kind: .table, name: "t", expectedSQL: "CREATE TABLE t (a, b, c)", actualSQL: "CREATE TABLE t (a, b)")
      ])
    #expect(try rows(dbQueue) == 0)
    try dbQueue.read { db throws in #expect(try db.columns(in: "t").count == 3) }
  }

  @Test("the replay of the migrations does not change an attached file, and says so", arguments: TestEngine.allCases)
  func attachedFile(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("other.db")
    let dbQueue = try queue(engine)
    var migrator = migrator()
    migrator.registerUnwrappedMigration("v2") { db in
      try db.execute(sql: "ATTACH ? AS other", arguments: [path])
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS other.log (x); INSERT INTO other.log VALUES (1)")
    }
    try migrator.migrate(dbQueue)
    let count = "SELECT count(*) FROM other.log"
    let logged = {
      try dbQueue.writeWithoutTransaction { db in
        try db.execute(sql: "ATTACH ? AS other", arguments: [path])
        let rows = try Int.fetchOne(db, sql: count)
        try db.execute(sql: "DETACH other")
        return rows
      }
    }
    #expect(try logged() == 1)
    let error = try #require(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    guard case .replayFailed(let failure) = error else { throw error }
    #expect("\(failure.underlying)".contains("`ATTACH ? AS other` has no effect on a scratch database"), "\(failure)")
    #expect(try logged() == 1 && rows(dbQueue) == 1)
  }

  @Test("a renamed migration causes erasure", arguments: TestEngine.allCases)
  func renamed(engine: TestEngine) throws {
    let dbQueue = try queue(engine)
    let renamed = migrator("CREATE TABLE t (a, b)", "first")
    try dbQueue.read { db throws in #expect(try renamed.schemaChanges(db) == [.unknownMigration(identifier: "v1")]) }
    try renamed.migrate(dbQueue)
    #expect(try rows(dbQueue) == 0)
    try dbQueue.read { db throws in #expect(try renamed.appliedIdentifiers(db) == ["first"]) }
  }

  @Test("an object that no migration creates now causes erasure", arguments: TestEngine.allCases)
  func leftover(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator("CREATE TABLE t (a, b); CREATE INDEX i ON t (a)").migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator().schemaChanges(db) == [.leftoverObject(kind: .index, name: "i")])
    }
    try migrator().migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try db.schema().object(.index, named: "i") == nil) }
  }

  @Test("a swapped order is a change, an early insertion of a migration is not", arguments: TestEngine.allCases)
  func order(engine: TestEngine) throws {
    func make(_ names: [String]) -> DatabaseMigrator {
      var migrator = DatabaseMigrator()
      for name in names { migrator.registerMigration(name) { db in try db.create(table: name) { t in t.column("x") } } }
      return migrator
    }
    let dbQueue = try engine.temporaryQueue()
    try make(["a", "c"]).migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try make(["a", "b", "c"]).schemaChanges(db).isEmpty)
      #expect(try make(["c", "a"]).schemaChanges(db) == [.reordered(identifier: "c", before: "a")])
    }
    try make(["a", "b", "c"]).migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try make(["a", "b", "c"]).schemaChanges(db).isEmpty)
      #expect(try !make(["b", "c", "a"]).schemaChanges(db).isEmpty)
    }
  }

  @Test("objects of other programs do not count as changes, whatever their names", arguments: TestEngine.allCases)
  func objectsOfOthers(engine: TestEngine) throws {
    let dbQueue = try queue(engine)
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE sqlitedata_x (a); CREATE TABLE library_cache (a); ANALYZE")
      try db.create(table: "library") { t in t.autoIncrementedPrimaryKey("id") }
    }
    var second = DatabaseMigrator(ledgerTable: "library_history")
    second.eraseDatabaseOnSchemaChange = true
    second.registerMigration("library") { db in try db.create(table: "of_library") { t in t.column("x") } }
    try second.migrate(dbQueue)
    try migrator().migrate(dbQueue)
    try second.migrate(dbQueue)
    #expect(try rows(dbQueue) == 1)
    try dbQueue.read { db throws in
      #expect(try db.tableExists("sqlitedata_x"))
      #expect(try db.tableExists("of_library"))
    }
  }

  @Test("a database that no migration has touched is never erased", arguments: TestEngine.allCases)
  func neverMigrated(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE precious (x); INSERT INTO precious VALUES (1)") }
    try migrator().migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM precious") == 1) }
  }

  @Test("a migration that cannot be replayed on an empty database erases nothing", arguments: TestEngine.allCases)
  func replayFails(engine: TestEngine) throws {
    let dbQueue = try queue(engine)
    var failing = DatabaseMigrator()
    failing.eraseDatabaseOnSchemaChange = true
    failing.registerMigration("v1") { db in
      let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM missing")
      #expect(count == nil)
    }
    #expect {
      try failing.migrate(dbQueue)
    } throws: { error in
      if case MigrationError.replayFailed = error { true } else { false }
    }
    #expect(try rows(dbQueue) == 1)
  }

  @Test("erasing restores foreign keys and leaves a usable database", arguments: TestEngine.allCases)
  func erase(engine: TestEngine) throws {
    let dbQueue = try queue(engine)
    try dbQueue.write { db in
      try db.setUserVersion(42)
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT);
          CREATE TABLE child (p REFERENCES parent ON DELETE RESTRICT);
          INSERT INTO parent DEFAULT VALUES; INSERT INTO child VALUES (1);
          CREATE VIEW v AS SELECT * FROM child;
          CREATE TRIGGER g AFTER INSERT ON child BEGIN DELETE FROM t; END;
          CREATE VIRTUAL TABLE search USING fts4 (body);
          """)
    }
    try dbQueue.erase()
    try dbQueue.write { db throws in
      #expect(try db.schema().objects.isEmpty)
      #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
      #expect(try db.userVersion == 42)
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
    }
    try migrator().migrate(dbQueue)
    #expect(try rows(dbQueue) == 0)
  }
}
