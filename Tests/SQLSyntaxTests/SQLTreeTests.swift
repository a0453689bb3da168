import Foundation
import Migrator
import SQLSyntax
import Testing

@Suite("SQL trees")
struct SQLTreeTests {
  private func table(_ sql: String) throws -> (SQLSource, SQLCreateTable) {
    let syntax = try SQLTree(parsing: sql)
    guard case .createTable(let table) = syntax.statement else { throw Unexpected() }
    return (syntax.source, table)
  }

  private struct Unexpected: Error {}

  @Test(
    "tokens have the same meaning as in the engine's grammar",
    arguments: [
      ("CREATE TABLE if (a)", false), ("CREATE TABLE \"if\" (a)", true), ("CREATE TABLE IF NOT EXISTS if (a)", true),
      ("CREATE TABLE t(a PRIMARY KEY), WITHOUT ROWID", true), ("CREATE TABLE t(a),", false),
      ("CREATE VIEW v AS SELECT cast.* FROM t AS cast", false),
      ("CREATE VIEW v AS SELECT [cast].* FROM t AS cast", true),
    ])
  func words(sql: String, isRead: Bool) { #expect(((try? SQLTree(parsing: sql)) != nil) == isRead) }

  @Test("a table's parts refer to their tokens, whatever lies between them")
  func tableParts() throws {
    let (source, table) = try table(
      """
      CREATE TEMP TABLE IF NOT EXISTS main.[my table] -- one
      ( "id" INTEGER /* key */ CONSTRAINT pk PRIMARY KEY DESC ON CONFLICT REPLACE AUTOINCREMENT,
        name VARCHAR(10, 2) COLLATE NOCASE CHECK (name <> '') UNIQUE NOT NULL ON CONFLICT IGNORE,
        'text' DEFAULT (1 + 2) REFERENCES other(a, b) ON DELETE SET NULL MATCH full NOT NULL DEFERRABLE INITIALLY DEFERRED,
        key double precision DEFAULT -1.5e3, g AS (id * 2) STORED, h TEXT GENERATED ALWAYS AS (name || 'x') VIRTUAL,
        CONSTRAINT u UNIQUE (name COLLATE binary DESC, lower(name)) ON CONFLICT FAIL PRIMARY KEY (id)
        CHECK (id > 0), FOREIGN KEY (id) REFERENCES [p q] NOT DEFERRABLE ) STRICT, WITHOUT ROWID;
      """)
    #expect(table.isStrict && table.isWithoutRowID)
    #expect(table.name.schema?.value == "main" && table.name.name.value == "my table")
    #expect(table.columns.map(\.name.value) == ["id", "name", "text", "key", "g", "h"])
    #expect(
      table.columns.map { source.text(of: $0.type) }
        == ["INTEGER", "VARCHAR(10, 2)", "", "double precision", "", "TEXT"])
    #expect(table.columns.map(\.constraints.count) == [1, 4, 4, 1, 1, 1])
    #expect(table.constraints.count == 4)
    #expect(source.text(of: table.constraints[2].tokens) == "CHECK (id > 0)")
    guard case .primaryKey(true, let conflict, true) = table.columns[0].constraints[0].kind else { throw Unexpected() }
    #expect(conflict == .replace && table.columns[0].constraints[0].name?.value == "pk")
    guard case .references(let clause) = table.columns[2].constraints[1].kind else { throw Unexpected() }
    #expect(clause.columns.map(\.value) == ["a", "b"])
    #expect(clause.isDeferrable == true && clause.isInitiallyDeferred == true)
    guard case .unique(let columns, _) = table.constraints[0].kind else { throw Unexpected() }
    #expect(columns[0].column?.value == "name" && columns[0].collation?.value == "binary" && columns[0].isDescending)
    #expect(columns[1].column == nil && columns[1].expression.references.map(\.column.value) == ["name"])
    guard case .foreignKey(_, let key) = table.constraints[3].kind else { throw Unexpected() }
    #expect(key.table.value == "p q" && key.isDeferrable == false)
  }

