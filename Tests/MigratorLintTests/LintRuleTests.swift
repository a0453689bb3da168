import Migrator
import SQLMigrations
import SQLSyntax
import TestEngines
import Testing

@testable import MigratorLint

@Suite("Rules of lint")
struct LintRuleTests {
  /// Returns the minor number of an engine's SQLite version: 15 for 3.15.2.
  private static func minorVersion(of engine: TestEngine) throws -> Int {
    let version = try engine.inMemoryQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
    return try #require(version?.split(separator: ".").dropFirst().first.flatMap { Int($0) })
  }

  /// Returns whether an engine runs the sample on empty tables; SQLite before 3.26 does not check whether a table is
  /// empty.
  private static func runs(_ sample: LintSample, on engine: TestEngine) throws -> Bool {
    switch sample.rule {
    case .addNotNullColumn, .addExpressionDefault, .addReferencingDefault:
      try Self.minorVersion(of: engine) >= 26
    default: true
    }
  }

  @Test("A rule finds its sample once", arguments: LintSample.all, TestEngine.allCases)
  func found(sample: LintSample, engine: TestEngine) throws {
    let lint = try LintFixture([sample.base, sample.found], on: engine)
    if sample.rule == .brokenObject, lint.rules.contains(.doesNotRun) {
      // The library renames tables for an old engine, and refuses what would break a virtual table.
      #expect(try Self.minorVersion(of: engine) < 26, "\(lint.findings)")
      return
    }
    #expect(try lint.rules.contains(.doesNotRun) != Self.runs(sample, on: engine), "\(lint.findings)")
    let findings = lint.findings(sample.rule).filter { $0.migration == "2_a" }
    #expect(findings.count == 1, "\(lint.findings)")
    #expect(findings.allSatisfy { $0.statement != nil })
  }

  @Test("A rule does not find a similar migration", arguments: LintSample.all, TestEngine.allCases)
  func nearMiss(sample: LintSample, engine: TestEngine) throws {
    let lint = try LintFixture([sample.base, sample.nearMiss], on: engine)
    #expect(try !lint.rules.contains(.doesNotRun) || !Self.runs(sample, on: engine), "\(lint.findings)")
    let findings = lint.findings(sample.rule).filter { $0.migration == "2_a" }
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test("A table that was renamed and then dropped is to be recreated, with its foreign keys")
  func renamedParent() throws {
    let base = "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY REFERENCES p (id));"
    let renaming = "ALTER TABLE p RENAME TO old; CREATE TABLE p (id INTEGER PRIMARY KEY); DROP TABLE old;"
    for (migration, isRenamed) in [(renaming, true), ("DROP TABLE p;", false)] {
      let finding = try #require(LintFixture([base, migration]).findings(.dropReferencedTable).first)
      #expect(finding.remedy.contains("PRAGMA legacy_alter_table = ON before ALTER TABLE") == isRenamed)
      #expect(finding.remedy.contains("without the foreign key") != isRenamed)
    }
  }

  @Test(
    "A view or trigger whose double-quoted column is dropped is found, since SQLite then reads the name as a string",
    arguments: [
      ("CREATE VIEW v AS SELECT \"id\", \"b\" FROM \"t\"", 1), ("CREATE VIEW v AS SELECT id FROM t WHERE \"b\" = 1", 1),
      ("CREATE VIEW v AS SELECT id FROM t ORDER BY \"b\"", 1),
      ("CREATE VIEW v AS SELECT (SELECT \"B\" FROM t) AS x", 1),
      ("CREATE TRIGGER v AFTER INSERT ON t BEGIN INSERT INTO u (b) SELECT \"b\" FROM t; END", 1),
      ("CREATE VIEW v AS SELECT id FROM t WHERE \"text\" <> ''", 0),
      ("CREATE VIEW v AS SELECT \"id\", \"b\" FROM u", 0),
      ("CREATE VIEW v AS SELECT \"id\" AS \"b\" FROM t ORDER BY \"b\"", 0),
    ])
  func capturedName(definition: String, count: Int) throws {
    let base =
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT); CREATE TABLE u (id INTEGER PRIMARY KEY, b TEXT);\n"
    let drop = "ALTER TABLE t DROP COLUMN b;"
    for migration in [drop, "ALTER TABLE t ADD COLUMN c;\n\(drop)", "\(drop)\nALTER TABLE u RENAME TO w;"] {
      let findings = try LintFixture([base + definition, migration]).findings(.doubleQuotedText)
      #expect(findings.filter { $0.migration == "2_a" }.count == count, "\(findings)")
    }
    for migration in ["DROP \(definition.split(separator: " ")[1]) v;\n\(drop)", "ALTER TABLE t RENAME COLUMN b TO d;"]
    {
      let findings = try LintFixture([base + definition, migration]).findings(.doubleQuotedText)
      #expect(!findings.contains { $0.migration == "2_a" }, "\(findings)")
    }
  }

