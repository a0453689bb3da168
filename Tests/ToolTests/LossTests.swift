import Migrator
import TestEngines
import Testing

/// The losses that `plan`, `migrate`, `lint` and `check` report about one folder.
@Suite("Losses in the tool")
struct ToolLossTests {
  private static let first = "CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, y TEXT);\n"
  private static let rebuild = """
    CREATE TABLE b (id INTEGER PRIMARY KEY, x TEXT, y TEXT);
    INSERT INTO b (id, x) SELECT id, x FROM a;
    DROP TABLE a;
    ALTER TABLE b RENAME TO a;

    """
  private static let reason = "the statement loses the values of column \"y\" of table \"a\""
  /// The same, counted in the rows of the database.
  private static let counted =
    "the statement drops the old table \"a\" with column \"y\", and at least 1 value of it is in no other column"

  private static func rebuilding(_ query: String) -> String {
    "CREATE TABLE n (id INTEGER PRIMARY KEY, x TEXT, y TEXT);\nINSERT INTO n \(query);\nDROP TABLE a;\n"
      + "ALTER TABLE n RENAME TO a;\n"
  }

  private static func transcript(_ rows: String, allowing: Bool = false) throws -> (Transcript, ToolProcess) {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    let tool = ToolProcess(folder: transcript.folder.path, variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.write(first + rows, to: "migrations/1_create.sql")
    #expect(try tool.run(["migrate"]).exitCode == 0)
    let comment = "-- migrator: allow lost-rows unused since 2.0\n"
    let script = allowing ? rebuild.replacing("DROP TABLE a", with: comment + "DROP TABLE a") : rebuild
    try transcript.write(script, to: "migrations/2_rebuild.sql")
    return (transcript, tool)
  }

  @Test("plan marks a loss, migrate warns of it, lint and check find it at the same place")
  func everywhere() throws {
    let (transcript, tool) = try Self.transcript("INSERT INTO a VALUES (1, 'x', 'y');\n")
    for command in [["plan"], ["lint"], ["check"]] {
      let outcome = try tool.run(command)
      #expect(outcome.output.contains("2_rebuild.sql:3:1"), "\(command): \(outcome.output)")
      #expect(
        outcome.output.contains(command == ["plan"] ? Self.counted : Self.reason), "\(command): \(outcome.output)")
    }
    // The folder exists as long as the transcript.
    defer { withExtendedLifetime(transcript) {} }
    let json = try tool.run(["plan", "--json"]).output
    #expect(json.contains("\"rule\" : \"lost-rows\""), "\(json)")
    let refused = try tool.run(["migrate", "--confirm-loss"])
    #expect(refused.exitCode == 5, "\(refused.errors)")
    #expect(refused.errors.contains(Self.counted))
    let error = try JSON.objects(in: tool.run(["migrate", "--confirm-loss", "--json"]).output).first?["error"]
    let losses = error?["losses"]?.list?.compactMap { $0["reason"]?.text } ?? []
    #expect(losses.count == 1 && losses.allSatisfy { $0.hasPrefix(Self.counted) }, "\(String(describing: error))")
    let outcome = try tool.run(["migrate", "--json"])
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.contains(Self.counted), "\(outcome.errors)")
    #expect(outcome.output.contains("\"rule\" : \"lost-rows\""), "\(outcome.output)")
  }

  @Test(
    "a migration that fails only on the inspection's sample rows is applied",
    arguments: [
      "-- migrator: no-transaction\nBEGIN;\nCREATE UNIQUE INDEX i ON a (x);\nDELETE FROM a WHERE id = 9;\nCOMMIT;",
      "-- migrator: no-transaction\nBEGIN;\nUPDATE OR ROLLBACK a SET x = 1 WHERE id IS NOT NULL;\nCOMMIT;",
    ])
  func sampleRows(statements: String) throws {
    let (transcript, tool) = try Self.transcript("INSERT INTO a VALUES (1, 'x', 'y');\n")
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write(statements + "\n", to: "migrations/2_rebuild.sql")
    for command in ["plan", "migrate"] {
      let outcome = try tool.run([command])
      #expect(outcome.exitCode == 0, "\(command): \(outcome)")
    }
  }

  @Test(
    "--confirm-loss asks about a DELETE or REPLACE before it is committed, if a table has fewer rows then",
    arguments: [
      "DELETE FROM a WHERE x >= 0;", "DELETE FROM main.A WHERE id = 2;", "REPLACE INTO a VALUES (1, 'n', 'n');",
      "WITH old AS (SELECT 1 AS id) DELETE FROM a WHERE id IN (SELECT id FROM old);",
      "CREATE TABLE copy AS SELECT * FROM a;\nDELETE FROM a WHERE y = 'n';",
      "ALTER TABLE a RENAME TO n;\nDELETE FROM n WHERE id = 1;",
    ])
  func deletions(statements: String) throws {
    let (transcript, tool) = try Self.transcript(
      "INSERT INTO a VALUES (1, 'x', 'y'), (2, 'x', 'n');\nCREATE UNIQUE INDEX i ON a (y);\n")
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write("CREATE TABLE b (c);\n\(statements)\n", to: "migrations/2_rebuild.sql")
    let refused = try tool.run(["migrate", "--confirm-loss"])
    #expect(refused.exitCode == 5, "\(refused)")
    let reason = " of its 2 rows"
    #expect(refused.errors.contains(reason), "\(refused.errors)")
    let error = try JSON.objects(in: tool.run(["migrate", "--confirm-loss", "--json"]).output).first?["error"]
    #expect(error?["losses"]?.list?.count == 1, "\(String(describing: error))")
    let json = try tool.run(["migrate", "--confirm-loss", "--yes", "--json"])
    #expect(json.exitCode == 0 && json.output.contains("\"losses\""), "\(json)")
  }

  @Test(
    "In a file without a transaction, --confirm-loss asks before each DELETE and REPLACE",
    arguments: ["DELETE FROM a WHERE id = 7;", "REPLACE INTO a VALUES (3, 'n', 'n');"])
  func committedDeletions(statement: String) throws {
    let (transcript, tool) = try Self.transcript("INSERT INTO a VALUES (1, 'x', 'y'), (2, 'x', 'y');\n")
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write(
      "-- migrator: no-transaction\nCREATE TABLE b (c);\n\(statement)\n", to: "migrations/2_rebuild.sql")
    let refused = try tool.run(["migrate", "--confirm-loss"])
    #expect(refused.exitCode == 5, "\(refused)")
    #expect(refused.errors.contains("2_rebuild.sql:3:1: the statement "), "\(refused.errors)")
    let json = try tool.run(["migrate", "--confirm-loss", "--yes", "--json"])
    #expect(json.exitCode == 0 && json.output.contains("\"line\" : 3"), "\(json)")
  }

  @Test(
    "In a file without a transaction, --confirm-loss asks before each statement that can remove rows",
    arguments: [
      "UPDATE OR REPLACE a SET id = 1 WHERE id = 2;", "UPDATE a SET x = NULL WHERE id = 2;",
      "UPDATE main.a SET y = nullif(y, 'y') WHERE id = 2;",
      "ALTER TABLE a RENAME TO z;\nUPDATE z SET x = '' WHERE id = 2;",
      "UPDATE a SET x = v FROM (SELECT 2 AS i, NULL AS v) WHERE id = i;",
      "ATTACH 'other.db' AS z;\nDELETE FROM z.k;\nDETACH z;", "ATTACH 'other.db' AS z;\nDROP TABLE k;\nDETACH z;",
      rebuilding("SELECT * FROM a WHERE id <> 2"), rebuilding("SELECT * FROM main.a"),
      "INSERT INTO armed VALUES (1);", "WITH n (x) AS (VALUES (1)) INSERT INTO armed SELECT x FROM n;",
      "INSERT INTO conflicting VALUES (1);", "DELETE FROM lens WHERE id = 2;",
      "CREATE TEMP TABLE a (id);\nDELETE FROM main.a WHERE id = 2;",
      "CREATE TEMP TABLE a (id);\nDROP TABLE a;\nDELETE FROM a WHERE id = 2;",
      "CREATE TEMP TABLE a (id);\nDROP TABLE temp.a;\nDELETE FROM a WHERE id = 2;",
      "CREATE TEMP TABLE a (id);\nALTER TABLE a RENAME TO z;\nDELETE FROM a WHERE id = 2;",
      "BEGIN;\nALTER TABLE a RENAME TO z;\nROLLBACK;\nDELETE FROM a WHERE id = 2;",
      "BEGIN;\nSAVEPOINT s;\nCREATE TEMP TABLE a (id);\nROLLBACK TO s;\nDELETE FROM a WHERE id = 2;\nCOMMIT;",
      rebuilding("SELECT * FROM a").replacing("DROP", with: "-- migrator: allow lost-rows old\nDROP")
        + "DELETE FROM a WHERE id = 2;",
    ])
  func committedRemovals(statements: String) throws {
    let (transcript, tool) = try Self.transcript(
      """
      INSERT INTO a VALUES (1, 'x', 'y'), (2, 'x', 'y');
      CREATE TABLE armed (c); CREATE TRIGGER t AFTER INSERT ON armed BEGIN DELETE FROM armed WHERE c < new.c; END;
      CREATE TABLE shown (id INTEGER); INSERT INTO shown VALUES (2); CREATE VIEW lens AS SELECT id FROM shown;
      CREATE TRIGGER v INSTEAD OF DELETE ON lens BEGIN DELETE FROM shown WHERE id = old.id; END;
      CREATE TABLE conflicting (c UNIQUE ON CONFLICT REPLACE); INSERT INTO conflicting VALUES (1);
      """)
    defer { withExtendedLifetime(transcript) {} }
    let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("other.db"))
    try queue.write { db in try db.execute(sql: "CREATE TABLE k (c); INSERT INTO k VALUES (1)") }
    try queue.close()
    try transcript.write("-- migrator: no-transaction\n\(statements)\n", to: "migrations/2_rebuild.sql")
    let refused = try tool.run(["migrate", "--confirm-loss"])
    #expect(refused.exitCode == 5 && refused.errors.contains("2_rebuild.sql:"), "\(refused)")
    #expect(try tool.run(["status"]).output.contains("1 applied, 1 pending"))
    // The advice holds, and the other commands accept it.
    let comment = "-- migrator: allow-file lost-rows they are old\n"
    try transcript.write("-- migrator: no-transaction\n\(comment)\(statements)\n", to: "migrations/2_rebuild.sql")
    let lint = try tool.run(["lint"])
    #expect(!lint.output.contains("unused-allowance"), "\(lint)")
    #expect(try tool.run(["migrate", "--confirm-loss"]).exitCode == 0)
  }

  @Test(
    "A file without a transaction is asked about if earlier pending files rename or recreate its table",
    arguments: [
      ("ALTER TABLE a RENAME TO b;", "b"), (rebuilding("SELECT * FROM a") + "ALTER TABLE a RENAME TO b;", "b"),
      (
        "ALTER TABLE a RENAME TO o; CREATE TABLE a (id INTEGER PRIMARY KEY, x, y); INSERT INTO a SELECT * FROM o; DROP TABLE o;",
        "a"
      ),
      ("ALTER TABLE a RENAME TO o; CREATE TABLE a AS SELECT * FROM o;", "a"),
      ("ALTER TABLE a RENAME TO o; CREATE TABLE a AS SELECT * FROM o;", "o"),
      // A temporary table ends with its migration.
      ("CREATE TEMP TABLE a (b);", "a"),
    ])
  func laterRemovals(earlier: String, table: String) throws {
    let (transcript, tool) = try Self.transcript("INSERT INTO a VALUES (1, 'x', 'y'), (2, 'x', 'y');\n")
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write(earlier + "\n", to: "migrations/2_rebuild.sql")
    try transcript.write(
      "-- migrator: no-transaction\nDELETE FROM \(table) WHERE id = 2;\n", to: "migrations/3_third.sql")
    let refused = try tool.run(["migrate", "--confirm-loss"])
    #expect(refused.exitCode == 5 && refused.errors.contains("3_third.sql:2:1: the statement "), "\(refused)")
  }

  @Test(
    "In a file without a transaction, statements that cannot remove rows need no confirmation",
    arguments: [
      "INSERT INTO a VALUES (3, 'x', 'y');", "UPDATE a SET x = replace(x, 'a', 'b');",
      "UPDATE a SET x = 1 WHERE id = 2 OR replace(x, 'a', 'b') = 'b';", "UPDATE a SET x = NULL WHERE id = 9;",
      "UPDATE a SET x = nullif(x, 'none') WHERE id > 0;", "UPDATE a SET x = (SELECT c FROM empty) WHERE id = 9;",
      "ALTER TABLE a ADD k;\nUPDATE a SET k = '' WHERE id = 1;", "CREATE TABLE b (c);\nUPDATE b SET c = NULL WHERE 1;",
      "VACUUM;", "DELETE FROM empty;",
      "CREATE TEMP TABLE a (b);\nDELETE FROM a;\nDROP TABLE temp.a;", "DROP TABLE empty;",
      "CREATE TABLE temp.a AS SELECT 1 AS b;\nDELETE FROM a;\nDROP TABLE a;",
      "CREATE TEMP TABLE z (b);\nALTER TABLE z RENAME TO a;\nDELETE FROM a;\nDROP TABLE a;",
      "ALTER TABLE a RENAME TO o;\nCREATE TABLE z (b);\nALTER TABLE z RENAME TO a;\nDELETE FROM a;",
      "ATTACH ':memory:' AS y;\nCREATE TABLE z (b);\nDELETE FROM z;\nDETACH y;",
      "ATTACH ':memory:' AS z;\nCREATE TABLE z.k AS SELECT 1;\nDELETE FROM z.k;\nDETACH z;",
      "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = 1; END;\nINSERT INTO a VALUES (3, 'x', 'y');",
    ])
  func noCommittedRemovals(statements: String) throws {
    let (transcript, tool) = try Self.transcript(
      "INSERT INTO a VALUES (1, 'x', 'y'), (2, 'x', 'y');\nCREATE TABLE empty (c);\n")
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write("-- migrator: no-transaction\n\(statements)\n", to: "migrations/2_rebuild.sql")
    let outcome = try tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test(
    "A name in double quotes that is no column is marked and warned of if rows get it as text",
    arguments: [
      (#"UPDATE a SET "x" = "nick" WHERE id = 1"#, true), (#"UPDATE main."a" SET x = lower("nick")"#, true),
      (#"INSERT INTO "a" ("id") VALUES (1) ON CONFLICT (id) DO UPDATE SET "x" = "nick""#, true),
      (#"CREATE TABLE c AS SELECT "id", "nick" FROM a"#, true),
      (#"WITH o AS (SELECT 1) UPDATE a SET "x" = "nick""#, true),
      (#"INSERT INTO a ("x") SELECT "nick" FROM d"#, true),
      (#"REPLACE INTO a SELECT "id", "nick", y FROM d AS b"#, true),
      // Text in double quotes, and names that exist.
      (#"UPDATE a SET x = "active""#, false), (#"UPDATE a SET "x" = "y""#, false),
      (#"UPDATE a SET "x" = 'nick' WHERE "y" = 'n'"#, false),
      (#"CREATE TABLE c AS SELECT "id", "x" AS "nick" FROM a"#, false),
      (#"INSERT INTO "a" ("id") VALUES (1) ON CONFLICT (id) DO UPDATE SET "x" = excluded."y""#, false),
      (#"INSERT INTO "a" ("x") VALUES ("nick")"#, false), (#"UPDATE "b" SET "c" = "nick""#, false),
    ])
  func quotedNames(statement: String, isHarm: Bool) throws {
    let (transcript, tool) = try Self.transcript(
      "INSERT INTO a VALUES (1, 'x', 'y'), (2, 'x', 'n');\nCREATE TABLE b (c);\n"
        + "CREATE TABLE d (id INTEGER, y);\nINSERT INTO d VALUES (3, 'z');\n")
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write("-- migrator: allow-file destructive all\n\(statement);\n", to: "migrations/2_rebuild.sql")
    let reason = "\"nick\" is not a column, so SQLite treats it as a string literal: every row "
    let plan = try tool.run(["plan"])
    #expect(plan.output.contains(reason) == isHarm, "\(plan)")
    let refused = try tool.run(["migrate", "--confirm-loss"])
    #expect(refused.exitCode == (isHarm ? 5 : 0) && refused.errors.contains(reason) == isHarm, "\(refused)")
  }

  @Test(
    "A table that is dropped with foreign keys on is a loss if the keys delete or change rows",
    arguments: ["SET NULL", "CASCADE", "SET DEFAULT"],
    ["PRAGMA foreign_keys = ON;\n", "-- migrator: foreign-keys immediate\n", "-- migrator: no-transaction\n"])
  func referencedTable(action: String, start: String) throws {
    let (transcript, tool) = try Self.transcript(
      """
      INSERT INTO a VALUES (1, 'x', 'y');
      CREATE TABLE c (a_id INTEGER DEFAULT NULL REFERENCES a (id) ON DELETE \(action));
      INSERT INTO c VALUES (1);
      """)
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write(start + Self.rebuilding("SELECT * FROM a"), to: "migrations/2_rebuild.sql")
    let reason = "foreign keys are on, and \"c\" refers to \"a\""
    let plan = try tool.run(["plan"])
    #expect(plan.output.contains("! migrations/2_rebuild.sql:4:1: \(reason)"), "\(plan)")
    let refused = try tool.run(["migrate", "--confirm-loss"])
    #expect(refused.exitCode == 5 && refused.errors.contains(reason), "\(refused)")
    let warned = try tool.run(["migrate"])
    #expect(warned.exitCode == 0 && warned.errors.contains(reason), "\(warned)")
  }

  @Test("A table that is dropped with foreign keys on is no loss if the keys have no action, or no row refers to it")
  func unreferencedTable() throws {
    for (key, rows) in [("", ""), (" ON DELETE SET NULL", "DELETE FROM a;\n")] {
      let (transcript, tool) = try Self.transcript(
        "INSERT INTO a VALUES (1, 'x', 'y');\nCREATE TABLE c (a_id INTEGER REFERENCES a (id)\(key));\n" + rows)
      defer { withExtendedLifetime(transcript) {} }
      try transcript.write(
        "PRAGMA foreign_keys = ON;\n" + Self.rebuilding("SELECT * FROM a"), to: "migrations/2_rebuild.sql")
      let outcome = try tool.run(["migrate", "--confirm-loss"])
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
  }

  @Test(
    "A comment that allows a loss of rows satisfies migrate, lint and check",
    arguments: [
      "-- migrator: allow lost-rows old\nDELETE FROM a WHERE id = 2;",
      "-- migrator: allow-file lost-rows old\nUPDATE OR REPLACE a SET id = 1 WHERE id = 2;",
      "-- migrator: allow lost-rows old\nUPDATE OR REPLACE a SET id = 1 WHERE id = 2;",
      "-- migrator: allow lost-rows old\nINSERT INTO armed VALUES (1);",
      "-- migrator: allow-file lost-rows old\nINSERT INTO armed VALUES (1);",
      "-- migrator: allow lost-rows old\nREPLACE INTO a (id, y) VALUES (3, 'b');",
      "-- migrator: no-transaction\n-- migrator: allow lost-rows old\nDELETE FROM a WHERE id = 2;",
      "-- migrator: no-transaction\n-- migrator: allow lost-rows old\nINSERT INTO armed VALUES (1);",
    ])
  func allowances(statements: String) throws {
    let (transcript, tool) = try Self.transcript(
      """
      INSERT INTO a VALUES (1, 'x', 'a'), (2, 'x', 'b'); CREATE UNIQUE INDEX i ON a (y);
      CREATE TABLE armed (c); CREATE TRIGGER t AFTER INSERT ON armed BEGIN DELETE FROM a WHERE id = 2; END;
      """)
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write(statements + "\n", to: "migrations/2_rebuild.sql")
    for command in [["lint"], ["lint", "--database", "app.db"], ["check"]] {
      let outcome = try tool.run(command)
      #expect(outcome.exitCode == 0, "\(command): \(outcome)")
    }
    let outcome = try tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test(
    "A comment about lost rows at statements that remove none is still a finding", arguments: ["allow", "allow-file"])
  func unusedAllowance(form: String) throws {
    let (transcript, tool) = try Self.transcript("")
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write(
      "-- migrator: \(form) lost-rows old\nCREATE TABLE other (c);\n", to: "migrations/2_rebuild.sql")
    let lint = try tool.run(["lint"])
    #expect(lint.exitCode == 1 && lint.output.contains("unused-allowance"), "\(lint)")
  }

  @Test(
    "A temporary table of the same name hides no loss, once it is dropped",
    arguments: ["CREATE TEMP TABLE a (b)", "CREATE TABLE temp.a AS SELECT 1 AS b"],
    ["ALTER TABLE a DROP COLUMN y;", "UPDATE a SET y = NULL WHERE id = 1;"])
  func hiddenTable(creation: String, change: String) throws {
    let (transcript, tool) = try Self.transcript("INSERT INTO a VALUES (1, 'x', 'y'), (2, 'x', 'z');\n")
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write("\(creation);\nDROP TABLE temp.a;\n\(change)\n", to: "migrations/2_rebuild.sql")
    let refused = try tool.run(["migrate", "--confirm-loss"])
    #expect(refused.exitCode == 5 && refused.errors.contains("2_rebuild.sql:3:1: the statement "), "\(refused)")
  }

  @Test(
    "A generated column and a temporary table have no data to lose",
    arguments: [
      """
      CREATE TABLE temp.n AS SELECT k FROM g; DROP TABLE g; CREATE TABLE g (k INTEGER);
      INSERT INTO g (k) SELECT k FROM temp.n; DROP TABLE temp.n;
      """,
      "ALTER TABLE g DROP COLUMN v;", "CREATE TEMP TABLE a (id);\nDELETE FROM a;\nDROP TABLE temp.a;",
      "CREATE TABLE n (k INTEGER);\nINSERT INTO n SELECT k FROM g;\nDROP TABLE g;\nALTER TABLE n RENAME TO g;",
    ])
  func derived(statements: String) throws {
    let (transcript, tool) = try Self.transcript(
      """
      INSERT INTO a VALUES (1, 'x', 'y');
      CREATE TABLE g (k INTEGER, v INTEGER AS (k * 2), w INTEGER AS (k * 3) VIRTUAL); INSERT INTO g (k) VALUES (1);
      """)
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write(statements + "\n", to: "migrations/2_rebuild.sql")
    let plan = try tool.run(["plan"])
    #expect(plan.exitCode == 0 && !plan.output.contains("! d"), "\(plan)")
    let outcome = try tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test(
    "Other statements, empty tables and allowed losses need no confirmation",
    arguments: [
      "INSERT INTO a VALUES (3, 'x', 'y');", "DELETE FROM empty WHERE c > 0;", "REPLACE INTO empty VALUES (1);",
      "DELETE FROM a WHERE id = 7;", "REPLACE INTO a VALUES (1, 'n', 'n');",
      "CREATE TEMP TABLE kept AS SELECT * FROM a;\nDELETE FROM a WHERE x > '';\nINSERT INTO a SELECT * FROM kept;",
      "CREATE TABLE n (x);\nINSERT INTO n VALUES (1);\nDELETE FROM n WHERE x = 1;",
      "-- migrator: allow lost-rows they are old\nDELETE FROM a WHERE id = 2;",
    ])
  func noDeletions(statements: String) throws {
    let (transcript, tool) = try Self.transcript(
      "CREATE TABLE empty (c);\nINSERT INTO a VALUES (1, 'x', 'y'), (2, 'x', 'y');\n")
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write("\(statements)\n", to: "migrations/2_rebuild.sql")
    let outcome = try tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test(
    "Without --confirm-loss, a DELETE with a condition causes a warning if it removes a row", arguments: [true, false])
  func deletion(removes: Bool) throws {
    let (transcript, tool) = try Self.transcript("INSERT INTO a VALUES (1, 'x', 'y'), (2, 'x', 'y');\n")
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write("DELETE FROM a WHERE id >= \(removes ? 2 : 3);\n", to: "migrations/2_rebuild.sql")
    let outcome = try tool.run(["migrate"])
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty != removes, "\(outcome)")
    #expect(outcome.errors.contains("keeps 1 of its 2 rows") == removes, "\(outcome)")
  }

  @Test("plan does not mark the statistics of ANALYZE, which it collects again")
  func statistics() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.write("CREATE TABLE a (x);\nCREATE INDEX i ON a (x);\n", to: "migrations/1_first.sql")
    try #require(transcript.run("migrator migrate --quiet").exitCode == 0)
    let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.db"))
    try queue.write { db in try db.execute(sql: "INSERT INTO a VALUES (1); ANALYZE") }
    try queue.close()
    try transcript.write(
      "ANALYZE;\nDELETE FROM sqlite_stat1;\nANALYZE;\nDROP TABLE sqlite_stat1;\n", to: "migrations/2_second.sql")
    let plan = try transcript.run("migrator plan --verbose")
    #expect(plan.exitCode == 0 && !plan.output.contains("!") && !plan.output.contains("sqlite_stat1  "), "\(plan)")
    let migrate = try transcript.run("migrator migrate --confirm-loss")
    #expect(migrate.exitCode == 0, "\(migrate)")
  }

  @Test("plan marks the migration that leaves a table with fewer rows, even if a later one fills it again")
  func fewerRows() throws {
    let (transcript, tool) = try Self.transcript("INSERT INTO a VALUES (1, 'x', 'y'), (2, 'x', 'y');\n")
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write("DELETE FROM a WHERE id >= 2;\n", to: "migrations/2_rebuild.sql")
    try transcript.write("INSERT INTO a VALUES (3, 'x', 'y');\n", to: "migrations/3_more.sql")
    try transcript.write(
      "CREATE TABLE own AS SELECT * FROM a;\nDELETE FROM own WHERE id = 1;\n", to: "migrations/4_own.sql")
    try transcript.write("DELETE FROM own;\n", to: "migrations/5_own.sql")
    let lines = try tool.run(["plan"]).output.split(separator: "\n").map(String.init)
    let text = "! keeps 1 of the 2 rows of table \"a\""
    let mark = try #require(lines.firstIndex { $0.hasSuffix(text) }, "\(lines)")
    #expect(lines[mark - 1].contains("2_rebuild"))
    #expect(lines.count { $0.contains("! ") } == 1, "\(lines)")
    let json = try tool.run(["plan", "--json"]).output
    #expect(json.contains("\"before\" : 2") && json.contains("\"fewerRows\""), "\(json)")
  }

  @Test("migrate does not warn of losses in empty tables, nor of allowed ones", arguments: [true, false])
  func silent(allowing: Bool) throws {
    let (transcript, tool) = try Self.transcript(
      allowing ? "INSERT INTO a VALUES (1, 'x', 'y');\n" : "", allowing: allowing)
    defer { withExtendedLifetime(transcript) {} }
    let outcome = try tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
  }
}
