import Migrator
import TestEngines
import Testing

@Suite("Altering tables")
struct AlterTableTests {
  static let schema = """
    PRAGMA foreign_keys = OFF;
    CREATE TABLE log(x);
    CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE player ( -- players
      id INTEGER PRIMARY KEY AUTOINCREMENT, /* the name */ "name" VARCHAR(10) COLLATE NOCASE,
      [team id] INTEGER REFERENCES team ON DELETE CASCADE, score CONSTRAINT positive CHECK (score >= 0) DEFAULT 5,
      friend REFERENCES player(id) DEFERRABLE INITIALLY DEFERRED, -- itself
      CONSTRAINT once UNIQUE ("name", [team id]) ON CONFLICT IGNORE
    );
    CREATE INDEX byScore ON player(score DESC) WHERE score > 1;
    CREATE TRIGGER changed AFTER UPDATE ON player BEGIN INSERT INTO log VALUES (NEW.name); END;
    CREATE TRIGGER elsewhere AFTER INSERT ON team BEGIN UPDATE player SET score = 1 WHERE [team id] = NEW.id; END;
    CREATE TEMP TRIGGER passing AFTER DELETE ON player BEGIN INSERT INTO log VALUES ('gone'); END;
    CREATE VIEW best AS SELECT name, max(score) AS top FROM player;
    CREATE TABLE game(player INTEGER REFERENCES player(id) ON DELETE CASCADE);
    INSERT INTO team VALUES (1, 'red');
    INSERT INTO player VALUES (1, 'Ann', 1, 3, NULL), (4, 'Bob', 1, NULL, 1), (9, NULL, NULL, 7, 4), (50, 'x', 1, 1, 1);
    DELETE FROM player WHERE id = 50;
    INSERT INTO game VALUES (1), (4);
    DELETE FROM log;
    ANALYZE;
    """

