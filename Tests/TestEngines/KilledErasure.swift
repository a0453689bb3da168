package import Migrator

/// The erasure of a development database whose migrations were edited, in each mode, for tests that kill it at any moment.
package enum KilledErasure: String, CaseIterable, Sendable {
  /// A backup is kept.
  case keepingBackup
  /// The rows are restored.
  case keepingRows
  /// Nothing is kept.
  case silent

  /// The number of rows that the user has typed into each table.
  package static let rows = 300

  /// Returns the migrator of the app before or after the edit, which adds a column and another migration.
  package func migrator(isEdited: Bool) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = true
    migrator.erasure =
      switch self {
      case .keepingBackup: .keepingBackup
      case .keepingRows: .keepingRows()
      case .silent: .silent
      }
    migrator.notify = { _ in }
    migrator.registerMigration("Create teams") { db in
      try db.create(table: "team") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text)
      }
      try db.execute(sql: "INSERT INTO team (name) VALUES ('of the migration')")
    }
    migrator.registerMigration("Create players") { db in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("team", onDelete: .cascade)
        t.column("name", .text)
        if isEdited { t.column("score", .integer) }
      }
    }
    if isEdited { migrator.registerMigration("Create games") { db in try db.execute(sql: "CREATE TABLE game (a)") } }
    return migrator
  }

  /// Adds the user's rows to a database, after those that it has.
  package static func type(_ db: Database, name: String = "typed") throws {
    let team = try db.makeStatement(sql: "INSERT INTO team (name) VALUES (?)")
    let player = try db.makeStatement(sql: "INSERT INTO player (teamId, name) VALUES (?, ?)")
    for number in 1...rows {
      try team.execute(arguments: ["\(name) team \(number)"])
      try player.execute(arguments: [db.lastInsertedRowID, "\(name) player \(number)"])
    }
  }

  /// The state of a database after a kill.
  package enum State: Hashable, Sendable {
    /// The schema before the edit, with the number of typed players.
    case old(players: Int)
    /// A database that is erased, and that lacks some or all migrations.
    case erased
    /// The schema after the edit, with the number of typed players.
    case new(players: Int)
    /// A database that is in no such state.
    case defect(String)
  }

  /// Returns the state of a database.
  ///
  /// - Parameter name: The name that was passed to ``type(_:name:)`` for the rows to count.
  package static func state(of db: Database, countingRowsOf name: String = "typed") throws -> State {
    let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
    guard integrity == ["ok"] else { return .defect("integrity: \(integrity)") }
    guard try db.foreignKeyViolations().next() == nil else { return .defect("orphans") }
    guard try db.tableExists("player") else { return .erased }
    let count =
      "SELECT count(*) FROM player JOIN team ON team.id = teamId WHERE player.name LIKE ? AND team.name LIKE ?"
    let players = try Int.fetchOne(db, sql: count, arguments: ["\(name) %", "\(name) %"]) ?? 0
    guard players == 0 || players == rows else { return .defect("\(players) of \(rows) players") }
    let made = try Int.fetchOne(db, sql: "SELECT count(*) FROM team WHERE name = 'of the migration'")
    guard made == 1 else { return .defect("\(made ?? 0) rows of the migration") }
    guard try db.columns(in: "player").contains(where: { $0.name == "score" }) else { return .old(players: players) }
    return try db.tableExists("game") ? .new(players: players) : .erased
  }
}
