import Migrator

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

  static func everyStart(_ migrator: DatabaseMigrator, newDatabase: () throws -> DatabaseQueue) throws {
    // sample
    for start in migrator.migrations {
      let dbQueue = try newDatabase()
      try migrator.migrate(dbQueue, upTo: start)
      try migrator.migrate(dbQueue)
      let reasons = try dbQueue.read { db in try migrator.schemaChanges(db) }
      guard reasons.isEmpty else { throw UpgradeFailure(start: start, reasons: reasons) }
    }
    // end of sample
  }

  struct UpgradeFailure: Error {
    var start: String
    var reasons: [SchemaChangeReason]
  }
}
