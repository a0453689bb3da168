package import Migrator

/// A program that migrates a database alongside unrelated programs, described by its command-line arguments.
package struct RivalMigrator: Sendable {
  /// The prefix of its tables' and migrations' names.
  package var prefix: String

  /// Its ledger.
  package var ledgerTable = "migrator_history"

  /// The number of its migrations.
  package var count = 5

  /// Its edition: the second one has other identifiers, and tables of the same names with an additional column.
  package var edition = 1

  /// Whether it erases the database when its migrations have changed.
  package var isErasing = false

  /// Creates a first edition that does not erase.
  package init(prefix: String, ledgerTable: String) {
    self.prefix = prefix
    self.ledgerTable = ledgerTable
  }

  /// Parses ``arguments``; nil when they are not valid.
  package init?(arguments: [String]) {
    guard arguments.count == 5, let count = Int(arguments[2]), let edition = Int(arguments[3]) else { return nil }
    self.init(prefix: arguments[0], ledgerTable: arguments[1])
    (self.count, self.edition, isErasing) = (count, edition, arguments[4] == "erasing")
  }

  /// The arguments for the command line of another process.
  package var arguments: [String] {
    [prefix, ledgerTable, "\(count)", "\(edition)", isErasing ? "erasing" : "keeping"]
  }

  /// The identifiers of the migrations.
  package var identifiers: [String] { (0..<count).map { "\(prefix)\($0)\(edition == 1 ? "" : " again")" } }

  /// The migrations: each creates a table of three rows, at once, in batches or without a transaction, and writes a
  /// log.
  package var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator(ledgerTable: ledgerTable)
    migrator.eraseDatabaseOnSchemaChange = isErasing
    let columns = edition == 1 ? "number" : "number, again"
    for (number, identifier) in identifiers.enumerated() {
      let (table, log) = ("\(prefix)_\(number)", "\(prefix)_log")
      let make = { @Sendable (db: Database) in
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS \(log) (number); INSERT INTO \(log) VALUES (\(number))")
        try db.execute(sql: "CREATE TABLE \(table) (\(columns)); CREATE INDEX \(table)_i ON \(table) (number)")
      }
      let fill = { @Sendable (db: Database) in try db.execute(sql: "INSERT INTO \(table) (number) VALUES (\(number))") }
      switch number % 3 {
      case 0:
        migrator.registerMigration(identifier) { db in
          try make(db)
          for _ in 0..<3 { try fill(db) }
        }
      case 1:
        migrator.registerBatchedMigration(identifier) { db, cursor in
          let batch = Int.fromDatabaseValue(cursor) ?? 0
          if batch == 0 { try make(db) }
          try fill(db)
          return batch == 2 ? .done : .next(from: batch + 1)
        }
      default:
        migrator.registerUnwrappedMigration(identifier) { db in
          try make(db)
          for _ in 0..<3 { try fill(db) }
        }
      }
    }
    return migrator
  }

  /// Returns the defect of this program's work in a database (missing, duplicated, or of the other edition); nil when
  /// there is none.
  package func defect(in db: Database) throws -> String? {
    let applied = try migrator.history(db).map(\.identifier).filter { $0.hasPrefix(prefix) }
    guard applied == identifiers else { return "\(ledgerTable) has \(applied) of \(identifiers)" }
    let log = try Int.fetchAll(db, sql: "SELECT number FROM \(prefix)_log ORDER BY rowid")
    guard log == Array(0..<count) else { return "\(prefix) ran \(log)" }
    for number in 0..<count {
      let rows = try Int.fetchAll(db, sql: "SELECT number FROM \(prefix)_\(number)")
      guard rows == [number, number, number] else { return "\(prefix)_\(number) has \(rows)" }
      guard try db.columns(in: "\(prefix)_\(number)").count == edition else { return "\(prefix)_\(number): columns" }
    }
    return nil
  }
}
