package import Migrator

/// Schema changes that drop, rename or rewrite something and undo it, for tests that kill them at any moment.
package enum KilledChange: String, CaseIterable, Sendable {
  /// A column is renamed and renamed back.
  case renameColumn
  /// A column is dropped and added again.
  case dropColumn
  /// A table is recreated under its name.
  case recreateTable
  /// A table is renamed and renamed back.
  case renameTable
  /// Everything is erased and recreated.
  case erase

  /// The number of rows in each table, regardless of when the process was killed.
  package static let rows = 500

  /// Creates the database that the changes work on.
  package static func prepare(_ db: Database) throws {
    try db.create(table: "team", options: .ifNotExists) { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text)
    }
    try db.create(table: "player", options: .ifNotExists) { t in
      t.autoIncrementedPrimaryKey("id")
      t.belongsTo("team", onDelete: .cascade)
      t.column("name", .text)
      t.column("note", .text)
    }
    let team = try db.makeStatement(sql: "INSERT INTO team (name) VALUES (?)")
    let player = try db.makeStatement(sql: "INSERT INTO player (teamId, name, note) VALUES (?, ?, NULL)")
    for number in 1...rows {
      try team.execute(arguments: ["team \(number)"])
      try player.execute(arguments: [number, "player \(number)"])
    }
  }

  /// Makes the change, or undoes it if it was already made, in one transaction.
  package func run(_ dbQueue: DatabaseQueue, ledgerTable: String) throws {
    if self == .erase {
      try dbQueue.writeWithoutTransaction { db in
        try db.withoutForeignKeys {
          try db.inTransaction {
            try db.eraseInTransaction()
            try Self.prepare(db)
            return .commit
          }
        }
      }
      return
    }
    var migrator = DatabaseMigrator(ledgerTable: ledgerTable)
    migrator.registerMigration("change") { db in try apply(db) }
    try migrator.migrate(dbQueue)
    try dbQueue.writeWithoutTransaction { db in try db.drop(table: ledgerTable) }
  }

  private func apply(_ db: Database) throws {
    switch self {
    case .renameColumn:
      let old = try db.columns(in: "player").contains { $0.name == "name" }
      try db.alter(table: "player") { t in
        t.rename(column: old ? "name" : "nickname", to: old ? "nickname" : "name")
      }
    case .dropColumn:
      if try db.columns(in: "player").contains(where: { $0.name == "note" }) {
        try db.alter(table: "player") { t in t.drop(column: "note") }
      } else {
        try db.alter(table: "player") { t in t.add(column: "note", .text) }
      }
    case .recreateTable:
      try db.create(table: "new_team") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
      try db.execute(sql: "INSERT INTO new_team SELECT * FROM team")
      try db.drop(table: "team")
      try db.rename(table: "new_team", to: "team")
    case .renameTable:
      let exists = try db.tableExists("team")
      try db.rename(table: exists ? "team" : "guild", to: exists ? "guild" : "team")
    case .erase: break
    }
  }

  /// Returns the defect of a database after a kill; nil when there is none.
  package static func defect(in db: Database) throws -> String? {
    let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
    guard integrity == ["ok"] else { return "integrity: \(integrity)" }
    let team = try db.tableExists("team") ? "team" : "guild"
    for table in [team, "player"] {
      let found = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)")
      guard found == rows else { return "\(table) has \(found ?? -1) rows of \(rows)" }
    }
    guard try db.foreignKeys(on: "player").map(\.destinationTable) == [team] else { return "player refers elsewhere" }
    guard try db.foreignKeyViolations().next() == nil else { return "orphans" }
    guard try db.schema().object(.index, named: "player_on_teamId") != nil else { return "the index is missing" }
    return nil
  }
}