  @Test(
    "a column of a key is a name in any parentheses; its outermost collation applies",
    arguments: [
      ("a", "a", nil), ("(a)", "a", nil), ("((\"a\"))", "a", nil), ("'a'", "a", nil), ("('a')", "a", nil),
      ("a COLLATE x", "a", "x"), ("a COLLATE x COLLATE y", "a", "y"), ("((a COLLATE x) COLLATE y)", "a", "y"),
      ("(('a') COLLATE [x])", "a", "x"), ("'a' COLLATE x COLLATE y", nil, nil), ("('a' COLLATE x) COLLATE y", nil, nil),
      ("a || b COLLATE x", nil, nil), ("(a) || (b)", nil, nil), ("f(a)", nil, nil), ("1 COLLATE x", nil, nil),
    ] as [(String, String?, String?)])
  func indexedColumn(sql: String, column: String?, collation: String?) throws {
    let (_, table) = try table("CREATE TABLE t(a, b, UNIQUE(\(sql) DESC))")
    guard case .unique(let columns, _) = table.constraints[0].kind else { throw Unexpected() }
    #expect(columns.map(\.column?.value) == [column] && columns.map(\.collation?.value) == [collation])
    #expect(columns.map(\.isDescending) == [true])
  }

  @Test("a string of a primary key is a name with any collations")
  func stringInPrimaryKey() throws {
    let (_, table) = try table("CREATE TABLE t(a, b, PRIMARY KEY(('a' COLLATE x) COLLATE y, 'b'))")
    guard case .primaryKey(let columns, _, _) = table.constraints[0].kind else { throw Unexpected() }
    #expect(columns.map(\.column?.value) == ["a", "b"] && columns.map(\.collation?.value) == ["y", nil])
  }

  @Test(
    "replacing joins no tokens, and overlapping parts are replaced together",
    arguments: [
      ("a-t.-b", [2..<4], "a- -b"), ("a/t.*b", [2..<4], "a/ *b"), ("a t.b", [2..<4], "a b"),
      ("(abcd)", [1..<4, 2..<5], "()"), ("(abcd)", [1..<5, 2..<3], "()"),
    ])
  func replacing(sql: String, ranges: [Range<Int>], result: String) {
    #expect(SQLSource(sql).replacing(ranges.map { ($0, "") }) == result)
  }

