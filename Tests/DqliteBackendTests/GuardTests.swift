import DqliteBackend
import Foundation
import Migrator
import TestCluster
import Testing

/// Each row of the table of statements that end a node of dqlite 1.11, or make it answer wrongly.
@Suite("Statements that would end a node")
struct GuardTests {
  private let cluster: TestCluster
  private let queue: DatabaseQueue

  init() async throws {
    cluster = try await TestCluster(nodeCount: 1)
    queue = try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: "app"))
  }

  private func run(_ sql: String) throws { try queue.writeWithoutTransaction { db in try db.execute(sql: sql) } }

  /// Runs a statement that attaches a database; returns whether the node attaches any, which those of dqlite 1.18 do not.
  private func isRun(_ sql: String) throws -> Bool {
    do {
      try run(sql)
      return true
    } catch let error as DatabaseError where error.condition == .unsupported {
      #expect(error.message.contains("this version of dqlite") && error.remedy != nil)
      return false
    }
  }

  /// Expects that the node still runs, and answers.
  private func expectLife() throws {
    #expect(cluster.isComplete)
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT 1") } == 1)
  }

  private static let sequence = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000)"

  @Test("A transaction larger than the page cache commits")
  func largeTransaction() throws {
    try run(
      """
      CREATE TABLE t (a INTEGER PRIMARY KEY, b);
      INSERT INTO t (b) \(Self.sequence) SELECT 'x' FROM n;
      BEGIN; UPDATE t SET b = b || printf('%0200d', a); SAVEPOINT s; UPDATE t SET b = b || 'y'; ROLLBACK TO s; COMMIT
      """)
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT sum(length(b)) FROM t") } == 60_000 * 201)
    try expectLife()
  }

  @Test("A temporary table larger than the cache can be filled and dropped, and the database vacuumed")
  func temporaryTable() throws {
    try run(
      """
      CREATE TEMP TABLE t AS \(Self.sequence) SELECT i, printf('%0100d', i) AS b FROM n;
      CREATE TABLE u AS SELECT * FROM t; DROP TABLE t; ANALYZE; REINDEX
      """)
    // VACUUM attaches a database; a node that refuses ATTACH may permit that.
    let attaches = try isRun("ATTACH ':memory:' AS m")
    #expect(try isRun("VACUUM") || !attaches)
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM u") } == 60_000)
    try expectLife()
  }

  @Test(
    "A statement that would end a node or make the nodes differ is refused with a remedy",
    arguments: [
      "PRAGMA journal_mode = DELETE", "PRAGMA main.journal_mode(wal)", "EXPLAIN PRAGMA journal_mode = OFF",
      "EXPLAIN QUERY PLAN PRAGMA page_size = 512", "PRAGMA page_size = 8192", "PRAGMA synchronous = FULL",
      "PRAGMA synchronous = NORMAL", "PRAGMA wal_checkpoint", "PRAGMA wal_checkpoint(TRUNCATE)",
      "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA wal_autocheckpoint = 1", "PRAGMA cache_spill = ON",
      "PRAGMA temp_store = FILE", "PRAGMA temp_store_directory = '/tmp'", "PRAGMA mmap_size = 1",
      "PRAGMA auto_vacuum = FULL", "PRAGMA incremental_vacuum", "PRAGMA encoding = 'UTF-16'",
      "PRAGMA /* c */ \"journal_mode\" = delete", "PRAGMA busy_timeout = 1", "PRAGMA unknown = 1",
      "ATTACH 'other' AS o", "ATTACH 'file:/tmp/x?vfs=unix' AS o", "ATTACH DATABASE ':memory:' || 'x' AS o",
      "ATTACH '' AS o", "VACUUM INTO '/tmp/x'", "INSERT INTO t VALUES (1) RETURNING a",
      "UPDATE t SET a = 2 RETURNING *",
      "DELETE FROM t RETURNING a", "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x RETURNING a",
      "PRAGMA temp.writable_schema = ON", "PRAGMA journal_mode == delete", "PRAGMA page_size==512",
      "PRAGMA cache_spill == ON", "EXPLAIN PRAGMA writable_schema = ON", "EXPLAIN PRAGMA query_only = 0",
      "ATTACH ':MEMORY:' AS o", "SELECT fts3_tokenizer('a', x'00')", "SELECT \"FTS3_Tokenizer\"('a')",
      "SELECT * FROM pragma_optimize", "CREATE VIEW v AS SELECT * FROM [PRAGMA_optimize]",
    ])
  func refused(sql: String) throws {
    try run("CREATE TABLE t (a); INSERT INTO t VALUES (0)")
    let error = #expect(throws: DatabaseError.self, "\(sql)") { try run(sql) }
    #expect(error?.condition == .unsupported, "\(sql)")
    #expect(error?.remedy != nil, "\(sql)")
    #expect(try queue.read { db in try Int.fetchAll(db, sql: "SELECT a FROM t") } == [0])
    try expectLife()
  }

  @Test(
    "A schema that SQLite could not parse is not committed",
    arguments: [
      "UPDATE sqlite_master SET sql = 'garbage' WHERE name = 't'", "UPDATE sqlite_schema SET rootpage = 9999",
      "UPDATE sqlite_master SET name = 'v' WHERE name = 't'", "UPDATE sqlite_master SET type = 'view'",
      "ALTER TABLE t RENAME a TO b", "INSERT INTO sqlite_master SELECT * FROM sqlite_master",
      "REPLACE INTO main.sqlite_schema VALUES (1, 2, 3, 4, 5)",
    ], ["BEGIN; %; COMMIT", "BEGIN; SAVEPOINT s; %; RELEASE s; END", "SAVEPOINT s; %; RELEASE s", "%"])
  func unreadableSchema(edit: String, form: String) throws {
    try run("CREATE TABLE t (a, b); CREATE INDEX i ON t (a); INSERT INTO t (a) VALUES (0)")
    let error = #expect(throws: DatabaseError.self) {
      try run("PRAGMA writable_schema = ON; " + form.replacing("%", with: edit))
    }
    #expect(error?.condition == .corrupt)
    #expect(error?.remedy != nil)
    for value in 1...3 { try run("INSERT INTO t (a) VALUES (\(value))") }
    #expect(try queue.read { db in try Int.fetchAll(db, sql: "SELECT a FROM t") } == [0, 1, 2, 3])
    try expectLife()
  }

  @Test("A definition can be edited in a transaction, also after a wrong edit was undone")
  func editedSchema() throws {
    try run(
      """
      CREATE TABLE t (a); INSERT INTO t VALUES (0); PRAGMA writable_schema = ON;
      BEGIN; SAVEPOINT s; UPDATE sqlite_master SET sql = 'garbage'; ROLLBACK TO s;
      UPDATE sqlite_master SET sql = 'CREATE TABLE t (a, b DEFAULT 7)'; COMMIT; INSERT INTO t (a) VALUES (1)
      """)
    #expect(try queue.read { db in try Int.fetchAll(db, sql: "SELECT b FROM t") } == [7, 7])
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA writable_schema") } == 1)
    try expectLife()
  }

  @Test("Scripts that differ only in the form of a Unicode character are different scripts")
  func equivalentScripts() throws {
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "CREATE TABLE t (a)")
      for form in ["\u{e9}", "e\u{301}"] { try db.execute(sql: "INSERT INTO t VALUES ('\(form)')") }
      #expect(try Int.fetchAll(db, sql: "SELECT length(a) FROM t") == [1, 2])
    }
  }

  @Test("A query that never ends can be left after its first row")
  func endlessQuery() throws {
    let query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    var backend = Dqlite(addresses: cluster.addresses, database: "app")
    backend.patienceWithRows = .milliseconds(500)
    #expect(try DatabaseQueue(backend).read { db in try Int.fetchOne(db, sql: query) } == 1)
    try expectLife()
  }

  @Test("A database in memory can be attached if the node attaches any")
  func memory() throws {
    guard try isRun("ATTACH ':memory:' AS m") else { return try expectLife() }
    try run(
      """
      CREATE TABLE m.t (a); CREATE TABLE main.u (a);
      BEGIN; INSERT INTO m.t VALUES (1); INSERT INTO u SELECT a FROM m.t; COMMIT; DETACH m
      """)
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT a FROM u") } == 1)
    try expectLife()
  }

  @Test("Values are returned as they are stored, whatever type their column declares")
  func values() throws {
    try run("CREATE TABLE d (n INTEGER PRIMARY KEY, da DATE, dt DATETIME, ts TIMESTAMP, bo BOOLEAN, t TEXT, b)")
    let rows: [[DatabaseValue]] = [
      [.text("2020-01-01"), .text("x"), .integer(5), .integer(1), .text("x"), .blob(Data([0, 1]))],
      [.null, .null, .null, .null, .null, .null],
      [.text(""), .real(1.5), .blob(Data([0])), .integer(0), .text(""), .blob(Data())],
      [.real(1.5), .blob(Data([255])), .text("é"), .text("text"), .text("a\0b"), .real(2.5)],
      [.blob(Data([0])), .integer(7), .real(-0.5), .blob(Data([116])), .text("\0"), .integer(-7)],
      [.integer(5), .null, .text("a\0"), .real(5.5), .null, .integer(1 << 62)],
    ]
    try queue.write { db in
      for row in rows {
        try db.execute(
          sql: "INSERT INTO d (da, dt, ts, bo, t, b) VALUES (?, ?, ?, ?, ?, ?)",
          arguments: StatementArguments(row.map { $0 as (any DatabaseValueConvertible)? }))
      }
    }
    let read = try queue.read { db in
      try Row.fetchAll(db, sql: "SELECT da, dt, ts, bo, t, b FROM d ORDER BY n").map { Array($0.databaseValues) }
    }
    #expect(read == rows)
    try expectLife()
  }

  /// Queries with names that do not fit into a message: of expressions, of a table, of a view, of a query in FROM.
  private static let queriesWithLongNames = [
    "expression": "SELECT '\(String(repeating: "x", count: 5000))'",
    "expressions": "SELECT " + (1...600).map { "\($0)" }.joined(separator: ", "),
    "table": "SELECT * FROM wide",
    "join": "SELECT w.*, 1 FROM wide AS w, wide LIMIT 1",
    "view": "SELECT * FROM view_of_wide",
    "queries": "WITH w AS (SELECT * FROM wide) SELECT * FROM (SELECT * FROM w WHERE ? IS NULL)",
  ]

  private func makeWide() throws {
    let columns = (1...100).map { "quite_a_long_name_for_the_column_number_\($0)" }
    try run("CREATE TABLE wide (\(columns.joined(separator: ", ")))")
    try run("CREATE VIEW view_of_wide AS SELECT * FROM wide")
  }

  @Test("Names of columns that do not fit into a message are refused", arguments: queriesWithLongNames.keys.sorted())
  func longNames(kind: String) throws {
    let sql = try #require(Self.queriesWithLongNames[kind])
    try makeWide()
    let error = #expect(throws: DatabaseError.self) {
      try queue.read { db in _ = try Row.fetchAll(db, sql: sql, arguments: sql.contains("?") ? [nil] : []) }
    }
    #expect(error?.condition == .unsupported)
    #expect(error?.remedy != nil)
    try expectLife()
  }

  @Test("Long names are read where they fit, and short ones of long expressions")
  func fittingNames() throws {
    try makeWide()
    let expression = "'\(String(repeating: "x", count: 5000))'"
    #expect(try queue.read { db in try String.fetchOne(db, sql: "SELECT \(expression) AS a") }?.count == 5000)
    let columns = (1...70).map { "quite_a_long_name_for_the_column_number_\($0)" }
    try run("INSERT INTO wide (\(columns[0])) VALUES (7)")
    let row = try queue.read { db in try Row.fetchOne(db, sql: "SELECT \(columns.joined(separator: ", ")) FROM wide") }
    #expect(row?.columnNames.map { $0 } == columns)
    try expectLife()
  }

  @Test(
    "Names of columns that do not fit are refused inside a transaction, which goes on",
    arguments: queriesWithLongNames.keys.sorted())
  func longNamesInTransaction(kind: String) throws {
    let sql = try #require(Self.queriesWithLongNames[kind])
    try makeWide()
    try run("CREATE TABLE t (a)")
    try queue.write { db in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      let error = #expect(throws: DatabaseError.self) {
        _ = try Row.fetchAll(db, sql: sql, arguments: sql.contains("?") ? [nil] : [])
      }
      #expect(error?.condition == .unsupported)
      #expect(error?.message.contains("rolled back") == false)
      try db.execute(sql: "INSERT INTO t VALUES (2)")
    }
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM t") } == 2)
    try expectLife()
  }

  @Test("A statement has at most 255 parameters", arguments: [255, 256])
  func parameters(count: Int) throws {
    let list = Array(repeating: "?", count: count).joined(separator: ", ")
    func value() throws -> Int? {
      try queue.read { db in
        try Int.fetchOne(
          db, sql: "SELECT count(*) WHERE 1 IN (\(list))",
          arguments: StatementArguments(Array(repeating: 1, count: count)))
      }
    }
    if count == 255 {
      #expect(try value() == 1)
    } else {
      let error = #expect(throws: DatabaseError.self) { try value() }
      #expect(error?.condition == .tooBig)
    }
    try expectLife()
  }

  @Test(
    "Names that would end a node when it opens them are refused",
    arguments: ["", ":memory:", "file:x", "file:x?mode=memory", "a\0b"])
  func names(name: String) throws {
    let error = #expect(throws: DatabaseError.self) {
      try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: name))
    }
    #expect(error?.condition == .misuse)
    try expectLife()
  }

  @Test("A pool is refused with the reason")
  func pool() throws {
    let error = #expect(throws: DatabaseError.self) {
      try DatabasePool(Dqlite(addresses: cluster.addresses, database: "app"))
    }
    #expect(error?.condition == .unsupported)
    #expect(error?.message.contains("a pool would not read faster") == true)
  }
}
