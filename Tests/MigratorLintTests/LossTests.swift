import Foundation
import Migrator
import SQLMigrations
import TestEngines
import Testing

@testable import MigratorLint

/// A rebuild as people and tools write it, from a file of `Rebuilds`.
struct RebuildIdiom: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// The migrations; the last one is the rebuild.
  let scripts: [String]

  static let all: [RebuildIdiom] = {
    let folder = String(#filePath.dropLast("LossTests.swift".count)) + "Rebuilds"
    // An empty list fails the test that counts them.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().compactMap { name in
      guard let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) else { return nil }
      let scripts = text.components(separatedBy: "-- next migration\n")
      return RebuildIdiom(testDescription: name, scripts: scripts.count == 1 ? [usualSchema] + scripts : scripts)
    }
  }()

  /// The migration before a rebuild whose file contains nothing else.
  private static let usualSchema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE user (
      id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
      email TEXT NOT NULL UNIQUE,
      name TEXT,
      age INTEGER,
      team_id INTEGER REFERENCES team (id),
      created_at TEXT DEFAULT CURRENT_TIMESTAMP NOT NULL
    );
    CREATE INDEX user_team ON user (team_id);
    CREATE TABLE post (
      id INTEGER PRIMARY KEY,
      user_id INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
      title TEXT,
      body TEXT
    );
    CREATE INDEX post_user ON post (user_id);

    """

  /// The idioms whose sample rows cannot be made, or are deleted on purpose.
  private static let silent = ["complicated-check.sql", "delete-orphans.sql"]

  /// The migrations without the first copy of rows; nil if there is no copy, or if no loss can be shown.
  var withoutCopy: [String]? {
    guard !Self.silent.contains(testDescription), let last = scripts.last, last.uppercased().contains("DROP TABLE"),
      let copy = last.uppercased().range(of: "\nINSERT "),
      let end = last[copy.upperBound...].range(of: ";")
    else { return nil }
    return scripts.dropLast() + [last.replacingCharacters(in: copy.lowerBound..<end.upperBound, with: "")]
  }
}

/// A migration that loses something, and the number of findings.
struct LossSample: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let base: String
  let script: String
  let rule: LintRule
  let reason: String

  private static let tables = """
    CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, y TEXT);
    CREATE TABLE p (id INTEGER PRIMARY KEY, x TEXT NOT NULL);
    CREATE TABLE c (id INTEGER PRIMARY KEY, p_id INTEGER NOT NULL REFERENCES p (id) ON DELETE CASCADE, z TEXT);
    CREATE INDEX c_p ON c (p_id);

    """

  private init(
    _ description: String, _ script: String, rule: LintRule = .lostRows, _ reason: String
  ) {
    (testDescription, base, self.script) = (description, Self.tables, script)
    (self.rule, self.reason) = (rule, reason)
  }

  private static func rebuild(_ copy: String, columns: String = "id INTEGER PRIMARY KEY, x TEXT, y TEXT") -> String {
    "CREATE TABLE b (\(columns));\n\(copy);\nDROP TABLE a;\nALTER TABLE b RENAME TO a;"
  }

  static let all: [LossSample] = [
    LossSample(
      "recreated without rows", "DROP TABLE a;\nCREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, y TEXT);", "all rows"),
    LossSample(
      "recreated with another column", "DROP TABLE IF EXISTS a;\nCREATE TABLE a (id INTEGER PRIMARY KEY, x, y, z);",
      "all rows"),
    LossSample(
      "recreated with fewer columns", "DROP TABLE a;\nCREATE TABLE a (id INTEGER PRIMARY KEY, y);", "all rows"),
    LossSample("rebuilt without a copy", rebuild("SELECT 1"), "all rows"),
    LossSample("a column left out", rebuild("INSERT INTO b (id, x) SELECT id, x FROM a"), "values of column \"y\""),
    LossSample("a column replaced", rebuild("INSERT INTO b SELECT id, x, NULL FROM a"), "values of column \"y\""),
    LossSample(
      "two columns mixed up", rebuild("INSERT INTO b (id, x, y) SELECT id, x, x FROM a"), "values of column \"y\""),
    LossSample("a condition", rebuild("INSERT INTO b SELECT id, x, y FROM a WHERE x IS NOT NULL"), "rows of table"),
    LossSample("a limit", rebuild("INSERT INTO b SELECT id, x, y FROM a ORDER BY id LIMIT 1000"), "rows of table"),
    LossSample(
      "a condition, and a trigger with a limit",
      rebuild("INSERT INTO b SELECT id, x, y FROM a WHERE x IS NOT NULL")
        + "\nCREATE TRIGGER t AFTER DELETE ON a BEGIN INSERT INTO p SELECT id, x FROM a LIMIT 3; END;", "rows of table"),
    LossSample(
      "OR IGNORE",
      rebuild(
        "INSERT OR IGNORE INTO b SELECT id, x, y FROM a", columns: "id INTEGER PRIMARY KEY, x TEXT UNIQUE, y TEXT"),
      "rows of table"),
    LossSample(
      "OR REPLACE",
      rebuild(
        "INSERT OR REPLACE INTO b SELECT id, x, y FROM a", columns: "id INTEGER PRIMARY KEY, x TEXT UNIQUE, y TEXT"),
      "rows of table"),
    LossSample(
      "an inner join", rebuild("INSERT INTO b SELECT a.id, a.x, a.y FROM a JOIN p ON p.x = a.x"), "loses rows"),
    LossSample(
      "a condition that no sample row fulfills", rebuild("INSERT INTO b SELECT * FROM a WHERE y IN ('new', 'open')"),
      "loses rows"),
    LossSample(
      "a condition on the renamed table",
      """
      ALTER TABLE a RENAME TO old;
      CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, y TEXT);
      INSERT INTO a SELECT id, x, y FROM "old" WHERE y = 'open';
      DROP TABLE old;
      """, "loses rows"),
    LossSample(
      "a condition of a temporary copy",
      """
      CREATE TEMP TABLE t AS SELECT * FROM a WHERE length(x) > 100;
      DROP TABLE a;
      CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, y TEXT);
      INSERT INTO a SELECT * FROM t;
      """, "loses rows"),
    LossSample(
      "ids numbered again, to which a key refers",
      "CREATE TABLE k (a INTEGER PRIMARY KEY REFERENCES a (id));\n"
        + rebuild("INSERT INTO b (x, y) SELECT x, y FROM a ORDER BY id"), "primary key"),
    LossSample("REPLACE of part of a row", "REPLACE INTO a (id, x) SELECT id, x FROM a;", "values of column \"y\""),
    LossSample(
      "a temporary copy without a column",
      """
      CREATE TEMP TABLE t (id, x);
      INSERT INTO t SELECT id, x FROM a;
      DROP TABLE a;
      CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, y TEXT);
      INSERT INTO a (id, x) SELECT id, x FROM t;
      DROP TABLE t;
      """, "values of column \"y\""),
    LossSample("a parent deleted while keys are off", "DELETE FROM p WHERE x > '';", "\"c\" refer"),
    LossSample(
      "a parent deleted with its children", "-- migrator: foreign-keys immediate\nDELETE FROM p WHERE x > '';",
      "rows of table \"c\""),
    LossSample("a unique index", "CREATE UNIQUE INDEX i ON a (x);", rule: .uniqueOverRows, "equal values"),
    LossSample(
      "a unique index on an expression", "CREATE UNIQUE INDEX i ON a (lower(x));", rule: .uniqueOverRows, "equal values"
    ),
    LossSample(
      "DELETE with a true condition", "DELETE FROM a WHERE rowid >= 0 OR 1;", rule: .destructive, "deletes all rows"),
    LossSample(
      "DELETE with a true comparison", "DELETE FROM a WHERE x = x OR x IS NULL;", rule: .destructive, "deletes all rows"
    ),
    LossSample("DELETE of all ids", "DELETE FROM a WHERE id > 0;", rule: .destructive, "deletes all rows"),
    LossSample(
      "UPDATE of everything to NULL", "UPDATE a SET y = NULL WHERE 1 = 1;", rule: .destructive, "changes all rows"),
  ]
}

@Suite("Losses of rows")
struct LossTests {
  private static let rules: Set<LintRule> = [
    .lostRows, .uniqueOverRows, .existingTable, .lostAutoincrement, .ledgerChange, .destructive,
  ]

  @Test(
    "Rows that move as they should are no finding", arguments: TestTier.pairs(RebuildIdiom.all, TestEngine.allCases))
  func idiom(idiom: RebuildIdiom, engine: TestEngine) throws {
    let lint = try LintFixture(idiom.scripts, on: engine)
    let findings = lint.findings.filter { Self.rules.contains($0.rule) || $0.rule == .doesNotRun }
    let texts = findings.map { "\($0.place) \($0.rule.name) \($0.reason)" }
    // Engines may lack the functions for JSON (https://www.sqlite.org/json1.html#compiling_in_json_support).
    let hasJSON = (try? engine.inMemoryQueue().read { try Int.fetchOne($0, sql: "SELECT json_valid('1')") }) != nil
    guard hasJSON || !idiom.scripts.contains(where: { $0.contains("json_") }) else {
      #expect(texts.contains { $0.contains("no such function: json_") }, "\(texts)")
      return
    }
    #expect(texts.isEmpty, "\(texts)")
  }

  @Test("An idiom without its copy of rows is a finding", arguments: RebuildIdiom.all.filter { $0.withoutCopy != nil })
  func withoutCopy(idiom: RebuildIdiom) throws {
    let lint = try LintFixture(try #require(idiom.withoutCopy))
    #expect(
      lint.findings.contains { $0.rule == .lostRows || $0.rule == .destructive }, "\(lint.findings.map(\.reason))")
  }

  @Test("Thousands of statements that delete, insert and change rows are rehearsed in a short time")
  func manyStatements() throws {
    let tables = "CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, y TEXT);\nINSERT INTO a VALUES (1, 'p', 'q');\n"
    let changes = (1...1000).map { number in
      "DELETE FROM a WHERE id = \(number);\nINSERT INTO a VALUES (\(number), 'n', 'm');\n"
        + "UPDATE a SET x = 'o' WHERE id = \(number);\n"
    }.joined()
    let rebuild =
      "CREATE TABLE b (id INTEGER PRIMARY KEY, x TEXT, y TEXT);\nINSERT INTO b (id, x) SELECT id, x FROM a;\n"
    let lint = try LintFixture([tables, changes + rebuild + "DROP TABLE a;\nALTER TABLE b RENAME TO a;"])
    let findings = lint.findings.filter { Self.rules.contains($0.rule) }
    #expect(findings.map(\.statement) == [3002], "\(findings.map(\.reason))")
  }

  @Test(
    "A column with the name of the rowid does not hide the rows that a statement is meant to delete",
    arguments: [
      "DELETE FROM r WHERE id % 2 >= 0 OR id IS NULL;",
      "UPDATE r SET id = NULL WHERE x LIKE 'v%';\nDELETE FROM r WHERE x > '';",
    ])
  func hiddenRowID(script: String) throws {
    let lint = try LintFixture(["CREATE TABLE r (id INTEGER, x TEXT, rowid TEXT);\n", script])
    #expect(!lint.findings.contains { $0.rule == .lostRows }, "\(lint.findings.map(\.reason))")
  }

  @Test("The idioms are there")
  func idioms() { #expect(RebuildIdiom.all.count >= 40) }

  @Test("A loss is found once, at a statement", arguments: TestTier.pairs(LossSample.all, TestEngine.allCases))
  func loss(sample: LossSample, engine: TestEngine) throws {
    let lint = try LintFixture([sample.base, sample.script], on: engine)
    let findings = lint.findings.filter { Self.rules.contains($0.rule) }
    #expect(findings.map(\.rule) == [sample.rule], "\(lint.findings.map(\.reason))")
    #expect(findings.first?.reason.contains(sample.reason) == true, "\(findings.map(\.reason))")
    #expect(findings.first?.statement != nil)
  }
}
