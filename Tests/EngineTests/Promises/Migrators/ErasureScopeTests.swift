import Dispatch
import Foundation
import Migrator
import TestEngines
import Testing

/// A migrator whose migrations changed may erase only objects that they created.
@Suite("A change of migrations erases only their own objects")
struct ErasureScopeTests {
  private typealias Step = (identifier: String, sql: String)

  private func migrator(ledger ledgerTable: String = "migrator_history", erasing: Bool = false, _ steps: [Step])
    -> DatabaseMigrator
  {
    var migrator = DatabaseMigrator(ledgerTable: ledgerTable)
    migrator.eraseDatabaseOnSchemaChange = erasing
    for (identifier, sql) in steps { migrator.registerMigration(identifier) { db in try db.execute(sql: sql) } }
    return migrator
  }

  /// A table of another program, whose row must remain.
  private static let theirs = "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)"

  private func execute(_ sql: String, _ dbQueue: DatabaseQueue) throws {
    try dbQueue.write { db in try db.execute(sql: sql) }
  }

  /// Runs a migrator, which must refuse, and checks that the row still exists.
  private func expectRefusal(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue, _ scenario: String) throws {
    var refusal: ErasureRefusal?
    do {
      try migrator.migrate(dbQueue)
    } catch MigrationError.erasureRefused(let error) {
      refusal = error
    }
    #expect(refusal != nil, "\(scenario)")
    try expectRow(dbQueue, scenario)
  }

  private func expectRow(_ dbQueue: DatabaseQueue, _ scenario: String) throws {
    let rows = try dbQueue.read { db in
      try db.tableExists("theirs") ? Int.fetchOne(db, sql: "SELECT count(*) FROM theirs") : nil
    }
    #expect(rows == 1, "\(scenario)")
  }

  @Test("other tables remain, whatever their origin and history", arguments: TestEngine.allCases)
  func tablesBeside(engine: TestEngine) throws {
    let records = [
      "nothing": "", "a user version": "PRAGMA user_version = 3",
      "a GRDB library with a migration of the same name":
        "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('a')",
      "golang-migrate at the same number":
        "CREATE TABLE schema_migrations (version uint64, dirty bool); INSERT INTO schema_migrations VALUES (1, 0)",
      "an unknown tool":
        "CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES (1)",
      "a known name with other columns":
        "CREATE TABLE schema_migrations (filename); INSERT INTO schema_migrations VALUES ('1')",
    ]
    for (name, record) in records {
      let dbQueue = try engine.temporaryQueue()
      try migrator([("a", "CREATE TABLE mine (x)")]).migrate(dbQueue)
      try execute(Self.theirs + ";" + record, dbQueue)
      try expectRefusal(migrator(erasing: true, [("a", "CREATE TABLE mine (x, y)")]), dbQueue, name)
    }
  }

