import Migrator
@testable import MigratorCommand
import TestEngines
import Testing

@Suite("Suggested migrations")
struct SuggestedMigrationTests {
  private func schema(_ engine: TestEngine, _ sql: String) throws -> SchemaSnapshot {
    let dbQueue = try engine.inMemoryQueue()
    return try dbQueue.write { db in
      try db.execute(sql: sql)
      return try db.schema()
    }
  }

  /// Runs a suggestion as a migration on a database with the earlier schema.
  private func migrate(
    _ engine: TestEngine, from sql: String, to after: String, renames: SchemaRenames = SchemaRenames(),
    rows: String = "",
    checksForeignKeys: Bool = true,
    check: (Database, SuggestedMigration) throws -> Void = { _, _ in }
  ) throws {
    let wanted = try schema(engine, after)
    let dbQueue = try engine.inMemoryQueue()
    let suggestion = try dbQueue.write { db in
      try db.execute(sql: sql)
      let suggestion = try SuggestedMigration(from: db.schema(), to: wanted, renames: renames)
      try db.execute(sql: rows)
      return suggestion
    }
    var migrator = DatabaseMigrator()
    // Random schemas refer to columns that are not keys.
    if !checksForeignKeys { migrator = migrator.disablingDeferredForeignKeyChecks() }
    migrator.registerMigration("suggested") { db in try db.execute(sql: suggestion.sql) }
    try migrator.migrate(dbQueue)
    try dbQueue.read { db in
      let difference = try SchemaDifference(from: db.schema(), to: wanted, leavingOut: ["migrator_history"])
      #expect(difference.isEmpty, "\(difference)\n\(suggestion.sql)")
      try check(db, suggestion)
    }
  }

  @Test("nothing is suggested between equivalent schemas", arguments: TestEngine.allCases)
  func nothing(engine: TestEngine) throws {
    let one = try schema(engine, "CREATE TABLE t(a, b); CREATE VIEW v AS SELECT * FROM t")
    let other = try schema(engine, "CREATE VIEW v AS SELECT * FROM t; CREATE TABLE \"t\" ( a , b )")
    #expect(try SuggestedMigration(from: one, to: other).statements.isEmpty)
  }

