import Foundation
import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

/// SQLite 3.40 reads the wrong column when its integrity check looks for NULL in a table WITHOUT ROWID.
@Suite("The integrity check of verify")
struct IntegrityTests {
  /// The key's columns are not the first ones, so the stored order of the columns is another than the declared order.
  ///
  /// Engines before 3.16 only check tables that have an index.
  private static let table = """
    CREATE TABLE "a tag" (
      post TEXT NOT NULL, weight INT NOT NULL, note TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (name, post)
    ) WITHOUT ROWID;
    CREATE TABLE plain (x INT NOT NULL UNIQUE);
    """

  private static func trial(_ engine: TestEngine, rowCount: Int) throws -> ToolTrial {
    let trial = try ToolTrial(engine, ["1_tag.sql": table])
    try #require(trial.run("migrate").exitCode == 0)
    try trial.use { queue in
      try queue.write { db in
        for number in 1...rowCount {
          try db.execute(sql: "INSERT INTO \"a tag\" VALUES ('p', 1, 'x', '\(number)')")
        }
        try db.execute(sql: "INSERT INTO plain VALUES (1)")
      }
    }
    return trial
  }

  /// Puts NULL into a column that is declared NOT NULL, as a program does that edits the stored definition.
  private static func violate(_ trial: ToolTrial, _ column: String, update: String) throws {
    for (definition, sql) in [("\(column)", update), ("\(column) NOT NULL", "SELECT 1")] {
      let old = definition == column ? "\(column) NOT NULL" : column
      // Each connection reads the definitions once, when it is opened.
      try trial.use { queue in
        try queue.writeWithoutTransaction { db in
          try db.execute(
            sql: """
              PRAGMA writable_schema = ON;
              UPDATE sqlite_master SET sql = replace(sql, '\(old)', '\(definition)');
              PRAGMA writable_schema = OFF;
              """)
        }
      }
      try trial.use { queue in try queue.write { db in try db.execute(sql: sql) } }
    }
  }

  @Test("An intact table without rowids passes, however many rows it has", arguments: TestEngine.allCases, [1, 30])
  func intact(engine: TestEngine, rowCount: Int) throws {
    let trial = try Self.trial(engine, rowCount: rowCount)
    let outcome = trial.run("verify")
    #expect(outcome.exitCode == 0, "\(outcome.text)")
    #expect(outcome.text.contains("tables and indexes are intact"), "\(outcome.text)")
  }

  @Test(
    "A NULL value that violates a constraint is reported, also after many false reports",
    arguments: TestEngine.allCases, [("a tag", "note TEXT"), ("plain", "x INT")])
  func violated(engine: TestEngine, place: (table: String, column: String)) throws {
    let trial = try Self.trial(engine, rowCount: 30)
    let name = String(place.column.prefix { $0 != " " })
    let row = place.table == "plain" ? "" : " WHERE name = '7'"
    try Self.violate(trial, place.column, update: "UPDATE \"\(place.table)\" SET \(name) = NULL\(row)")
    let outcome = trial.run("verify")
    #expect(outcome.exitCode == 1, "\(outcome.text)")
    #expect(outcome.text.contains("NULL value in \(place.table).\(name)"), "\(outcome.text)")
    #expect(!outcome.text.contains("a tag.weight"), "\(outcome.text)")
  }

  @Test("Pages that nothing uses are no reason to restore a backup", arguments: TestEngine.allCases, [false, true])
  func unusedPages(engine: TestEngine, hasFreePages: Bool) throws {
    let trial = try ToolTrial(engine, ["1_t.sql": "CREATE TABLE t (x);\nCREATE INDEX i ON t (x);\n"])
    try #require(trial.run("migrate").exitCode == 0)
    try trial.use { queue in
      try queue.writeWithoutTransaction { db in
        if hasFreePages { try db.execute(sql: "CREATE TABLE u (x); DROP TABLE u") }
        try db.execute(
          sql: "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'i'; PRAGMA writable_schema = OFF")
      }
    }
    let outcome = trial.run("verify")
    #expect(outcome.exitCode == 1 && outcome.text.contains("never used"), "\(outcome.text)")
    #expect(outcome.text.contains("run VACUUM") && !outcome.text.contains("Restore a backup"), "\(outcome.text)")
    #expect(!outcome.text.contains("*** in database"), "\(outcome.text)")
    try trial.use { queue in try queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM") } }
    #expect(trial.run("verify").text.contains("tables and indexes are intact"))
  }

  @Test("A row that violates a CHECK constraint is reported", arguments: TestEngine.allCases)
  func check(engine: TestEngine) throws {
    let table = "CREATE TABLE \"a \"\"t\"\"\" (x INT CHECK (x > 0), y TEXT, CHECK (\"a \"\"t\"\"\".y <> 'no' -- y\n));"
    let trial = try ToolTrial(engine, ["1_t.sql": table])
    try #require(trial.run("migrate").exitCode == 0)
    for (row, isValid) in [("1, 'yes'", true), ("NULL, NULL", true), ("0, 'yes'", false), ("1, 'no'", false)] {
      try trial.use { queue in
        try queue.writeWithoutTransaction { db in
          try db.execute(
            sql: """
              PRAGMA ignore_check_constraints = ON;
              DELETE FROM "a ""t\""";
              INSERT INTO "a ""t\""" VALUES (\(row));
              PRAGMA ignore_check_constraints = OFF;
              """)
        }
      }
      let outcome = trial.run("verify")
      #expect(outcome.exitCode == (isValid ? 0 : 1), "\(row): \(outcome.text)")
      #expect(outcome.text.contains("CHECK constraint failed in a \"t\"") != isValid, "\(row): \(outcome.text)")
    }
  }
}
