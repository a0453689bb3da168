import TestEngines
import Testing

@testable import MigratorLint

@Suite("Migrations like those of public projects")
struct PublicProjectTests {
  @Test("What public projects do without a loss is no finding", arguments: PublicSample.quiet, TestEngine.allCases)
  func quiet(sample: PublicSample, engine: TestEngine) throws {
    let lint = try LintFixture([sample.base, sample.migration], on: engine)
    let findings = lint.findings.filter { $0.migration == "2_a" }
    #expect(findings.filter { $0.rule != .doesNotRun }.isEmpty, "\(findings)")
    #expect(findings.isEmpty || engine == .sqlCipher3, "\(findings)")
  }

  @Test("An index or a value that nothing replaces is found", arguments: PublicSample.loud)
  func loud(sample: PublicSample) throws {
    let lint = try LintFixture([sample.base, sample.migration])
    let rules = lint.findings.filter { $0.migration == "2_a" }.map(\.rule.name)
    #expect(!Set(rules).isDisjoint(with: ["lost-object", "destructive", "lost-autoincrement"]), "\(lint.findings)")
  }
}

/// A migration, and the one before it.
struct PublicSample: Sendable {
  let base: String
  let migration: String

  init(_ base: String, _ migration: String) { (self.base, self.migration) = (base, migration) }

  /// Returns a rebuild of table `t`.
  private static func rebuild(_ columns: String, _ copied: String) -> String {
    "CREATE TABLE n (\(columns)); INSERT INTO n (\(copied)) SELECT \(copied) FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t;"
  }

  static let quiet = [
    // Values are moved before they are overwritten.
    PublicSample(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, played INT);",
      "ALTER TABLE t ADD times INT; UPDATE t SET times = played; UPDATE t SET played = 0;"),
    // The columns of a view that names them have an order.
    PublicSample(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name); CREATE TABLE u (a, b); CREATE VIEW s AS SELECT id AS a, name AS b FROM t;",
      "INSERT INTO u (a, b) SELECT * FROM s;"),
    // Indexes that the engine uses for a foreign key.
    PublicSample(
      "CREATE TABLE p (a, b, c, PRIMARY KEY (a, b, c));",
      "CREATE TABLE t (a, b, c, FOREIGN KEY (a, b, c) REFERENCES p); CREATE INDEX i ON t (a, b);"),
    PublicSample(
      "CREATE TABLE p (id INTEGER PRIMARY KEY);",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, pid REFERENCES p); CREATE INDEX i ON t (pid) WHERE pid IS NOT NULL;"),
    // The key is no longer SQLite's own number: no number is given again.
    PublicSample(
      "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a);", rebuild("id TEXT PRIMARY KEY, a", "id, a")),
    PublicSample(
      "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a);",
      rebuild("id INTEGER NOT NULL, a TEXT NOT NULL, PRIMARY KEY (a, id)", "id, a")),
    PublicSample(
      "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a);",
      rebuild("id INTEGER PRIMARY KEY, a", "id, a").replacing("a);", with: "a) WITHOUT ROWID;", maxReplacements: 1)),
    // An index goes with its column, or another key does what it did.
    PublicSample(
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b, c); CREATE INDEX i ON t (b);",
      "-- migrator: allow-file destructive it is meant\n" + rebuild("a INTEGER PRIMARY KEY, c", "a, c")),
    PublicSample(
      "CREATE TABLE t (a, b, c); CREATE INDEX i ON t (a); CREATE UNIQUE INDEX j ON t (b, a);",
      rebuild("a, b, c, PRIMARY KEY (a, b)", "a, b, c")),
    PublicSample(
      "CREATE TABLE t (a, b); CREATE INDEX i ON t (a);",
      rebuild("a, b", "a, b") + "CREATE INDEX both ON t (a, b);"),
    PublicSample("CREATE TABLE t (a, b); CREATE UNIQUE INDEX i ON t (a);", rebuild("a UNIQUE, b", "a, b")),
    // A row that cannot refer to itself is a sample, too.
    PublicSample(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES t (id), image BLOB, CHECK (id IS NOT parent));"
        + "CREATE INDEX i ON t (parent);",
      "CREATE TABLE images (t INTEGER PRIMARY KEY, image BLOB);"
        + "INSERT INTO images (t, image) SELECT id, image FROM t WHERE image IS NOT NULL;"
        + rebuild("id INTEGER PRIMARY KEY, parent INTEGER REFERENCES t (id), CHECK (id IS NOT parent)", "id, parent")
        + "CREATE INDEX i ON t (parent);"),
  ]

  static let loud = [
    PublicSample("CREATE TABLE t (a, b); CREATE UNIQUE INDEX i ON t (a);", rebuild("a, b, UNIQUE (a, b)", "a, b")),
    PublicSample(
      "CREATE TABLE t (a, b); CREATE UNIQUE INDEX i ON t (a COLLATE NOCASE);", rebuild("a UNIQUE, b", "a, b")),
    PublicSample("CREATE TABLE t (a, b); CREATE INDEX i ON t (b);", rebuild("a, b, PRIMARY KEY (a, b)", "a, b")),
    PublicSample(
      "CREATE TABLE t (a, b); CREATE INDEX i ON t (a);",
      rebuild("a, b", "a, b") + "CREATE INDEX part ON t (a) WHERE b > 1;"),
    PublicSample("CREATE TABLE t (a, b); CREATE INDEX i ON t (a + b);", rebuild("a PRIMARY KEY, b", "a, b")),
    PublicSample(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, email TEXT); CREATE UNIQUE INDEX i ON t (email);",
      "CREATE TABLE n (id INTEGER PRIMARY KEY, address TEXT); INSERT INTO n SELECT id, email FROM t; DROP TABLE t;"
        + "ALTER TABLE n RENAME TO t;"),
    PublicSample(
      "CREATE TABLE t (a TEXT COLLATE NOCASE, b); CREATE UNIQUE INDEX i ON t (a);",
      rebuild("a TEXT COLLATE NOCASE, b, UNIQUE (a COLLATE BINARY)", "a, b")),
    PublicSample(
      "CREATE TABLE t (a, b); CREATE UNIQUE INDEX i ON t (a) WHERE b > 1;",
      "-- migrator: allow-file destructive it is meant\n" + rebuild("a", "a")),
    PublicSample("CREATE TABLE t (a, b); CREATE INDEX i ON t (a) WHERE a <> \"zz\";", rebuild("a, b", "a, b")),
    PublicSample(
      "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a);", rebuild("id INT PRIMARY KEY, a", "id, a")),
    // Equal values are not the same values: all rows are asked about, also where a statement has copied them.
    PublicSample(
      "CREATE TABLE users (id INTEGER PRIMARY KEY); CREATE TABLE posts (user REFERENCES users (id));"
        + "CREATE INDEX i ON posts (user);",
      "CREATE TABLE profile (user INTEGER PRIMARY KEY); INSERT INTO profile SELECT id FROM users;"
        + "UPDATE posts SET user = NULL;"),
    PublicSample(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, secret TEXT); CREATE TABLE k (t INTEGER PRIMARY KEY, data TEXT);",
      "INSERT INTO k (t, data) SELECT id, secret FROM t; UPDATE t SET secret = NULL;"),
    PublicSample(
      "CREATE TABLE logs (id INTEGER PRIMARY KEY, level TEXT);",
      "CREATE TABLE archive (id INTEGER PRIMARY KEY, level TEXT);"
        + "INSERT INTO archive SELECT id, level FROM logs WHERE level <> 'debug'; DELETE FROM logs;"),
  ]
}
