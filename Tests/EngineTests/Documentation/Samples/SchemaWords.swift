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
    if db.engine.abilities.contains(.fts5) {
      try db.create(virtualTable: "player_text", using: FTS5()) { t in
        t.synchronize(withTable: "player")
        t.column("name")
      }
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
        c.copying(sql: "coalesce(note, '')")
      }
      t.addUniqueKey(["teamId", "name"])
    }
    // end of sample
  }

  static func recreate(_ db: Database) throws {
    // sample
    try db.recreate(table: "team", copying: ["title": "upper(name)"]) { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text).notNull()
      t.column("title", .text).notNull()
    }
    // end of sample
  }
}
