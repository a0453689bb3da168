import Migrator
import MigratorTestKit
import SQLSyntax
import TestEngines
import Testing

@Suite("Promise 4: the results of a foreign key watch")
struct ForeignKeyWatchTests {
  private static func queue(_ backend: any DatabaseBackend, _ sql: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(backend, configuration: configuration)
    try queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
    return queue
  }

  /// Runs statements under a watch.
  private static func verdict(
    _ db: Database, _ sql: String, following graph: ForeignKeyGraph? = nil, isCurrent: Bool = false
  ) throws -> (verdict: ForeignKeyWatch.Verdict, graph: ForeignKeyGraph) {
    try db.connection.begin(.immediate)
    let watch = try ForeignKeyWatch(db, following: graph, isCurrent: isCurrent)
    db.inspector = WatchInspector(watch)
    defer {
      watch.stop()
      db.inspector = nil
    }
    do {
      try db.execute(sql: sql)
      let verdict = try watch.finish()
      try db.connection.commit()
      return (verdict, watch.graph)
    } catch {
      try db.connection.rollback()
      throw error
    }
  }

  @Test(
    "old orphans follow renamed, rebuilt or redeclared tables and columns", arguments: TestEngine.allCases,
    [
      "ALTER TABLE spare RENAME TO missing",
      "ALTER TABLE child RENAME TO kid",
      "ALTER TABLE grandparent RENAME TO ancestor",
      """
      CREATE TABLE new (k TEXT, p INTEGER, m REFERENCES missing, FOREIGN KEY (p) REFERENCES parent);
      INSERT INTO new SELECT * FROM child; DROP TABLE child; ALTER TABLE new RENAME TO child;
      """,
      """
      CREATE TABLE new (k TEXT PRIMARY KEY, p INTEGER, m REFERENCES missing, FOREIGN KEY (p) REFERENCES parent)
      WITHOUT ROWID;
      INSERT INTO new SELECT * FROM child; DROP TABLE child; ALTER TABLE new RENAME TO child;
      """,
      "UPDATE child SET k = k || '!'",
    ])
  func oldOrphans(engine: TestEngine, sql: String) throws {
    for kind in ["", " WITHOUT ROWID"] { try oldOrphans(engine, sql, kind) }
  }

  private func oldOrphans(_ engine: TestEngine, _ sql: String, _ kind: String) throws {
    let queue = try Self.queue(
      engine.inMemoryBackend,
      """
      CREATE TABLE grandparent (id INTEGER PRIMARY KEY);
      CREATE TABLE parent (id INTEGER PRIMARY KEY, g REFERENCES grandparent); INSERT INTO parent VALUES (1, NULL);
      CREATE TABLE spare (id INTEGER PRIMARY KEY); INSERT INTO spare VALUES (5);
      CREATE TABLE child (k TEXT PRIMARY KEY, p TEXT, m REFERENCES missing, FOREIGN KEY (p) REFERENCES parent)\(kind);
      INSERT INTO child VALUES ('a', '1', 5), ('b', '07', 6), ('c', NULL, 7);
      """)
    try queue.writeWithoutTransaction { db in
      let verdict = try Self.verdict(db, sql).verdict
      #expect(verdict.newCount == 0)
      // Without enforcement, old engines do not update the definition of a table that refers to a renamed one.
      #expect(verdict.oldCount > 0 || sql.contains("grandparent"))
    }
  }

