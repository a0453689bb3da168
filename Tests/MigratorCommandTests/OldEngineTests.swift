import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("Statements of a file that old engines take differently")
struct OldEngineTests {
  private static let tables = """
    CREATE TABLE parent (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id));
    CREATE TABLE child (parent INTEGER REFERENCES parent (id));
    CREATE VIEW parents AS SELECT id FROM parent;
    CREATE TRIGGER added AFTER INSERT ON child BEGIN UPDATE parent SET parent = NULL WHERE id = new.parent; END;

    """

  @Test("Keys, views and triggers follow the table on every engine", arguments: TestEngine.allCases, [false, true])
  func follow(engine: TestEngine, hasRows: Bool) throws {
    let rows = "INSERT INTO parent VALUES (1, NULL), (2, 1);\nINSERT INTO child VALUES (1);\n"
    let trial = try ToolTrial(engine, ["1_a.sql": Self.tables + (hasRows ? rows : "")])
    #expect(trial.run("migrate").exitCode == 0)
    try trial.write("ALTER TABLE parent RENAME TO person;\n", to: "2_b.sql")
    #expect(trial.run("lint").exitCode != 2)
    let outcome = trial.run("migrate")
    #expect(outcome.exitCode == 0, "\(outcome)")
    try trial.use { queue in
      try queue.write { db in
        try db.execute(sql: "INSERT INTO person VALUES (3, NULL); INSERT INTO child VALUES (3)")
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM parents") == (hasRows ? 3 : 1))
        try db.checkForeignKeys()
      }
    }
    #expect(trial.run("verify").exitCode == 0)
  }

  private static let definition = "(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id));\n"

  @Test(
    "A table that replaces the renamed one gets the references", arguments: TestEngine.allCases,
    ["CREATE TABLE parent " + definition, "CREATE TABLE made " + definition + "ALTER TABLE made RENAME TO parent;\n"])
  func replaced(engine: TestEngine, making: String) throws {
    guard engine.isOld else { return }
    let trial = try ToolTrial(
      engine, ["1_a.sql": Self.tables + "INSERT INTO parent VALUES (1, NULL);\nINSERT INTO child VALUES (1);\n"])
    #expect(trial.run("migrate").exitCode == 0)
    try trial.write(
      "ALTER TABLE parent RENAME TO old;\n" + making
        + "INSERT INTO parent SELECT id, parent FROM old;\nDROP TABLE old;\n", to: "2_b.sql")
    let outcome = trial.run("migrate")
    #expect(outcome.exitCode == 0, "\(outcome)")
    try trial.use { queue in try queue.write { db in try db.execute(sql: "INSERT INTO child VALUES (1)") } }
  }

  private static let swaps = [
    "ALTER TABLE parent RENAME TO x;\nALTER TABLE child RENAME TO parent;\nALTER TABLE x RENAME TO child;\n",
    "ALTER TABLE parent RENAME TO x;\nALTER TABLE spare RENAME TO parent;\nALTER TABLE x RENAME TO spare;\n",
    "ALTER TABLE parent RENAME TO x;\nALTER TABLE spare RENAME TO parent;\n",
    "ALTER TABLE parent RENAME TO x;\nALTER TABLE spare RENAME TO y;\nALTER TABLE y RENAME TO parent;\n",
    "ALTER TABLE parent RENAME TO x;\nALTER TABLE x RENAME TO parent;\n",
    "ALTER TABLE parent RENAME TO archive;\nCREATE TABLE parent (id INTEGER PRIMARY KEY);\n",
    "ALTER TABLE parent RENAME TO x;\nALTER TABLE x RENAME TO y;\nALTER TABLE y RENAME TO z;\nCREATE TABLE x (a);\n",
  ]

