import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("ALTER TABLE ... RENAME in a file")
struct RenamedTableTests {
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

  @Test("A table that replaces the renamed one gets the references", arguments: TestEngine.allCases)
  func replaced(engine: TestEngine) throws {
    guard engine.isOld else { return }
    let trial = try ToolTrial(
      engine, ["1_a.sql": Self.tables + "INSERT INTO parent VALUES (1, NULL);\nINSERT INTO child VALUES (1);\n"])
    #expect(trial.run("migrate").exitCode == 0)
    try trial.write(
      "ALTER TABLE parent RENAME TO old;\nCREATE TABLE parent (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id));\n"
        + "INSERT INTO parent SELECT id, parent FROM old;\nDROP TABLE old;\n", to: "2_b.sql")
    let outcome = trial.run("migrate")
    #expect(outcome.exitCode == 0, "\(outcome)")
    try trial.use { queue in try queue.write { db in try db.execute(sql: "INSERT INTO child VALUES (1)") } }
  }
}

extension TestEngine {
  /// Whether renaming a table leaves the keys of others at the old name while foreign keys are off.
  fileprivate var isOld: Bool {
    (try? inMemoryQueue().read { try Row.fetchOne($0, sql: "PRAGMA legacy_alter_table") == nil }) ?? false
  }
}
