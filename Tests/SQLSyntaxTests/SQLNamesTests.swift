import SQLSyntax
import Testing

@Suite("Names in a statement")
struct SQLNamesTests {
  private func names(_ sql: String) throws -> SQLNames { SQLNames(in: try SQLTree(parsing: sql)) }

  @Test("each name comes with its role, in the order of the text")
  func roles() throws {
    let names = try names(
      "CREATE VIEW v AS WITH c AS (SELECT 1 AS one) SELECT a.id, b.* FROM author AS a JOIN c USING (id) WHERE x IN list"
    )
    #expect(
      names.uses.map { "\($0.role) \($0.name.value)" } == [
        "commonTable c", "column id", "star b", "source author", "alias a", "source c", "joinColumn id", "column x",
        "list list",
      ])
    #expect(names.uses[1].qualifier?.value == "a")
    #expect(names.tables == ["author", "list"])
  }

  @Test("a trigger's names are those of its table, its condition and its statements")
  func trigger() throws {
    let names = try names(
      """
      CREATE TRIGGER t AFTER UPDATE OF a ON main.x WHEN new.a > 1 BEGIN
        INSERT INTO y(b) SELECT c FROM z WHERE c = old.a; UPDATE y SET b = 1; DELETE FROM w;
      END
      """)
    #expect(
      names.uses.map { "\($0.role) \($0.name.value)" } == [
        "listedColumn a", "owner x", "column a", "target y", "listedColumn b", "column c", "source z", "column c",
        "column a", "target y", "listedColumn b", "target w",
      ])
    #expect(names.tables == ["y", "z", "w"])
    let old = try #require(names.uses.first { $0.qualifier?.value == "old" })
    #expect(names.chain(from: old.scope).map { $0.scope.rows.map(\.name) } == [["z"], ["new", "old"]])
  }

  @Test("in a trigger, the names in a CTE and under an alias are found")
  func triggerScopes() throws {
    let names = try names(
      """
      CREATE TRIGGER g AFTER INSERT ON x BEGIN
        WITH w AS (SELECT t.a FROM t WHERE t.a = new.b) SELECT a FROM w;
        INSERT INTO t AS q(a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = q.a;
      END
      """)
    #expect(names.tables == ["t"])
    func uses(_ table: String) throws -> [Int] {
      try SQLTableResolver.uses(in: try SQLTree(parsing: names.source.text), table: table, newTable: "n").tokens
    }
    #expect(try uses("t").map { names.source.tokens[$0 - 1].text } == ["SELECT", "FROM", "WHERE", "INTO"])
    #expect(try uses("w") == [] && uses("q") == [])
  }

  @Test("the names in a definition show which constraint contains them")
  func definition() throws {
    let names = try names(
      "CREATE TABLE t(a CHECK (a > b), b AS (a + 1), UNIQUE (a), FOREIGN KEY (a) REFERENCES p(q), PRIMARY KEY ('b'))")
    let places = names.uses.filter { $0.role == .column || $0.role == .listedColumn }.map(\.place)
    #expect(
      places == [
        .constraint(.check, column: "a"), .constraint(.check, column: "a"), .constraint(.generated, column: "b"),
        .constraint(.unique, column: nil), .constraint(.foreignKey, column: nil), .constraint(.primaryKey, column: nil),
      ])
    #expect(names.uses.first { $0.role == .parentColumn }?.qualifier?.value == "p")
  }

  @Test("a common table hides a table, in its own query and in its siblings")
  func commonTables() throws {
    let names = try names(
      "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a, b, main.a) SELECT * FROM a, b, c WHERE x IN b")
    #expect(names.tables == ["a", "c"])
    #expect(
      names.scopes.flatMap(\.rows).map { "\($0.kind)" }.filter { !$0.hasPrefix("stored") } == [
        "laterCommonTable", "commonTable(0)", "recursion(1)", "commonTable(0)", "commonTable(1)",
      ])
  }

  @Test("a query knows how its rows are used")
  func purposes() throws {
    let names = try names(
      "INSERT INTO t SELECT (SELECT 1), a FROM (SELECT a FROM u) WHERE EXISTS (SELECT 2) OR a IN (SELECT 3)")
    #expect(
      names.queries.map(\.purpose) == [
        .insertion(0), .expression(isExists: false), .source(scope: 1), .expression(isExists: true),
        .expression(isExists: false),
      ])
  }

  @Test(
    "aliases of results are visible after the results and not in them, and a subquery in FROM sees none of its siblings"
  )
  func scopes() throws {
    let names = try names("SELECT a AS r, (SELECT b) FROM t, (SELECT c FROM u) AS s WHERE d ORDER BY e, f + 1 LIMIT g")
    func seen(_ column: String) throws -> [String] {
      let use = try #require(names.uses.first { $0.role == .column && $0.name.value == column })
      return names.chain(from: use.scope).map { link in
        link.scope.rows.map { $0.name ?? "-" }.joined(separator: ",") + (link.seesResults ? "+" : "")
      }
    }
    #expect(try seen("a") == ["t,s"])
    #expect(try seen("b") == ["", "t,s"])
    #expect(try seen("c") == ["u"])
    #expect(try seen("d") == ["t,s+"])
    #expect(try seen("e") == ["t,s+"])
    #expect(names.uses.first { $0.name.value == "e" }?.place == .orderTerm)
    #expect(names.uses.first { $0.name.value == "f" }?.place == .order)
    #expect(try seen("g") == [])
  }

  @Test("a column is found through a view, a subquery and a common table, and reported as derived")
  func columns() throws {
    let view = try SQLTree(parsing: "CREATE VIEW v AS SELECT a, b FROM t")
    guard case .createView(let definition) = view.statement else { return }
    let relations = SQLRelations(["t": .table(["a", "b"]), "u": .table(["a"]), "v": .view(definition, view.source)])
    func uses(_ sql: String, to newColumn: String = "z") throws -> SQLColumnResolver.Uses {
      try SQLColumnResolver.uses(
        in: try SQLTree(parsing: sql), relations: relations, table: "t", column: "a", newColumn: newColumn)
    }
    #expect(try uses("SELECT a FROM t").tokens == [1])
    #expect(try uses("SELECT a FROM v").isDerived)
    #expect(try uses("SELECT x.a FROM (SELECT a FROM t) AS x").tokens == [3, 7])
    #expect(try uses("WITH c AS (SELECT a FROM t) SELECT a FROM c").isDerived)
    #expect(try uses("SELECT a AS a FROM u").tokens == [])
    #expect(try uses("SELECT b AS a FROM t ORDER BY a").tokens == [])
    #expect(throws: SQLUncertainName.self) { try uses("SELECT a FROM t, u") }
    #expect(throws: SQLUncertainName.self) { try uses("SELECT b FROM t", to: "b") }
    #expect(throws: SQLUncertainName.self) { try uses("SELECT * FROM t NATURAL JOIN u") }
    #expect(throws: SQLUncertainName.self) { try uses("SELECT \"a + 1\" FROM (SELECT a + 1 FROM t)") }
  }

  @Test("a table is found where it is read and where it qualifies columns, but not under an alias")
  func tables() throws {
    func uses(_ sql: String) throws -> SQLTableResolver.Uses {
      try SQLTableResolver.uses(in: try SQLTree(parsing: sql), table: "t", newTable: "n")
    }
    #expect(try uses("CREATE VIEW v AS SELECT t.a, t.* FROM t").tokens == [5, 9, 13])
    #expect(try uses("CREATE VIEW v AS SELECT t.a FROM u AS t").tokens == [])
    #expect(try uses("CREATE VIEW v AS WITH t AS (SELECT 1) SELECT * FROM t, main.t").tokens == [18])
    #expect(try uses("CREATE VIEW v AS SELECT t.a + 1, t.b FROM t").fragileNames == ["t.a + 1"])
    #expect(throws: SQLUncertainName.self) { try uses("CREATE VIEW v AS SELECT 1 FROM t AS n") }
  }
}
