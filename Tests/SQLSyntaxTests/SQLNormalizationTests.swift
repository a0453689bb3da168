import SQLSyntax
import Testing

@Suite("SQLNormalization")
struct SQLNormalizationTests {
  @Test(
    "Statements that differ only in spelling are equal",
    arguments: [
      ("CREATE TABLE a(b INT)", "create table  a ( b int ) ;"),
      ("CREATE TABLE \"Foo\"(a)", "CREATE TABLE foo(a)"),
      ("CREATE TABLE [foo](`A`)", "CREATE TABLE foo(a) -- comment"),
      ("CREATE TABLE a(/* x */b)", "CREATE TABLE a(b)"),
      ("CREATE TABLE \"a b\"(c)", "CREATE TABLE [A B](c)"),
      ("CREATE TABLE a(b DEFAULT 0X1F)", "CREATE TABLE a(b DEFAULT 0x1f)"),
      ("CREATE TABLE a(b DEFAULT X'AB')", "CREATE TABLE a(b DEFAULT x'ab')"),
      ("CREATE TABLE a(\"key\")", "CREATE TABLE a(key)"),
      ("CREATE TABLE a(b DEFAULT NULL)", "CREATE TABLE a(b DEFAULT null)"),
      ("CREATE TABLE a(b DEFAULT CURRENT_TIMESTAMP)", "CREATE TABLE a(b DEFAULT current_timestamp)"),
      (
        "CREATE TABLE a(b REFERENCES c ON DELETE SET DEFAULT MATCH full)",
        "CREATE TABLE a(b REFERENCES c ON DELETE SET DEFAULT match full)"
      ),
    ])
  func equal(left: String, right: String) {
    #expect(SQLNormalization.canonicalText(of: left) == SQLNormalization.canonicalText(of: right))
  }

  @Test(
    "Statements that may differ in meaning are different",
    arguments: [
      ("CREATE TABLE a(b DEFAULT 'x')", "CREATE TABLE a(b DEFAULT 'X')"),
      ("CREATE TABLE a(b DEFAULT 'x ')", "CREATE TABLE a(b DEFAULT 'x')"),
      ("CREATE TABLE 'abc'(b)", "CREATE TABLE \"abc\"(b)"),
      ("CREATE TABLE a(b \"unique\")", "CREATE TABLE a(b unique)"),
      ("CREATE TABLE a(b DEFAULT \"Abc\")", "CREATE TABLE a(b DEFAULT \"abc\")"),
      ("CREATE TABLE a(b DEFAULT Abc)", "CREATE TABLE a(b DEFAULT abc)"),
      ("CREATE TABLE a(b DEFAULT \"null\")", "CREATE TABLE a(b DEFAULT null)"),
      ("CREATE TABLE a(b CHECK (b > \"current_date\"))", "CREATE TABLE a(b CHECK (b > current_date))"),
      ("CREATE VIEW v AS SELECT * FROM a \"left\" JOIN b", "CREATE VIEW v AS SELECT * FROM a left JOIN b"),
      ("CREATE TABLE a(b, c)", "CREATE TABLE a(\"b, c\")"),
      ("CREATE TABLE a(b c)", "CREATE TABLE a(\"b c\")"),
      ("CREATE TABLE É(a)", "CREATE TABLE é(a)"),
      ("SELECT :A", "SELECT :a"),
    ])
  func different(left: String, right: String) {
    #expect(SQLNormalization.canonicalText(of: left) != SQLNormalization.canonicalText(of: right))
  }

  @Test("The canonical text is the documented one")
  func spelling() {
    let sql = "CREATE TABLE \"My Table\" (\"Id\" INTEGER /* key */ PRIMARY KEY, n TEXT DEFAULT 'A''b');"

    #expect(
      SQLNormalization.canonicalText(of: sql)
        == "create table \"my table\" ( id integer primary key , n text default 'A''b' )")
  }
}