  @Test("A comment before the statement allows it, and is not a finding", arguments: LintSample.all)
  func allowed(sample: LintSample) throws {
    let before = try LintFixture([sample.base, sample.found])
    let finding = try #require(before.findings(sample.rule).first { $0.migration == "2_a" })
    var lines = sample.found.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines.insert("-- migrator: allow \(sample.rule.name) it is meant", at: try #require(finding.position).line - 1)
    let lint = try LintFixture([sample.base, lines.joined(separator: "\n")])
    #expect(!lint.findings(sample.rule).contains { $0.migration == "2_a" }, "\(lint.findings)")
    #expect(lint.findings(.unusedAllowance).isEmpty, "\(lint.findings)")
    #expect(lint.allowed.contains { $0.rule == sample.rule && $0.allowedFor == "it is meant" })
  }

  @Test("Every rule that can be allowed has a sample, and every rule has texts")
  func complete() {
    // A stored column needs SQLite 3.31, an empty file has no statement, and a number is not of one file; they have
    // separate tests.
    let missing = Set(LintRule.all.filter(\.canBeAllowed)).subtracting(LintSample.all.map(\.rule))
    #expect(missing == [.addStoredColumn, .emptyMigration, .sharedNumber])
    #expect(Set(LintRule.all.map(\.summary)).count == LintRule.all.count)
    #expect(LintRule.all.allSatisfy { $0.details.hasSuffix(".") || $0.details.hasSuffix(")") })
  }

  @Test(
    "Lint finds exactly the definitions with which the engine cannot compute a row", arguments: TestEngine.allCases)
  func rowsThatFail(engine: TestEngine) throws {
    let times = [
      "date()", "date('now')", "DATETIME(b, 'LocalTime')", "time(b, '+1 day', 'utc')", "strftime('%Y')",
      "b > date('NOW')",
      "strftime('%s', 'now')", "julianday (/* */ 'now', '+1 day')", "\"date\"('now')", "abs(1 + julianday('now'))",
      "date(b)", "date(b, 'now')", "date('2000-01-01', '+1 day')", "strftime('now', b)", "'date()' || 1", "b = 'now'",
      "date(b, 'start of month')", "date(lower(b), b)",
    ]
    let minor = try Self.minorVersion(of: engine)
    var definitions = ["date('now')", "datetime()", "date(1)"].map { "CREATE TABLE t (id, b DEFAULT (\($0)));" }
    for time in times {
      definitions += [
        "CREATE TABLE t (id, b CHECK (\(time)));", "CREATE TABLE t (id, b, CHECK (id > 1 OR \(time)));",
      ]
      let table = "CREATE TABLE t (id, b);\n"
      if minor >= 20 {
        definitions += ["((\(time)));", "(id) WHERE \(time);"].map { table + "CREATE INDEX i ON t \($0)" }
      }
      if minor >= 31 { definitions.append(table + "ALTER TABLE t ADD COLUMN c AS (\(time));") }
    }
    if minor >= 31 {
      definitions += [
        "c AS (c + 1)", "c AS (d), d AS (c) STORED", "c AS (d), d AS (b)", "c AS ('c')", "c AS (1) STORED",
      ].map {
        "CREATE TABLE t (id, b, \($0));"
      }
    }
    for definition in definitions {
      let fails: Bool? = try engine.inMemoryQueue().write { db in
        // Newer engines refuse a table whose columns need each other.
        guard (try? db.execute(sql: definition)) != nil else { return nil }
        do {
          try db.execute(sql: "INSERT INTO t (id, b) VALUES (0, '2000-01-01'); SELECT * FROM t")
          return false
        } catch let error as DatabaseError {
          return error.message.contains("non-deterministic use") || error.message.contains("generated column loop")
        }
      }
      guard let fails else {
        #expect(definition.contains("c AS (c + 1)") || definition.contains("d AS (c)"), "\(definition)")
        continue
      }
      let found = try LintFixture([definition], on: engine).findings(.brokenObject)
      #expect(found.count == (fails ? 1 : 0), "\(definition): \(found)")
      #expect(found.allSatisfy { $0.position?.line == definition.split(separator: "\n").count }, "\(found)")
    }
  }

  @Test(
    "Lint finds exactly the forms of ADD COLUMN that the engine rejects on a table with rows",
    arguments: TestEngine.allCases)
  func addedColumns(engine: TestEngine) throws {
    let columns = [
      "a NOT NULL", "a NOT NULL DEFAULT NULL", "a NOT NULL DEFAULT 1", "a DEFAULT -1.5", "a DEFAULT (-1)",
      "a DEFAULT (1 + 1)",
      "a DEFAULT CURRENT_DATE", "a DEFAULT x'00'", "a NOT NULL DEFAULT ''", "a DEFAULT (abs(1))", "a DEFAULT word",
      "a REFERENCES t", "a DEFAULT 1 REFERENCES t", "a DEFAULT NULL REFERENCES t", "a DEFAULT ((('x')))",
    ]
    let generated =
      try Self.minorVersion(of: engine) < 31 ? [] : ["a AS (b) STORED", "a AS (b)", "a NOT NULL AS (b) VIRTUAL"]
    for column in columns + generated {
      let statement = "ALTER TABLE t ADD COLUMN \(column);"
      let queue = try engine.inMemoryQueue()
      let isTaken = try queue.write { db in
        try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, b); INSERT INTO t (b) VALUES (1)")
        return (try? db.execute(sql: statement)) != nil
      }
      let lint = try LintFixture(
        ["CREATE TABLE t (id INTEGER PRIMARY KEY, b);", "-- migrator: foreign-keys immediate\n" + statement], on: engine
      )
      let rules: Set<LintRule> = [
        .addNotNullColumn, .addExpressionDefault, .addReferencingDefault, .addStoredColumn, .doesNotRun,
      ]
      #expect(lint.rules.isDisjoint(with: rules) == isTaken, "\(column): \(lint.findings)")
    }
  }

