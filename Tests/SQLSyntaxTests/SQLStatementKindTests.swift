import SQLSyntax
import Testing

@Suite("SQLStatementKind")
struct SQLStatementKindTests {
  @Test(
    "Statements that matter to a migrator are told from others",
    arguments: [
      ("BEGIN", SQLStatementKind.begin), ("begin immediate transaction", .begin), ("COMMIT", .commit), ("End", .commit),
      ("ROLLBACK", .rollback), ("ROLLBACK TRANSACTION", .rollback), ("ROLLBACK TO a", .rollbackTo),
      ("ROLLBACK /* x */ TRANSACTION TO SAVEPOINT a", .rollbackTo), ("SAVEPOINT a", .savepoint),
      ("RELEASE a", .release),
      ("VACUUM INTO 'x'", .vacuum), ("ATTACH 'a' AS b", .attach), ("DETACH b", .detach), ("SELECT 1", .other),
      ("EXPLAIN COMMIT", .other), ("\"COMMIT\"", .other), ("", .other), ("PRAGMA", .other),
      (";; -- x\n COMMIT", .commit),
      ("PRAGMA user_version", .pragma(name: "user_version", hasArgument: false, argument: nil)),
      ("pragma Foreign_Keys = OFF", .pragma(name: "foreign_keys", hasArgument: true, argument: "OFF")),
      ("PRAGMA main.foreign_keys=0", .pragma(name: "foreign_keys", hasArgument: true, argument: "0")),
      ("PRAGMA \"main\" . [foreign_keys] ( 'on' )", .pragma(name: "foreign_keys", hasArgument: true, argument: "on")),
      ("PRAGMA cache_size = -2000", .pragma(name: "cache_size", hasArgument: true, argument: "-2000")),
      ("PRAGMA cache_size(+5)", .pragma(name: "cache_size", hasArgument: true, argument: "5")),
      ("PRAGMA a =", .pragma(name: "a", hasArgument: true, argument: nil)),
    ])
  func kinds(sql: String, kind: SQLStatementKind) {
    #expect(SQLStatementKind(of: sql) == kind)
  }

  @Test("The first words are told in upper case, up to the first token that is none")
  func leadingKeywords() throws {
    let statement = try #require(try SQLStatementSplitter.split("create /* x */ unique index if not exists a").first)

    #expect(statement.leadingKeywords() == ["CREATE", "UNIQUE", "INDEX", "IF"])
    #expect(SQLStatement.leadingKeywords(of: "-- a\nCREATE TABLE \"b\"(c)") == ["CREATE", "TABLE"])
  }
}