  @Test(
    "What refers to a table that stays follows it, also if another table receives its name",
    arguments: TestEngine.allCases, swaps)
  func swapped(engine: TestEngine, sql: String) throws {
    let trial = try ToolTrial(
      engine, ["1_a.sql": Self.tables + "CREATE TABLE spare (x);\nINSERT INTO parent VALUES (1, NULL);\n"])
    #expect(trial.run("migrate").exitCode == 0)
    try trial.write(sql, to: "2_b.sql")
    let outcome = trial.run("migrate")
    #expect(outcome.exitCode == 0 && !outcome.errors.contains("cannot be used"), "\(outcome)")
    #expect(trial.run("verify").exitCode == 0)
    try trial.use { queue in
      try queue.read { db in
        let id = try Int.fetchOne(db, sql: "SELECT id FROM parents")
        #expect(id == 1)
      }
    }
  }

  @Test(
    "A name that no engine accepts is refused by all", arguments: TestEngine.allCases, ["group", "main.q", "child"])
  func name(engine: TestEngine, name: String) throws {
    let trial = try ToolTrial(engine, ["1_a.sql": Self.tables])
    #expect(trial.run("migrate").exitCode == 0)
    try trial.write("ALTER TABLE parent RENAME TO \(name);\n", to: "2_b.sql")
    let outcome = trial.run("migrate")
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(outcome.errors.contains("near \"") || outcome.errors.contains("this name: child"), "\(outcome)")
  }

  @Test(
    "A view or a trigger with a function of newer engines is warned of", arguments: TestEngine.allCases,
    ["VIEW v AS SELECT iif(id > 1, 1, 0) FROM parent", "TRIGGER v AFTER INSERT ON child BEGIN SELECT unixepoch(); END"])
  func newerFunction(engine: TestEngine, object: String) throws {
    let trial = try ToolTrial(engine, ["1_a.sql": Self.tables + "CREATE \(object);\n"])
    let outcome = trial.run("migrate")
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.contains("\"v\" cannot be used") == engine.isOld, "\(outcome)")
    #expect(outcome.errors.contains("has the function ") == engine.isOld, "\(outcome)")
  }

  private static let booleanDefaults = [
    "CREATE TABLE t (x, a BOOLEAN NOT NULL DEFAULT TRUE)",
    "CREATE TABLE t (x);\nALTER TABLE t ADD COLUMN a DEFAULT True",
    "CREATE TABLE t (x, b, a DEFAULT true CHECK (a))",
    "CREATE TEMP TABLE u (a DEFAULT /* yes */ TRUE);\nCREATE TABLE t (x, a DEFAULT 1)",
  ]

  @Test(
    "TRUE and FALSE are numbers as defaults, or are refused where they would be texts", arguments: TestEngine.allCases,
    booleanDefaults)
  func booleans(engine: TestEngine, sql: String) throws {
    let trial = try ToolTrial(engine, ["1_a.sql": sql + ";\nINSERT INTO t (x) VALUES (7);\n"])
    let outcome = trial.run("migrate")
    guard engine.knowsBooleans else {
      #expect(outcome.exitCode != 0 && outcome.errors.contains("would be the text '"), "\(outcome)")
      #expect(
        outcome.errors.contains("TRUE and FALSE need SQLite 3.23: use a newer library, or write 1."), "\(outcome)")
      return
    }
    #expect(outcome.exitCode == 0, "\(outcome)")
    try trial.use { queue in
      let value = try queue.read { db in try String.fetchOne(db, sql: "SELECT typeof(a) || a FROM t") }
      #expect(value == "integer1")
    }
  }

  @Test("A text or a name that contains these words is not refused", arguments: TestEngine.allCases)
  func ordinary(engine: TestEngine) throws {
    let trial = try ToolTrial(
      engine, ["1_a.sql": "CREATE TABLE t (a DEFAULT 'TRUE', b DEFAULT 1, \"true\", c DEFAULT (0)); -- DEFAULT TRUE\n"])
    #expect(trial.run("migrate").exitCode == 0)
  }
}

extension TestEngine {
  fileprivate var knowsBooleans: Bool {
    (try? inMemoryQueue().read { try Int.fetchOne($0, sql: "SELECT TRUE") }) == 1
  }

  /// Whether renaming a table leaves the keys of others at the old name while foreign keys are off.
  fileprivate var isOld: Bool {
    (try? inMemoryQueue().read { try Row.fetchOne($0, sql: "PRAGMA legacy_alter_table") == nil }) ?? false
  }
}
