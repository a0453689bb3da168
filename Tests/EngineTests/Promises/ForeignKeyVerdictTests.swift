import Migrator
import TestEngines
import Testing

@Suite("Promises 3 and 4: no silent cascade, fair foreign key checks")
struct ForeignKeyVerdictTests {
  /// Returns a database with two pairs of parent and child, with an old orphan in each child.
  private func queueWithOrphans(_ engine: TestEngine) throws -> DatabaseQueue {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          CREATE TABLE parent (id INTEGER PRIMARY KEY, name);
          CREATE TABLE child (id INTEGER PRIMARY KEY, parentId REFERENCES parent (id) ON DELETE CASCADE);
          CREATE TABLE other (id INTEGER PRIMARY KEY, parentId REFERENCES parent (id));
          INSERT INTO parent VALUES (1, 'one'), (2, 'two');
          INSERT INTO child VALUES (1, 1), (2, 2), (3, 99);
          INSERT INTO other VALUES (1, 1), (2, 98);
          PRAGMA foreign_keys = ON;
          """)
    }
    return dbQueue
  }

  private func run(_ sql: String, on dbQueue: DatabaseQueue) throws -> [MigrationEvent] {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: sql) }
    var events: [MigrationEvent] = []
    try migrator.run(dbQueue) { events.append($0) }
    return events
  }

  private func violations(_ sql: String, on dbQueue: DatabaseQueue) throws -> [ForeignKeyViolation] {
    do {
      _ = try run(sql, on: dbQueue)
      return []
    } catch MigrationError.failed(let failure) {
      return try #require(failure.underlying as? ForeignKeyViolationError).violations
    }
  }

  @Test(
    "old orphans do not make a migration fail, wherever they are", arguments: TestEngine.allCases,
    [
      "CREATE TABLE unrelated (x)",
      "CREATE TABLE template (x)",
      "CREATE TEMPORARY TABLE unrelated (x)",
      "PRAGMA legacy_alter_table = ON; CREATE TABLE unrelated (x)",
      "EXPLAIN PRAGMA cache_size = 4000; CREATE TABLE unrelated (x)",
      "PRAGMA writable_schema; CREATE TABLE unrelated (x)",
      "INSERT INTO child VALUES (4, 1)",
      "UPDATE child SET id = id + 10",
      "UPDATE parent SET name = upper(name)",
      "ALTER TABLE child ADD COLUMN note",
      """
      CREATE TABLE new_child (id INTEGER PRIMARY KEY, parentId REFERENCES parent (id), more);
      INSERT INTO new_child (id, parentId) SELECT id + 100, parentId FROM child;
      DROP TABLE child;
      ALTER TABLE new_child RENAME TO child;
      """,
      "ALTER TABLE child RENAME TO kid",
      "DELETE FROM child WHERE id = 3",
    ])
  func oldOrphans(engine: TestEngine, sql: String) throws {
    _ = try run(sql, on: queueWithOrphans(engine))
  }

  @Test(
    "old orphans in touched tables are reported, others are not looked for", arguments: TestEngine.allCases)
  func warnings(engine: TestEngine) throws {
    let untouched = try run("CREATE TABLE unrelated (x)", on: queueWithOrphans(engine))
    #expect(!untouched.contains { if case .warning = $0 { true } else { false } })
    let touched = try run("INSERT INTO child VALUES (4, 1)", on: queueWithOrphans(engine))
    let warnings = touched.compactMap { event -> MigrationWarning? in
      if case .warning(let warning) = event { warning } else { nil }
    }
    #expect(warnings == [.oldForeignKeyViolations(identifier: "v1", count: 1)])
  }

  @Test(
    "new orphans make the migration fail, and each is named with its row", arguments: TestEngine.allCases,
    [
      ("INSERT INTO child VALUES (4, 77)", "child", Int64(4)),
      ("UPDATE other SET parentId = 97 WHERE id = 1", "other", 1),
      ("INSERT INTO child VALUES (4, 99)", "child", 4),
      ("UPDATE parent SET id = 3 WHERE id = 2", "child", 2),
      ("CREATE TABLE late (id INTEGER PRIMARY KEY, p REFERENCES parent); INSERT INTO late VALUES (5, 5)", "late", 5),
    ] as [(String, String, Int64)])
  func newOrphans(engine: TestEngine, scenario: (sql: String, table: String, rowID: Int64)) throws {
    let dbQueue = try queueWithOrphans(engine)
    let before = try dbQueue.read { db in try Row.fetchAll(db, sql: "SELECT * FROM child").map(\.databaseValues) }
    let found = try violations(scenario.sql, on: dbQueue)
    #expect(found.map(\.originTable) == [scenario.table])
    // An orphan with the key of an old one cannot be distinguished from it: one of the two is named.
    #expect(found.map(\.originRowID) == [scenario.rowID] || scenario.sql.contains("99"))
    let after = try dbQueue.read { db in try Row.fetchAll(db, sql: "SELECT * FROM child").map(\.databaseValues) }
    #expect(before == after)
  }

  @Test("the error contains all new violations", arguments: TestEngine.allCases)
  func allViolations(engine: TestEngine) throws {
    let found = try violations("DELETE FROM parent", on: queueWithOrphans(engine))
    #expect(found.count == 3)
    #expect(Set(found.map(\.originTable)) == ["child", "other"])
  }

  @Test("deleting a parent does not cascade in a migration with deferred checks", arguments: TestEngine.allCases)
  func noCascade(engine: TestEngine) throws {
    let dbQueue = try queueWithOrphans(engine)
    _ = try run(
      """
      CREATE TABLE new_parent (id INTEGER PRIMARY KEY, name NOT NULL);
      INSERT INTO new_parent SELECT * FROM parent;
      DROP TABLE parent;
      ALTER TABLE new_parent RENAME TO parent;
      """, on: dbQueue)
    try dbQueue.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM child") == 3) }
  }

  @Test("a trigger created between two runs of one statement does not hide an orphan", arguments: TestEngine.allCases)
  func lateTrigger(engine: TestEngine) throws {
    let dbQueue = try queueWithOrphans(engine)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.execute(sql: "CREATE TABLE a (x)")
      let insert = try db.makeStatement(sql: "INSERT INTO a VALUES (1)")
      try insert.execute()
      try db.execute(sql: "CREATE TRIGGER g AFTER INSERT ON a BEGIN INSERT INTO child VALUES (50, 500); END")
      try insert.execute()
      try db.execute(sql: "CREATE TABLE b (x)")
    }
    #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    try dbQueue.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM child") == 3) }
  }

  @Test("after a statement fails to compile, old orphans still count as old", arguments: TestEngine.allCases)
  func failedStatement(engine: TestEngine) throws {
    let dbQueue = try queueWithOrphans(engine)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try? db.execute(sql: "ALTER TABLE child ADD COLUMN parentId")
      try db.execute(sql: "CREATE TABLE b (x)")
    }
    try migrator.migrate(dbQueue)
  }

  @Test("with immediate checks, foreign keys are enforced at each statement", arguments: TestEngine.allCases)
  func immediate(engine: TestEngine) throws {
    let dbQueue = try queueWithOrphans(engine)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1", foreignKeyChecks: .immediate) { db in
      try db.execute(sql: "INSERT INTO child VALUES (4, 77)")
    }
    #expect {
      try migrator.migrate(dbQueue)
    } throws: { error in
      guard case MigrationError.failed(let failure) = error else { return false }
      return (failure.underlying as? DatabaseError)?.condition == .constraint(.foreignKey)
    }
  }

  @Test("without enforcement, nothing is turned off and nothing is checked", arguments: TestEngine.allCases)
  func notEnforced(engine: TestEngine) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let dbQueue = try engine.temporaryQueue(configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1", foreignKeyChecks: .immediate) { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          CREATE TABLE child (parentId REFERENCES parent);
          INSERT INTO child VALUES (1);
          """)
    }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try db.foreignKeyViolations().all().count == 1) }
  }

  @Test("orphans in tables without rowids are distinguished by their number", arguments: TestEngine.allCases)
  func withoutRowID(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          CREATE TABLE child (id TEXT PRIMARY KEY, parentId REFERENCES parent) WITHOUT ROWID;
          INSERT INTO child VALUES ('a', 99);
          PRAGMA foreign_keys = ON;
          """)
    }
    _ = try run("UPDATE child SET id = 'b'", on: dbQueue)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v2") { db in try db.execute(sql: "INSERT INTO child VALUES ('c', 98)") }
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    let failure = try #require(error?.failure)
    let violations = try #require(failure.underlying as? ForeignKeyViolationError).violations
    #expect(violations.count == 1 && violations.allSatisfy { $0.originRowID == nil })
  }

  @Test("Dropping a table while foreign keys are enforced is warned of", arguments: TestEngine.allCases)
  func enforcedDrop(engine: TestEngine) throws {
    let dbQueue = try queueWithOrphans(engine)
    try dbQueue.write { db in try db.execute(sql: "DELETE FROM other; DELETE FROM child WHERE id = 3") }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1", foreignKeyChecks: .immediate) { db in
      try db.execute(sql: "CREATE TABLE x (a); DROP TABLE x; DROP TABLE parent")
    }
    var warnings: [MigrationWarning] = []
    try migrator.run(dbQueue) { if case .warning(let warning) = $0 { warnings.append(warning) } }
    #expect(warnings == [.droppedReferencedTable(identifier: "v1", table: "parent", referringTables: ["child"])])
  }

  @Test("A violation shows whether the row or its table is missing", arguments: TestEngine.allCases)
  func missingTables(engine: TestEngine) throws {
    for (sql, tables) in [("DELETE FROM parent WHERE id = 1", []), ("DROP TABLE parent", ["parent"])] {
      let error = try #require(throws: MigrationError.self) { try run(sql, on: queueWithOrphans(engine)) }
      guard case .failed(let failure) = error else { throw error }
      #expect(try #require(failure.underlying as? ForeignKeyViolationError).missingTables == tables)
    }
  }

  /// Three migrations, of which the first leaves an orphan that the third is to repair.
  private func repairing(_ last: String) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    let steps = [
      ("v1", "INSERT INTO child VALUES (4, 77)", "v3"), ("v2", "CREATE TABLE x (a)", nil), ("v3", last, nil),
    ]
    for (identifier, sql, successor) in steps {
      migrator.register(
        Migration(
          identifier: identifier, violationsUntil: successor,
          work: .wrapped { db, _ in try db.execute(sql: sql) }))
    }
    return migrator
  }

  @Test(
    "A violation may be left to a later migration of the same run, which must repair it", arguments: TestEngine.allCases
  )
  func repairedViolation(engine: TestEngine) throws {
    let repaired = try queueWithOrphans(engine)
    try repairing("INSERT INTO parent VALUES (77, 'late')").migrate(repaired)
    let migrator = repairing("CREATE TABLE y (a)")
    #expect(try repaired.read { try migrator.appliedMigrations($0) } == ["v1", "v2", "v3"])

    let left = try queueWithOrphans(engine)
    let error = try #require(throws: MigrationError.self) { try migrator.migrate(left) }
    guard case .failed(let failure) = error else { throw error }
    #expect((failure.underlying as? ForeignKeyViolationError)?.violations.map(\.originRowID) == [4])
    #expect(failure.appliedBefore.isEmpty)
    // All three were one transaction.
    #expect(try left.read { try migrator.appliedMigrations($0) }.isEmpty)
    #expect(try left.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM child") } == 3)
    #expect(throws: MigrationError.self) { try migrator.migrate(left, upTo: "v2") }
    #expect(try left.read { try migrator.appliedMigrations($0) }.isEmpty)
  }

  @Test(
    "A migration that may leave violations and fails does not undo those before it in its group",
    arguments: TestEngine.allCases)
  func failureBeforeViolations(engine: TestEngine) throws {
    let queue = try queueWithOrphans(engine)
    var migrator = DatabaseMigrator()
    migrator.commits = .grouped
    for (identifier, sql, successor) in [
      ("a", "CREATE TABLE a (x)", nil), ("b", "INSERT INTO child VALUES (4, 77); INSERT INTO missing VALUES (1)", "c"),
      ("c", "CREATE TABLE c (x)", nil),
    ] {
      migrator.register(
        Migration(
          identifier: identifier, violationsUntil: successor,
          work: .wrapped { db, _ in try db.execute(sql: sql) }))
    }
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(queue) }
    #expect(error?.failure?.identifier == "b" && error?.failure?.appliedBefore == ["a"])
    #expect(try queue.read { try migrator.appliedMigrations($0) } == ["a"])
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM child WHERE id = 4") } == 0)
  }
}