  @Test(
    "statements that SQLite accepts are parsed",
    arguments: [
      "CREATE TABLE t(a)", "create table t(a,b,c)", "CREATE TABLE t AS SELECT 1", "CREATE TABLE t(a b c d(1))",
      "CREATE TABLE key(action, desc, temp, 'a b' integer, left, cross)", "CREATE TABLE t(a CONSTRAINT x)",
      "CREATE TABLE t(a DEFAULT abc, b DEFAULT \"x\", c DEFAULT 'x', d DEFAULT +1, e DEFAULT x'00', f DEFAULT null)",
      "CREATE TABLE t(a CHECK (a BETWEEN 1 AND 2 AND a NOT IN (1, 2) OR a IS NOT NULL), UNIQUE (a) UNIQUE (a))",
      "CREATE TABLE t(a CHECK (CASE a WHEN 1 THEN 2 ELSE 3 END), CHECK (CAST(a AS VARCHAR(1)) LIKE '%' ESCAPE '!'))",
      "CREATE UNIQUE INDEX IF NOT EXISTS main.i ON t(a DESC, lower(b) COLLATE nocase ASC) WHERE a NOTNULL",
      "CREATE VIEW v(a, b) AS WITH x(c) AS (SELECT 1 UNION ALL SELECT c + 1 FROM x) SELECT *, x.* FROM x, y AS z",
      "CREATE VIEW v AS SELECT a b, c AS 'd' FROM t LEFT OUTER JOIN u USING (a) NATURAL JOIN (w, x) GROUP BY 1 HAVING 2",
      "CREATE VIEW v AS SELECT sum(a) FILTER (WHERE b) OVER (PARTITION BY c ORDER BY d ROWS 1 PRECEDING) FROM t WINDOW w AS ()",
      "CREATE VIEW v AS SELECT count(*), count(DISTINCT a), replace(a, b, c), a -> '$.x' ->> 1 FROM json_each(x) LIMIT 1, 2",
      "CREATE VIEW v AS VALUES (1, 2), (3, 4) UNION SELECT a.b.c, 'a'.\"b\" FROM (SELECT 1) ORDER BY 1 NULLS LAST",
      "CREATE TRIGGER g UPDATE OF a, b ON t BEGIN SELECT 1; END",
      """
      CREATE TEMP TRIGGER g INSTEAD OF INSERT ON v FOR EACH ROW WHEN new.a IS NOT old.b BEGIN
        INSERT OR REPLACE INTO t(a) SELECT new.a WHERE true ON CONFLICT (a) WHERE b DO UPDATE SET (a, b) = (1, 2), c = 3;
        UPDATE OR IGNORE t SET a = b, c = (SELECT max(d) FROM e) FROM f WHERE EXISTS (SELECT 1);
        DELETE FROM t WHERE a IN u; SELECT RAISE(ABORT, 'no'), raise(IGNORE); REPLACE INTO t VALUES (1);
      END;
      """,
      "CREATE TRIGGER g INSERT ON t BEGIN WITH w AS (SELECT new.a) SELECT * FROM w; WITH w AS (VALUES (1)) VALUES (2); END",
      "CREATE TRIGGER g INSERT ON t BEGIN WITH RECURSIVE w(a) AS (SELECT 1 UNION SELECT a + 1 FROM w) SELECT a FROM w; END",
      "CREATE TRIGGER g INSERT ON t BEGIN INSERT INTO u AS x(b) VALUES (1) ON CONFLICT (b) DO UPDATE SET d = x.d; END",
      "CREATE TRIGGER g INSERT ON t BEGIN UPDATE u AS x SET b == x.d FROM t; DELETE FROM u AS 'x' WHERE x.b; END",
      "SELECT sum(a) OVER (ROWS BETWEEN 1 + + 1 PRECEDING AND -(1) FOLLOWING), count(ALL), count(DISTINCT) FROM t",
      "CREATE VIEW v AS SELECT * FROM t JOIN u ON 1 USING (a)", "UPDATE t SET (a, b) == (1, 2), c == 3",
      "CREATE VIRTUAL TABLE f USING fts5(a, b unindexed, tokenize = 'x y (', content='')",
      "CREATE VIRTUAL TABLE f USING rtree", "ALTER TABLE t RENAME TO u", "ALTER TABLE t RENAME a TO b",
      "ALTER TABLE t RENAME COLUMN a TO b", "ALTER TABLE t ADD a INTEGER", "ALTER TABLE t DROP COLUMN a",
      "ALTER TABLE t ALTER COLUMN a SET NOT NULL", "DROP TABLE IF EXISTS main.t", "DROP INDEX i", "PRAGMA x = 1",
      "SELECT 1;;", ";SELECT 'a' 'b'", "SELECT indexed, nothing FROM returning", "SELECT a IN (), b NOT NULL",
      "SELECT NOT EXISTS (VALUES (1)), -+~1, a COLLATE b IS NOT DISTINCT FROM c",
      "CREATE TABLE t(a REFERENCES b DEFERRABLE NOT NULL NOT DEFERRABLE, FOREIGN KEY (a) REFERENCES b MATCH c ON UPDATE NO ACTION)",
    ])
  func accepted(sql: String) throws {
    let syntax = try SQLTree(parsing: sql)
    #expect(syntax.source.text == sql)
  }