  @Test("A comment for an unknown rule, for nothing, or for a rule that cannot be allowed is a finding")
  func comments() throws {
    let lint = try LintFixture([
      "-- migrator: allow destuctive a reason\nCREATE TABLE a (b);\n-- migrator: allow destructive after all statements\n",
      "-- migrator: allow does-not-run a reason\nCREATE TABLE a (b);\n",
    ])
    #expect(lint.findings(.unknownRule).map(\.remedy) == ["Did you mean destructive?"])
    #expect(lint.findings(.unusedAllowance).map(\.position?.line) == [3])
    #expect(lint.findings(.doesNotRun).count == 1)
  }

  @Test("A comment inside or at the end of a statement covers that statement only")
  func coverage() throws {
    let base = "CREATE TABLE a (b); CREATE TABLE c (d);"
    for (script, expected) in [
      ("DROP TABLE a; -- migrator: allow destructive old\nDROP TABLE c;", [2]),
      ("DROP /* migrator: allow destructive old */ TABLE a;\nDROP TABLE c;", [2]),
      ("DROP TABLE a;\n-- migrator: allow destructive old\n\nDROP TABLE c;", [1]),
    ] {
      let lint = try LintFixture([base, script])
      #expect(lint.findings.map(\.position?.line) == expected, "\(script)")
    }
  }

  @Test("Views and triggers that name missing tables, which SQLite accepts, are found", arguments: TestEngine.allCases)
  func missingTables(engine: TestEngine) throws {
    let fixture = try LintFixture(
      [
        """
        CREATE VIEW v AS SELECT * FROM missing;
        CREATE TRIGGER on_update INSTEAD OF UPDATE ON v BEGIN UPDATE missing SET a = new.a; END;
        CREATE TRIGGER on_insert INSTEAD OF INSERT ON v BEGIN INSERT INTO missing VALUES (1); END;
        CREATE TRIGGER on_delete INSTEAD OF DELETE ON v BEGIN DELETE FROM missing; END;
        """, "CREATE TABLE other (a);",
      ], on: engine)
    #expect(fixture.findings.map(\.position?.line) == [1, 2, 3, 4], "\(fixture.findings)")
    #expect(fixture.rules == [.brokenObject])
  }

