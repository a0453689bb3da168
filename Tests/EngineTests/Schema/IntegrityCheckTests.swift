import Migrator
import MigratorTestKit
import SQLiteDialect
import TestEngines
import Testing

@Suite("The integrity check of a file that cannot be read everywhere")
struct IntegrityCheckTests {
  /// Fails the query that examines whether a finding is false.
  private final class UnreadableColumn: CallInterceptor {
    let failureCount = Lock(0)

    func note(_ call: BorderCall) {}

    func admit(_ call: BorderCall) throws(DatabaseError) {
      guard case .prepare(let script, _) = call, script.contains("typeof(\"b\")") else { return }
      failureCount.withLock { $0 += 1 }
      throw DatabaseError(.inputOutput, engine: "test", message: "disk I/O error")
    }
  }

  @Test("a NULL value is reported if its column cannot be read again", arguments: TestEngine.allCases)
  func unreadableColumn(engine: TestEngine) throws {
    let backend = try engine.temporaryBackend()
    let queue = try DatabaseQueue(backend)
    // Engines before 3.16 only check tables that have an index.
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          CREATE TABLE t (a PRIMARY KEY, b TEXT UNIQUE) WITHOUT ROWID;
          INSERT INTO t VALUES (1, NULL);
          PRAGMA writable_schema = ON;
          UPDATE sqlite_master SET sql = replace(sql, 'TEXT', 'TEXT NOT NULL');
          """)
    }
    try queue.close()
    let failure = UnreadableColumn()
    let findings = try DatabaseQueue(InterceptedBackend(backend, interceptor: failure)).read { db in
      try IntegrityCheck.findings(db, limit: 10)
    }
    #expect(findings == ["NULL value in t.b"])
    #expect(failure.failureCount.withLock { $0 } == 1)
  }
}
