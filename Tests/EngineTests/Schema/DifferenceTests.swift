import Migrator
import TestEngines
import Testing

@Suite("Differences of schemas")
struct DifferenceTests {
  private func schema(_ engine: TestEngine, _ sql: String) throws -> SchemaSnapshot {
    let dbQueue = try engine.inMemoryQueue()
    return try dbQueue.write { db in
      try db.execute(sql: sql)
      return try db.schema()
    }
  }

  @Test("whitespace, comments, case of keywords and quotes do not count as differences", arguments: TestEngine.allCases)
  func spelling(engine: TestEngine) throws {
    let one = try schema(
      engine,
      """
      CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT NOT NULL DEFAULT 'x y'); CREATE INDEX i ON t(b) WHERE a > 1;
      CREATE VIEW v AS SELECT a FROM t; CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END
      """)
    let other = try schema(
      engine,
      """
      create table "t" ( -- all
        [a] integer primary key ,/* second */ `b` text not null default 'x y' ) ; CREATE INDEX "i" ON "t" ("b") where a>1;
      CREATE VIEW "v" AS select "a" from t; CREATE TRIGGER g after insert ON t begin select 1 ; end
      """)
    let difference = SchemaDifference(from: one, to: other)
    #expect(difference.isEmpty, "\(difference)")
    let text = try schema(engine, "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT NOT NULL DEFAULT 'x  y')")
    #expect(SchemaDifference(from: one, to: text).changed.map(\.after.name) == ["t"])
  }

  @Test("a report names the differences, part by part", arguments: TestEngine.allCases)
  func report(engine: TestEngine) throws {
    let before = try schema(
      engine,
      """
      CREATE TABLE t(a INTEGER, b TEXT, c, d REFERENCES u, CHECK (a > 0), UNIQUE (a, b));
      CREATE TABLE gone(x); CREATE INDEX i ON t(a); CREATE VIEW v AS SELECT a FROM t
      """)
    let after = try schema(
      engine,
      """
      CREATE TABLE t(b VARCHAR(10) COLLATE nocase NOT NULL, a INTEGER, d REFERENCES u ON DELETE CASCADE,
        e DEFAULT (1 + 2), CONSTRAINT n CHECK (a > 0), UNIQUE (a, b));
      CREATE TABLE made(x); CREATE INDEX i ON t(a DESC); CREATE VIEW v AS SELECT b FROM t
      """)
    let difference = SchemaDifference(from: before, to: after)
    #expect(
      difference.description == """
        + table "made"
        - table "gone"
        ~ table "t"
            + column e DEFAULT (1 + 2)
            - column c
            ~ column b TEXT  ->  b VARCHAR(10) COLLATE nocase NOT NULL  (type, nullability, collation)
            ~ column d REFERENCES u  ->  d REFERENCES u ON DELETE CASCADE  (references)
            ~ order of the columns
            + CONSTRAINT n CHECK (a > 0)
            - CHECK (a > 0)
        ~ index "i"
            before: CREATE INDEX i ON t(a)
            after:  CREATE INDEX i ON t(a DESC)
        ~ view "v"
            before: CREATE VIEW v AS SELECT a FROM t
            after:  CREATE VIEW v AS SELECT b FROM t
        """)
    let back = SchemaDifference(from: after, to: before)
    #expect(back.made.map(\.name) == ["gone"] && back.removed.map(\.name) == ["made"])
    #expect(SchemaDifference(from: before, to: after, leavingOut: ["t", "gone", "made", "v"]).isEmpty)
  }

  @Test("options and the order of constraints are reported", arguments: TestEngine.allCases)
  func options(engine: TestEngine) throws {
    let before = try schema(engine, "CREATE TABLE t(a PRIMARY KEY, b, CHECK (a), CHECK (b)) WITHOUT ROWID")
    let after = try schema(engine, "CREATE TABLE t(a PRIMARY KEY, b, CHECK (b), CHECK (a))")
    let lines = SchemaDifference(from: before, to: after).description.split(separator: "\n").dropFirst()
    #expect(lines.map { $0.drop { $0 == " " } } == ["- WITHOUT ROWID"])
    let only = try schema(engine, "CREATE TABLE t(a PRIMARY KEY, b, CHECK (b), CHECK (a)) WITHOUT ROWID")
    #expect(SchemaDifference(from: before, to: only).description.contains("order of the constraints"))
  }
}
