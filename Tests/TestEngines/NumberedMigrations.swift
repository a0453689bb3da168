package import Migrator

/// Migrations that can be identified afterwards: number n creates table `item_n` with rows that contain n.
package enum NumberedMigrations {
  /// Returns a migrator with a number of migrations, each with a number of rows.
  package static func migrator(count: Int, rows: Int) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for number in 0..<count {
      migrator.registerMigration("m\(number)") { db in
        // The log has one row for each run of a migration.
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS log (number INTEGER)")
        try db.execute(literal: "INSERT INTO log VALUES (\(number))")
        try db.create(table: "item_\(number)") { t in
          t.autoIncrementedPrimaryKey("id")
          t.column("number", .integer).notNull()
          t.column("text", .text)
        }
        let insert = try db.makeStatement(sql: "INSERT INTO item_\(number) (number, text) VALUES (?, ?)")
        for row in 0..<rows { try insert.execute(arguments: [number, "row \(row) of migration \(number)"]) }
      }
    }
    return migrator
  }

  /// Returns the defect of a database that such a migrator has migrated, or was killed during; nil when there is none.
  package static func defect(in db: Database, count: Int, rows: Int) throws -> String? {
    let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
    guard integrity == ["ok"] else { return "integrity: \(integrity)" }
    let applied = try migrator(count: count, rows: rows).appliedIdentifiers(db)
    let expected = Set((0..<applied.count).map { "m\($0)" })
    guard applied == expected else { return "not the first ones: \(applied.sorted())" }
    guard !applied.isEmpty else {
      let objects = try db.schema().objects.map(\.name)
      return objects.isEmpty ? nil : "nothing applied, but there is \(objects)"
    }
    let log = try Int.fetchAll(db, sql: "SELECT number FROM log ORDER BY rowid")
    guard log == Array(0..<applied.count) else { return "ran: \(log), applied: \(applied.count)" }
    for number in 0..<count {
      let exists = try db.tableExists("item_\(number)")
      guard exists == (number < applied.count) else { return "item_\(number) exists: \(exists)" }
      guard exists else { continue }
      let found = try Int.fetchOne(db, sql: "SELECT count(*) FROM item_\(number) WHERE number = \(number)")
      guard found == rows else { return "item_\(number) has \(found ?? -1) rows of \(rows)" }
    }
    return nil
  }
}
