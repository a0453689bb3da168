import SQLSyntax
import Testing

@Suite("SQLNormalization")
struct SQLNormalizationTests {
  @Test(
    "What says the same is equal",
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
    "What may differ in meaning differs",
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

  @Test("The canonical spelling is the one that is written down")
  func spelling() {
    let sql = "CREATE TABLE \"My Table\" (\"Id\" INTEGER /* key */ PRIMARY KEY, n TEXT DEFAULT 'A''b');"

    #expect(
      SQLNormalization.canonicalText(of: sql)
        == "create table \"my table\" ( id integer primary key , n text default 'A''b' )")
  }
}
