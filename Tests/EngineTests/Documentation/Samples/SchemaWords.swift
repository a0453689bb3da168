import Migrator

/// The samples of "Schema changes".
enum SchemaWords {
  static func create(_ db: Database) throws {
    // sample
    try db.create(table: "team") { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text).notNull().unique().collate(.nocase)
    }
    try db.create(table: "player") { t in
      t.autoIncrementedPrimaryKey("id")
      t.belongsTo("team", onDelete: .setNull)
      t.column("name", .text).notNull().indexed()
      t.column("score", .integer).notNull().defaults(to: 0).check(sql: "score >= 0")
      t.column("joined", .date)
    }
    try db.create(indexOn: "player", columns: ["teamId", "score"])
    // end of sample
  }

  static func more(_ db: Database) throws {
    // sample
    try db.create(view: "ranking", as: "SELECT name, score FROM player ORDER BY score DESC")
    try db.create(
      trigger: "player_raised", .after, .update(of: ["score"]), on: "player", when: "NEW.score > OLD.score",
      statements: "UPDATE team SET name = name || '!' WHERE id = NEW.teamId")
    // end of sample
  }

  static func search(_ db: Database) throws {
    // sample
    try db.create(virtualTable: "player_text", using: FTS5()) { t in
      t.synchronize(withTable: "player")
      t.column("name")
    }
    // end of sample
  }

  static func alter(_ db: Database) throws {
    // sample
    try db.alter(table: "player") { t in
      t.rename(column: "score", to: "points")
      t.add(column: "note", .text)
      t.drop(column: "joined")
    }
    // end of sample
  }

  static func change(_ db: Database) throws {
    // sample
    try db.alter(table: "player") { t in
      t.change(column: "note") { c in
        c.notNull()
        c.defaults(to: "")
      }
      t.change(column: "name") { c in c.collate(.nocase) }
      t.addCheck(sql: "points < 1000", named: "plausible")
      t.reorder(columns: ["id", "name"])
    }
    // end of sample
  }

  static func recreate(_ db: Database) throws {
    // sample
    try db.recreate(table: "player", copying: ["points": "min(points, 500)"]) { t in
      t.autoIncrementedPrimaryKey("id")
      t.belongsTo("team", onDelete: .cascade)
      t.column("name", .text).notNull()
      t.column("points", .integer).notNull()
    }
    // end of sample
  }

  static func suggest(from installed: SchemaSnapshot, to wanted: SchemaSnapshot) throws -> SuggestedMigration {
    // sample
    let difference = SchemaDifference(from: installed, to: wanted, leavingOut: ["migrator_history"])
    print(difference)
    let renamed = SchemaHints(renamedTables: ["team": "club"])
    let suggestion = try SuggestedMigration(
      from: installed, to: wanted, hints: renamed, leavingOut: ["migrator_history"])
    print(suggestion.sql)
    // end of sample
    return suggestion
  }
}
