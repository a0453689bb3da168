/// A schema with properties that rebuilds might lose, around a table with a column `c` that nothing else uses.
struct HairyShape: Sendable {
  let name: String

  /// The table to change.
  var table = "t"

  /// The minor version of SQLite that the shape requires.
  var needs = 0

  var sql: String

  static let all: [HairyShape] = [
    HairyShape(
      name: "plain", sql: "CREATE TABLE t(a, b TEXT, c); INSERT INTO t VALUES (1, 'x', 2), (NULL, x'00ff', 3.5)"),
    HairyShape(
      name: "implicit rowids",
      sql: "CREATE TABLE t(a, c); INSERT INTO t(rowid, a, c) VALUES (-5, 1, 1), (7, 2, 2), (9000000000, 3, 3)"),
    HairyShape(
      name: "autoincrement counter",
      sql:
        "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, c); INSERT INTO t VALUES (1, 1), (500, 2); DELETE FROM t WHERE id = 500"
    ),
    HairyShape(
      name: "integer key below",
      sql: "CREATE TABLE t(a, id INTEGER, c, PRIMARY KEY (id)); INSERT INTO t VALUES ('x', 9, 1)"),
    HairyShape(
      name: "descending integer key",
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY DESC, c); INSERT INTO t(rowid, id, c) VALUES (3, 9, 1), (4, NULL, 2)"),
    HairyShape(
      name: "without rowid",
      sql:
        "CREATE TABLE t(a TEXT, b INT, c, PRIMARY KEY (b DESC, a COLLATE NOCASE) ON CONFLICT IGNORE) WITHOUT ROWID; INSERT INTO t VALUES ('x', 2, 1), ('y', 3, 2)"
    ),
    HairyShape(
      name: "conflict clauses",
      sql:
        "CREATE TABLE t(a UNIQUE ON CONFLICT REPLACE, b NOT NULL ON CONFLICT IGNORE, c, UNIQUE (b, a) ON CONFLICT ROLLBACK); INSERT INTO t VALUES (1, 2, 3), (NULL, 5, 6)"
    ),
    HairyShape(
      name: "checks",
      sql:
        "CREATE TABLE t(a CONSTRAINT \"a is\" CHECK (a > 0 AND t.a < 100), b CHECK (b IN (1, 2) OR b IS NULL), c, CHECK (a <> b)); INSERT INTO t VALUES (1, 2, 3)"
    ),
    HairyShape(
      name: "collations",
      sql:
        "CREATE TABLE t(a TEXT COLLATE NOCASE UNIQUE, b COLLATE RTRIM, c); CREATE INDEX i ON t(b COLLATE NOCASE); INSERT INTO t VALUES ('A', 'b ', 1)"
    ),
    HairyShape(
      name: "defaults",
      sql:
        "CREATE TABLE t(a DEFAULT (1 + 2), b DEFAULT 'it''s', d DEFAULT CURRENT_TIMESTAMP, e DEFAULT -5, f DEFAULT word, g DEFAULT \"w\", h DEFAULT x'00', c); INSERT INTO t(c) VALUES (1); UPDATE t SET d = 1"
    ),
    HairyShape(
      name: "comments",
      sql:
        "CREATE TABLE t ( -- one, (two)\n  a /* a's */ INTEGER, -- \"quoted\n  /* before c */ c /* in c */, b -- last\n /* end */ ); INSERT INTO t VALUES (1, 2, 3)"
    ),
    HairyShape(
      name: "declared types",
      sql:
        "CREATE TABLE t(a VARCHAR(10), b DECIMAL(10,-2), d DOUBLE PRECISION, e \"my type\", f [x] , g, h 'quoted type'(1), c); INSERT INTO t VALUES ('1', '2.50', '3', '4', '5', '6', '7', 1)"
    ),
    HairyShape(
      name: "quoted names", table: "my \"odd\" table",
      sql:
        "CREATE TABLE \"my \"\"odd\"\" table\"([x y] INTEGER, `b``c` TEXT, 'd' , c, UNIQUE ([x y], \"d\")); CREATE INDEX \"an index\" ON \"my \"\"odd\"\" table\"(`b``c`); INSERT INTO \"my \"\"odd\"\" table\" VALUES (1, 2, 3, 4)"
    ),
    HairyShape(
      name: "keywords as names", table: "key",
      sql:
        "CREATE TABLE key(\"select\" , desc, \"order\" INTEGER, end TEXT, like, c, CHECK (desc <> end AND like > 0)); CREATE INDEX temp ON key(desc DESC, \"select\"); INSERT INTO key VALUES (1, 2, 3, 4, 5, 6)"
    ),
    HairyShape(
      name: "no commas between constraints",
      sql: "CREATE TABLE t(a, b, c, UNIQUE (a) CHECK (b > 0) CONSTRAINT n UNIQUE (b)); INSERT INTO t VALUES (1, 2, 3)"),
    HairyShape(
      name: "reference to itself",
      sql:
        "CREATE TABLE t(id INTEGER PRIMARY KEY, up REFERENCES t(id) ON DELETE CASCADE, c, FOREIGN KEY (up) REFERENCES T ON UPDATE SET NULL); INSERT INTO t VALUES (1, NULL, 1), (2, 1, 2)"
    ),
    HairyShape(
      name: "references from elsewhere",
      sql:
        "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, c); CREATE TABLE child(a REFERENCES t ON DELETE CASCADE, b REFERENCES t(u) ON UPDATE SET DEFAULT MATCH FULL DEFERRABLE INITIALLY DEFERRED); INSERT INTO t VALUES (1, 5, 1), (2, 6, 2); INSERT INTO child VALUES (1, 6), (2, NULL)"
    ),
    HairyShape(
      name: "references elsewhere",
      sql:
        "CREATE TABLE p(a, b, PRIMARY KEY (a, b)); CREATE TABLE t(a, b, c, FOREIGN KEY (a, b) REFERENCES p ON DELETE NO ACTION NOT DEFERRABLE INITIALLY IMMEDIATE); INSERT INTO p VALUES (1, 2); INSERT INTO t VALUES (1, 2, 3)"
    ),
    HairyShape(
      name: "indexes",
      sql:
        "CREATE TABLE t(a, b, c); CREATE UNIQUE INDEX i ON t(a DESC, b) WHERE b > 0; CREATE INDEX j ON t(a + b, lower(a) COLLATE nocase DESC); CREATE INDEX k ON t(b) WHERE t.a IS NOT NULL -- why\n; INSERT INTO t VALUES (1, 2, 3), (1, 0, 5), (1, 0, 4); ANALYZE"
    ),
    HairyShape(
      name: "triggers",
      sql: """
        CREATE TABLE t(a, b, c); CREATE TABLE log(x); CREATE TABLE other(y);
        CREATE TRIGGER "on t" BEFORE UPDATE OF a, b ON t WHEN NEW.a <> OLD.a BEGIN INSERT INTO log VALUES (NEW.a); END;
        CREATE TRIGGER log AFTER INSERT ON t BEGIN SELECT 1; END;
        CREATE TRIGGER elsewhere AFTER INSERT ON other BEGIN UPDATE t SET a = NEW.y WHERE b = 1; DELETE FROM t WHERE a IS NULL; END;
        CREATE TEMP TRIGGER passing AFTER DELETE ON t BEGIN INSERT INTO log SELECT OLD.a; END;
        CREATE TEMP TRIGGER other_passing AFTER DELETE ON other BEGIN INSERT INTO log SELECT a FROM t; END;
        INSERT INTO t VALUES (1, 1, 1); INSERT INTO other VALUES (5)
        """),
    HairyShape(
      name: "views",
      sql: """
        CREATE TABLE t(a, b, c); CREATE VIEW v AS SELECT a, b AS d FROM t; CREATE VIEW w(x) AS SELECT v.d + t.a FROM v, t;
        CREATE TABLE log(x); CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN INSERT INTO t(a, b) VALUES (NEW.a, NEW.d); END;
        CREATE TEMP VIEW passing AS SELECT max(a) FROM t; INSERT INTO t VALUES (1, 2, 3)
        """),
    HairyShape(
      name: "strange values",
      sql:
        "CREATE TABLE t(a TEXT, b REAL, d BLOB, e INTEGER, c); INSERT INTO t VALUES ('', 1e308, zeroblob(10), -9223372036854775808, 1), ('a' || char(0) || 'b', -0.0, 'text', '12x', 2), (NULL, 9e999, 5, 1.5, 3)"
    ),
    HairyShape(
      name: "column named rowid",
      sql: "CREATE TABLE t(rowid TEXT, oid, c); INSERT INTO t(_rowid_, rowid, oid, c) VALUES (8, 'x', 'y', 1)"),
    HairyShape(
      name: "generated columns", needs: 31,
      sql:
        "CREATE TABLE t(a INTEGER, b AS (a * 2), d TEXT GENERATED ALWAYS AS (a || 'x') STORED NOT NULL, c, e INT AS (b + 1) VIRTUAL UNIQUE); CREATE INDEX i ON t(b); INSERT INTO t(a, c) VALUES (1, 2), (3, 4)"
    ),
    HairyShape(
      name: "strict", needs: 37,
      sql:
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a ANY, b TEXT NOT NULL, c ANY) STRICT; INSERT INTO t VALUES (1, '1', 'x', 2), (2, x'01', 'y', 3)"
    ),
    HairyShape(
      name: "strict without rowid", needs: 37,
      sql: "CREATE TABLE t(a TEXT PRIMARY KEY, c ANY) STRICT, WITHOUT ROWID; INSERT INTO t VALUES ('x', 1)"),
    HairyShape(
      name: "full-text content", needs: 30,
      sql:
        "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT, c); INSERT INTO t VALUES (3, 'hello', 1), (9, 'world', 2); CREATE VIRTUAL TABLE f USING fts5(body, content='t', content_rowid='id'); INSERT INTO f(f) VALUES ('rebuild')"
    ),
    HairyShape(
      name: "statistics",
      sql:
        "CREATE TABLE t(a, b UNIQUE, c); CREATE INDEX i ON t(a); INSERT INTO t VALUES (1, 2, 3), (1, 3, 4), (2, 4, 5); ANALYZE; UPDATE sqlite_stat1 SET stat = '1000 10' WHERE idx = 'i'"
    ),
  ]
}