  @Test("Lint goes on after a statement that fails, and does not touch attached files")
  func ends() throws {
    let lint = try LintFixture(["CREATE TABLE a (b);", "DROP TABLE nothing;", "DROP TABLE a;"])
    #expect(lint.findings.map(\.rule) == [.doesNotRun, .destructive])
    let unparsed = try LintFixture([
      "CREATE TABEL b (x);", "selct 1;", "CREATE VIEW v SELECT a, 1 FROM t;", "CREATE TABLE c (x,);",
      "CREATE TABLE d (x);\nINSERT INTO d VALUES (1, 2);", "INSERT INTO b VALUES (1);",
      "CREATE VIEW w AS SELECT * FROM v;",
    ])
    #expect(unparsed.findings.map(\.rule) == Array(repeating: .doesNotRun, count: 5), "\(unparsed.findings)")
    let ended = try LintFixture(["CREATE TABLE a (b UNIQUE);", "INSERT OR ROLLBACK INTO a VALUES (1), (1);"])
    #expect(ended.findings.map(\.rule) == [.doesNotRun], "\(ended.findings)")
    let orphans = try LintFixture([
      "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p INTEGER PRIMARY KEY REFERENCES p); INSERT INTO c VALUES (1);"
    ])
    #expect(orphans.findings.map(\.rule) == [.doesNotRun])
    let attaching = try LintFixture([
      "-- migrator: no-transaction\nATTACH '/nowhere/x.db' AS x;\nCREATE TABLE x.a (b);\nDETACH x;"
    ])
    #expect(attaching.findings.isEmpty)
  }

