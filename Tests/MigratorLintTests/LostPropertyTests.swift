import TestEngines
import Testing

@testable import MigratorLint

/// The properties that a table loses when it is recreated.
@Suite("Lost properties")
struct LostPropertyTests {
  private static let table =
    "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT, p INTEGER);"

  /// A definition of the columns, the same one without one property, and the text of that property.
  static let losses = [
    ("a TEXT NOT NULL", "a TEXT", "NOT NULL of \"a\""), ("a TEXT DEFAULT 'x'", "a TEXT", "DEFAULT of \"a\""),
    ("a TEXT COLLATE NOCASE", "a TEXT", "COLLATE NOCASE of \"a\""), ("a TEXT UNIQUE", "a TEXT", "UNIQUE of \"a\""),
    ("a TEXT CHECK (a <> '')", "a TEXT", "CHECK (a <> '')"),
    ("a TEXT REFERENCES p (id)", "a TEXT", "the foreign key on \"a\" to \"p\""),
    (
      "a TEXT REFERENCES p (id) ON DELETE CASCADE", "a TEXT REFERENCES p (id)",
      "ON DELETE CASCADE of the foreign key on \"a\""
    ),
    (
      "a TEXT REFERENCES p (id) ON UPDATE SET NULL", "a TEXT REFERENCES p (id) ON UPDATE NO ACTION",
      "ON UPDATE SET NULL of the foreign key on \"a\""
    ),
    (
      "a TEXT REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED", "a TEXT REFERENCES p (id)",
      "INITIALLY DEFERRED of the foreign key on \"a\""
    ),
    ("a TEXT, b TEXT, UNIQUE (a, b)", "a TEXT, b TEXT", "UNIQUE of \"a\" and \"b\""),
    ("a TEXT, b TEXT, CHECK (a < b), CHECK (a > '')", "a TEXT, b TEXT, CHECK (a > '')", "CHECK (a < b)"),
    ("a TEXT UNIQUE ON CONFLICT IGNORE", "a TEXT UNIQUE", "ON CONFLICT IGNORE of \"a\""),
    ("a TEXT, PRIMARY KEY (a)", "a TEXT", "the primary key \"a\""),
    ("a TEXT DEFAULT (1 + 2)", "a TEXT DEFAULT '1 + 2'", "the value of the DEFAULT of \"a\", which is a text now"),
    (
      "a DEFAULT (date('now'))", "a DEFAULT '(date(''now''))'", "the value of the DEFAULT of \"a\", which is a text now"
    ),
    ("a DEFAULT CURRENT_DATE", "a DEFAULT 'current_date'", "the value of the DEFAULT of \"a\", which is a text now"),
    ("a DEFAULT NULL", "a DEFAULT 'NULL'", "the value of the DEFAULT of \"a\", which is a text now"),
    ("a TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE x (y", "a TEXT PRIMARY KEY", "WITHOUT ROWID"),
    ("a INTEGER PRIMARY KEY", "a INT PRIMARY KEY", "INTEGER as the type of the primary key, whose rows SQLite numbers"),
    (
      "a INTEGER, PRIMARY KEY (a)", "a BIGINT PRIMARY KEY",
      "INTEGER as the type of the primary key, whose rows SQLite numbers"
    ),
    ("a TEXT PRIMARY KEY NOT NULL", "a TEXT PRIMARY KEY", "NOT NULL of \"a\""),
    ("a TEXT UNIQUE, b TEXT", "a TEXT, b TEXT, UNIQUE (a, b)", "UNIQUE of \"a\""),
  ]

  private static func rebuild(_ columns: String) -> String {
    "CREATE TABLE n (\(columns));\nINSERT INTO n (a) SELECT a FROM t;\nDROP TABLE t;\nALTER TABLE n RENAME TO t;"
  }

