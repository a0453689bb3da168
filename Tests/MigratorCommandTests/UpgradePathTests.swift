import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("Upgrade paths")
struct UpgradePathTests {
  @Test(
    "A migration with a different result in a database that was migrated in several runs is found",
    arguments: TestEngine.allCases)
  func differing(engine: TestEngine) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("one") { db in try db.execute(sql: "CREATE TABLE a (b)") }
    migrator.registerMigration("two") { db in try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS t AS SELECT 1") }
    migrator.registerMigration("three") { db in
      // Depends on state from earlier runs, as with a cache.
      let runs = try Int.fetchOne(db, sql: "SELECT count(*) FROM migrator_history WHERE identifier = 'two'") ?? 0
      let times = try String.fetchAll(db, sql: "SELECT DISTINCT substr(applied_at, 1, 4) FROM migrator_history")
      try db.execute(sql: "CREATE TABLE c\(runs)\(times.count) (d)")
    }
    #expect(Self.run(migrator, engine).exitCode == 0)
    // Counts the databases: each path creates a different table.
    let count = Lock(0)
    migrator.registerMigration("four") { db in
      let number = count.withLock { count in
        count += 1
        return count
      }
      try db.execute(sql: "CREATE TABLE d\(number) (e)")
    }
    let outcome = Self.run(migrator, engine)
    #expect(outcome.exitCode == 1)
    #expect(outcome.text.contains("a database at one ends in a different schema"), "\(outcome.text)")
    #expect(outcome.text.contains("+ table d"), "\(outcome.text)")
  }

  @Test("Rows that depend on the run are found", arguments: TestEngine.allCases)
  func differingRows(engine: TestEngine) throws {
    let tables = "CREATE TABLE a (id INTEGER PRIMARY KEY, b); CREATE TABLE c (d);\nINSERT INTO a (b) VALUES (5), (6);\n"
    for (text, line) in [
      ("INSERT INTO c VALUES (last_insert_rowid());", "table \"c\" has other values in \"d\""),
      ("DELETE FROM a WHERE last_insert_rowid() = 0;", "table \"a\" has 0 rows instead of 2"),
      ("UPDATE a SET b = CASE WHEN last_insert_rowid() = 0 THEN b ELSE 11 - b END;", "table \"a\" has other rows"),
    ] {
      let trial = try ToolTrial(engine, ["1_tables.sql": tables, "2_rows.sql": text])
      let check = trial.run("check", usesDatabase: false)
      #expect(check.exitCode == 1)
      #expect(check.text.contains("a database at 1_tables ends with different rows \(line)"), "\(check.output)")
    }
  }

  @Test("Rows that differ from run to run are no finding", arguments: TestEngine.allCases)
  func varyingRows(engine: TestEngine) throws {
    let trial = try ToolTrial(
      engine,
      [
        "1_tables.sql": "CREATE TABLE a (id INTEGER PRIMARY KEY, b, c); CREATE TABLE d (e);",
        // With few rows, all runs might insert the same number of them.
        "2_rows.sql": """
        INSERT INTO a (b, c) VALUES (random(), 1), (strftime('%f', 'now'), 2);
        INSERT INTO d SELECT 1 FROM a, a, a, a, a, a WHERE random() % 2;
        """,
      ])
    #expect(trial.run("check", usesDatabase: false).output.contains("2 paths end in the same schema and rows"))
    try trial.write("INSERT INTO a (b, c) VALUES (random(), last_insert_rowid());", to: "3_more.sql")
    let check = trial.run("check", usesDatabase: false)
    #expect(check.text.contains("has other values in \"c\""), "\(check.output)")
  }

  @Test(
    "A table that is empty in some runs differs from run to run in all of its columns", arguments: TestEngine.allCases)
  func sometimesEmpty(engine: TestEngine) {
    var migrator = DatabaseMigrator()
    let count = Lock(0)
    migrator.registerMigration("one") { db in try db.execute(sql: "CREATE TABLE a (b)") }
    migrator.registerMigration("two") { db in
      let number = count.withLock { count in
        count += 1
        return count
      }
      // The direct path has one row, the other path has two, and the repetitions have none.
      for row in 0..<(number > 2 ? 0 : number) { try db.execute(literal: "INSERT INTO a VALUES (\(row))") }
    }
    let outcome = Self.run(migrator, engine)
    #expect(outcome.text.contains("2 paths end in the same schema and rows"), "\(outcome.text)")
  }

  @Test("A migration that fails on only one path is found, with the reason")
  func failing() {
    var migrator = DatabaseMigrator()
    let count = Lock(0)
    migrator.registerMigration("one") { db in try db.execute(sql: "CREATE TABLE a (b)") }
    migrator.registerMigration("two") { db in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      try db.execute(sql: isFirst ? "CREATE TABLE c (d)" : "CREATE TABLE a (b)")
    }
    let outcome = Self.run(migrator, .sqlite)
    #expect(outcome.exitCode == 1)
    #expect(outcome.text.contains("a database at one cannot be migrated to the end"), "\(outcome.text)")
  }

  private static func run(_ migrator: DatabaseMigrator, _ engine: TestEngine) -> ToolTrial.Outcome {
    let backend = ToolBackend(name: "test") { location throws(DatabaseError) in engine.backend(path: location.path) }
    return MigratorTool(name: "app", migrator: migrator, backends: [backend]).outcome(of: ["check"])
  }
}