  private func alter(
    _ engine: TestEngine, _ body: (TableAlteration) throws -> Void, _ check: (Database) throws -> Void
  ) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: Self.schema)
      let before = try Surroundings(db)
      try db.inTransaction {
        try db.alter(table: "player", body: body)
        return .commit
      }
      #expect(try Surroundings(db) == before)
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
      try db.checkForeignKeys()
      try check(db)
      // The counter, the triggers and the cascade still work.
      try db.execute(sql: "INSERT INTO player(name) VALUES ('new')")
      #expect(db.lastInsertedRowID == 51)
      try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 4; DELETE FROM player WHERE id = 51")
      #expect(try String.fetchAll(db, sql: "SELECT x FROM log ORDER BY rowid") == ["Bob", "gone"])
    }
  }

  private func definition(_ db: Database, _ name: String = "player") throws -> String {
    try #require(try db.schema().object(.table, named: name)?.sql)
  }

  @Test("a column's type changes, and nothing else in the text", arguments: TestEngine.allCases)
  func type(engine: TestEngine) throws {
    try alter(engine) { t in
      t.change(column: "NAME") { c in c.type("VARCHAR(99)") }
      t.change(column: "score") { c in c.type(.integer) }
    } _: { db in
      let before = try #require(Self.schema.split(separator: ";").first { $0.contains("CREATE TABLE player") })
      let expected = before.replacing("VARCHAR(10)", with: "VARCHAR(99)")
        .replacing("score CONSTRAINT", with: "score INTEGER CONSTRAINT").replacing(
          "\nCREATE TABLE player ", with: "CREATE TABLE player ")
      #expect(try definition(db) == expected)
      #expect(
        try String.fetchAll(db, sql: "SELECT typeof(score) FROM player ORDER BY id") == ["integer", "null", "integer"])
    }
  }

  @Test("a change does not join words or quotes that no space separates", arguments: TestEngine.allCases)
  func adjacentWords(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          CREATE TABLE p (id INTEGER PRIMARY KEY);
          CREATE TABLE t (a VARCHAR(10)NOT NULL, b"INT"NOT NULL, "c"NOT NULL, d DECIMAL(9)REFERENCES p, e"TEXT"DEFAULT'x');
          CREATE VIEW v AS SELECT "u".a FROM t"u";
          """)
      try db.alter(table: "t") { t in
        t.change(column: "a") { c in c.type("TEXT") }
        t.change(column: "b") { c in c.type(nil) }
        t.change(column: "c") { c in c.type("INT") }
        t.change(column: "d") { c in c.type("INT") }
        t.rename(column: "e", to: "f")
      }
      try db.rename(table: "t", to: "w")
      let columns = try db.columns(in: "w").map { "\($0.name) \($0.type) \($0.isNotNull)" }
      #expect(columns == ["a TEXT true", "b  true", "c INT true", "d INT false", "f TEXT false"])
      #expect(try db.foreignKeys(on: "w").map(\.destinationTable) == ["p"])
      try db.execute(sql: "INSERT INTO w (a, b, c) VALUES (1, 2, 3)")
      #expect(try String.fetchOne(db, sql: "SELECT a FROM v") == "1")
      #expect(try String.fetchOne(db, sql: "SELECT f FROM w") == "x")
    }
  }

  @Test("no comment begins where an operator lost the name before its operand", arguments: TestEngine.allCases)
  func adjacentOperators(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          CREATE TABLE t (a, b, CHECK (a-t.-- the other
          b > 0)); INSERT INTO t VALUES (3, 1)
          """)
      try db.inTransaction {
        try db.alter(table: "t") { t in t.change(column: "a") { c in c.type("INT") } }
        return .commit
      }
      try db.execute(sql: "INSERT INTO t VALUES (4, 1)")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (1, 4)") }
    }
  }

  @Test(
    "constraints without commas between them are dropped", arguments: TestEngine.allCases,
    [
      ("a, UNIQUE(a) CHECK(a>0), CHECK(a>0)", "a, UNIQUE(a)"),
      ("a, CHECK(a>0) CHECK(a>0)", "a"),
      ("a, CHECK(a>0) UNIQUE(a) CHECK(a>0), CHECK(a>0) CHECK(a<9)", "a, UNIQUE(a), CHECK(a<9)"),
      ("a, CONSTRAINT u UNIQUE(a) CHECK(a>0), CHECK(a<9)", "a, CONSTRAINT u UNIQUE(a), CHECK(a<9)"),
      ("a CHECK(a>0), CHECK(a>0) /* one */ CHECK(a>0), UNIQUE(a)", "a, UNIQUE(a)"),
      ("a CHECK(a>0), CHECK(a>0)", "a"),
    ])
  func constraintsWithoutCommas(engine: TestEngine, definitions: (before: String, after: String)) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; CREATE TABLE t(\(definitions.before)); INSERT INTO t VALUES (3)")
      let named = definitions.before.replacing("CHECK(a>0)", with: "CONSTRAINT c CHECK(a>0)")
      try db.execute(sql: "CREATE TABLE u(\(named)); INSERT INTO u VALUES (3)")
      try db.inTransaction {
        try db.alter(table: "t") { t in t.dropCheck(sql: "a > 0") }
        try db.alter(table: "u") { t in t.drop(constraint: "C") }
        return .commit
      }
      for table in ["t", "u"] {
        let sql = try #require(try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = '\(table)'"))
        #expect(sql.replacing(" /* one */", with: "").contains("(\(definitions.after))"), "\(sql)")
        try db.execute(sql: "INSERT INTO \(table) VALUES (-1)")
        #expect(try Int.fetchAll(db, sql: "SELECT a FROM \(table)") == [3, -1])
      }
    }
  }

  @Test("NOT NULL is added and removed; NULL becomes the default", arguments: TestEngine.allCases)
  func notNull(engine: TestEngine) throws {
    try alter(engine) { t in
      t.change(column: "score") { c in c.notNull() }
      t.change(column: "name") { c in
        c.notNull(onConflict: .abort)
        c.copying(sql: "coalesce(name, 'unknown')")
      }
    } _: { db in
      #expect(
        try Row.fetchAll(db, sql: "SELECT name, score FROM player ORDER BY id").map { try $0["name"] as String } == [
          "Ann", "Bob", "unknown",
        ])
      #expect(try Int.fetchAll(db, sql: "SELECT score FROM player ORDER BY id") == [3, 5, 7])
      #expect(throws: DatabaseError.self) { try db.execute(sql: "UPDATE player SET score = NULL") }
      try db.inTransaction {
        try db.alter(table: "player") { t in t.change(column: "score") { c in c.nullable() } }
        return .commit
      }
      try db.execute(sql: "UPDATE player SET score = NULL WHERE id = 9; DELETE FROM log")
    }
  }

  @Test(
    "a table is renamed whose CHECK qualifies a column with the table's name", arguments: TestEngine.allCases,
    ["odd", "\"odd\"", "'odd'"])
  func qualifiedColumn(engine: TestEngine, name: String) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: "CREATE TABLE \(name) (x CHECK (\(name).x > 0)); INSERT INTO odd VALUES (1)")
      try db.rename(table: "odd", to: "even")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO even VALUES (0)") }
      #expect(try Int.fetchAll(db, sql: "SELECT x FROM even") == [1])
    }
  }

  @Test(
    "a table changes although a CHECK and an index qualify a column with a schema's name, which engines ignore",
    arguments: TestEngine.allCases, ["main", "nowhere", "t"])
  func columnWithSchema(engine: TestEngine, schema: String) throws {
    for renames in [true, false] {
      try engine.inMemoryQueue().writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA foreign_keys = OFF; CREATE TABLE t (a, b NOT NULL, CHECK (\(schema).t.a > 0))")
        try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
        try db.execute(sql: "CREATE UNIQUE INDEX i ON t (a) WHERE \(schema).\"t\".a < 9")
        let table = renames ? "u" : "t"
        if renames {
          try db.rename(table: "t", to: table)
        } else {
          try db.alter(table: table) { t in t.change(column: "b") { c in c.nullable() } }
        }
        for value in [0, 1] {
          #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO \(table) VALUES (\(value), 2)") }
        }
        try db.execute(sql: "INSERT INTO \(table) VALUES (9, 2), (9, 2)")
        #expect(try Int.fetchAll(db, sql: "SELECT a FROM \(table) ORDER BY a") == [1, 9, 9])
      }
    }
  }

  @Test("a repeated NOT NULL is dropped completely", arguments: TestEngine.allCases)
  func repeatedNotNull(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; CREATE TABLE t (a NOT NULL UNIQUE NOT NULL, b)")
      try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
      try db.alter(table: "t") { t in t.change(column: "a") { c in c.nullable() } }
      try db.execute(sql: "INSERT INTO t VALUES (NULL, 3)")
      #expect(try Int.fetchAll(db, sql: "SELECT b FROM t ORDER BY b") == [2, 3])
    }
  }

  @Test("a NOT NULL after NOT DEFERRABLE is dropped and set again", arguments: TestEngine.allCases)
  func notNullAfterNotDeferrable(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      let definition = "a REFERENCES t NOT DEFERRABLE INITIALLY DEFERRED"
      try db.execute(sql: "PRAGMA foreign_keys = OFF; CREATE TABLE t (\(definition) NOT NULL)")
      try db.alter(table: "t") { t in t.change(column: "a") { c in c.nullable() } }
      try db.execute(sql: "INSERT INTO t VALUES (NULL); DELETE FROM t")
      let sql = "SELECT sql FROM sqlite_master WHERE name = 't'"
      #expect(try String.fetchOne(db, sql: sql)?.contains("(\(definition))") == true)
      try db.alter(table: "t") { t in t.change(column: "a") { c in c.notNull() } }
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (NULL)") }
      #expect(try String.fetchOne(db, sql: sql)?.contains("(\(definition) NOT NULL)") == true)
    }
  }

  @Test("defaults, collations, checks and references change", arguments: TestEngine.allCases)
  func properties(engine: TestEngine) throws {
    try alter(engine) { t in
      t.change(column: "score") { c in
        c.defaults(sql: "1 + 1")
        c.dropChecks()
        c.check(sql: "score < 100", named: "small")
      }
      t.change(column: "name") { c in
        c.collate(nil)
        c.defaults(to: "it's")
      }
      t.change(column: "team id") { c in c.references("team", column: "id", onDelete: .setNull, deferred: true) }
      t.change(column: "friend") { c in c.dropReferences() }
    } _: { db in
      let sql = try definition(db)
      #expect(sql.contains("score CONSTRAINT \"small\"") == false)
      #expect(sql.contains("DEFAULT (1 + 1) CONSTRAINT \"small\" CHECK (score < 100)"))
      #expect(sql.contains("\"name\" VARCHAR(10) DEFAULT 'it''s'"))
      #expect(
        sql.contains("[team id] INTEGER REFERENCES \"team\"(\"id\") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED"))
      #expect(sql.contains("  friend, -- itself"))
      #expect(try db.foreignKeys(on: "player").count == 1)
    }
  }

  @Test("constraints are added, and dropped by name and by content", arguments: TestEngine.allCases)
  func constraints(engine: TestEngine) throws {
    try alter(engine) { t in
      t.drop(constraint: "once")
      t.drop(constraint: "positive")
      t.dropForeignKey(["friend"])
      t.addUniqueKey(["name", .descending("friend")], named: "pair")
      t.addForeignKey(["friend"], references: "player", columns: ["id"], onDelete: .cascade)
      t.addCheck(sql: "score IS NULL OR score < 50", named: "bounded")
    } _: { db in
      let sql = try definition(db)
      #expect(!sql.contains("once") && !sql.contains("positive") && !sql.contains(",,"))
      #expect(
        sql.hasSuffix(
          ", -- itself, CONSTRAINT \"pair\"") == false)
      #expect(sql.contains("CONSTRAINT \"bounded\" CHECK (score IS NULL OR score < 50)"))
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO player(score) VALUES (50)") }
      #expect(try db.foreignKeys(on: "player").count == 2)
      try db.inTransaction {
        try db.alter(table: "player") { t in t.drop(constraint: "bounded") }
        return .commit
      }
      #expect(try !definition(db).contains("bounded"))
    }
  }

  @Test("reordered columns take along the comments before them, and those after them on their line")
  func commentsOfReorderedColumns() throws {
    let definitions = [
      (
        """
        CREATE TABLE t ( -- the table
          a TEXT, -- about a
          -- first about b
          b INTEGER /* in b */ NOT NULL DEFAULT 0, /* about b */
          /* about c */ c -- more about c
          , d CHECK (d <> ',' /* no comma */) -- about d
        )
        """,
        """
        CREATE TABLE t ( -- the table
          d CHECK (d <> ',' /* no comma */), -- about d
          -- first about b
          b INTEGER /* in b */ NOT NULL DEFAULT 0, /* about b */
          a TEXT, -- about a
         /* about c */ c -- more about c
          \("")
        )
        """
      ),
      (
        "CREATE TABLE t (a, /* about b */ b /* too */, c, -- about c\nd, UNIQUE (a) -- key\n)",
        "CREATE TABLE t (d, /* about b */ b /* too */, a,\nc, -- about c\n UNIQUE (a) -- key\n)"
      ),
    ]
    for (old, expected) in definitions {
      try TestEngine.sqlite.inMemoryQueue().writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA foreign_keys = OFF; \(old)")
        try db.inTransaction {
          try db.alter(table: "t") { t in t.reorder(columns: ["d", "b", "a", "c"]) }
          return .commit
        }
        #expect(try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 't'") == expected)
      }
    }
  }

  @Test("the primary key and the order of columns can be changed", arguments: TestEngine.allCases)
  func keyAndOrder(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          CREATE TABLE t(a TEXT PRIMARY KEY, b INTEGER NOT NULL, c);
          INSERT INTO t(rowid, a, b, c) VALUES (5, 'x', 50, 1), (7, 'y', 40, 2);
          """)
      try db.inTransaction {
        try db.alter(table: "t") { t in t.reorder(columns: ["C", "b"]) }
        return .commit
      }
      #expect(try db.columns(in: "t").map(\.name) == ["c", "b", "a"])
      #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM t ORDER BY a") == [5, 7])
      #expect(try Row.fetchOne(db, sql: "SELECT * FROM t")?["c"] as Int? == 1)
      try db.inTransaction {
        try db.alter(table: "t") { t in t.setPrimaryKey(["b"]) }
        return .commit
      }
      #expect(try db.primaryKey("t")?.columns == ["b"])
      #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM t ORDER BY a") == [50, 40])
      try db.inTransaction {
        try db.alter(table: "t") { t in
          t.dropPrimaryKey()
          t.add(column: "d", .integer).unique()
          t.setPrimaryKey(["a", "b"], named: "both")
        }
        return .commit
      }
      #expect(try db.primaryKey("t")?.columns == ["a", "b"])
      #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM t ORDER BY a") == [50, 40])
      #expect(
        try definition(db, "t")
          == "CREATE TABLE t(c, b INTEGER NOT NULL, a TEXT, \"d\" INTEGER UNIQUE, CONSTRAINT \"both\" PRIMARY KEY (\"a\", \"b\"))"
      )
    }
  }

  @Test(
    "rows that violate the change are named by their rowids, and nothing has changed", arguments: TestEngine.allCases)
  func misfits(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(
        sql: "PRAGMA foreign_keys = OFF; CREATE TABLE t(a, b, c TEXT); CREATE TABLE w(a PRIMARY KEY, b) WITHOUT ROWID")
      try db.execute(sql: "INSERT INTO t(rowid, a, b, c) VALUES (3, 1, NULL, 'x'), (8, -1, NULL, 'X'), (9, 1, 2, 'y')")
      try db.execute(sql: "INSERT INTO w VALUES (1, NULL), (2, 3)")
      let before = try db.schema()
      let cases: [(String, DatabaseError.Constraint, String, (TableAlteration) -> Void)] = [
        (
          "t", .notNull, "NULL in \"b\", which becomes NOT NULL, in 2 rows of \"t\": rowid 3, 8",
          { $0.change(column: "b") { c in c.notNull() } }
        ),
        ("t", .check, "CHECK (a > 0) is false, in 1 row of \"t\": rowid 8", { $0.addCheck(sql: "a > 0", named: "n") }),
        (
          "t", .unique, "duplicate values of \"a\", which must be unique, in 2 rows of \"t\": rowid 3, 9",
          { $0.addUniqueKey(["a"]) }
        ),
        (
          "t", .unique, "duplicate values of \"c\", which must be unique, in 2 rows of \"t\": rowid 3, 8",
          { t in
            t.change(column: "c") { c in c.collate(.nocase) }
            t.addUniqueKey(["c"])
          }
        ),
        (
          "w", .notNull, "NULL in \"b\", which becomes NOT NULL, in 1 row of \"w\"",
          { $0.change(column: "b") { c in c.notNull() } }
        ),
      ]
      for (table, constraint, message, body) in cases {
        let error = #expect(throws: DatabaseError.self) {
          try db.inTransaction {
            try db.alter(table: table, body: body)
            return .commit
          }
        }
        #expect(error?.condition == .constraint(constraint))
        #expect(error?.message == message)
        #expect(try db.schema() == before)
        #expect(try Int.fetchOne(db, sql: "PRAGMA legacy_alter_table") ?? 0 == 0)
      }
    }
  }

  @Test("missing objects are named, and nothing runs", arguments: TestEngine.allCases)
  func mistakes(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: Self.schema)
      let before = try Content(db)
      let steps: [(TableAlteration) -> Void] = [
        { $0.change(column: "nothing") { c in c.notNull() } }, { $0.drop(constraint: "nothing") },
        { $0.dropCheck(sql: "1") }, { $0.dropUniqueKey(["score"]) }, { $0.reorder(columns: ["id", "id"]) },
        { $0.addCheck(sql: "score >") }, { $0.change(column: "score") { c in c.type("a, b") } },
      ]
      for body in steps {
        #expect(throws: DatabaseError.self) {
          try db.inTransaction {
            try db.alter(table: "player", body: body)
            return .commit
          }
        }
        #expect(try Content(db) == before)
      }
    }
  }

  @Test("columns that ADD COLUMN refuses are added by a rebuild", arguments: TestEngine.allCases)
  func addedByRebuild(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (2)")
      let generates = db.engine.abilities.contains(.generatedColumns)
      try db.inTransaction {
        try db.alter(table: "t") { t in
          t.add(column: "u", .integer).unique()
          t.add(column: "d", .integer).defaults(sql: "1 + 1")
          if generates { t.add(column: "g", .integer).generatedAs(sql: "a * 10", .stored) }
        }
        return .commit
      }
      #expect(try Int.fetchAll(db, sql: "SELECT d FROM t") == [2, 2])
      if generates { #expect(try Int.fetchAll(db, sql: "SELECT g FROM t ORDER BY rowid") == [10, 20]) }
      try db.execute(sql: "UPDATE t SET u = 1 WHERE a = 1")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "UPDATE t SET u = 1") }
    }
  }

  @Test("a trigger that uses all columns in order is updated, too", arguments: TestEngine.allCases)
  func order(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF; CREATE TABLE t(a, b); CREATE TABLE other(x);
          CREATE TRIGGER g AFTER INSERT ON other BEGIN INSERT INTO t VALUES (1, 2); END;
          """)
      for change in [
        SchemaChange.alterTable(name: "t", alterations: [.reorderColumns(["b"])]),
        .recreateTable(Self.reversed, copying: [:]),
      ] {
        let error = #expect(throws: DatabaseError.self) { try db.apply(change) }
        #expect(error?.condition == .unsupported && error?.message.contains("trigger \"g\"") == true)
      }
    }
  }

  private static var reversed: NewTableDescription {
    var table = NewTableDescription(name: "t")
    table.columns = ["b", "a"].map { .definition(NewColumnDescription(name: $0)) }
    return table
  }

  @Test("a table is recreated with kept, mapped and new columns", arguments: TestEngine.allCases)
  func recreate(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: Self.schema)
      let before = try Surroundings(db)
      try db.inTransaction {
        try db.recreate(
          table: "player", copying: ["name": "coalesce(name, 'number ' || id)", "score": "ifnull(score, 0)"]
        ) { t in
          t.autoIncrementedPrimaryKey("id")
          t.column("score", .integer).notNull().indexed()
          t.column("name", .text).notNull()
          t.column("team id", .integer).references("team", onDelete: .cascade)
          t.column("born", .integer).defaults(to: 1900)
        }
        return .commit
      }
      #expect(try Surroundings(db) == before)
      let values = "quote(id) || quote(score) || quote(name) || quote([team id]) || quote(born)"
      #expect(
        try String.fetchAll(db, sql: "SELECT \(values) FROM player ORDER BY id")
          == ["13'Ann'11900", "40'Bob'11900", "97'number 9'NULL1900"])
      try db.execute(sql: "INSERT INTO player(name, score) VALUES ('new', 1)")
      #expect(db.lastInsertedRowID == 51)
      let error = #expect(throws: DatabaseError.self) {
        try db.inTransaction {
          try db.recreate(table: "player") { t in t.autoIncrementedPrimaryKey("id") }
          return .commit
        }
      }
      #expect(error?.message.contains("byScore") == true)
    }
  }

  @Test(
    "the engine's own statements are used if it has them, otherwise the table is rebuilt once",
    arguments: TestEngine.allCases)
  func method(engine: TestEngine) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: Self.schema)
      func statements(_ steps: TableAlterationDescription...) throws -> [String] {
        try db.connection.statements(for: .alterTable(name: "player", alterations: steps)).statements
      }
      let isCopy = { (sql: String) in sql.hasPrefix("INSERT OR ABORT") }
      let altersConstraints = (try? db.makeStatement(sql: "ALTER TABLE player ADD CHECK (id > 0)")) != nil
      let check = TableAlterationDescription.addConstraint(.check("id > 0"))
      let rename = try statements(.renameColumn(name: "score", newName: "points"))
      #expect(rename.contains("PRAGMA writable_schema=ON") != db.engine.abilities.contains(.renameColumn))
      #expect(!rename.contains(where: isCopy))
      #expect(try statements(check).contains(where: isCopy) != altersConstraints)
      let both = try statements(
        check, .setPrimaryKey(TableKey(columns: ["name"])), .addColumnSQL("z DEFAULT 1"), .reorderColumns(["z"]))
      #expect(both.filter(isCopy).count == 1)
    }
  }
}

/// Everything around the altered table: all other definitions, rows, counters and statistics.
private struct Surroundings: Equatable {
  let definitions: [String]
  let rows: [String]

  init(_ db: Database) throws {
    definitions = try String.fetchAll(
      db,
      sql: """
        SELECT type || name || tbl_name || sql FROM sqlite_master
        WHERE name <> 'player' AND name <> 'player_on_score' AND sql IS NOT NULL
        UNION ALL SELECT type || name || tbl_name || sql FROM sqlite_temp_master ORDER BY 1
        """)
    rows = try [
      "SELECT id FROM player ORDER BY id", "SELECT * FROM game", "SELECT * FROM team", "SELECT * FROM sqlite_sequence",
      "SELECT * FROM sqlite_stat1 WHERE idx IS NOT 'sqlite_autoindex_player_1' ORDER BY tbl, idx",
    ]
    .map { sql in try Row.fetchAll(db, sql: sql).map { Array($0.databaseValues) }.description }
  }
}
