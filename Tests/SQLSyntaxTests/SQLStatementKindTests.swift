import SQLSyntax
import Testing

@Suite("SQLStatementKind")
struct SQLStatementKindTests {
  @Test(
    "Statements that matter to a migrator are recognized",
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
      ("PRAGMA page_size==512", .pragma(name: "page_size", hasArgument: true, argument: "512")),
      ("PRAGMA a =", .pragma(name: "a", hasArgument: true, argument: nil)),
    ])
  func kinds(sql: String, kind: SQLStatementKind) {
    #expect(SQLStatementKind(of: sql) == kind)
  }

  @Test(
    "A statement that attaches or writes a file accesses another file",
    arguments: [
      ("ATTACH 'a' AS b", true), ("attach database \"a\" as b", true), ("ATTACH database AS b", true),
      ("ATTACH ? AS b", true), ("ATTACH '' || 'a' AS b", true), ("ATTACH ':memory:' AS b", false),
      ("ATTACH DATABASE '' AS b", false), ("ATTACH ':MEMORY:' AS b", true), ("DETACH b", false), ("VACUUM", false),
      ("VACUUM main", false), ("VACUUM INTO 'a'", true), ("/* x */ vacuum main into ?", true), ("SELECT 1", false),
    ])
  func otherFiles(sql: String, accesses: Bool) {
    #expect(SQLStatementSummary(of: sql).accessesOtherFile == accesses)
  }

  @Test(
    "The effect on a whole table is determined from as few tokens as possible",
    arguments: [
      ("CREATE TABLE IF NOT EXISTS main.\"a b\" (x)", SQLStatementEffect.createTable("a b")),
      ("; create virtual table f using fts5(x)", .createTable("f")), ("CREATE TEMP TABLE t(a)", .none),
      ("CREATE TABLE aux.t(a)", .none), ("DROP TABLE IF EXISTS [t]", .dropTable("t")), ("DROP VIEW v", .none),
      ("ALTER TABLE t RENAME TO u", .renameTable("t", newName: "u")),
      ("ALTER TABLE t RENAME a TO b", .renameColumn(table: "t", column: "a", newName: "b")),
      ("ALTER TABLE t RENAME COLUMN [a b] TO c", .renameColumn(table: "t", column: "a b", newName: "c")),
      ("ALTER TABLE t RENAME column TO c", .renameColumn(table: "t", column: "column", newName: "c")),
      ("ALTER TABLE t DROP column", .dropColumn(table: "t", column: "column")),
      ("ALTER TABLE t DROP COLUMN a", .dropColumn(table: "t", column: "a")), ("ALTER TABLE t DROP CONSTRAINT c", .none),
      ("ALTER TABLE t ADD b INT", .addColumn(table: "t", column: "b")), ("ALTER TABLE temp.t ADD COLUMN b", .none),
      ("DELETE FROM t -- all", .deleteAllRows(table: "t")), ("DELETE FROM t WHERE a", .none),
      ("DELETE FROM t WHERE (1)", .deleteAllRows(table: "t")), ("DELETE FROM t WHERE 0", .none),
      ("UPDATE OR IGNORE t SET a = (SELECT 1 WHERE 0) WHERE true RETURNING a", .updateAllRows(table: "t")),
      ("WITH c AS (SELECT 1 WHERE 0) UPDATE t SET a = 1", .updateAllRows(table: "t")), ("WITH c AS (", .none),
      ("PRAGMA main.writable_schema = ON", .allowSchemaEditing), ("PRAGMA writable_schema", .none), ("", .none),
    ])
  func effects(sql: String, effect: SQLStatementEffect) {
    #expect(SQLStatementEffect(of: sql) == effect)
  }
}
