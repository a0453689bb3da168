import Migrator
import SQLMigrations
import SQLSyntax
import TestEngines
import Testing

@testable import MigratorLint

/// The versions of the engines' SQLite.
enum LintVersions {
  static func version(of engine: TestEngine) throws -> EngineVersion {
    let text = try engine.inMemoryQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
    return try #require(text.flatMap(EngineVersion.init))
  }
}

@Suite("What an older SQLite does not know")
struct EngineFeatureTests {
  /// A statement for each feature, on the tables of `base`.
  private static let samples: [String: String] = [
    "ALTER TABLE ... RENAME COLUMN": "ALTER TABLE t RENAME COLUMN b TO c",
    "ALTER TABLE ... DROP COLUMN": "ALTER TABLE t DROP COLUMN b",
    "ALTER TABLE with constraints": "ALTER TABLE t ADD CONSTRAINT positive CHECK (a > 0)",
    "STRICT": "CREATE TABLE s (a INTEGER) STRICT",
    "WITHOUT ROWID": "CREATE TABLE s (a INTEGER PRIMARY KEY) WITHOUT ROWID",
    "A generated column": "CREATE TABLE s (a INTEGER, b AS (a + 1))",
    "A partial index": "CREATE INDEX i ON t (b) WHERE b > 1",
    "An index on an expression": "CREATE INDEX i ON t (b + 1)",
    "VACUUM INTO": "VACUUM INTO ':memory:'",
    "INSERT ... ON CONFLICT DO (UPSERT)": "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO NOTHING",
    "RETURNING": "INSERT INTO t (a) VALUES (1) RETURNING a",
    "UPDATE ... FROM": "UPDATE t SET b = u.b FROM t AS u",
    "WITH": "WITH c AS (SELECT 1) SELECT * FROM c",
    "MATERIALIZED": "WITH c AS NOT MATERIALIZED (SELECT 1) SELECT * FROM c",
    "RIGHT JOIN": "SELECT 1 FROM t RIGHT JOIN t AS u ON 1",
    "FULL JOIN": "SELECT 1 FROM t FULL OUTER JOIN t AS u ON 1",
    "NULLS FIRST": "SELECT a FROM t ORDER BY b NULLS LAST",
    "A window function": "SELECT row_number() OVER () FROM t",
    "FILTER": "SELECT count(*) FILTER (WHERE a > 1) FROM t",
    "The operator ->": "SELECT '{}' ->> 'a'",
    "IS DISTINCT FROM": "SELECT a IS NOT DISTINCT FROM b FROM t",
    "TRUE or FALSE": "SELECT a FROM t WHERE TRUE",
    "A number with underscores": "SELECT 1_000",
    "The function iif()": "SELECT iif(1, 2, 3)",
    "The function substring()": "SELECT substring('abc', 2)",
    "The function format()": "SELECT format('%d', 1)",
    "The function unixepoch()": "SELECT unixepoch('now')",
    "The function unhex()": "SELECT unhex('00')",
    "The function octet_length()": "SELECT octet_length('a')",
    "The function timediff()": "SELECT timediff('now', 'now')",
    "The function concat()": "SELECT concat('a', 'b')",
    "The function concat_ws()": "SELECT concat_ws(',', 'a', 'b')",
    "The function string_agg()": "SELECT string_agg(a, ',') FROM t",
    "The function jsonb()": "SELECT jsonb('{}')",
    "The function jsonb_array()": "SELECT jsonb_array(1)",
    "The function jsonb_extract()": "SELECT jsonb_extract('{}', '$')",
    "The function jsonb_object()": "SELECT jsonb_object('a', 1)",
    "The function jsonb_set()": "SELECT jsonb_set('{}', '$.a', 1)",
    "The function json_pretty()": "SELECT json_pretty('{}')",
    "The function unistr()": "SELECT unistr('a')",
  ]

  private static let base = "CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER);"

  @Test("Each engine runs what its version has, and refuses what it has not", arguments: TestEngine.allCases)
  func engines(engine: TestEngine) throws {
    let version = try LintVersions.version(of: engine)
    for feature in EngineFeature.all {
      guard let sample = Self.samples[feature.name] else { continue }
      let queue = try engine.inMemoryQueue()
      try queue.write { try $0.execute(sql: Self.base) }
      let runs = (try? queue.writeWithoutTransaction { db throws in try db.execute(sql: sample) }) != nil
      #expect(runs == (version >= feature.since), "\(feature.name) on \(version)")
    }
  }

  @Test("Each feature is found where the target is older, and not where it is as old")
  func found() throws {
    // Whether FTS5 is there is a matter of how the engine was built.
    #expect(Set(EngineFeature.all.map(\.name)).subtracting(Self.samples.keys) == ["FTS5"])
    for feature in EngineFeature.all {
      guard let sample = Self.samples[feature.name] else { continue }
      let file = try FolderFixture.file("-- migrator: no-transaction\n" + sample + ";")
      let linted = LintedStatement(file, 0)
      #expect(linted.syntax != nil, "\(sample)")
      #expect(feature.use(linted, StatementParts(linted.syntax)) != nil, "\(feature.name)")
      for other in EngineFeature.all where other.name != feature.name && other.since > feature.since {
        #expect(other.use(linted, StatementParts(linted.syntax)) == nil, "\(other.name) in \(sample)")
      }
    }
  }

  @Test("Inside triggers and views, too")
  func inside() throws {
    let lint = try LintFixture(
      [
        Self.base,
        "CREATE TRIGGER x AFTER INSERT ON t BEGIN INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO NOTHING; END;\n"
          + "CREATE VIEW v AS SELECT (SELECT count(*) OVER () FROM t) AS n;",
      ], engine: EngineVersion(3, 15))
    #expect(lint.findings(.unsupportedStatement).compactMap(\.position?.line) == [1, 2], "\(lint.findings)")
  }

  @Test("A version has two or three numbers")
  func versions() {
    #expect(EngineVersion("3.15") == EngineVersion(3, 15))
    #expect(EngineVersion("3.40.1") == EngineVersion(3, 40, 1))
    #expect(EngineVersion(3, 8, 2) > EngineVersion(3, 8))
    for text in ["3", "4.1", "3.x", "3.15.2.1", "", "3.-1", "3."] { #expect(EngineVersion(text) == nil, "\(text)") }
  }
}
