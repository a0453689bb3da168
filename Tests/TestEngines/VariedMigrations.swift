package import Migrator

/// Migrations that use each kind of change, for tests that make an operation fail at any moment.
package enum VariedMigrations {
  private static let steps: [(name: String, run: @Sendable (Database) throws -> Void)] = [
    (
      "tables",
      { db in
        try db.create(table: "team") { t in
          t.autoIncrementedPrimaryKey("id")
          t.column("name", .text).notNull().unique()
        }
        try db.create(table: "player") { t in
          t.autoIncrementedPrimaryKey("id")
          t.belongsTo("team", onDelete: .cascade)
          t.column("name", .text)
          t.column("note", .text)
        }
        for number in 1...30 {
          try db.execute(sql: "INSERT INTO team (name) VALUES (?)", arguments: ["team \(number)"])
          try db.execute(
            sql: "INSERT INTO player (teamId, name) VALUES (?, ?)", arguments: [number, "player \(number)"])
        }
      }
    ),
    (
      "objects",
      { db in
        try db.execute(
          sql: """
            CREATE VIEW full AS SELECT player.name AS player, team.name AS team FROM player JOIN team ON team.id = teamId;
            CREATE INDEX player_on_name ON player (name DESC) WHERE note IS NULL;
            CREATE TRIGGER note AFTER UPDATE OF name ON player BEGIN UPDATE player SET note = old.name WHERE id = new.id; END;
            CREATE VIRTUAL TABLE search USING fts4 (body);
            INSERT INTO search (body) SELECT player || ' of ' || team FROM full ORDER BY team DESC;
            """)
      }
    ),
    ("rename", { db in try db.alter(table: "player") { t in t.rename(column: "name", to: "nickname") } }),
    (
      "rebuild",
      { db in
        try db.alter(table: "player") { t in
          t.change(column: "nickname") { c in
            c.type(.blob)
            c.notNull()
          }
          t.add(column: "age", .integer).defaults(to: 7)
        }
      }
    ),
    (
      "rows",
      { db in
        try db.execute(
          sql: """
            UPDATE player SET nickname = upper(nickname) WHERE id % 3 = 0;
            DELETE FROM player WHERE teamId > 25; DELETE FROM team WHERE id > 25;
            INSERT INTO team (name) SELECT DISTINCT nickname FROM player ORDER BY nickname LIMIT 5;
            """)
      }
    ),
    (
      "removals",
      { db in
        try db.drop(view: "full")
        try db.alter(table: "player") { t in t.drop(column: "age") }
        try db.rename(table: "team", to: "club")
      }
    ),
  ]

  /// The migrator of all migrations.
  package static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for step in steps { migrator.registerMigration(step.name, migrate: step.run) }
    return migrator
  }

  /// Returns the state after each number of migrations, from none, on an engine.
  package static func states(_ engine: TestEngine) throws -> [[String]] {
    let dbQueue = try engine.inMemoryQueue()
    return try [try dbQueue.read(state)]
      + steps.map { step in
        try migrator.migrate(dbQueue, upTo: step.name)
        return try dbQueue.read(state)
      }
  }

  /// Returns the number of applied migrations of a database, and its defect; nil when it has the state of that number.
  package static func defect(_ db: Database, states: [[String]]) throws -> (count: Int, text: String?) {
    let count = try migrator.appliedMigrations(db).count
    let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
    guard integrity == ["ok"] else { return (count, "\(integrity)") }
    let state = try state(db)
    return (count, state == states[count] ? nil : "\(state), and not \(states[count]), after \(count) migrations")
  }

  /// Returns the definitions and the rows, without the ledger's times.
  private static func state(_ db: Database) throws -> [String] {
    let objects = try db.schema().objects
    var state = objects.map { "\($0.name) \($0.sql ?? "")" }.filter { !$0.hasPrefix("migrator_history") }.sorted()
    for table in objects where table.kind == .table && !table.isVirtual && table.name != "migrator_history" {
      let columns = try db.columns(in: table.name).map { "quote(\"\($0.name)\")" }
      let row = columns.joined(separator: " || ',' || ")
      state += try String.fetchAll(db, sql: "SELECT \(row) FROM \"\(table.name)\" ORDER BY 1")
    }
    return state
  }
}