  @Test("a view with the name of a missing table is a new mismatch", arguments: TestEngine.allCases)
  func view(engine: TestEngine) throws {
    let queue = try Self.queue(
      engine.inMemoryBackend, "CREATE TABLE child (p REFERENCES missing); INSERT INTO child VALUES (NULL)")
    try queue.writeWithoutTransaction { db in
      let error = #expect(throws: DatabaseError.self) {
        try Self.verdict(db, "CREATE VIEW missing AS SELECT 1 AS p; UPDATE child SET p = NULL")
      }
      #expect(error?.condition == .statement)
    }
  }

  @Test("an orphan that replaces another one is new", arguments: TestEngine.allCases, ["", " WITHOUT ROWID"])
  func replaced(engine: TestEngine, kind: String) throws {
    let queue = try Self.queue(
      engine.inMemoryBackend,
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (k TEXT PRIMARY KEY, p REFERENCES parent)\(kind); INSERT INTO child VALUES ('a', 1), ('b', 2);
      """)
    try queue.writeWithoutTransaction { db in
      let verdict = try Self.verdict(db, "DELETE FROM child WHERE k = 'a'; INSERT INTO child VALUES ('c', 3)").verdict
      #expect(verdict.newCount == 1 && verdict.new.count == 1 && verdict.oldCount == 1)
    }
  }

  @Test("a graph is passed on, and only changes are read again", arguments: TestEngine.allCases)
  func graphs(engine: TestEngine) throws {
    let tables = (0..<20).map { "CREATE TABLE t\($0) (id INTEGER PRIMARY KEY, p REFERENCES t0);" }
    let backend = RecordingBackend(engine.inMemoryBackend)
    func readKeys() -> [String] {
      backend.calls.compactMap { if case .foreignKeys(let table) = $0 { table } else { nil } }
    }
    let queue = try Self.queue(backend, tables.joined())
    try queue.writeWithoutTransaction { db in
      var graph = try Self.verdict(db, "SELECT 1").graph
      backend.forget()
      graph = try Self.verdict(db, "CREATE TEMP TABLE v (x)", following: graph).graph
      #expect(!backend.calls.contains(.schema) && readKeys().isEmpty)
      let result = try Self.verdict(
        db, "CREATE TABLE u (p REFERENCES t1); INSERT INTO u VALUES (NULL)", following: graph)
      // Only additions are read.
      #expect(!backend.calls.contains(.schema))
      #expect(Set(readKeys()) == ["u"])
      let bad = try Self.verdict(db, "INSERT INTO u VALUES (9)", following: result.graph, isCurrent: true)
      #expect(bad.verdict.newCount == 1)
      backend.forget()
      _ = try Self.verdict(db, "UPDATE t5 SET p = NULL", following: result.graph, isCurrent: true)
      // Without a dangling row, no key is read.
      #expect(!backend.calls.contains(.schema) && readKeys().isEmpty)
    }
  }

  @Test(
    "an error contains many violations and counts all, with the columns of the first", arguments: TestEngine.allCases)
  func manyViolations(engine: TestEngine) throws {
    let queue = try Self.queue(
      engine.inMemoryBackend,
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES parent);
      INSERT INTO child WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100005)
      SELECT i, i FROM n;
      """)
    try queue.read { db in
      let error = #expect(throws: ForeignKeyViolationError.self) { try db.checkForeignKeys(in: "child") }
      #expect(error?.violations.count == ForeignKeyViolationError.capacity)
      #expect(error?.violationCount == 100_005)
      #expect(error?.places.count == 10)
      #expect(
        error?.places.last == "FOREIGN KEY constraint violation - from child(p) to parent(id), in rowid 10")
      #expect(error?.description.hasSuffix("and 99995 more") == true)
    }
  }
}

/// Passes a migration's statements to a watch.
final class WatchInspector: StatementInspector {
  var errorOutsideTransaction: any Error { MigrationError.transactionEnded }
  private let watch: ForeignKeyWatch
  init(_ watch: ForeignKeyWatch) { self.watch = watch }
  func willRun(_ sql: String, isTrusted: Bool) throws { try watch.statementPrepared(SQLStatementSummary(of: sql)) }
  func willPrepare() { watch.statementWillBePrepared() }
  func didFailToPrepare(_ sql: String) throws { try watch.statementPrepared(SQLStatementSummary(of: sql)) }
  func mark() -> () -> Void { {} }
}
