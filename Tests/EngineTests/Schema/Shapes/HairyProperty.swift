/// A property that rebuilds might lose, which can be combined with others in one table `t`.
struct HairyProperty: Sendable {
  let name: String

  /// The minor version of SQLite that it requires.
  var needs = 0

  /// Columns, each with the SQL of its values in three rows; nil for generated columns.
  var columns: [(definition: String, values: [String]?)] = []

  /// Constraints after the columns.
  var constraints: [String] = []

  /// An option after the closing parenthesis.
  var option: String?

  /// The SQL before the table is created, and the SQL after its rows are inserted.
  var before = ""
  var after = ""

  /// Whether the table has rowids that no column shows.
  var hidesRowIDs = true

  /// Whether it requires rowids, as do full-text tables that read the table.
  var needsRowIDs = false

  /// Whether it fits a STRICT table.
  var fitsStrict = true

  /// The properties of which each combination has one.
  static let keys: [HairyProperty] = [
    HairyProperty(name: "hidden rowids"),
    HairyProperty(
      name: "integer key", columns: [("id INTEGER PRIMARY KEY", ["-5", "7", "9000000000"])], hidesRowIDs: false),
    HairyProperty(
      name: "autoincrement", columns: [("id INTEGER PRIMARY KEY AUTOINCREMENT", ["1", "2", "3"])],
      after: "UPDATE sqlite_sequence SET seq = 500 WHERE name = 't'", hidesRowIDs: false),
    HairyProperty(
      name: "composite key",
      columns: [("k TEXT COLLATE NOCASE", ["'x'", "'X'", "'z'"]), ("l INT", ["1", "2", "3"])],
      constraints: ["CONSTRAINT pk PRIMARY KEY (l DESC, k) ON CONFLICT REPLACE"]),
    HairyProperty(
      name: "descending integer key", columns: [("id INTEGER PRIMARY KEY DESC", ["9", "-7", "8"])]),
    HairyProperty(
      name: "without rowid", columns: [("k TEXT", ["'x'", "'y'", "'z'"]), ("l INT", ["3", "2", "1"])],
      constraints: ["PRIMARY KEY (l DESC, k COLLATE RTRIM) ON CONFLICT IGNORE"], option: "WITHOUT ROWID",
      hidesRowIDs: false),
  ]

