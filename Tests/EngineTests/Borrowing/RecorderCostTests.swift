import Foundation
import Migrator
import TestEngines
import Testing

/// The recorder without an authorizer finds the tables that a migration touches, so other large tables are not checked.
@Suite("Borrowed connections: the cost of checks", .serialized)
struct RecorderCostTests {
  /// MIGRATOR_SOAK=1 takes a million rows.
  private static let rows = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] == nil ? 300_000 : 1_000_000

  @Test("Ten small migrations beside many rows that refer elsewhere take about the time of an own connection")
  func small() throws {
    let engine = TestEngine.sqlite
    let own = try duration(on: engine) { path, migrator in
      let dbQueue = try engine.queue(path: path)
      try migrator.migrate(dbQueue)
      try dbQueue.close()
    }
    let borrowed = try duration(on: engine) { path, migrator in
      let connection = try AppConnection(engine, path: path)
      try connection.execute("PRAGMA foreign_keys = 1")
      try migrator.migrate(connection.borrowed())
    }
    print("ten small migrations beside \(Self.rows) rows: own \(own), borrowed \(borrowed)")
    // A check of the large table in each migration would take much longer than that.
    #expect(borrowed < own * 2 + .milliseconds(150))
  }

  private func duration(on engine: TestEngine, _ run: (String, DatabaseMigrator) throws -> Void) throws -> Duration {
    let path = try engine.temporaryPath()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("many") { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          INSERT INTO parent VALUES (1), (2), (3);
          CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent (id));
          WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
          INSERT INTO child SELECT i, i % 3 + 1 FROM n;
          """)
    }
    let dbQueue = try engine.queue(path: path)
    try migrator.migrate(dbQueue)
    try dbQueue.close()
    for number in 0..<10 {
      migrator.registerMigration("small \(number)") { db in
        try db.execute(
          sql: """
            CREATE TABLE small_\(number) (id INTEGER PRIMARY KEY, other REFERENCES small_0 (id));
            INSERT INTO small_\(number) VALUES (1, NULL);
            ALTER TABLE small_0 ADD COLUMN c\(number);
            UPDATE small_0 SET c\(number) = 1;
            """)
      }
    }
    return try ContinuousClock().measure { try run(path, migrator) }
  }
}