  @Test(
    "After a statement that fails, what depends on it is neither run nor found",
    arguments: [
      // A misspelled keyword, a missing table, a missing function.
      "CREATE TABEL b (id INTEGER PRIMARY KEY);", "CREATE TABLE b AS SELECT * FROM nothing;",
      "CREATE TABLE b (id INTEGER PRIMARY KEY, x DEFAULT (no_such_function(1)));",
    ])
  func consequences(wrong: String) throws {
    let lint = try LintFixture([
      "CREATE TABLE a (id INTEGER PRIMARY KEY, x); CREATE TABLE gone (x); CREATE TABLE later (x); INSERT INTO a VALUES (1, 2);",
      // The copy of a table that cannot be created.
      "DROP TABLE gone;\n\(wrong)\nINSERT INTO b (id) SELECT id FROM a;\nDROP TABLE a;\nALTER TABLE b RENAME TO a;",
      "CREATE TABLE child (id INTEGER PRIMARY KEY REFERENCES b); INSERT INTO child VALUES (1); CREATE VIEW v AS SELECT * FROM b;",
      "DROP VIEW v; DROP TABLE later; ALTER TABLE a ADD COLUMN y NOT NULL;", "DROP TABLE unknown;",
    ])
    let found = lint.findings.map { [$0.migration ?? "", $0.rule.name] }
    #expect(
      found == [
        ["2_a", "does-not-run"], ["2_a", "destructive"], ["4_a", "destructive"], ["5_a", "does-not-run"],
      ], "\(lint.findings)")
  }

  @Test("A copy that fails for an omitted column is one finding, and so is a parent that was not inserted")
  func oneCause() throws {
    let rows = "CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1);"
    let copy = "CREATE TABLE b (id INTEGER PRIMARY KEY, x NOT NULL);\nINSERT INTO b (id) SELECT id FROM a;"
    #expect(try LintFixture([rows, copy]).findings.map(\.rule) == [.doesNotRun])
    let parent = "INSERT INTO a VALUES (no_such_function(2));"
    let child = "CREATE TABLE c (a INTEGER PRIMARY KEY REFERENCES a); INSERT INTO c VALUES (2);"
    #expect(try LintFixture([rows, parent, child]).findings.map(\.rule) == [.doesNotRun])
    let immediate = "-- migrator: foreign-keys immediate\nINSERT INTO d VALUES (2);"
    let schema = rows + " CREATE TABLE d (a INTEGER PRIMARY KEY REFERENCES a);"
    #expect(try LintFixture([schema, parent, immediate]).findings.map(\.rule) == [.doesNotRun])
  }

  @Test(
    "A migration that ends its own transaction may fail on sample rows in it",
    arguments: ["CREATE UNIQUE INDEX i ON a (x);", "UPDATE OR ROLLBACK a SET y = 1 WHERE id > 0 OR x IS NULL;"])
  func ownTransaction(statements: String) throws {
    let lint = try LintFixture([
      "CREATE TABLE a (id INTEGER PRIMARY KEY, x, y UNIQUE);",
      "-- migrator: no-transaction\nBEGIN;\n\(statements)\nDROP TABLE a;\nCOMMIT;",
    ])
    #expect(!lint.rules.contains(.doesNotRun) && lint.rules.contains(.destructive), "\(lint.findings)")
  }

  @Test(
    "A statement without an effect on a table, or on a temporary one, hides no finding about the table",
    arguments: [
      "CREATE TABLE IF NOT EXISTS c (id INTEGER PRIMARY KEY);", "CREATE TEMP TABLE c (id); DROP TABLE c;",
      "CREATE TABLE temp.c (id); ALTER TABLE c RENAME TO d; DROP TABLE temp.d;",
      "CREATE TEMP TABLE missing (id); DROP TABLE missing;", "DROP TABLE IF EXISTS missing;",
      "CREATE TEMP VIEW v AS SELECT 1;",
    ])
  func otherTables(statements: String) throws {
    let first = """
      CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id));
      CREATE TABLE m (id INTEGER PRIMARY KEY REFERENCES missing (id)); CREATE VIEW v AS SELECT missing FROM p;
      """
    let findings = try LintFixture([first, statements]).findings.filter { $0.rule != .existingTable }
    #expect(findings.allSatisfy { $0.migration == "1_a" }, "\(findings)")
    #expect(Set(findings.map(\.rule)) == [.unindexedForeignKey, .missingParent, .brokenObject], "\(findings)")
  }

  @Test(
    "A migration does not find the temporary objects and settings of an earlier one",
    arguments: [
      "CREATE TEMP TABLE c (x);", "CREATE TABLE temp.c (x);", "CREATE TEMPORARY VIEW c AS SELECT 1;",
      "PRAGMA case_sensitive_like = ON; CREATE TEMP TABLE IF NOT EXISTS c (x);",
    ])
  func endOfMigration(statements: String) throws {
    let second = """
      CREATE TEMP TABLE c (y); DROP TABLE c; CREATE TABLE c (p INTEGER REFERENCES missing (id));
      CREATE INDEX i ON c (p);
      """
    let lint = try LintFixture([statements, second])
    #expect(lint.findings.map(\.rule) == [.missingParent], "\(lint.findings)")
  }

  @Test(
    "A column that the file before has added may be filled, and one whose values it has copied may be dropped",
    arguments: [
      ("ALTER TABLE t ADD COLUMN w INTEGER;", "UPDATE t SET w = length(name);", false),
      ("ALTER TABLE t ADD COLUMN w INTEGER;", "UPDATE t SET name = 'x';", true),
      ("ALTER TABLE t ADD COLUMN w INTEGER;\nUPDATE t SET w = 2;", "UPDATE t SET w = 1;", true),
      ("ALTER TABLE t ADD COLUMN w TEXT;\nUPDATE t SET w = upper(name);", "ALTER TABLE t DROP COLUMN name;", false),
      ("ALTER TABLE t ADD COLUMN w TEXT;\nUPDATE t SET w = upper(name);", "ALTER TABLE t DROP COLUMN w;", true),
      (
        "CREATE TABLE u (id INTEGER, name TEXT);\nINSERT INTO u SELECT rowid, name FROM t;",
        "ALTER TABLE t DROP COLUMN name;", false
      ),
      (
        "CREATE TABLE u (id INTEGER, name TEXT);\nINSERT INTO u SELECT rowid, name FROM t;",
        "ALTER TABLE t DROP COLUMN other;", true
      ),
    ])
  func fileBefore(before: String, after: String, isFound: Bool) throws {
    let lint = try LintFixture(["CREATE TABLE t (name TEXT, other TEXT);", before, after])
    let findings = lint.findings.filter { [.destructive, .lostRows].contains($0.rule) && $0.migration == "3_a" }
    #expect(findings.isEmpty != isFound, "\(lint.findings.map(\.reason))")
  }

  @Test("A table that is created under the name of a renamed one has no rows")
  func replacedName() throws {
    let replacing = "ALTER TABLE t RENAME TO o; CREATE TABLE t (id INTEGER PRIMARY KEY);"
    let change = " ALTER TABLE t ADD COLUMN b TEXT DEFAULT CURRENT_TIMESTAMP; DELETE FROM t;"
    let first = "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1);"
    #expect(try LintFixture([first, replacing + change]).findings.isEmpty)
    // A rebuild has the rows of the old table.
    let rebuild = replacing + " INSERT INTO t SELECT id FROM o; DROP TABLE o; DELETE FROM t;"
    #expect(try LintFixture([first, rebuild]).rules == [.destructive])
  }

  @Test("A statement that fails in a transaction of the migration is named")
  func failsInOwnTransaction() throws {
    let lint = try LintFixture(["-- migrator: no-transaction\nBEGIN;\nDROP TABLE nothing;\nCOMMIT;"])
    #expect(lint.findings.map(\.rule) == [.doesNotRun], "\(lint.findings)")
  }
}
