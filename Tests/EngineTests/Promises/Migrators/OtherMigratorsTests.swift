import Migrator
import TestEngines
import Testing

@Suite("Several migrators on one database")
struct OtherMigratorsTests {
  /// Returns a migrator whose migrations create a table each, with separate names.
  private func migrator(
    _ ledgerTable: String? = nil, erasing: Bool = false, _ tables: String...
  ) -> DatabaseMigrator {
    var migrator = ledgerTable.map { DatabaseMigrator(ledgerTable: $0) } ?? DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = erasing
    for table in tables {
      migrator.registerMigration(table) { db in
        try db.execute(sql: "CREATE TABLE \(table) (x); INSERT INTO \(table) VALUES (1)")
      }
    }
    return migrator
  }

  private func refusal(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) throws -> ErasureRefusal? {
    let before = try dbQueue.read { db in try db.connection.schema() }
    do {
      try migrator.migrate(dbQueue)
      return nil
    } catch MigrationError.erasureRefused(let refusal) {
      try dbQueue.read { db throws in #expect(try db.connection.schema() == before) }
      // A plan reports the same, with the same text.
      let plan = try dbQueue.read { db in try migrator.plan(db) }
      guard case .erasureRefused(let planned)? = plan.refusals.first else {
        Issue.record("the plan refuses with \(plan.refusals)")
        return refusal
      }
      #expect(planned == refusal && plan.erasure == nil)
      return refusal
    }
  }

  @Test(
    "each migrator reports only its own migrations, objects and changes, whatever its ledger's name",
    arguments: TestTier.pairs(
      TestEngine.allCases,
      ["sdk_history", "the \"SDK's\" ; history", "order", "Ünïcode 書", "MIGRATOR_HISTORY2", "sqliteish", "a.b"]))
  func asIfAlone(engine: TestEngine, name: String) throws {
    let dbQueue = try engine.temporaryQueue()
    var (app, sdk) = (migrator(erasing: true, "a", "b"), migrator(name, erasing: true, "c", "d", "e"))
    app.unknownMigrations = .refuse
    sdk.unknownMigrations = .refuse
    for _ in 1...2 {
      try sdk.migrate(dbQueue)
      try app.migrate(dbQueue)
    }
    try dbQueue.read { db throws in
      for migrator in [app, sdk] {
        #expect(try migrator.appliedIdentifiers(db) == Set(migrator.migrations))
        #expect(try !migrator.hasBeenSuperseded(db) && !migrator.hasSchemaChanges(db))
        #expect(try migrator.plan(db).refusals.isEmpty && migrator.plan(db).unknown.isEmpty)
        #expect(try migrator.history(db).map(\.position) == Array(0..<migrator.migrations.count))
      }
      #expect(Set(try db.schema().ledgerTables) == [app.ledgerTable, name])
      // The fingerprints cover only a migrator's own objects, so they do not depend on the order of the migrators.
      #expect(try app.history(db).last?.fingerprint == Self.fingerprint(app, engine))
    }
  }

  private static func fingerprint(_ migrator: DatabaseMigrator, _ engine: TestEngine) throws -> String? {
    let alone = try engine.temporaryQueue()
    try migrator.migrate(alone)
    return try alone.read { db in try migrator.history(db).last?.fingerprint }
  }

  @Test("a change erases nothing while another migrator has a ledger in the database", arguments: TestEngine.allCases)
  func otherLedger(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator(nil, "a").migrate(dbQueue)
    try migrator("sdk", "c").migrate(dbQueue)
    let renamed = migrator(erasing: true, "b")
    let reasons = [SchemaChangeReason.unknownMigration(identifier: "a")]
    #expect(
      try refusal(renamed, dbQueue)
        == .otherMigrators(ledgerTable: "migrator_history", others: ["sdk"], reasons: reasons))
    #expect(
      try refusal(migrator("sdk", erasing: true, "d"), dbQueue)
        == .otherMigrators(
          ledgerTable: "sdk", others: ["migrator_history"], reasons: [.unknownMigration(identifier: "c")]))
    // An empty ledger does not count.
    try dbQueue.write { db in try db.execute(sql: "DELETE FROM sdk; DROP TABLE c; DROP TABLE a; CREATE TABLE b (x)") }
    try dbQueue.write { db in try db.execute(sql: "UPDATE migrator_history SET objects = '+table b'") }
    #expect(try refusal(renamed, dbQueue) == nil)
  }

  @Test("a change erases nothing while the history of another tool is in the database", arguments: TestEngine.allCases)
  func otherTool(engine: TestEngine) throws {
    let histories = [
      (table: "grdb_migrations", columns: "identifier TEXT NOT NULL PRIMARY KEY"),
      (table: "schema_migrations", columns: "version varchar(128) PRIMARY KEY"),
    ]
    for (table, columns) in histories {
      // No entry, an entry that is also in this migrator's ledger, and another program's entry. Tables of the latter
      // remain in any case, since no migration of this migrator created them.
      for (row, isOther) in [(nil, false), ("a", false), ("20260131", true)] as [(String?, Bool)] {
        let dbQueue = try engine.temporaryQueue()
        let app = migrator(erasing: true, "a")
        try app.migrate(dbQueue)
        try dbQueue.write { db in
          try db.execute(sql: "CREATE TABLE \(table) (\(columns)); CREATE TABLE theirs (x)")
          if let row { try db.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: [row]) }
          try db.execute(sql: "ALTER TABLE a ADD COLUMN later")
        }
        let refused = try refusal(app, dbQueue)
        if isOther {
          guard case .otherMigrators(ledgerTable: "migrator_history", others: [table], _) = refused else {
            Issue.record("\(table) \(row ?? ""): \(String(describing: refused))")
            continue
          }
        } else {
          guard case .otherTables(ledgerTable: "migrator_history", [table, "theirs"], _) = refused else {
            Issue.record("\(table) \(row ?? ""): \(String(describing: refused))")
            continue
          }
        }
        #expect(try dbQueue.read { db in try db.tableExists("theirs") })
      }
    }
  }

  @Test("merging migrations that were already merged erases nothing in a shared ledger", arguments: TestEngine.allCases)
  func mergedTwice(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator(nil, "a1", "a2").migrate(dbQueue)
    try migrator(nil, "b1").migrate(dbQueue)
    try migrator(nil, "a1", "a2", "a3").migrate(dbQueue)
    var merged = migrator(nil, "a3")
    merged.registerMigration("a4", merging: ["a1", "a2"]) { _, applied in #expect(applied == ["a1", "a2"]) }
    try merged.migrate(dbQueue)
    var again = DatabaseMigrator()
    again.eraseDatabaseOnSchemaChange = true
    again.registerMigration("a5", merging: ["a3", "a4"]) { _, _ in }
    guard case .sharedLedger(_, unknown: ["b1"], _) = try refusal(again, dbQueue) else {
      Issue.record("it was not refused")
      return
    }
    #expect(try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM b1") } == 1)
  }

  @Test("unfinished migrations of another migrator count", arguments: TestEngine.allCases)
  func unfinished(engine: TestEngine) throws {
    for ledgerTable in ["sdk", "migrator_history"] {
      let dbQueue = try engine.temporaryQueue()
      try migrator(nil, "a").migrate(dbQueue)
      var sdk = DatabaseMigrator(ledgerTable: ledgerTable)
      sdk.registerBatchedMigration("batches") { db, cursor in
        guard cursor == .null else { throw CancellationError() }
        try db.execute(sql: "CREATE TABLE c (x)")
        return .next(from: 1)
      }
      #expect(throws: CancellationError.self) { try sdk.migrate(dbQueue) }
      var app = migrator(erasing: true, "a")
      #expect(try refusal(app, dbQueue) == nil)
      try dbQueue.write { db in try db.execute(sql: "ALTER TABLE a ADD COLUMN later") }
      #expect(try refusal(app, dbQueue) != nil)
      app.eraseDatabaseOnSchemaChange = false
      try app.migrate(dbQueue)
    }
  }

  @Test(
    "if one migrator would erase while another begins, the work of the second one remains",
    arguments: TestEngine.allCases)
  func atOnce(engine: TestEngine) async throws {
    for round in 0..<10 {
      let backend = try engine.temporaryBackend()
      let (app, sdk) = (migrator(erasing: true, "a2"), migrator("sdk", "c", "d", "e"))
      try await migrator(nil, "a").migrate(DatabaseQueue(backend))
      try await DatabaseQueue(backend).write { db in
        // It might also be the same migrator with renamed migrations.
        try db.execute(sql: "UPDATE migrator_history SET objects = '+table a2'; ALTER TABLE a RENAME TO a2")
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for migrator in round.isMultiple(of: 2) ? [app, sdk] : [sdk, app] {
          group.addTask {
            do {
              try await migrator.migrate(DatabaseQueue(backend))
            } catch MigrationError.erasureRefused(.otherMigrators) {
              #expect(migrator.ledgerTable == app.ledgerTable)
            }
          }
        }
        try await group.waitForAll()
      }
      try await DatabaseQueue(backend).read { db throws in
        #expect(try sdk.hasCompletedMigrations(db) && !sdk.hasSchemaChanges(db))
        for table in ["c", "d", "e"] {
          #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") == 1, "round \(round)")
        }
      }
    }
  }

  @Test("two migrators that share a ledger run, and never erase each other's tables", arguments: TestEngine.allCases)
  func sharedLedger(engine: TestEngine) throws {
    for erasing in [true, false] {
      let dbQueue = try engine.temporaryQueue()
      let (sdk, app) = (migrator(erasing: erasing, "c", "d"), migrator(erasing: erasing, "a"))
      try sdk.migrate(dbQueue)
      // No entry in the ledger is known, and these migrations create none of the existing objects.
      let reasons = ["c", "d"].map { SchemaChangeReason.unknownMigration(identifier: $0) }
      let expected = ErasureRefusal.sharedLedger(
        ledgerTable: "migrator_history", unknown: ["c", "d"], reasons: reasons)
      #expect(try refusal(app, dbQueue) == (erasing ? expected : nil))
      try migrator(nil, "a").migrate(dbQueue)
      // Now both migrators have entries, and both count from zero.
      #expect(try refusal(app, dbQueue) == (erasing ? expected : nil))
      let theirs = ErasureRefusal.sharedLedger(
        ledgerTable: "migrator_history", unknown: ["a"], reasons: [.unknownMigration(identifier: "a")])
      #expect(try refusal(sdk, dbQueue) == (erasing ? theirs : nil))
      try dbQueue.read { db throws in
        for table in ["a", "c", "d"] {
          #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") == 1)
        }
        #expect(try app.hasBeenSuperseded(db) && sdk.hasBeenSuperseded(db))
      }
    }
  }

  @Test("migrations that were removed or renamed still erase", arguments: TestEngine.allCases)
  func removed(engine: TestEngine) throws {
    let tables = { (names: [String]) in
      names.reduce(into: DatabaseMigrator()) { migrator, name in
        migrator.eraseDatabaseOnSchemaChange = true
        migrator.registerMigration(name) { db in
          try db.execute(sql: "CREATE TABLE \(name.prefix(1)) (x)")
        }
      }
    }
    let cases: [(old: [String], new: [String])] = [
      (["a", "b", "c"], ["a", "b"]), (["a", "b", "c"], ["a", "d", "c"]), (["a", "b", "c"], ["b", "c"]),
      (["a", "b"], ["a2", "b2"]), (["a"], ["a2", "b"]), (["a", "b", "c"], ["b2", "c"]),
    ]
    for (old, new) in cases {
      let dbQueue = try engine.temporaryQueue()
      try tables(old).migrate(dbQueue)
      #expect(try refusal(tables(new), dbQueue) == nil)
      try dbQueue.read { db throws in #expect(try tables(new).history(db).map(\.identifier) == new) }
    }
  }

  @Test(
    "an insertion among applied migrations is not a second migrator, and after its removal, the doubt counts",
    arguments: TestEngine.allCases)
  func inserted(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator(nil, "a", "b").migrate(dbQueue)
    try migrator(erasing: true, "a", "c", "b").migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator(nil, "a", "c", "b").history(db).map(\.position) == [0, 1, 1])
    }
    #expect(try refusal(migrator(erasing: true, "a", "b"), dbQueue) != nil)
    // A table of the same name shows that the migration was renamed.
    var renamed = migrator(erasing: true, "a")
    renamed.registerMigration("c2") { db in try db.execute(sql: "CREATE TABLE c (x)") }
    renamed.registerMigration("b") { db in try db.execute(sql: "CREATE TABLE b (x)") }
    #expect(try refusal(renamed, dbQueue) == nil)
    try dbQueue.read { db throws in #expect(try renamed.hasCompletedMigrations(db)) }
  }

  @Test("a refusal reports what would be lost, and how to fix the problem", arguments: [TestEngine.allCases[0]])
  func words(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator(nil, "a").migrate(dbQueue)
    let shared = String(describing: try #require(try refusal(migrator(erasing: true, "b"), dbQueue)))
    #expect(shared.contains("\"migrator_history\"") && shared.contains("\"a\"") && shared.contains("ledgerTable:"))
    try migrator("sdk", "c").migrate(dbQueue)
    let others = String(describing: try #require(try refusal(migrator(erasing: true, "b"), dbQueue)))
    #expect(others.contains("\"migrator_history\"") && others.contains("\"sdk\"") && others.contains("erase()"))
    #expect(MigrationError.superseded(unknown: ["x"]).description.contains("ledgerTable"))
  }

  #if os(macOS) || os(Linux)
    @Test("an invalid table name is a programming error")
    func impossibleNames() async {
      await #expect(processExitsWith: .failure) { _ = DatabaseMigrator(ledgerTable: "") }
      await #expect(processExitsWith: .failure) { _ = DatabaseMigrator(ledgerTable: "SQLite_history") }
      await #expect(processExitsWith: .failure) { _ = DatabaseMigrator(ledgerTable: "a\0b") }
    }
  #endif
}