  @Test(
    "statements that SQLite rejects are errors at the same position",
    arguments: [
      ("", 0), ("CREATE", 6), ("CREATE TABLE", 12), ("CREATE TABLE t(", 15), ("CREATE TABLE t()", 15),
      ("CREATE TABLE t(a,)", 17), ("CREATE TABLE t(a INT(x))", 21), ("CREATE TABLE t(a) FOO", 18),
      ("CREATE TABLE table(a)", 13), ("CREATE TABLE t(a CHECK a > 1)", 23), ("CREATE TABLE t(a DEFAULT 1 + 2)", 27),
      ("SELECT a FROM", 13), ("SELECT a b c", 11), ("SELECT (1", 9), ("SELECT 1)", 8), ("SELECT a BETWEEN 1", 18),
      ("CREATE INDEX i ON t()", 20), ("CREATE TRIGGER g INSERT ON t BEGIN END", 35), ("SELECT # FROM t", 7),
      ("SELECT 'abc", 7), ("DELETE t", 7), ("FROB x", 0), ("CREATE TABLE t(a) WITHOUT x", 26),
      ("CREATE TRIGGER g INSERT ON t BEGIN WITH w AS (SELECT 1) INSERT INTO u SELECT 1; END", 56),
      ("CREATE TRIGGER g INSERT ON t BEGIN WITH w AS (SELECT 1) DELETE FROM u; END", 56),
      ("CREATE TRIGGER g INSERT ON t BEGIN INSERT INTO u DEFAULT VALUES; END", 49),
      ("CREATE TRIGGER g INSERT ON t BEGIN DELETE FROM u RETURNING b; END", 49),
      ("CREATE INDEX i ON t(a COLLATE inner)", 30), ("CREATE TABLE t(a COLLATE left)", 25),
    ])
  func refused(sql: String, offset: Int) {
    let error = #expect(throws: SQLSyntaxError.self) { try SQLTree(parsing: sql) }
    #expect(error?.utf8Offset == offset, "\(error.map(String.init(describing:)) ?? "")")
  }

  @Test("nesting is limited, and long chains are not")
  func depth() throws {
    let open = String(repeating: "(", count: 990)
    let close = String(repeating: ")", count: 990)
    _ = try SQLTree(parsing: "CREATE INDEX i ON t(\(open)1\(close))")
    for sql in [
      "SELECT " + String(repeating: "(", count: 20_000), "SELECT " + String(repeating: "(SELECT ", count: 20_000),
      "SELECT * FROM " + String(repeating: "(", count: 20_000), "SELECT " + String(repeating: "CASE ", count: 20_000),
      "SELECT " + String(repeating: "f(", count: 20_000),
      "WITH a AS (" + String(repeating: "WITH a AS (", count: 9_999),
    ] {
      let error = #expect(throws: SQLSyntaxError.self) { try SQLTree(parsing: sql) }
      #expect(error?.kind == .tooDeep)
    }
    _ = try SQLTree(parsing: "SELECT 1" + String(repeating: " + NOT -1", count: 20_000))
  }

  @Test("deeply nested statements are parsed even on a thread with a small stack")
  func smallStack() throws {
    let deep = String(repeating: "f(", count: 990) + "1" + String(repeating: ")", count: 990)
    let cases = String(repeating: "CASE WHEN 1 THEN ", count: 900) + "1" + String(repeating: " END", count: 900)
    let texts = ["SELECT \(deep)", "SELECT \(cases)", "CREATE INDEX i ON t(\(deep))", "SELECT \(deep)) FROM t"]
    let outcomes = Lock([String: Int]())
    let done = DispatchSemaphore(value: 0)
    // The stack of Dispatch's threads on Apple systems; an unoptimized, sanitized test needs most of it itself.
    let thread = Thread {
      for text in texts {
        let offset: Int
        do throws(SQLSyntaxError) {
          _ = try SQLTree(parsing: text)
          offset = -1
        } catch {
          offset = error.utf8Offset
        }
        outcomes.withLock { $0[text] = offset }
      }
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
    #expect(texts.map { outcomes.withLock(\.self)[$0] } == [-1, -1, -1, 7 + deep.utf8.count])
  }
}