  @Test(
    "objects of every kind that migrations created are erased, even with the engine's internal tables",
    arguments: TestEngine.allCases)
  func ownObjects(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    let first = """
      CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, x); CREATE INDEX a_x ON a (x); INSERT INTO a (x) VALUES (1);
      CREATE VIEW v AS SELECT x FROM a; CREATE VIRTUAL TABLE search USING fts4 (body);
      CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO search VALUES ('x'); END
      """
    try migrator([("a", first), ("b", "ALTER TABLE a RENAME TO b")]).migrate(dbQueue)
    try execute(
      "ANALYZE; CREATE INDEX by_hand ON b (x); CREATE TABLE migrator_development (note)", dbQueue)
    let changed = migrator(erasing: true, [("a", first), ("b", "ALTER TABLE a RENAME TO c")])
    try changed.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try db.tableExists("c") && !db.tableExists("b")) }
  }

  @Test(
    "an adopted history does not list its tables: tables that the migrations create count",
    arguments: TestEngine.allCases)
  func adopted(engine: TestEngine) throws {
    let history = "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"
    func app(_ second: String) -> DatabaseMigrator {
      var app = migrator(erasing: true, [("a", "CREATE TABLE mine (x)"), ("b", second)])
      app.adopt(.grdb.unmapped(.keep))
      return app
    }
    for isShared in [false, true] {
      let dbQueue = try engine.temporaryQueue()
      try execute("\(history); INSERT INTO grdb_migrations VALUES ('a'); CREATE TABLE mine (x)", dbQueue)
      try app("CREATE TABLE second (x)").migrate(dbQueue)
      if isShared { try execute("INSERT INTO grdb_migrations VALUES ('library'); " + Self.theirs, dbQueue) }
      let changed = app("CREATE TABLE second (x, y)")
      if isShared {
        try expectRefusal(changed, dbQueue, "a library that uses GRDB came later")
      } else {
        try changed.migrate(dbQueue)
        try dbQueue.read { db throws in #expect(try db.columns(in: "second").count == 2) }
      }
    }
    // A migrator that never migrated this database, and mistakes another program's history for its own.
    let dbQueue = try engine.temporaryQueue()
    try execute(Self.theirs + "; PRAGMA user_version = 1", dbQueue)
    var ladder = migrator(erasing: true, [("a", "CREATE TABLE mine (x)")])
    ladder.adopt(.userVersion(ladder: ["a"]))
    try expectRefusal(ladder, dbQueue, "another program's user version")
  }

  @Test("entries of two ledgers from the same dump are distinguished", arguments: TestEngine.allCases)
  func dumps(engine: TestEngine) throws {
    let source = try engine.temporaryQueue()
    let sdk = migrator(ledger: "sdk", [("v1", "CREATE TABLE theirs (x)"), ("v2", "CREATE TABLE s2 (x)")])
    try migrator([("v1", "CREATE TABLE mine (x)"), ("v2", "CREATE TABLE mine2 (x)")]).migrate(source)
    try sdk.migrate(source)
    let dump = try source.read { db in
      // Dumps of the same migrations, made at any time.
      let rows = try ["migrator_history", "sdk"].flatMap { table in
        try String.fetchAll(
          db,
          sql: """
            SELECT 'INSERT INTO \(table) (identifier, position, applied_at, duration, fingerprint, objects) VALUES ('
              || quote(identifier) || ',' || position || ', ''1970-01-01T00:00:00.000Z'', 0, ' || quote(fingerprint)
              || ',' || quote(objects) || ');' FROM \(table)
            """)
      }
      return try db.schema().sql() + rows.joined()
    }
    let dbQueue = try engine.temporaryQueue()
    try execute(dump + "; INSERT INTO theirs VALUES (1)", dbQueue)
    var older = migrator([("v1", "CREATE TABLE mine (x)")])
    try dbQueue.read { db throws in #expect(try older.hasBeenSuperseded(db)) }
    older.unknownMigrations = .refuse
    #expect(throws: MigrationError.self) { try older.migrate(dbQueue) }
    let changed = migrator(erasing: true, [("v1", "CREATE TABLE mine (x, y)"), ("v2", "CREATE TABLE mine2 (x)")])
    try expectRefusal(changed, dbQueue, "both from a dump")
  }

  @Test("objects that a rename rewrites do not become the migrator's own", arguments: TestEngine.allCases)
  func rewritten(engine: TestEngine) throws {
    let objects = [
      "CREATE TABLE theirs (x REFERENCES mine (id))", "CREATE TABLE theirs (x); CREATE INDEX by_hand ON mine (name)",
      "CREATE TABLE theirs (x); CREATE VIEW by_hand AS SELECT name FROM mine",
      "CREATE TABLE theirs (x); CREATE TRIGGER by_hand AFTER DELETE ON mine BEGIN DELETE FROM theirs WHERE x = 7; END",
    ]
    for sql in objects {
      let dbQueue = try engine.temporaryQueue()
      var app = migrator(erasing: true, [("a", "CREATE TABLE mine (id INTEGER PRIMARY KEY, name TEXT)")])
      try app.migrate(dbQueue)
      try execute("INSERT INTO mine VALUES (1, 'x'); \(sql); INSERT INTO theirs VALUES (1)", dbQueue)
      app.registerMigration("b") { db in try db.rename(table: "mine", to: "renamed") }
      // The second time, nothing has changed at all.
      for _ in 1...2 {
        try app.migrate(dbQueue)
        try expectRow(dbQueue, sql)
        try dbQueue.read { db throws in #expect(try app.schemaChanges(db).isEmpty, "\(sql)") }
      }
    }
  }

  @Test("an existing table that a migration leaves unchanged is not its own", arguments: TestEngine.allCases)
  func madeIfAbsent(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try execute(Self.theirs, dbQueue)
    let app = migrator(erasing: true, [("a", "CREATE TABLE IF NOT EXISTS theirs (x, y)")])
    try app.migrate(dbQueue)
    try expectRefusal(app, dbQueue, "IF NOT EXISTS")
  }

  @Test(
    "nothing of the other migrator is erased with a shared ledger, even after merges",
    arguments: TestEngine.allCases)
  func mergedBesideAnother(engine: TestEngine) throws {
    let other = [("theirs", Self.theirs), ("a2", "CREATE TABLE a2 (x)")]
    // The other migrator merges: after having run, and at once.
    for runsFirst in [true, false] {
      let dbQueue = try engine.temporaryQueue()
      try migrator([("b1", "CREATE TABLE b1 (x)")]).migrate(dbQueue)
      if runsFirst { try migrator(other).migrate(dbQueue) }
      var merging = migrator(other)
      merging.registerMigration("a3", merging: ["theirs", "a2"]) { _, _ in }
      merging.registerMigration("a4") { db in try db.execute(sql: "CREATE TABLE a4 (x)") }
      try merging.migrate(dbQueue)
      try expectRefusal(
        migrator(erasing: true, [("b1", "CREATE TABLE b1 (x)")]), dbQueue, "the other one merged, \(runsFirst)")
    }
    // The migrator has merged migrations itself, and its newer code no longer says so.
    let dbQueue = try engine.temporaryQueue()
    try migrator([("theirs", Self.theirs)]).migrate(dbQueue)
    var own = migrator([("b1", "CREATE TABLE b1 (x)"), ("b2", "CREATE TABLE b2 (x)")])
    own.registerMigration("b3", merging: ["b1", "b2"]) { _, _ in }
    try own.migrate(dbQueue)
    try expectRefusal(
      migrator(erasing: true, [("b3", "CREATE TABLE b1 (x); CREATE TABLE b2 (x)")]), dbQueue, "no longer merges")
  }

  @Test("an older program does not rerun migrations that newer code has merged", arguments: TestEngine.allCases)
  func olderAfterMerge(engine: TestEngine) throws {
    let steps = [
      ("create", "CREATE TABLE IF NOT EXISTS account (cents); INSERT INTO account VALUES (1)"),
      ("to cents", "UPDATE account SET cents = cents * 100"),
    ]
    // Merged after it was applied, merged twice, and new with the merge.
    for rounds in 0...2 {
      let dbQueue = try engine.temporaryQueue()
      let older = migrator(steps)
      if rounds > 0 { try older.migrate(dbQueue) }
      var newer = DatabaseMigrator()
      newer.registerMigration("all", merging: ["create", "to cents"]) { db, applied in
        if applied.isEmpty { try db.execute(sql: "CREATE TABLE account (cents); INSERT INTO account VALUES (100)") }
      }
      try newer.migrate(dbQueue)
      if rounds == 2 {
        newer = DatabaseMigrator()
        newer.registerMigration("again", merging: ["all"]) { _, _ in }
        try newer.migrate(dbQueue)
      }
      try older.migrate(dbQueue)
      try dbQueue.read { db throws in
        #expect(try Int.fetchAll(db, sql: "SELECT cents FROM account") == [100], "\(rounds)")
        #expect(try older.hasCompletedMigrations(db) && older.hasBeenSuperseded(db))
        #expect(try older.plan(db).entries.isEmpty)
        #expect(try older.appliedMigrations(db) == ["create", "to cents"])
        #expect(try newer.appliedIdentifiers(db) == [rounds == 2 ? "again" : "all"])
      }
    }
  }

  @Test("unfinished migrations of newer code also count as unknown", arguments: TestEngine.allCases)
  func begunByNewer(engine: TestEngine) throws {
    struct Stop: Error {}
    let dbQueue = try engine.temporaryQueue()
    var newer = migrator([("a", "CREATE TABLE a (x)")])
    newer.registerUnwrappedMigration("half") { _ in throw Stop() }
    #expect(throws: MigrationError.self) { try newer.migrate(dbQueue) }
    var older = migrator([("a", "CREATE TABLE a (x)"), ("b", "CREATE TABLE b (x)")])
    try dbQueue.read { db throws in #expect(try older.hasBeenSuperseded(db) && !newer.hasBeenSuperseded(db)) }
    older.unknownMigrations = .refuse
    #expect {
      try older.migrate(dbQueue)
    } throws: { error in
      if case MigrationError.superseded(unknown: ["half"]) = error { true } else { false }
    }
    try dbQueue.read { db throws in #expect(try !db.tableExists("b")) }
  }

  @Test("a half-done migration cannot be merged", arguments: TestEngine.allCases)
  func mergedHalfDone(engine: TestEngine) throws {
    struct Stop: Error {}
    let dbQueue = try engine.temporaryQueue()
    var older = migrator([("a", "CREATE TABLE account (cents); INSERT INTO account VALUES (1)")])
    older.registerBatchedMigration("to cents") { db, cursor in
      guard cursor == .null else { throw Stop() }
      try db.execute(sql: "UPDATE account SET cents = cents * 100")
      return .next(from: 1)
    }
    #expect(throws: MigrationError.self) { try older.migrate(dbQueue) }
    var newer = DatabaseMigrator()
    newer.registerMigration("all", merging: ["a", "to cents"]) { db, applied in
      if !applied.contains("to cents") { try db.execute(sql: "UPDATE account SET cents = cents * 100") }
    }
    #expect {
      try newer.migrate(dbQueue)
    } throws: { error in
      guard case MigrationError.failed(let failure) = error,
        case MigrationError.mergesUnfinished(["to cents"])? = failure.underlying as? MigrationError
      else { return false }
      return "\(error)".contains("finish first")
    }
    try dbQueue.read { db throws in #expect(try Int.fetchAll(db, sql: "SELECT cents FROM account") == [100]) }
  }

  @Test("newer code that commits while a run waits for the write lock is refused, too", arguments: TestEngine.allCases)
  func newerMeanwhile(engine: TestEngine) throws {
    let backend = try engine.temporaryBackend()
    try migrator([("a", "CREATE TABLE a (x)")]).migrate(DatabaseQueue(backend))
    var older = migrator(erasing: true, [("a", "CREATE TABLE a (x, y)")])
    older.unknownMigrations = .refuse
    let outcome = Lock<(any Error)?>(nil)
    let done = DispatchSemaphore(value: 0)
    let (newer, waiting) = (try DatabaseQueue(backend), try DatabaseQueue(backend))
    try newer.write { [older] db in
      try db.execute(
        sql: """
          \(Self.theirs);
          INSERT INTO migrator_history (identifier, position, applied_at, duration, objects)
          VALUES ('newer', 1, '', 0, '+table theirs')
          """)
      DispatchQueue.global().async {
        do {
          try older.migrate(waiting)
        } catch {
          outcome.withLock { $0 = error }
        }
        done.signal()
      }
      // Long enough to detect the change, and to wait.
      Thread.sleep(forTimeInterval: 0.3)
    }
    done.wait()
    guard case MigrationError.superseded(unknown: ["newer"])? = outcome.withLock({ $0 as? MigrationError }) else {
      Issue.record("it ended with \(String(describing: outcome.withLock { $0 }))")
      return
    }
    try expectRow(newer, "newer code")
  }
}
