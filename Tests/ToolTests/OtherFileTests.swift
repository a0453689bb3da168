import Migrator
import TestEngines
import Testing

/// Migrations that attach a file, or write one with `VACUUM INTO`, on the scratch databases of the commands.
@Suite("Commands that run migrations on a scratch database leave other files alone")
struct OtherFileTests {
  private struct Fixture {
    let transcript: Transcript
    let tool: ToolProcess

    init(_ second: String) throws {
      transcript = try Transcript()
      tool = ToolProcess(folder: transcript.folder.path, variables: ["MIGRATOR_DATABASE": "app.db"])
      try transcript.write("CREATE TABLE p (id INTEGER PRIMARY KEY);\n", to: "migrations/1_first.sql")
      #expect(try tool.run(["migrate"]).exitCode == 0)
      try other { db in try db.execute(sql: "CREATE TABLE k (a); INSERT INTO k VALUES (7)") }
      try transcript.write("-- migrator: no-transaction\n" + second, to: "migrations/2_second.sql")
    }

    /// Accesses the other file.
    @discardableResult
    func other<Value>(_ body: (Database) throws -> Value) throws -> Value {
      let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("arch.db"))
      defer { #expect(throws: Never.self) { try queue.close() } }
      return try queue.writeWithoutTransaction(body)
    }

    func rowCount() throws -> Int? { try other { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM k") } }
  }

  private static let importing = """
    ATTACH 'arch.db' AS z;
    INSERT INTO p SELECT a FROM z.k;
    DELETE FROM z.k;
    DETACH z;

    """

  @Test("An attached file keeps its rows until migrate runs")
  func pending() throws {
    let fixture = try Fixture(Self.importing)
    for command in ["plan", "migrate --dry-run", "lint", "check", "diff", "new x --to database"] {
      let outcome = try fixture.tool.run(command.split(separator: " ").map(String.init))
      #expect(try fixture.rowCount() == 1, "\(command): \(outcome)")
    }
    let plan = try fixture.tool.run(["plan"])
    #expect(plan.exitCode == 0 && plan.output.contains("1 migration applied"), "\(plan)")
    let gap = "the effect of 4 statements of \"2_second\", which may change another file: ATTACH 'arch.db' AS z, "
    #expect(plan.output.contains("The copy lacks\n  " + gap), "\(plan)")
    #expect(try fixture.tool.run(["migrate"]).exitCode == 0)
    #expect(try fixture.rowCount() == 0)
  }

  @Test("An attached file keeps its rows after migrate has run")
  func applied() throws {
    let fixture = try Fixture(Self.importing)
    #expect(try fixture.tool.run(["migrate"]).exitCode == 0)
    try fixture.other { db in try db.execute(sql: "INSERT INTO k VALUES (8)") }
    for command in ["verify", "check", "diff --check", "dump", "new x --to database", "rebuild"] {
      let outcome = try fixture.tool.run(command.split(separator: " ").map(String.init))
      #expect(try outcome.exitCode == 0 && fixture.rowCount() == 1, "\(command): \(outcome)")
    }
  }

  @Test("Statements in a nested transaction that depend on an attached file are skipped, and others run")
  func transaction() throws {
    let fixture = try Fixture(
      "ATTACH 'arch.db' AS z;\nBEGIN;\nINSERT INTO p SELECT a FROM k;\nINSERT INTO p VALUES (1);\nCOMMIT;\nDETACH z;\n")
    let plan = try fixture.tool.run(["plan", "--verbose"])
    #expect(plan.exitCode == 0 && plan.output.contains("p  0  ->  1"), "\(plan)")
    #expect(plan.output.contains("the effect of 3 statements of \"2_second\""), "\(plan)")
  }

  @Test("The key of an attached file is not shown among the missing parts")
  func key() throws {
    let fixture = try Fixture("ATTACH 'arch.db' AS key KEY 'secret';\nDETACH key;\n")
    let plan = try fixture.tool.run(["plan"])
    #expect(plan.output.contains("ATTACH 'arch.db' AS key KEY ... and DETACH key"), "\(plan)")
    #expect(!(plan.output + plan.errors).contains("cret"), "\(plan)")
  }

  @Test("VACUUM INTO writes its file only when migrate runs")
  func vacuum() throws {
    let fixture = try Fixture("VACUUM INTO 'z.db';\n")
    let plan = try fixture.tool.run(["plan"])
    #expect(plan.exitCode == 0 && plan.output.contains("\"2_second\", which may change another file"), "\(plan)")
    #expect(try fixture.tool.run(["check"]).exitCode == 0)
    #expect(try fixture.tool.run(["migrate"]).exitCode == 0)
  }

  @Test("A migration that creates a table from an attached file ends the rehearsal, which is not a failure")
  func dependentTable() throws {
    let fixture = try Fixture("ATTACH 'arch.db' AS z;\nCREATE TABLE n AS SELECT * FROM z.k;\nDETACH z;\n")
    try fixture.transcript.write("CREATE INDEX i ON n (a);\n", to: "migrations/3_third.sql")
    let plan = try fixture.tool.run(["plan"])
    #expect(plan.exitCode == 0 && plan.output.contains("0 of 2 migrations applied"), "\(plan)")
    #expect(
      plan.output.contains("\"2_second\" and the migrations after it: it fails, perhaps for lack of what is missing"),
      "\(plan)")
    #expect(try fixture.tool.run(["migrate"]).exitCode == 0)
  }

  @Test("A mistake in a statement that does not depend on an attached file is still a failure")
  func mistake() throws {
    let fixture = try Fixture("VACUUM INTO 'z.db';\n")
    try fixture.transcript.write("INSERT INTO missing VALUES (1);\n", to: "migrations/3_third.sql")
    let plan = try fixture.tool.run(["plan"])
    #expect(plan.exitCode == 4 && plan.errors.contains("no such table: missing"), "\(plan)")
    let other = try Fixture("VACUUM INTO 'z.db';\nINSERT INTO missing VALUES (1);\n")
    let same = try other.tool.run(["plan"])
    #expect(same.exitCode == 4 && same.errors.contains("no such table: missing"), "\(same)")
  }

  @Test(
    "A statement that changes the schema is not skipped after an attached file",
    arguments: [
      "CREATE INDEX i ON missing (a)", "ALTER TABLE missing ADD COLUMN b", "DROP TABLE missing",
    ])
  func schemaMistake(statement: String) throws {
    let fixture = try Fixture("ATTACH 'arch.db' AS z;\n\(statement);\nDETACH z;\n")
    let plan = try fixture.tool.run(["plan"])
    #expect(plan.output.contains("0 of 1 migration applied") && plan.output.contains("no such table"), "\(plan)")
  }

  @Test("Databases in memory and temporary databases are attached on the copy", arguments: ["':memory:'", "''"])
  func memory(name: String) throws {
    let fixture = try Fixture(
      "ATTACH DATABASE \(name) AS z;\nCREATE TABLE z.k AS SELECT 3 AS a;\nINSERT INTO p SELECT a FROM z.k;\nDETACH z;\n"
    )
    let plan = try fixture.tool.run(["plan", "--verbose"])
    #expect(plan.exitCode == 0 && !plan.output.contains("The copy lacks"), "\(plan)")
    #expect(plan.output.contains("p  0  ->  1"), "\(plan)")
  }
}
