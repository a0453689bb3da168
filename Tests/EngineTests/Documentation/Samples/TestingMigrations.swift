import Migrator
import MigratorTestKit

/// The samples of "Testing your migrations".
enum TestingMigrations {
  static func stepByStep(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) throws -> [String] {
    // sample
    try migrator.migrate(dbQueue, upTo: "Create players")
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO player (name) VALUES ('Ada Lovelace')")
    }
    try migrator.migrate(dbQueue)
    let names = try dbQueue.read { db in
      try String.fetchAll(db, sql: "SELECT firstName || '|' || lastName FROM player")
    }
    // end of sample
    return names
  }

  static func records(_ migrator: DatabaseMigrator, _ makeBackend: @escaping @Sendable () throws -> any DatabaseBackend)
    throws
  {
    // sample
    try UpgradeTest(migrator, makeBackend: makeBackend).requireTables([
      ExpectedTable(
        "player",
        [
          ExpectedColumn("id", .integer), ExpectedColumn("firstName", .text, isOptional: true),
          ExpectedColumn("lastName", .text, isOptional: true), ExpectedColumn("name", .text),
        ])
    ])
    // end of sample
  }

  static func matrix(_ migrator: DatabaseMigrator, _ makeBackend: @escaping @Sendable () throws -> any DatabaseBackend)
    throws
  {
    // sample
    let test = UpgradeTest(migrator, makeBackend: makeBackend)
    try test.runMatrix(seeds: [
      "Create players": { db in try db.execute(sql: "INSERT INTO player (name) VALUES ('Ada Lovelace')") }
    ])
    // end of sample
  }
}