  static let others: [HairyProperty] = [
    HairyProperty(name: "collation", columns: [("co TEXT COLLATE NOCASE", ["'a'", "'A'", "'b'"])]),
    HairyProperty(
      name: "checks", columns: [("ch INT CONSTRAINT \"is > 0\" CHECK (ch > 0 AND t.ch < 100)", ["1", "2", "NULL"])],
      constraints: ["CHECK (ch <> 50 /* unnamed, (with) a comment */)"]),
    HairyProperty(
      name: "generated", needs: 31,
      columns: [
        ("ga INT", ["1", "2", "NULL"]), ("gv INT AS (ga * 2) CHECK (gv IS NOT 5)", nil),
        ("gs TEXT GENERATED ALWAYS AS (ga || 'x') STORED", nil),
      ], after: "CREATE INDEX generated ON t(gs, gv)"),
    HairyProperty(name: "strict", needs: 37, option: "STRICT"),
    HairyProperty(
      name: "foreign keys",
      columns: [
        (
          "de INT CONSTRAINT fk REFERENCES parent(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED", ["1", "2", "1"]
        ),
        ("se INT REFERENCES t(se) ON UPDATE SET NULL", ["NULL", "1", "2"]),
      ],
      constraints: ["FOREIGN KEY (de, se) REFERENCES parent(id, x) MATCH FULL ON DELETE NO ACTION NOT DEFERRABLE"],
      before: "CREATE TABLE parent(id INTEGER PRIMARY KEY, x, UNIQUE (id, x)); INSERT INTO parent VALUES (1, 1), (2, 2)"
    ),
    HairyProperty(
      name: "conflict clauses",
      columns: [
        ("oc INT NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT FAIL", ["1", "2", "3"]),
        ("od INT", ["1", "1", "NULL"]),
      ], constraints: ["UNIQUE (oc, od) ON CONFLICT ROLLBACK"]),
    HairyProperty(
      name: "children", columns: [("u INT UNIQUE", ["1", "2", "NULL"])],
      after: "CREATE TABLE child(a REFERENCES t(u) ON DELETE CASCADE, b REFERENCES T(U) DEFERRABLE INITIALLY DEFERRED);"
        + " INSERT INTO child VALUES (1, 2), (2, NULL)"),
    HairyProperty(
      name: "declared types",
      columns: [
        ("dt VARCHAR(10)", ["'1'", "2", "x'00'"]), ("dd DECIMAL(10,-2)", ["'2.50'", "2.5", "'x'"]),
        ("\"d d\" \"my type\"", ["1", "'1'", "NULL"]), ("dn", ["1", "'1'", "1.5"]),
      ], fitsStrict: false),
    HairyProperty(
      name: "defaults",
      columns: [
        ("df INT DEFAULT (1 + 2)", ["1", "2", "3"]), ("dw TEXT DEFAULT 'it''s'", ["'a'", "NULL", "'b'"]),
        ("dc TEXT DEFAULT CURRENT_TIMESTAMP NOT NULL", ["'a'", "'b'", "'c'"]), ("dm REAL DEFAULT -5", ["1", "2", "3"]),
      ]),
    HairyProperty(
      name: "indexes", columns: [("ix INT", ["1", "2", "NULL"])],
      after: "CREATE UNIQUE INDEX \"an index\" ON t(ix DESC) WHERE ix > 0; CREATE INDEX j ON t(ix + 1, abs(ix) DESC);"
        + " CREATE INDEX k ON t(ix) WHERE t.ix IS NOT NULL -- why\n"),
    HairyProperty(
      name: "comments", columns: [("/* before */ cm /* in, */ INT -- after, (\n", ["1", "2", "3"])]),
    HairyProperty(
      name: "quoted names",
      columns: [
        ("\"q \"\"q\" INT", ["1", "2", "3"]), ("[select] INT", ["1", "2", "3"]), ("`t` TEXT", ["'a'", "'b'", "'c'"]),
      ],
      constraints: ["CONSTRAINT \"odd \"\"name\" UNIQUE (\"q \"\"q\", [select])"]),
    HairyProperty(
      name: "views", columns: [("vw INT", ["1", "2", "3"])],
      after: """
        CREATE VIEW v AS SELECT vw, vw + 1 AS d FROM t; CREATE VIEW w(x) AS SELECT v.d + t.vw FROM v, t;
        CREATE TRIGGER instead INSTEAD OF INSERT ON v BEGIN INSERT INTO t(vw) VALUES (NEW.vw); END;
        CREATE TEMP VIEW passing AS SELECT max(vw) FROM t
        """),
    HairyProperty(
      name: "triggers", columns: [("tr INT", ["1", "2", "3"])],
      before: "CREATE TABLE log(x); CREATE TABLE other(y)",
      after: """
        CREATE TRIGGER "on t" BEFORE UPDATE OF tr ON t WHEN NEW.tr <> OLD.tr BEGIN INSERT INTO log VALUES (NEW.tr); END;
        CREATE TRIGGER elsewhere AFTER INSERT ON other BEGIN UPDATE t SET tr = NEW.y; DELETE FROM t WHERE tr = 9; END;
        CREATE TEMP TRIGGER passing_by AFTER DELETE ON t BEGIN INSERT INTO log SELECT OLD.tr; END
        """),
    HairyProperty(
      name: "full text", needs: 30, columns: [("ft TEXT", ["'hello'", "'world'", "NULL"])],
      after:
        "CREATE VIRTUAL TABLE f USING fts5(ft, content='t', content_rowid='rowid'); INSERT INTO f(f) VALUES ('rebuild')",
      needsRowIDs: true),
    HairyProperty(
      name: "strange values",
      columns: [
        ("sa TEXT", ["''", "'a' || char(0) || 'b'", "NULL"]), ("sb REAL", ["1e308", "-0.0", "9e999"]),
        ("sc BLOB", ["zeroblob(10)", "x'ff'", "NULL"]), ("sd INT", ["-9223372036854775808", "0", "1"]),
      ]),
    HairyProperty(
      name: "statistics", columns: [("st INT", ["1", "1", "2"])],
      after: "CREATE INDEX counted ON t(st); ANALYZE; UPDATE sqlite_stat1 SET stat = '1000 10' WHERE idx = 'counted'"),
  ]
}
