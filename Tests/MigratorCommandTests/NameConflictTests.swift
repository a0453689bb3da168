import Migrator
import TestEngines
import Testing

/// The advice about an object that exists already, which must never destroy the only copy of rows.
@Suite("Objects that exist already")
struct NameConflictTests {
  /// A state of the database, a migration that meets it, and the advice.
  struct Trial: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The statements that another program, or a run that was killed, has carried out.
    let found: String
    let migration: String
    let advice: String

    init(_ name: String, _ found: String, _ migration: String, _ advice: String) {
      (testDescription, self.found, self.migration, self.advice) = (name, found, migration, advice)
    }
  }

  private static let make = "CREATE TABLE a_new (id INTEGER PRIMARY KEY, x, y);"
  private static let copy = "INSERT INTO a_new (id, x) SELECT id, x FROM a;"
  private static let rebuild = make + copy + "DROP TABLE a; ALTER TABLE a_new RENAME TO a;"
  private static let copyFirst =
    "ALTER TABLE a RENAME TO old; CREATE TABLE a (id INTEGER PRIMARY KEY, x, y); INSERT INTO a (id, x) SELECT id, x FROM old; "
    + "DROP TABLE old;"
  private static let keep = "Do not drop the table"

  private static let trials = [
    Trial("only copy", make + copy + "DROP TABLE a;", rebuild, "\(keep) \"a_new\": it has rows"),
    Trial(
      "only copy, in a file without a transaction", make + copy + "DROP TABLE a;",
      "-- migrator: no-transaction\n" + rebuild, "\(keep) \"a_new\": it has rows"),
    Trial("partial copy", make + copy, rebuild, "\(keep) \"a_new\": it has rows"),
    Trial("empty copy beside the original", make, rebuild, "If it is a left-over, drop it"),
    Trial(
      "rename first", "ALTER TABLE a RENAME TO old; CREATE TABLE a (id INTEGER PRIMARY KEY, x, y);", copyFirst,
      "\(keep) \"old\": it has rows"),
    Trial(
      "copy under a new name", "CREATE TABLE b (id, x); INSERT INTO b SELECT * FROM a; DROP TABLE a;",
      "CREATE TABLE b (id, x); INSERT INTO b SELECT * FROM \"a\"; DROP TABLE a;", "\(keep) \"b\": it has rows"),
    Trial(
      "renaming to a table by hand", "CREATE TABLE z (a); INSERT INTO z VALUES (1);", "ALTER TABLE a RENAME TO z;",
      "\(keep) \"z\": it has rows"),
    Trial(
      "renaming to a table of a migration", "", "ALTER TABLE a RENAME TO other;",
      "An applied migration has made the table"),
    Trial(
      "an index with the name of a table", "CREATE TABLE z (a); INSERT INTO z VALUES (1);", "CREATE INDEX z ON a (x);",
      "\(keep) \"z\": it has rows"),
    Trial(
      "full-text table", "CREATE VIRTUAL TABLE f USING fts4 (x); INSERT INTO f VALUES ('t');",
      "CREATE VIRTUAL TABLE f USING fts4 (x);", "\(keep) \"f\": it has rows"),
    Trial("index", "CREATE INDEX i ON a (x);", "CREATE INDEX i ON a (x);", "If it is a left-over, drop it"),
    Trial(
      "a trigger with the name of a table", "CREATE TRIGGER a AFTER INSERT ON a BEGIN SELECT 1; END;",
      "CREATE TRIGGER a AFTER INSERT ON a BEGIN SELECT 1; END;", "If it is a left-over, drop it"),
    Trial("twice in the file", "", "CREATE TABLE z (a); CREATE TABLE Z (b);", "An earlier statement of this run makes"),
    Trial(
      "temporary", "", "CREATE TEMP TABLE z (a); CREATE TEMP TABLE z (a);", "An earlier statement of this run makes"),
    Trial(
      "column", "ALTER TABLE a ADD COLUMN y;", "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = 1;",
      "not the rows that the file"),
    Trial(
      "a column of a migration", "", "ALTER TABLE a ADD COLUMN X;", "An applied migration has made the column \"X\""),
    Trial(
      "renaming to a column of a migration", "", "ALTER TABLE a RENAME COLUMN id TO x;",
      "An applied migration has made the column \"x\""),
    Trial(
      "a column of a migration, beside one by hand", "ALTER TABLE a ADD COLUMN y;", "ALTER TABLE a ADD COLUMN x;",
      "An applied migration has made the column \"x\""),
    Trial(
      "a column twice in the file", "", "ALTER TABLE a ADD COLUMN y; ALTER TABLE a ADD COLUMN y;",
      "An earlier statement of this run makes \"y\""),
    Trial("a column dropped by hand", "ALTER TABLE a DROP COLUMN x;", "ALTER TABLE a DROP COLUMN x;", done),
    Trial("a quoted column dropped by hand", "ALTER TABLE a DROP COLUMN x;", "ALTER TABLE a DROP COLUMN \"x\";", done),
    Trial(
      "a column renamed by hand", "ALTER TABLE a RENAME COLUMN x TO y;", "ALTER TABLE a RENAME COLUMN x TO y;", done),
    Trial("a table dropped by hand", "DROP TABLE other;", "DROP TABLE other;", done),
    Trial("a table renamed by hand", "ALTER TABLE other RENAME TO o;", "ALTER TABLE other RENAME TO o;", done),
    Trial("an index dropped by hand", "DROP INDEX ix;", "DROP INDEX ix;", done),
    Trial(
      "a misspelled column", "ALTER TABLE a ADD COLUMN y;", "ALTER TABLE a DROP COLUMN z;", "Correct the file, and run"),
    Trial("a misspelled table", "DROP TABLE other;", "DROP TABLE otter;", "Correct the file, and run"),
    Trial(
      "a column dropped twice in the file", "", "ALTER TABLE a DROP COLUMN x; ALTER TABLE a DROP COLUMN x;",
      "Correct the file, and run"),
  ]

  private static let done = "are in the database already, because they were made by hand"

  @Test("The advice follows from a look at the object, and loses no row", arguments: trials)
  func advice(trial: Trial) throws {
    let tool = try ToolTrial(
      .sqlite,
      [
        "1_a.sql":
          "CREATE TABLE a (id INTEGER PRIMARY KEY, x);\nCREATE TABLE other (x);\nCREATE INDEX ix ON other (x);\n"
      ])
    try #require(tool.run("migrate").exitCode == 0)
    try tool.use { queue in
      try queue.write { db in try db.execute(sql: "INSERT INTO a VALUES (1, 'one'); \(trial.found)") }
    }
    let before = try tool.rows()
    try tool.write(trial.migration + "\n", to: "2_b.sql")
    let planned = trial.migration.contains("no-transaction") ? [] : [tool.run("plan")]
    for outcome in planned + [tool.run("migrate")] {
      #expect(outcome.exitCode == 4 && outcome.text.contains(trial.advice), "\(outcome)")
      #expect(outcome.text.contains("drop it") == trial.advice.contains("drop it"), "\(outcome)")
    }
    #expect(try tool.rows() == before)
  }

  @Test("The object that needs a function of the app is named, with the option for a stand-in")
  func functionOfApp() throws {
    let tool = try ToolTrial(.sqlite, ["1_w.sql": "CREATE TABLE w (k);\n"])
    try #require(tool.run("migrate").exitCode == 0)
    try tool.use { queue in
      try queue.write { db in
        try db.add(function: DatabaseFunction("appfn", argumentCount: 1, pure: true) { $0[0] })
        try db.execute(sql: "CREATE INDEX wi ON w (appfn(k))")
      }
    }
    try tool.write("INSERT INTO w VALUES (1);\n", to: "2_w.sql")
    let text = tool.run("migrate").text
    #expect(text.contains("the function is used by index \"wi\"") && text.contains("--function appfn/COUNT"), "\(text)")
    #expect(!text.contains("Correct the file"), "\(text)")
    #expect(tool.run("plan --function appfn/1").exitCode == 0)
  }

  @Test("A parent whose name no migration knows is taken for a misspelled one")
  func misspelledParent() throws {
    let tool = try ToolTrial(.sqlite, ["1_a.sql": "CREATE TABLE author (id INTEGER PRIMARY KEY);\n"])
    for (parent, isMisspelled) in [
      ("auhtor", true), ("authors", true), ("Autor", true), ("writer", false), ("zebra", false), ("x", false),
    ] {
      try tool.write("CREATE TABLE k (x REFERENCES \(parent) (id));\nINSERT INTO k VALUES (1);\n", to: "2_k.sql")
      let text = tool.run("migrate").text
      #expect(text.contains("did you mean author?") == isMisspelled, "\(parent): \(text)")
      #expect(
        text.contains("No migration makes \"\(parent)\"") && !text.contains("Keep the rows"), "\(parent): \(text)")
    }
  }
}