  @Test("A property that the new definition does not have is found, and an equal one is not", arguments: losses)
  func found(before: String, after: String, text: String) throws {
    let first = "CREATE TABLE p (id INTEGER PRIMARY KEY);\nCREATE TABLE t (\(before));"
    let findings = try LintFixture([first, Self.rebuild(after)]).findings(.lostProperty)
    #expect(findings.map(\.reason) == ["after the migration, table \"t\" lacks what it had before: \(text)"])
    #expect(findings.allSatisfy { $0.harm == .definition && $0.place.hasSuffix(":3:1") })
    guard !before.contains(";") else { return }
    #expect(try LintFixture([first, Self.rebuild(before)]).findings(.lostProperty).isEmpty)
  }

  @Test(
    "What does the same in another way is not lost",
    arguments: [
      ("a TEXT UNIQUE", "a TEXT", "CREATE UNIQUE INDEX i ON t (a);"), ("a TEXT UNIQUE", "a TEXT PRIMARY KEY", ""),
      ("a TEXT, UNIQUE (a)", "a TEXT UNIQUE", ""), ("a TEXT COLLATE BINARY", "a TEXT", ""),
      ("a TEXT CHECK (a IN ('x'))", "a TEXT CHECK (a IN ('x', 'y'))", ""),
      ("a TEXT NOT NULL, b TEXT NOT NULL", "a TEXT NOT NULL", ""),
      ("a TEXT DEFAULT 'x'", "a TEXT DEFAULT 'y'", ""), ("a TEXT DEFAULT 1", "a TEXT DEFAULT '1'", ""),
      ("a DEFAULT pending", "a DEFAULT 'pending'", ""), ("a TEXT DEFAULT (1 + 2)", "a TEXT DEFAULT '3'", ""),
      ("a DEFAULT (1 + 2)", "a DEFAULT ('1 + 2')", ""),
      ("a INTEGER REFERENCES p", "a INTEGER REFERENCES p (id)", ""), ("a TEXT DEFAULT NULL", "a TEXT", ""),
      ("a TEXT, b TEXT, UNIQUE (a, b)", "a TEXT UNIQUE, b TEXT", ""),
      ("a INTEGER PRIMARY KEY", "a TEXT PRIMARY KEY", ""),
      ("a INTEGER NOT NULL PRIMARY KEY", "a INTEGER PRIMARY KEY", ""),
      ("a TEXT PRIMARY KEY", "a TEXT, b TEXT NOT NULL DEFAULT '', PRIMARY KEY (a, b)", ""),
    ])
  func kept(before: String, after: String, rest: String) throws {
    let first = "CREATE TABLE p (id INTEGER PRIMARY KEY);\nCREATE TABLE t (\(before));"
    #expect(try LintFixture([first, Self.rebuild(after) + rest]).findings(.lostProperty).isEmpty)
  }

  @Test(
    "An index that is created again without a property that it had is found",
    arguments: [
      ("INDEX i ON t (a DESC)", "INDEX i ON t (a)", "DESC"),
      ("UNIQUE INDEX i ON t (a)", "UNIQUE INDEX i ON t (a) WHERE a > ''", "UNIQUE (a)"),
      ("UNIQUE INDEX i ON t (a)", "INDEX i ON t (a)", "UNIQUE"),
      ("INDEX i ON t (a COLLATE NOCASE)", "INDEX i ON t (a)", "COLLATE"),
      ("UNIQUE INDEX i ON t (a)", "UNIQUE INDEX i ON t (a, b)", "UNIQUE (a)"),
      ("UNIQUE INDEX i ON t (lower(a))", "UNIQUE INDEX i ON t (a)", "UNIQUE (lower(a))"),
    ])
  func index(before: String, after: String, text: String) throws {
    let first = "CREATE TABLE t (a TEXT, b TEXT);\nCREATE \(before);"
    let rebuild = Self.rebuild("a TEXT, b TEXT")
    let findings = try LintFixture([first, "\(rebuild)\nCREATE \(after);"]).findings(.lostProperty)
    let reason = "after the migration, table \"t\" lacks what it had before: \(text) of index \"i\""
    #expect(findings.map(\.reason) == [reason])
    #expect(try LintFixture([first, "\(rebuild)\nCREATE \(before);"]).findings(.lostProperty).isEmpty)
  }

