import SQLSyntax
import Testing

@Suite("Tables are followed by their names")
struct TableNamesTests {
  private static func names(_ statements: String) -> TableNames {
    var names = TableNames(["T", "u"])
    for statement in statements.split(separator: ";") { names.follow(SQLStatementSummary(of: String(statement))) }
    return names
  }

  @Test(
    "A name refers to the table that has it, or has taken the place of a dropped one",
    arguments: [
      ("SELECT 1", "t", "T"), ("ALTER TABLE \"t\" RENAME TO [W w]", "w W", "T"),
      ("ALTER TABLE T RENAME TO w", "t", nil),
      ("ALTER TABLE t RENAME TO w; ALTER TABLE main.W RENAME TO x", "x", "T"),
      ("ALTER TABLE t RENAME TO w; ALTER TABLE u RENAME TO t; ALTER TABLE w RENAME TO u", "t", "u"),
      ("CREATE TABLE n (a)", "n", nil), ("CREATE TABLE IF NOT EXISTS t (a)", "t", "T"),
      ("CREATE TABLE n (a); DROP TABLE t; ALTER TABLE n RENAME TO t", "t", "T"),
      ("ALTER TABLE t RENAME TO o; CREATE TABLE t (a)", "t", nil),
      ("ALTER TABLE t RENAME TO o; CREATE TABLE t (a); DROP TABLE o", "t", "T"),
      ("ALTER TABLE t RENAME TO o; CREATE TABLE t (a); DELETE FROM o", "t", "T"),
      ("DROP TABLE t; CREATE TABLE t (a); ALTER TABLE t RENAME TO w", "w", "T"),
      ("DROP TABLE t; CREATE TABLE t (a); ALTER TABLE t RENAME TO w; CREATE TABLE t (a)", "t", nil),
      ("ALTER TABLE t RENAME TO w; CREATE TABLE n (a); DROP TABLE w; ALTER TABLE n RENAME TO w", "w", "T"),
      ("ALTER TABLE t RENAME TO w; DROP TABLE w; CREATE TABLE w (a); ALTER TABLE w RENAME TO x", "t", nil),
      ("BEGIN; DROP TABLE t; ROLLBACK", "t", "T"), ("ALTER TABLE missing RENAME TO w", "w", nil),
      ("SAVEPOINT s; ALTER TABLE t RENAME TO w; ROLLBACK TO s", "t", "T"),
      ("SAVEPOINT s; ALTER TABLE t RENAME TO w; RELEASE s", "w", "T"), ("ATTACH 'a' AS a; DROP TABLE a.t", "t", "T"),
      ("CREATE TEMP TABLE t (a)", "t", nil), ("CREATE TABLE \"temp\".t (a)", "t", nil),
      ("CREATE TEMPORARY TABLE IF NOT EXISTS t (a); DROP TABLE t", "t", "T"),
      ("CREATE TEMP TABLE t (a); DROP TABLE TEMP.t", "t", "T"),
      ("CREATE TEMP TABLE t (a); DROP TABLE main.t", "t", nil),
      ("CREATE TEMP TABLE t (a); ALTER TABLE t RENAME TO n", "t", "T"),
      ("CREATE TEMP TABLE n (a); ALTER TABLE temp.n RENAME TO t", "t", nil),
      ("CREATE TEMP TABLE n (a); DROP TABLE temp.n; CREATE TABLE n (a)", "n", nil),
      ("CREATE TEMP TABLE n (a); CREATE TABLE n (a); DROP TABLE t; ALTER TABLE main.n RENAME TO t", "t", "T"),
    ] as [(String, String, String?)])
  func originals(statements: String, name: String, original: String?) {
    #expect(Self.names(statements).original(of: name) == original)
  }

  @Test("A name with the schema main refers to no temporary table")
  func qualified() {
    let names = Self.names("CREATE TEMP TABLE t (a); ALTER TABLE main.t RENAME TO w")
    #expect(names.original(of: "t", isQualified: true) == nil && names.original(of: "w") == "T")
    #expect(names.isNew("t") && !names.isNew("w") && !names.isNew("u") && !names.isNew("unknown"))
    let statements = ["DROP TABLE t", "DROP TABLE main.t", "DROP TABLE temp.u", "DROP TABLE u"]
    #expect(statements.map { names.concernsTemporary(SQLStatementSummary(of: $0)) } == [true, false, true, false])
  }

  @Test(
    "From a restart on, the tables have their current names, and new tables only those that earlier tables had",
    arguments: [
      ("ALTER TABLE u RENAME TO w; DROP TABLE t; CREATE TABLE t (a); CREATE TABLE n (a)", ["w": "w", "t": "T"], ["n"]),
      ("ALTER TABLE t RENAME TO w; CREATE TABLE t (a)", ["w": "w", "t": "T", "u": "u"], []),
      ("CREATE TABLE n (a); | DROP TABLE t; ALTER TABLE n RENAME TO t", ["t": "T", "u": "u"], []),
      (
        "ALTER TABLE t RENAME TO w; | CREATE TABLE n (a); | DROP TABLE w; ALTER TABLE n RENAME TO w",
        ["w": "w", "u": "u"], []
      ),
      (
        "ALTER TABLE t RENAME TO w; CREATE TABLE n (a); DROP TABLE w; ALTER TABLE n RENAME TO w", ["w": "w", "u": "u"],
        []
      ),
      ("ALTER TABLE t RENAME TO w; DROP TABLE w; | CREATE TABLE w (a)", ["u": "u"], ["w"]),
      ("CREATE TEMP TABLE t (a); | DROP TABLE t", ["u": "u"], []),
      ("CREATE TEMP TABLE t (a); DROP TABLE main.t; CREATE TABLE t (a)", ["t": "T", "u": "u"], []),
    ] as [(String, [String: String], Set<String>)])
  func restart(migrations: String, tables: [String: String], created: Set<String>) {
    var names = TableNames(["T", "u"])
    for migration in migrations.split(separator: "|") {
      for statement in migration.split(separator: ";") { names.follow(SQLStatementSummary(of: String(statement))) }
      names.restart()
    }
    #expect(names.remaining == tables && names.created == created)
    #expect(tables.keys.allSatisfy { names.original(of: $0) != nil })
  }
}