@Suite("The canonical form of definitions")
struct SQLDefinitionTests {
  @Test(
    "equivalent constraints are equal",
    arguments: [
      ("CREATE TABLE a(b INTEGER PRIMARY KEY NOT NULL)", "CREATE TABLE a(b INTEGER PRIMARY KEY)"),
      ("CREATE TABLE a(b INTEGER NOT NULL, c, PRIMARY KEY(b))", "CREATE TABLE a(b INTEGER, c, PRIMARY KEY(b))"),
      ("CREATE TABLE a(b TEXT UNIQUE NOT NULL)", "CREATE TABLE a(b TEXT NOT NULL UNIQUE)"),
      (
        "CREATE TABLE a(b DEFAULT 'X' COLLATE nocase CHECK (b))",
        "CREATE TABLE a(b CHECK(b) COLLATE NOCASE DEFAULT 'X')"
      ),
      ("CREATE TABLE a(b UNIQUE ON CONFLICT ABORT)", "CREATE TABLE a(b UNIQUE)"),
      ("CREATE TABLE a(b, UNIQUE(b) ON CONFLICT ABORT)", "CREATE TABLE a(b, UNIQUE(b))"),
      (
        "CREATE TABLE a(b INTEGER PRIMARY KEY ASC ON CONFLICT ABORT AUTOINCREMENT)",
        "CREATE TABLE a(b INTEGER PRIMARY KEY AUTOINCREMENT)"
      ),
      ("CREATE TABLE a(b NULL)", "CREATE TABLE a(b)"),
      ("CREATE TABLE a(b PRIMARY KEY, c REFERENCES a(b))", "CREATE TABLE a(b PRIMARY KEY, c REFERENCES a)"),
      ("CREATE TABLE a(b REFERENCES p(X))", "CREATE TABLE a(b REFERENCES P)"),
      ("CREATE TABLE a(b REFERENCES keyless(rowid))", "CREATE TABLE a(b REFERENCES keyless)"),
      (
        "CREATE TABLE a(b, c, FOREIGN KEY(b, c) REFERENCES q(y, z) ON DELETE CASCADE)",
        "CREATE TABLE a(b, c, FOREIGN KEY(b, c) REFERENCES q ON DELETE CASCADE)"
      ),
      ("CREATE TABLE a(b PRIMARY KEY) WITHOUT ROWID, STRICT", "CREATE TABLE a(b PRIMARY KEY) STRICT, WITHOUT ROWID"),
    ])
  func equal(left: String, right: String) {
    #expect(canonical(left) == canonical(right))
    #expect(canonical(canonical(left)) == canonical(left))
  }

  @Test(
    "different constraints differ",
    arguments: [
      ("CREATE TABLE a(b INTEGER PRIMARY KEY DESC NOT NULL)", "CREATE TABLE a(b INTEGER PRIMARY KEY DESC)"),
      ("CREATE TABLE a(b INT PRIMARY KEY NOT NULL)", "CREATE TABLE a(b INT PRIMARY KEY)"),
      ("CREATE TABLE a(b INTEGER NOT NULL, c, PRIMARY KEY(b, c))", "CREATE TABLE a(b INTEGER, c, PRIMARY KEY(b, c))"),
      ("CREATE TABLE a(b NOT NULL)", "CREATE TABLE a(b)"),
      ("CREATE TABLE a(b UNIQUE ON CONFLICT REPLACE)", "CREATE TABLE a(b UNIQUE)"),
      ("CREATE TABLE a(b, UNIQUE(b) ON CONFLICT FAIL)", "CREATE TABLE a(b, UNIQUE(b))"),
      ("CREATE TABLE a(b, UNIQUE(b ASC))", "CREATE TABLE a(b, UNIQUE(b DESC))"),
      ("CREATE TABLE a(b, c REFERENCES p(y))", "CREATE TABLE a(b, c REFERENCES p)"),
      (
        "CREATE TABLE a(b, c, FOREIGN KEY(b, c) REFERENCES q(z, y))",
        "CREATE TABLE a(b, c, FOREIGN KEY(b, c) REFERENCES q)"
      ),
      ("CREATE TABLE a(b REFERENCES unknown(x))", "CREATE TABLE a(b REFERENCES unknown)"),
      ("CREATE TABLE a(b REFERENCES p DEFERRABLE INITIALLY DEFERRED)", "CREATE TABLE a(b REFERENCES p)"),
      ("CREATE TABLE a(b CHECK (b) CHECK (c))", "CREATE TABLE a(b CHECK (c) CHECK (b))"),
      (
        "CREATE TABLE a(b REFERENCES p DEFERRABLE REFERENCES q)",
        "CREATE TABLE a(b REFERENCES p REFERENCES q DEFERRABLE)"
      ),
      ("CREATE TABLE a(b CONSTRAINT n NOT NULL)", "CREATE TABLE a(b NOT NULL)"),
      ("CREATE TABLE a(b DEFAULT 'x')", "CREATE TABLE a(b DEFAULT 'X')"),
      ("CREATE TABLE a(b, c)", "CREATE TABLE a(c, b)"),
      ("CREATE TABLE a(b PRIMARY KEY) STRICT", "CREATE TABLE a(b PRIMARY KEY)"),
    ])
  func different(left: String, right: String) {
    #expect(canonical(left) != canonical(right))
  }

  private func canonical(_ sql: String) -> String {
    SQLNormalization.canonicalDefinition(of: sql) { ["p": ["x"], "q": ["y", "z"], "keyless": []][$0] }
  }
}