  @Test("A generated column that becomes an ordinary one loses its values, unless they are copied")
  func generated() throws {
    let first = "CREATE TABLE t (a TEXT, g TEXT AS (a || 'x') STORED);"
    let lost = try LintFixture([first, Self.rebuild("a TEXT, g TEXT")]).findings(.lostProperty)
    #expect(lost.map(\.harm) == [.values])
    let copied = Self.rebuild("a TEXT, g TEXT").replacing("(a) SELECT a", with: "(a, g) SELECT a, g")
    #expect(try LintFixture([first, copied]).findings(.lostProperty).map(\.harm) == [.definition])
    let readded = "ALTER TABLE t DROP COLUMN g;\nALTER TABLE t ADD COLUMN g TEXT;"
    #expect(try LintFixture([first, readded]).findings(.lostProperty).map(\.harm) == [.values])
  }

  @Test("A column that becomes a generated one loses its values")
  func nowGenerated() throws {
    let tables = "CREATE TABLE t (a TEXT, g TEXT);"
    let findings = try LintFixture([tables, Self.rebuild("a TEXT, g TEXT AS (a || 'x')")]).findings(.lostProperty)
    #expect(findings.map(\.harm) == [.values])
    #expect(findings.first?.reason.hasSuffix("the stored values of \"g\", which is generated now") == true)
  }

  @Test(
    "The properties of a column are found under its new name",
    arguments: [
      ("z TEXT", "NOT NULL of \"z\", UNIQUE of \"z\" and CHECK (\"z\" <> 'a')"),
      ("z TEXT NOT NULL UNIQUE CHECK (z <> 'a')", nil),
    ])
  func renamed(column: String, lost: String?) throws {
    let first = "CREATE TABLE t (a TEXT NOT NULL UNIQUE CHECK (a <> 'a'));"
    for order in [
      Self.rebuild(column).replacing("INTO n (a)", with: "INTO n (z)"),
      "ALTER TABLE t RENAME TO o;\nCREATE TABLE t (\(column));\nINSERT INTO t (z) SELECT a FROM o;\nDROP TABLE o;",
    ] {
      let reasons = try LintFixture([first, order]).findings(.lostProperty).map(\.reason)
      let expected = lost.map { ["after the migration, table \"t\" lacks what it had before: \($0)"] } ?? []
      #expect(reasons == expected)
    }
  }

  @Test(
    "What follows a renamed column is found under its new name",
    arguments: [
      "INSERT INTO n SELECT a, b FROM t;", "INSERT INTO n (z, b) SELECT coalesce(a, ''), b FROM t;",
      "INSERT INTO n (z, b) SELECT CAST(a AS TEXT), b FROM t;",
      "INSERT INTO n (z, b) SELECT a, b FROM t UNION ALL SELECT a, b FROM t;",
      "ALTER TABLE t RENAME COLUMN a TO z;\nINSERT INTO n (z, b) SELECT z, b FROM t;",
    ])
  func renamedOtherwise(copy: String) throws {
    let first = "CREATE TABLE t (a TEXT NOT NULL, b TEXT);\nCREATE UNIQUE INDEX i ON t (lower(a));"
    for (column, lost) in [("z TEXT", true), ("z TEXT NOT NULL", false)] {
      let rebuild =
        "CREATE TABLE n (\(column), b TEXT);\n\(copy)\nDROP TABLE t;\nALTER TABLE n RENAME TO t;\nCREATE UNIQUE INDEX i ON t (lower(z));"
      let findings = try LintFixture([first, rebuild]).findings(.lostProperty)
      let reason = "after the migration, table \"t\" lacks what it had before: NOT NULL of \"z\""
      #expect(findings.map(\.reason) == (lost ? [reason] : []))
    }
  }

  @Test("A column whose values are copied elsewhere may become a generated one")
  func generatedFromCopy() throws {
    let first = "CREATE TABLE t (a TEXT, g TEXT);\nCREATE TABLE c (g TEXT);"
    let kept = Self.rebuild("a TEXT, h TEXT, g TEXT AS (coalesce(h, a))").replacing(
      "(a) SELECT a", with: "(a, h) SELECT a, g")
    #expect(try LintFixture([first, kept]).findings(.lostProperty).isEmpty)
    let other = "INSERT INTO c (g) VALUES ('x');\n" + Self.rebuild("a TEXT, g TEXT AS (a)")
    #expect(try LintFixture([first, other]).findings(.lostProperty).map(\.harm) == [.values])
  }

