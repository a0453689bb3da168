internal import SQLSyntax
import TestEngines
import Testing

@testable import MigratorLint

/// A limit that a quadratic time exceeds many times; on a loaded machine, a linear time stays far below it.
@Suite("The duration of lint", .timeLimit(.minutes(5)))
struct LintDurationTests {
  @Test(
    "thousands of triggers of one table are compiled together",
    .enabled(if: TestTier.isFull, "Tools/test --full; the everyday run reads thousands of tables"))
  func triggers() throws {
    let triggers = (1...6000).map {
      "CREATE TRIGGER t\($0) AFTER INSERT ON item BEGIN INSERT INTO log VALUES (new.\"name\"); END;"
    }
    let tables = "CREATE TABLE item (id INTEGER PRIMARY KEY, name); CREATE TABLE log (text); CREATE TABLE other (a);"
    let lint = try LintFixture([tables + triggers.joined(separator: "\n") + "DROP TABLE other; DROP TABLE log;"])
    #expect(lint.findings(.brokenObject).count == 6000)
  }

  @Test("thousands of tables are read once")
  func tables() throws {
    let count = TestTier.pick(1000, full: 5000)
    let tables = (1...count).map {
      "CREATE TABLE t\($0) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, t1 INTEGER REFERENCES t1 (id));"
    }
    let lint = try LintFixture([tables.joined(separator: "\n") + "DROP TABLE t\(count);"])
    #expect(lint.findings(.unindexedForeignKey).count == count - 1)
  }

  @Test("views that each name the last one twice are not planned", arguments: TestEngine.allCases)
  func views(engine: TestEngine) throws {
    // With two more than 14, SQLite rejects the last one: it has more than 65,535 references to a table.
    let views = (1...TestTier.pick(12, full: 14)).map {
      "CREATE VIEW v\($0) AS SELECT a.n FROM v\($0 - 1) AS a, v\($0 - 1) AS b;"
    }
    let base =
      "CREATE TABLE v0 (n); CREATE TABLE other (a);" + views.joined()
      + "CREATE TRIGGER t INSTEAD OF INSERT ON v2 BEGIN INSERT INTO v0 VALUES (new.n); END;"
    #expect(try LintFixture([base, "DROP TABLE other;"], on: engine).findings(.brokenObject).isEmpty)
    let broken = try LintFixture([base, "DROP TABLE v0;"], on: engine).findings(.brokenObject).map(\.reason)
    #expect(broken.contains { $0.hasPrefix("the view v1 ") } && broken.contains { $0.hasPrefix("the trigger t ") })
  }

  @Test("a statement that never ends is reported", arguments: TestEngine.allCases)
  func endless(engine: TestEngine) throws {
    let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    let files = ["CREATE TABLE t (a);", "CREATE TABLE u (a);\nINSERT INTO u \(endless);"]
    let findings = try LintFixture(files, on: engine, limit: .milliseconds(250)).findings(.doesNotRun)
    let finding = try #require(findings.first)
    #expect(findings.count == 1, "\(findings)")
    #expect(finding.migration == "2_a" && finding.position?.line == 2)
    #expect(finding.reason.contains("did not end within 250 milliseconds on a scratch database"))
  }

  @Test("a statement that only sample rows make endless is not reported")
  func endlessOnSampleRows() throws {
    let files = [
      "CREATE TABLE t (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES t (id), root INTEGER);",
      """
      CREATE TABLE u (root);
      INSERT INTO u WITH RECURSIVE n (i) AS (SELECT id FROM t UNION ALL SELECT t.parent FROM t, n WHERE t.id = n.i)
        SELECT max(i) FROM n;
      DELETE FROM t WHERE root IS NULL;
      """,
    ]
    #expect(try LintFixture(files, limit: .milliseconds(100)).findings(.doesNotRun).isEmpty)
  }
}