  @Test("columns at the end are added in place", arguments: TestEngine.allCases)
  func addedColumns(engine: TestEngine) throws {
    try migrate(
      engine, from: "CREATE TABLE t(a INTEGER PRIMARY KEY); CREATE TRIGGER g AFTER DELETE ON t BEGIN SELECT 1; END",
      to: """
        CREATE TABLE t(a INTEGER PRIMARY KEY, "b c" TEXT NOT NULL DEFAULT 'x', d REFERENCES t);
        CREATE TRIGGER g AFTER DELETE ON t BEGIN SELECT 1; END; CREATE INDEX i ON t(d)
        """, rows: "INSERT INTO t VALUES (1)"
    ) { db, suggestion throws in
      #expect(
        suggestion.statements.map(\.sql) == [
          "ALTER TABLE \"t\" ADD COLUMN \"b c\" TEXT NOT NULL DEFAULT 'x'",
          "ALTER TABLE \"t\" ADD COLUMN d REFERENCES t",
          "CREATE INDEX i ON t(d)",
        ])
      #expect(try String.fetchOne(db, sql: "SELECT \"b c\" FROM t") == "x")
    }
  }

  /// Definitions that differ in columns at the end, before any table constraints, with the columns to add.
  private static let appended: [(old: String, new: String, added: [String])] = [
    ("(a TEXT, UNIQUE (a))", "(a TEXT, b TEXT, UNIQUE (a))", ["b TEXT"]),
    (
      "(a INTEGER, FOREIGN KEY (a) REFERENCES p (id))",
      "(a INTEGER, b DATETIME, c, FOREIGN KEY (a) REFERENCES p (id))", ["b DATETIME", "c"]
    ),
    (
      "(a TEXT, CONSTRAINT x CHECK (a <> 2))", "(a TEXT, \"b c\" REFERENCES p, CONSTRAINT x CHECK (a <> 2))",
      ["\"b c\" REFERENCES p"]
    ),
    (
      "(a TEXT -- the name\n, PRIMARY KEY (a), CHECK (a > '')) WITHOUT ROWID",
      "(a TEXT, b DEFAULT 5, PRIMARY KEY (a), CHECK (a > '')) WITHOUT ROWID", ["b DEFAULT 5"]
    ),
    // Definitions that differ only in the order of constraints, or in what is the default anyway, are the same.
    (
      "(a TEXT NOT NULL DEFAULT 'x' REFERENCES p (id))", "(a TEXT DEFAULT 'x' NOT NULL REFERENCES p, b)", ["b"]
    ),
    // The added column is not the last one, or a constraint changes.
    ("(a TEXT, b TEXT, UNIQUE (a))", "(a TEXT, c, b TEXT, UNIQUE (a))", []),
    ("(a TEXT, UNIQUE (a))", "(a TEXT, b TEXT, UNIQUE (b))", []),
    ("(a TEXT, UNIQUE (a))", "(a TEXT, b TEXT, UNIQUE (a), CHECK (b > 0))", []),
    ("(a TEXT, UNIQUE (a))", "(a TEXT, b TEXT UNIQUE, UNIQUE (a))", []),
  ]

  @Test(
    "columns are added in place before the table's constraints, unless something else changes",
    arguments: appended.indices, TestEngine.allCases)
  func addedBeforeConstraints(index: Int, engine: TestEngine) throws {
    let (old, new, added) = Self.appended[index]
    let parent = "CREATE TABLE p (id INTEGER PRIMARY KEY);\n"
    try migrate(
      engine, from: "\(parent)CREATE TABLE t \(old)", to: "\(parent)CREATE TABLE t \(new)",
      rows: "INSERT INTO p VALUES (1); INSERT INTO t (a) VALUES (1)", checksForeignKeys: false
    ) { db, suggestion throws in
      let statements = suggestion.statements.map(\.sql)
      if added.isEmpty {
        #expect(statements.first?.hasPrefix("CREATE TABLE \"new_t\"") == true, "\(suggestion.sql)")
      } else {
        #expect(statements == added.map { "ALTER TABLE \"t\" ADD COLUMN \($0)" })
        #expect(suggestion.losses.isEmpty && suggestion.risks.isEmpty)
      }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE a = '1'") == 1)
    }
  }

  /// Definitions of a table, or of a table and an index, with the columns whose values may be equal in the later one.
  private static let uniqueness: [(old: String, new: String, columns: [String])] = [
    // Each row gets a number.
    ("(token TEXT PRIMARY KEY, a)", "(id INTEGER PRIMARY KEY AUTOINCREMENT, a)", []),
    ("(a)", "(id INTEGER PRIMARY KEY, a)", []),
    // The values were unique, and remain distinct.
    ("(id INTEGER PRIMARY KEY, a)", "(id TEXT NOT NULL PRIMARY KEY, a)", []),
    ("(a TEXT UNIQUE)", "(a BLOB UNIQUE)", []), ("(a REAL UNIQUE)", "(a INTEGER UNIQUE)", []),
    ("(a TEXT COLLATE NOCASE UNIQUE)", "(a TEXT UNIQUE)", []),
    ("(a INTEGER NOT NULL UNIQUE)", "(a INTEGER PRIMARY KEY)", []),
    // The number that replaces NULL may be that of another row.
    ("(a INTEGER UNIQUE)", "(a INTEGER PRIMARY KEY)", ["\"a\""]),
    // '1' and '01', 1 and '1', and 'a' and 'A' become equal.
    ("(a TEXT UNIQUE)", "(a INTEGER UNIQUE)", ["\"a\""]), ("(a UNIQUE)", "(a TEXT UNIQUE)", ["\"a\""]),
    ("(a TEXT UNIQUE)", "(a TEXT COLLATE NOCASE UNIQUE)", ["\"a\""]),
    ("(id INTEGER PRIMARY KEY)", "(id REAL PRIMARY KEY)", ["\"id\""]),
    // New columns are NULL, or have the same value, in each row.
    ("(a)", "(a, o TEXT); CREATE UNIQUE INDEX i ON t (o)", []),
    ("(a)", "(a, o TEXT DEFAULT NULL); CREATE UNIQUE INDEX i ON t (a, o COLLATE NOCASE)", []),
    ("(a)", "(a, o TEXT DEFAULT NULL, UNIQUE (o, a))", []),
    ("(a)", "(a, o TEXT DEFAULT 'x'); CREATE UNIQUE INDEX i ON t (o)", ["o"]),
    ("(a)", "(a, o TEXT DEFAULT 'x' UNIQUE)", ["\"o\""]),
    // Another constraint or index guarantees it.
    ("(a, b); CREATE UNIQUE INDEX i ON t (b, a)", "(a, b, UNIQUE (a, b))", []),
    ("(a, b, UNIQUE (a))", "(a, b); CREATE UNIQUE INDEX i ON t (a, b)", []),
    ("(a, b, UNIQUE (a))", "(a, b); CREATE UNIQUE INDEX i ON t (a) WHERE b > 0", []),
    ("(id INTEGER PRIMARY KEY, b)", "(id INTEGER NOT NULL, b, PRIMARY KEY (b, id))", []),
    ("(a, b PRIMARY KEY) WITHOUT ROWID", "(a, b, PRIMARY KEY (a, b)) WITHOUT ROWID", []),
    // It does not guarantee it.
    ("(a, b); CREATE UNIQUE INDEX i ON t (a) WHERE b > 0", "(a, b, UNIQUE (a))", ["\"a\""]),
    ("(a, b); CREATE UNIQUE INDEX i ON t (lower(a))", "(a, b, UNIQUE (a))", ["\"a\""]),
    ("(a, b, UNIQUE (a, b))", "(a, b, UNIQUE (a))", ["\"a\""]),
    ("(a, b, UNIQUE (a))", "(a, b, UNIQUE (a COLLATE NOCASE))", ["\"a\""]),
    ("(a, b, UNIQUE (a))", "(a, b); CREATE UNIQUE INDEX i ON t (a COLLATE NOCASE)", ["a COLLATE NOCASE"]),
  ]

  @Test("equal values are mentioned only where two rows can have them", arguments: uniqueness.indices)
  func equalValues(index: Int) throws {
    let (old, new, columns) = Self.uniqueness[index]
    let suggestion = try SuggestedMigration(
      from: schema(.sqlite, "CREATE TABLE t \(old)"), to: schema(.sqlite, "CREATE TABLE t \(new)"))
    #expect(
      suggestion.risks.filter { $0.contains("equal values") }
        == (columns.isEmpty ? [] : ["rows of \"t\" with equal values in \(columns[0]) make the migration fail"]),
      "\(suggestion.sql)")
  }

  @Test(
    "a foreign key is mentioned only where its column can have a value, with the table's name as written",
    arguments: [("", true), ("DEFAULT NULL", false), ("DEFAULT 1", true)])
  func foreignKeyRisk(clause: String, isRisky: Bool) throws {
    let parent = "CREATE TABLE authUrls (id INTEGER PRIMARY KEY);"
    let old = clause.isEmpty ? "a, b" : "a"
    let suggestion = try SuggestedMigration(
      from: schema(.sqlite, "\(parent)CREATE TABLE myRows (\(old))"),
      to: schema(.sqlite, "\(parent)CREATE TABLE myRows (a UNIQUE, b \(clause) REFERENCES authUrls)"))
    let text = "a row of \"myRows\" whose \"b\" is not in \"authUrls\" violates the foreign key"
    #expect(suggestion.risks.contains(text) == isRisky, "\(suggestion.sql)")
    #expect(suggestion.risks.count == (isRisky ? 2 : 1))
  }

  @Test(
    "the loss of AUTOINCREMENT is mentioned where the key remains the rowid",
    arguments: [
      ("id INTEGER PRIMARY KEY, a", true), ("a, id INTEGER, PRIMARY KEY (id)", true),
      ("id TEXT NOT NULL PRIMARY KEY, a", false), ("id INTEGER NOT NULL, a, PRIMARY KEY (a, id)", false),
      ("a, other INTEGER PRIMARY KEY", false), ("a", false), ("id INT PRIMARY KEY, a", false),
      ("id INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE", false),
    ])
  func lostAutoincrement(columns: String, isLost: Bool) throws {
    let suggestion = try SuggestedMigration(
      from: schema(.sqlite, "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a)"),
      to: schema(.sqlite, "CREATE TABLE t (\(columns))"))
    #expect(suggestion.losses.contains { $0.hasPrefix("AUTOINCREMENT") } == isLost, "\(suggestion.sql)")
  }

  @Test(
    "a recreated table keeps rows, rowids, counter, children and dependents", arguments: TestEngine.allCases)
  func rebuild(engine: TestEngine) throws {
    let dependents = """
      CREATE TABLE child(t REFERENCES t ON DELETE CASCADE); CREATE TABLE log(x); CREATE INDEX i ON t(b);
      CREATE VIEW v AS SELECT b FROM t; CREATE VIEW w AS SELECT * FROM v; CREATE VIEW broken AS SELECT * FROM nowhere;
      CREATE TRIGGER g AFTER DELETE ON child BEGIN DELETE FROM t WHERE a = OLD.t; END;
      CREATE TRIGGER h AFTER INSERT ON t BEGIN INSERT INTO log VALUES (NEW.a); END;
      CREATE TRIGGER other AFTER INSERT ON child BEGIN SELECT 1; END;
      CREATE TABLE plain(x);
      """
    try migrate(
      engine,
      from: "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b, c UNIQUE ON CONFLICT REPLACE);" + dependents
        + "CREATE TABLE hidden(x)",
      to:
        "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, c TEXT UNIQUE ON CONFLICT REPLACE, b NOT NULL, CHECK (a > 0));"
        + dependents + "CREATE TABLE hidden(x, CHECK (x))",
      rows: """
        INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2), (100, 'z', 3); DELETE FROM t WHERE a = 100; DELETE FROM log;
        INSERT INTO child VALUES (1), (2), (2); INSERT INTO hidden(rowid, x) VALUES (7, 1), (9, 2)
        """
    ) { db, suggestion throws in
      #expect(try String.fetchAll(db, sql: "SELECT a || b || c FROM t ORDER BY a") == ["1x1", "2y2"])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM child") == 3)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM log") == 0)
      #expect(try Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 't'") == 100)
      #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM hidden ORDER BY rowid") == [7, 9])
      #expect(suggestion.losses.isEmpty)
      #expect(
        suggestion.risks == [
          "a row with NULL in \"b\" of \"t\" makes the migration fail",
          "a row of \"t\" for which CHECK (a > 0) is false makes the migration fail",
          // 1 and '1' become alike by the new type.
          "rows of \"t\" with equal values in \"c\" make the migration fail",
          "a row of \"hidden\" for which CHECK (x) is false makes the migration fail",
        ])
      #expect(!suggestion.sql.contains("\"other\""))
    }
  }

  @Test("losses are marked; renames must be declared and are never guessed", arguments: TestEngine.allCases)
  func lossesAndRenames(engine: TestEngine) throws {
    let before =
      "CREATE TABLE team(id INTEGER PRIMARY KEY, name); CREATE TABLE player(id INTEGER PRIMARY KEY, teamId REFERENCES team, nick)"
    let after = """
      CREATE TABLE guild(id INTEGER PRIMARY KEY, title NOT NULL); CREATE TABLE player(id INTEGER PRIMARY KEY,
        guildId REFERENCES guild, name NOT NULL)
      """
    let rows = "INSERT INTO team VALUES (1, 'A'), (2, 'B'); INSERT INTO player VALUES (1, 2, 'x'), (2, NULL, 'y')"
    let guessed = try SuggestedMigration(from: schema(engine, before), to: schema(engine, after))
    #expect(
      guessed.losses == [
        "column \"teamId\" of table \"player\" with its values", "column \"nick\" of table \"player\" with its values",
        "table \"team\" with its rows",
      ])
    #expect(guessed.sql.contains("-- LOST: table \"team\" with its rows\nDROP TABLE \"team\";\n"))
    let renames = SchemaRenames(
      tables: ["team": "Guild"], columns: ["team": ["name": "title"], "player": ["teamId": "guildId", "nick": "name"]])
    try migrate(engine, from: before, to: after, renames: renames, rows: rows) { db, suggestion throws in
      #expect(try String.fetchAll(db, sql: "SELECT id || title FROM guild ORDER BY id") == ["1A", "2B"])
      #expect(
        try String.fetchAll(db, sql: "SELECT id || coalesce(guildId, '-') || name FROM player ORDER BY id")
          == ["12x", "2-y"])
      #expect(suggestion.losses.isEmpty)
      try db.checkForeignKeys()
    }
    let (one, other) = (try schema(engine, before), try schema(engine, after))
    for (wrong, error) in [
      (SchemaRenames(tables: ["squad": "guild"]), SchemaRenames.Failure.noSuchTable("squad")),
      (SchemaRenames(tables: ["team": "squad"]), .noSuchTable("squad")),
      (SchemaRenames(columns: ["squad": ["nick": "name"]]), .noSuchTable("squad")),
      (SchemaRenames(columns: ["player": ["nick": "nome"]]), .noSuchColumn("nome", table: "player")),
      (SchemaRenames(columns: ["player": ["nome": "name"]]), .noSuchColumn("nome", table: "player")),
      (SchemaRenames(tables: ["team": "guild", "player": "GUILD"]), .nameTakenTwice("guild")),
    ] {
      #expect(throws: error) { try SuggestedMigration(from: one, to: other, renames: wrong) }
    }
  }

  @Test("renames are read from the command line", arguments: TestEngine.allCases)
  func parsedRenames(engine: TestEngine) throws {
    let before = try schema(engine, "CREATE TABLE team(a); CREATE TABLE \"a.b\"(c); CREATE TABLE a(b)")
    let renames = try SchemaRenames(
      parsing: ["team=guild", "team.a=x=y", "a.b=d", "a.b.c=e", "nowhere.a=b", "TEAM.z=w"], of: before)
    #expect(renames.tables == ["team": "guild", "a.b": "d", "nowhere.a": "b"])
    #expect(renames.columns == ["team": ["a": "x=y"], "a": ["b.c": "e"], "TEAM": ["z": "w"]])
    for text in ["team", "=guild", "team=", "="] {
      #expect(throws: SchemaRenames.Failure.malformed(text)) { try SchemaRenames(parsing: [text], of: before) }
    }
    for texts in [["team=x", "team=y"], ["a.b=x", "a.b=y"], ["team.a=x", "team.a=y"]] {
      #expect(throws: SchemaRenames.Failure.self) { try SchemaRenames(parsing: texts, of: before) }
    }
  }

  @Test("tables swap their names, and a rename includes indexes", arguments: TestEngine.allCases)
  func swappedNames(engine: TestEngine) throws {
    try migrate(
      engine,
      from:
        "CREATE TABLE a(x); CREATE TABLE b(y); CREATE TABLE c(z); CREATE INDEX i ON c(z); CREATE VIEW v AS SELECT 1",
      to: "CREATE TABLE b(x); CREATE TABLE a(y); CREATE TABLE d(z); CREATE INDEX i ON d(z); CREATE VIEW v AS SELECT 1",
      renames: SchemaRenames(tables: ["a": "b", "b": "a", "c": "d"]),
      rows: "INSERT INTO a VALUES ('a'); INSERT INTO b VALUES ('b'); INSERT INTO c VALUES ('c')"
    ) { db, suggestion throws in
      #expect(try String.fetchOne(db, sql: "SELECT x || (SELECT y FROM a) || (SELECT z FROM d) FROM b") == "abc")
      #expect(!suggestion.sql.contains("INDEX") && !suggestion.sql.contains("VIEW"))
    }
  }

  @Test("random schemas can be migrated to each other", arguments: TestEngine.allCases)
  func randomPairs(engine: TestEngine) throws {
    let abilities = try engine.engineDescription().abilities
    for number in 0..<UInt64(SchemaTrials.count(TestTier.pick(20, full: 40))) {
      let seed = SchemaTrials.firstSeed &+ 2 &* number
      let one = RandomDefinitions(seed: seed, abilities: abilities)
      let other = RandomDefinitions(seed: seed &+ 1, abilities: abilities)
      do {
        try migrate(engine, from: one.sql, to: other.sql, checksForeignKeys: false)
        try migrate(engine, from: other.sql, to: one.sql, checksForeignKeys: false)
      } catch {
        Issue.record("seed \(seed): \(error)\nfrom\n\(one.sql)\nto\n\(other.sql)")
      }
    }
  }
}