  @Test("An older table that takes the name of another one may hold its rows")
  func expandAndContract() throws {
    let files = [
      "CREATE TABLE t (a TEXT, b TEXT);", "CREATE TABLE n (a TEXT, b TEXT);\nINSERT INTO n (a, b) SELECT a, b FROM t;",
      "DROP TABLE t;\nALTER TABLE n RENAME TO t;",
    ]
    #expect(try LintFixture(files).findings(.lostRows).isEmpty)
  }

  @Test(
    "A full-text table whose content loses a column, or is gone, is found",
    arguments: [
      "ALTER TABLE t RENAME COLUMN a TO z;", "ALTER TABLE t RENAME TO u;", "DROP VIEW v;",
      "ALTER TABLE t RENAME COLUMN a TO z; -- VIEW",
      "ALTER TABLE t DROP COLUMN b;",
      Self.rebuild("a TEXT").replacing("\n", with: " "),
    ])
  func fullTextContent(change: String) throws {
    let tables = "CREATE TABLE t (a TEXT, b TEXT);\n"
    let view = "CREATE VIEW v AS SELECT rowid AS id, a FROM t;\n"
    for module in ["fts5(a, b, content=t)", "fts4(a, b, content=\"t\")", "fts5(a, content=v, content_rowid=id)"] {
      let isOfView = module.contains("v,")
      guard isOfView == change.contains("VIEW") else { continue }
      let first = tables + (isOfView ? view : "") + "CREATE VIRTUAL TABLE f USING \(module);"
      let findings = try LintFixture([first, change]).findings(.brokenObject)
      let reason = "the table f refers to a table or column that no longer exists: it"
      #expect(findings.count == 1 && findings[0].reason.hasPrefix(reason), "\(module): \(findings)")
      #expect(findings.allSatisfy { $0.path.contains("2") && $0.remedy.contains("needs its rows again") })
    }
  }

  @Test(
    "A virtual table that reads another table is found if that is misspelled or dropped",
    arguments: [
      (
        ["CREATE TABLE t (a TEXT);\nCREATE VIRTUAL TABLE f USING fts5(a, content='tt');"],
        "table \"tt\", which does not exist"
      ),
      (["CREATE TABLE t (a TEXT);\nCREATE VIRTUAL TABLE f USING fts5(a, b, content=t);"], "has no column \"b\""),
      (["CREATE VIRTUAL TABLE f USING fts4(a, content=t);", "CREATE TABLE t (a TEXT);"], nil),
      (["CREATE VIRTUAL TABLE w USING fts5vocab(f, row);"], "no such fts5 table"),
      (
        ["CREATE VIRTUAL TABLE f USING fts5(a);\nCREATE VIRTUAL TABLE w USING fts5vocab(f, row);", "DROP TABLE f;"],
        "table w refers to"
      ),
      (
        ["CREATE TABLE t (a TEXT);\nCREATE VIRTUAL TABLE f USING fts5(a, content=t);", "DROP TABLE f; DROP TABLE t;"],
        nil
      ),
    ] as [([String], String?)])
  func contentOfVirtualTable(files: [String], reason: String?) throws {
    let reasons = try LintFixture(files).findings(.brokenObject).map(\.reason)
    #expect(reasons.count == (reason == nil ? 0 : 1) && reasons.allSatisfy { $0.contains(reason ?? "") }, "\(reasons)")
  }

  @Test("A temporary trigger that removes the rows of another table is found")
  func temporaryTrigger() throws {
    let tables = "CREATE TABLE a (id INTEGER PRIMARY KEY);\nCREATE TABLE p (id INTEGER PRIMARY KEY);"
    let deletion =
      "CREATE TEMP TRIGGER t AFTER DELETE ON p BEGIN DELETE FROM a; END;\nDELETE FROM p WHERE id > 0;\nDROP TRIGGER t;"
    let findings = try LintFixture([tables, deletion]).findings(.lostRows)
    #expect(findings.map(\.table) == ["a"], "\(findings)")
  }

