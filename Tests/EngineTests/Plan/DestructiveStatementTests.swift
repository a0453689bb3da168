import Migrator
import TestEngines
import Testing

@Suite("Rehearsals find statements that destroy data")
struct DestructiveStatementTests {
  private typealias Effect = DestructiveStatement.Effect

  /// Returns the effects that a rehearsal finds in a migration of table `t` with rows, a child table, a view and a
  /// trigger.
  private func effects(_ engine: TestEngine, _ migrate: @escaping @Sendable (Database) throws -> Void) throws
    -> [Effect]
  {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (a INTEGER PRIMARY KEY, b, "where"); INSERT INTO t VALUES (1, 2, 3);
          CREATE TABLE "odd name" (a);
          CREATE VIEW v AS SELECT * FROM t;
          """)
    }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m", migrate: migrate)
    let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows) }
    #expect(rehearsal.failure == nil)
    #expect(rehearsal.destructiveStatements.allSatisfy { $0.migration == "m" && !$0.sql.isEmpty })
    return rehearsal.destructiveStatements.map(\.effect)
  }

  @Test("statements over whole tables are found", arguments: TestEngine.allCases)
  func found(engine: TestEngine) throws {
    let cases: [(String, Effect)] = [
      ("DROP TABLE t", .dropsTable("t")),
      ("drop /* it */ table if exists main.[odd name]", .dropsTable("odd name")),
      ("DELETE FROM t", .deletesAllRows(table: "t")),
      ("DELETE FROM main.\"t\" WHERE 1", .deletesAllRows(table: "t")),
      ("-- all\nDELETE FROM t WHERE (1)", .deletesAllRows(table: "t")),
      ("WITH x(y) AS (SELECT 1 WHERE 1) DELETE FROM t", .deletesAllRows(table: "t")),
      ("UPDATE t SET b = (SELECT a FROM t AS u WHERE u.a = t.a)", .updatesAllRows(table: "t")),
      ("UPDATE OR REPLACE t SET \"where\" = 'where'", .updatesAllRows(table: "t")),
      ("PRAGMA writable_schema = ON", .allowsSchemaEditing),
    ]
    for (sql, effect) in cases {
      let found = try effects(engine) { db in
        try db.execute(sql: sql)
        try db.execute(sql: "PRAGMA writable_schema = OFF")
      }
      #expect(found == [effect], "\(sql)")
    }
  }

  @Test(
    "statements about some rows, and about tables that migrations created, are not found",
    arguments: TestEngine.allCases,
    [
      "DELETE FROM t WHERE a = 1", "UPDATE t SET b = 1 WHERE (a > 0)", "INSERT OR REPLACE INTO t VALUES (1, 2, 3)",
      "WITH x(y) AS (SELECT 1) DELETE FROM t WHERE a IN (SELECT y FROM x)", "DROP TABLE IF EXISTS missing",
      "CREATE TABLE own (a); UPDATE own SET a = 1; DELETE FROM own; DROP TABLE own",
      "CREATE TABLE own (a); ALTER TABLE own RENAME TO own2; DELETE FROM own2; DROP TABLE own2",
      "DROP VIEW v; ALTER TABLE t RENAME TO o; CREATE TABLE t (a); DELETE FROM t; DROP TABLE t",
      "CREATE TEMP TABLE scratch (a); DELETE FROM scratch; DROP TABLE scratch", "DROP VIEW v",
      "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; UPDATE t SET b = 1; END", "EXPLAIN DELETE FROM t",
      "SELECT 'DELETE FROM t'", "PRAGMA writable_schema", "DELETE FROM t WHERE 0",
    ])
  func notFound(engine: TestEngine, sql: String) throws {
    #expect(try effects(engine) { db in try db.execute(sql: sql) } == [])
  }

  @Test("a table that is recreated under its name is a rebuild", arguments: TestEngine.allCases)
  func rebuilds(engine: TestEngine) throws {
    let oneWay = try effects(engine) { db in
      try db.execute(
        sql: """
          CREATE TABLE new_t (a INTEGER PRIMARY KEY, b NOT NULL); INSERT INTO new_t SELECT a, b FROM t;
          DROP VIEW v; DROP TABLE t; ALTER TABLE new_t RENAME TO t;
          """)
    }
    #expect(oneWay == [.rebuildsTable("t")])
    let otherWay = try effects(engine) { db in
      try db.execute(
        sql: """
          DROP VIEW v; ALTER TABLE t RENAME TO old_t; CREATE TABLE t (a); INSERT INTO t SELECT a FROM old_t;
          DROP TABLE old_t;
          """)
    }
    #expect(otherWay == [.rebuildsTable("t")])
    let renamed = try effects(engine) { db in
      try db.execute(sql: "DROP VIEW v; ALTER TABLE t RENAME TO u; DELETE FROM u; DROP TABLE u")
    }
    #expect(renamed == [.deletesAllRows(table: "t"), .dropsTable("t")])
  }

  @Test("dropping a column is found, or the rebuild that older engines need for it", arguments: TestEngine.allCases)
  func dropsColumn(engine: TestEngine) throws {
    let found = try effects(engine) { db in
      try db.execute(sql: "DROP VIEW v")
      try db.alter(table: "t") { t in t.drop(column: "b") }
    }
    let isNative = try engine.engineDescription().abilities.contains(.dropColumn)
    #expect(found == [isNative ? .dropsColumn(table: "t", column: "b") : .rebuildsTable("t")])
  }

  @Test("schema change methods that drop are found", arguments: TestEngine.allCases)
  func words(engine: TestEngine) throws {
    #expect(try effects(engine) { db in try db.drop(table: "odd name") } == [.dropsTable("odd name")])
  }
}