  @Test("The columns that lose their values are one finding, and new keys matter only where a key refers to them")
  func oneFinding() throws {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT);"
    let rebuild = """
      CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT);
      INSERT INTO n (a) SELECT a FROM t;
      DROP TABLE t;
      ALTER TABLE n RENAME TO t;
      """
    let alone = try LintFixture([table, rebuild]).findings(.lostRows)
    #expect(alone.count == 1 && alone.allSatisfy { $0.reason.contains("columns \"b\" and \"c\" of table \"t\"") })
    let child = "CREATE TABLE child (id INTEGER PRIMARY KEY REFERENCES t (id));"
    let referred = try LintFixture([table + child, rebuild]).findings(.lostRows)
    #expect(referred.contains { $0.reason.contains("get new values of the primary key \"id\"") })
  }

  @Test(
    "An INSERT that copies a column that does not exist, or columns in another order, harms values",
    arguments: [
      "INSERT INTO n (a, b) SELECT \"a\", \"bb\" FROM t;", "INSERT INTO n SELECT * FROM t;",
      "INSERT INTO n (b, a) SELECT * FROM t;", "INSERT INTO n (a, b) SELECT x.a, \"bb\" FROM t AS x;",
      "INSERT INTO n SELECT a, b FROM t;", "INSERT INTO n SELECT x.a, upper(b) FROM t AS x;",
      "INSERT INTO n SELECT * FROM (SELECT * FROM t);", "INSERT INTO n SELECT a, b FROM (SELECT * FROM t);",
      "WITH c AS (SELECT * FROM t) INSERT INTO n SELECT * FROM c;", "INSERT INTO n SELECT (a), b AS b FROM t;",
      "INSERT INTO n SELECT CAST(a AS TEXT), coalesce(b, '') FROM t LEFT JOIN t AS u USING (a);",
      "INSERT INTO n (a) SELECT upper(\"aa\") FROM t;", "WITH c AS (SELECT 1) INSERT INTO n (a) SELECT \"bb\" FROM t;",
    ])
  func wrongData(insert: String) throws {
    let tables = "CREATE TABLE t (a TEXT, b TEXT);\nCREATE TABLE n (b TEXT, a TEXT);\n"
    var found = try LintFixture([tables, insert]).findings.filter { $0.harm == .values }
    if insert.contains("(b, a)") { found = try LintFixture([tables, insert]).findings(.insertSelectStar) }
    #expect(found.map(\.table) == ["t"], "\(found.map(\.reason))")
  }

  @Test(
    "Literals and columns in the same order harm nothing",
    arguments: [
      "INSERT INTO n (a) VALUES (\"text\");", "INSERT INTO n (a) SELECT a FROM t WHERE b = \"bb\";",
      "INSERT INTO n (a, b) SELECT a, \"RUNNING\" FROM t;", "INSERT INTO n (a, b) SELECT 'bb', b FROM t;",
      "INSERT INTO n (a, b) SELECT * FROM t;", "INSERT INTO same SELECT * FROM t;",
      "INSERT INTO other SELECT * FROM t;", "INSERT INTO n SELECT b, a FROM t;",
      "INSERT INTO n (b, a) SELECT a, b FROM t;",
      "INSERT INTO n SELECT a AS b, b AS a FROM t;", "INSERT INTO other SELECT a, b FROM t;",
      "INSERT INTO t SELECT b, a FROM t;", "INSERT INTO n SELECT a, a FROM t;",
      "INSERT INTO n SELECT a || '', b FROM t;",
      "INSERT INTO n SELECT a, b FROM t UNION ALL SELECT b, a FROM t;",
    ])
  func rightData(insert: String) throws {
    let tables =
      "CREATE TABLE t (a TEXT, b TEXT);\nCREATE TABLE n (b TEXT, a TEXT);\n"
      + "CREATE TABLE same (A TEXT, b TEXT);\nCREATE TABLE other (x TEXT, y TEXT);\n"
    #expect(try LintFixture([tables, insert]).findings.filter { $0.harm != nil }.isEmpty)
  }
}
