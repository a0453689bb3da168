import Foundation
import Migrator
import TestEngines
import Testing

@Suite("Rows that a rebuild restores")
struct KeptRowsTests {
  private static let isLong = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] == "1"

  @Test("Rows of virtual tables are restored, and external content tables are refilled", arguments: TestEngine.allCases)
  func virtualTables(engine: TestEngine) throws {
    let trial = try KeptRowsTrial(engine)
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let kept = engine.hasFTS5 ? "doc (3), own (2), box (2) and bare (2)" : "doc (3), own (2) and box (2)"
    #expect(outcome.output.contains("Kept the rows of \(kept)."), "\(outcome.output)")
    #expect(outcome.output.contains("Refilled search from the indexed rows."), "\(outcome.output)")
    #expect(!outcome.output.contains("not kept"), "\(outcome.output)")
    try trial.use { db throws in
      #expect(try KeptRowsTrial.content(db) == KeptRowsTrial.full(engine))
      // The module's internal state is restored, too: it continues from there.
      try db.execute(sql: "INSERT INTO own (docid, body) VALUES (90, 'mine too')")
      #expect(try Int.fetchAll(db, sql: "SELECT docid FROM own WHERE own MATCH 'mine'") == [50, 90])
      try db.execute(sql: "INSERT INTO box VALUES (8, 40, 50)")
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM box WHERE x1 > 15 ORDER BY 1") == [7, 8])
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
    }
  }

  @Test("Text with bytes that are not UTF-8 is restored as it was")
  func brokenText() throws {
    let trial = try KeptRowsTrial(.sqlite)
    let migration = "CREATE TABLE note (x TEXT, y BLOB);\n"
    try trial.write(migration)
    try #require(try trial.run(["rebuild", "--yes", "--force"]).exitCode == 0)
    let values = ["ff41", "41c3", "c3a9", "efbfbd", "f09f98"]
    try trial.use { db throws in
      for value in values { try db.execute(sql: "INSERT INTO note VALUES (CAST(x'\(value)' AS TEXT), x'\(value)')") }
    }
    try trial.write(migration + "SELECT 1;\n")
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    try trial.use { db throws in
      let kept = try String.fetchAll(db, sql: "SELECT lower(hex(x)) || typeof(x) || typeof(y) FROM note ORDER BY rowid")
      #expect(kept == values.map { $0 + "textblob" })
    }
  }

  @Test("The rows of a table with one column of numbers are restored", arguments: TestEngine.allCases)
  func numbers(engine: TestEngine) throws {
    let trial = try KeptRowsTrial(engine)
    let migration = "CREATE TABLE number (x INTEGER);\nINSERT INTO number VALUES (7);\n"
    try trial.write(migration)
    try #require(try trial.run(["rebuild", "--yes", "--force"]).exitCode == 0)
    try trial.use { db throws in try db.execute(sql: "INSERT INTO number VALUES (8)") }
    try trial.write(migration + "SELECT 1;\n")
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    try trial.use { db throws in #expect(try Int.fetchAll(db, sql: "SELECT x FROM number ORDER BY x") == [7, 8]) }
  }

  @Test("Rows that an edited migration inserts are not thrown away in silence", arguments: [true, false])
  func insertedRows(hasTypedRows: Bool) throws {
    let trial = try KeptRowsTrial(.sqlite)
    let table = "CREATE TABLE color (id INTEGER PRIMARY KEY, name TEXT);\n"
    func rebuild(_ sql: String, _ arguments: [String] = ["--keep-data"]) throws -> ToolProcess.Outcome {
      try trial.write(table + sql)
      let outcome = try trial.run(["rebuild", "--yes"] + arguments)
      #expect(outcome.exitCode == 0, "\(outcome)")
      return outcome
    }
    func names() throws -> [String] {
      var names: [String] = []
      try trial.use { db throws in names = try String.fetchAll(db, sql: "SELECT name FROM color ORDER BY id") }
      return names
    }
    _ = try rebuild("", ["--force"])
    _ = try rebuild("INSERT INTO color VALUES (1, 'red');\n")
    #expect(try names() == ["red"], "the table was empty")
    if hasTypedRows { try trial.use { db throws in try db.execute(sql: "INSERT INTO color VALUES (9, 'mine')") } }
    let same = try rebuild("INSERT INTO color VALUES (1, 'red');\nSELECT 1;\n")
    #expect(same.errors.isEmpty, "the inserted rows are among the kept ones: \(same.errors)")
    let edited = try rebuild("INSERT INTO color VALUES (1, 'blue');\n")
    #expect(try names() == (hasTypedRows ? ["red", "mine"] : ["red"]))
    #expect(edited.errors.contains("replace those that the migrations or the seed file insert"), "\(edited.errors)")
  }

  @Test("The kept rows of a changed table replace inserted ones with a warning")
  func unknownRows() throws {
    let trial = try KeptRowsTrial(.sqlite)
    let sql =
      "CREATE TABLE color (id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO color (id, name) VALUES (1, 'red');\n"
    try trial.write(sql)
    #expect(try trial.run(["rebuild", "--yes", "--force"]).exitCode == 0)
    try trial.use { db throws in try db.execute(sql: "INSERT INTO color VALUES (9, 'mine')") }
    try trial.write(sql.replacing("name TEXT", with: "name TEXT, hue REAL"))
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(outcome.errors.contains("the kept rows of table \"color\" replace those that the migrations"), "\(outcome)")
    try trial.use { db throws in
      #expect(try String.fetchAll(db, sql: "SELECT name FROM color ORDER BY id") == ["red", "mine"])
    }
  }

  @Test(
    "A renamed column that never existed is refused before anything is erased",
    arguments: ["doc.bdy=text", "dco.body=text"])
  func misspelledRename(rename: String) throws {
    let trial = try KeptRowsTrial(.sqlite)
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data", "--rename", rename])
    #expect(outcome.exitCode == 2, "\(outcome)")
    try trial.use { db throws in #expect(try KeptRowsTrial.content(db) == KeptRowsTrial.full(.sqlite)) }
  }

  @Test(
    "A contentless full-text table is restored, although its rows cannot be counted", arguments: TestEngine.allCases
  )
  func contentless(engine: TestEngine) throws {
    let trial = try KeptRowsTrial(engine)
    let migration = """
      CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT);
      CREATE VIRTUAL TABLE bare USING fts4 (content="", body);

      """
    try trial.write(migration)
    let first = try trial.run(["rebuild", "--yes"])
    #expect(first.exitCode == 0, "\(first.errors)")
    try trial.use { db throws in
      try db.execute(sql: "INSERT INTO doc VALUES (5, 'mine'); INSERT INTO bare (docid, body) VALUES (70, 'my bare')")
    }
    try trial.write(migration + "SELECT 1;\n")
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("bare  cannot be counted"), "\(outcome.output)")
    #expect(outcome.output.contains("2 tables with at least 1 row\n"), "\(outcome.output)")
    #expect(outcome.output.contains("Kept the rows of doc (1) and bare."), "\(outcome.output)")
    try trial.use { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT docid FROM bare WHERE bare MATCH 'my'") == [70])
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM doc") == [5])
      try db.execute(sql: "INSERT INTO bare (docid, body) VALUES (71, 'my other')")
      #expect(try Int.fetchAll(db, sql: "SELECT docid FROM bare WHERE bare MATCH 'my' ORDER BY 1") == [70, 71])
    }
  }

  @Test(
    "Nothing is erased if a table could not get its rows back, since only the app has a collation or a function",
    arguments: [
      "a TEXT CHECK (a COLLATE app <> 'z')", "a TEXT, b AS (a = 'x' COLLATE app)", "a TEXT CHECK (a MATCH 'x')",
      "a TEXT, b AS (a < 'x' COLLATE app) NOT NULL",
    ])
  func missingCollation(columns: String) throws {
    let trial = try KeptRowsTrial(.sqlite)
    let others =
      "CREATE TABLE doc (id INTEGER PRIMARY KEY);\nCREATE TRIGGER g AFTER DELETE ON doc BEGIN SELECT app(1); END;\n"
    try trial.write("CREATE TABLE t (a TEXT);\n\(others)")
    #expect(try trial.run(["rebuild", "--yes"]).exitCode == 0)
    try trial.use { db throws in try db.execute(sql: "INSERT INTO t VALUES ('x'), ('y'); INSERT INTO doc VALUES (5)") }
    try trial.write("CREATE TABLE t (\(columns));\n\(others)")
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    // Newer versions of SQLite refuse a generated column when the table is created.
    let isCreated = columns.contains("CHECK")
    #expect(outcome.exitCode == 3 || !isCreated && outcome.exitCode == 4, "\(outcome)")
    let isFound = outcome.errors.contains("the rows of table \"t\" could not be put back")
    #expect(isFound || !isCreated && outcome.errors.contains("no such collation"), "\(outcome.errors)")
    try trial.use { db throws in
      #expect(try String.fetchAll(db, sql: "SELECT a FROM t") == ["x", "y"])
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM doc") == [5])
      // An empty table needs none.
      try db.execute(sql: "DELETE FROM t")
    }
    let isRebuilt = try trial.run(["rebuild", "--yes", "--keep-data"]).exitCode == 0
    #expect(isRebuilt || !isFound)
    try trial.use { db throws in #expect(try Int.fetchAll(db, sql: "SELECT id FROM doc") == [5]) }
  }

  @Test(
    "Defaults that a table could not use do not stop the return of its rows",
    arguments: ["id TEXT PRIMARY KEY DEFAULT (app())", "id TEXT NOT NULL DEFAULT ''"])
  func unusableDefault(column: String) throws {
    let trial = try KeptRowsTrial(.sqlite)
    let index = "CREATE INDEX i ON t (json_extract(id, '$.k'));\n"
    try trial.write("CREATE TABLE t (id TEXT);\n")
    #expect(try trial.run(["rebuild", "--yes"]).exitCode == 0)
    try trial.use { db throws in try db.execute(sql: "INSERT INTO t VALUES ('{\"k\": 1}')") }
    try trial.write("CREATE TABLE t (\(column));\n\(index)")
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    try trial.use { db throws in #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 1) }
  }

  @Test(
    "Rows are restored if their foreign key could not be checked before either, and refused if it could",
    arguments: [
      "CREATE TABLE p (a INT)", "CREATE VIEW p AS SELECT 1 AS a",
      "CREATE TABLE p (a INT); CREATE UNIQUE INDEX pa ON p (a) WHERE a > 0", "CREATE TABLE p (b INTEGER PRIMARY KEY)",
    ])
  func mismatchedKey(parent: String) throws {
    let trial = try KeptRowsTrial(.sqlite)
    let migration = "\(parent); CREATE TABLE c (x INT REFERENCES p (a)); CREATE TABLE doc (id INTEGER PRIMARY KEY);\n"
    try trial.write(migration)
    #expect(try trial.run(["rebuild", "--yes"]).exitCode == 0)
    try trial.use(enforcesForeignKeys: false) { db throws in
      try db.execute(sql: "INSERT INTO c VALUES (1), (2); INSERT INTO doc VALUES (5)")
    }
    try trial.write(migration + "SELECT 1;\n")
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    try trial.use { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM doc") == [5])
      #expect(try Int.fetchAll(db, sql: "SELECT x FROM c") == [1, 2])
    }
    // A parent with a key, whose new definition has none.
    try trial.write("CREATE TABLE p (a INTEGER PRIMARY KEY); CREATE TABLE c (x INT REFERENCES p (a));\n")
    #expect(try trial.run(["rebuild", "--yes"]).exitCode == 0)
    try trial.use { db throws in try db.execute(sql: "INSERT INTO p VALUES (1); INSERT INTO c VALUES (1)") }
    try trial.write("CREATE TABLE p (a INT); CREATE TABLE c (x INT REFERENCES p (a));\n")
    let refused = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(refused.exitCode == 0, "\(refused.errors)")
    #expect(refused.errors.contains("the rows of table \"c\" (1) were not kept, because"), "\(refused.errors)")
  }

  @Test("A virtual table with a changed definition or content is not restored from the backup")
  func changedVirtualTable() throws {
    let trial = try KeptRowsTrial(.sqlite)
    let migration = KeptRowsTrial.migration(.sqlite)
    try trial.write(migration.replacingOccurrences(of: "rtree (id, x0, x1)", with: "rtree (id, x0, x1, y0, y1)"))
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data", "--json"])
    #expect(outcome.exitCode == 0)
    #expect(outcome.output.contains(#""reason" : "the table's definition changed""#), "\(outcome.output)")
    try trial.use { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM box") == [])
      #expect(try Int.fetchAll(db, sql: "SELECT docid FROM own ORDER BY 1") == [1, 50])
    }
  }

  @Test(
    "The rows of changed and renamed tables are restored as far as they have a place", arguments: TestEngine.allCases)
  func changedTables(engine: TestEngine) throws {
    let trial = try KeptRowsTrial(engine)
    let before = """
      CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, motto TEXT);
      CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, nick TEXT, team_id INTEGER REFERENCES team (id));
      CREATE TABLE strict_one (id INTEGER PRIMARY KEY, x TEXT);

      """
    try trial.write(before)
    #expect(try trial.run(["rebuild", "--yes", "--force"]).exitCode == 0)
    try trial.use { db throws in
      try db.execute(
        sql: """
          INSERT INTO team VALUES (7, 'Red', 'Go');
          INSERT INTO player VALUES (20, 'Ann', 7), (30, 'Bob', NULL);
          DELETE FROM player WHERE id = 30;
          INSERT INTO strict_one VALUES (1, 'x');
          """)
    }
    try trial.write(
      """
      CREATE TABLE guild (id INTEGER PRIMARY KEY, title TEXT, size INTEGER NOT NULL DEFAULT 5);
      CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, nick TEXT, age INTEGER, team_id INTEGER REFERENCES guild (id));
      CREATE TABLE strict_one (id INTEGER PRIMARY KEY, x TEXT, y TEXT NOT NULL);

      """)
    #expect(try trial.run(["rebuild", "--yes", "--keep-data", "--rename", "nothing=guild"]).exitCode == 2)
    let rebuild = [
      "rebuild", "--yes", "--keep-data", "--quiet", "--rename", "team=guild", "--rename", "team.name=title",
    ]
    let outcome = try trial.run(rebuild)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(try trial.run(rebuild + ["--force"]).exitCode == 0, "the same command again")
    #expect(
      outcome.errors.contains("the values of motto were not kept, because table \"team\" no longer has them"),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("its new column \"y\" is NOT NULL and has no default"), "\(outcome.errors)")
    try trial.use { db throws in
      #expect(try String.fetchAll(db, sql: "SELECT id || title || size FROM guild") == ["7Red5"])
      #expect(try String.fetchAll(db, sql: "SELECT id || nick || team_id FROM player") == ["20Ann7"])
      // The counter of AUTOINCREMENT is not lowered.
      #expect(try Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'player'") == 30)
    }
  }

  @Test("Rows that a pending migration removes are reported, and remain in a backup", arguments: TestEngine.allCases)
  func pendingMigration(engine: TestEngine) throws {
    let trial = try KeptRowsTrial(engine)
    try trial.write(KeptRowsTrial.migration(engine))
    try trial.write("UPDATE doc SET body = 'x';\n", to: "2_update.sql")
    let update = try trial.run(["rebuild", "--keep-data"])
    #expect(update.exitCode == 0 && update.errors.isEmpty, "\(update)")
    #expect(update.output.contains("A backup is kept as app.db.backup-"), "\(update.output)")
    #expect(!update.output.contains("puts it back"), "\(update.output)")
    try trial.write("DELETE FROM doc;\n", to: "3_delete.sql")
    let delete = try trial.run(["rebuild", "--keep-data"])
    #expect(delete.errors.contains("migration \"3_delete\" removes 3 of the 3 rows of table \"doc\""), "\(delete)")
    #expect(delete.output.contains("restore newest") && delete.output.contains("puts it back."), "\(delete.output)")
    try trial.write("DROP TABLE box;\n", to: "4_drop.sql")
    let drop = try trial.run(["rebuild", "--json"])
    #expect(drop.output.contains(#""reason" : "migration \"4_drop\" removes them""#), "\(drop.output)")
    for _ in 1...4 { #expect(try trial.run(["rebuild", "--force", "--yes", "--keep-data"]).exitCode == 0) }
    let contents = try trial.contents()
    #expect(contents.contains { $0.first == "doc 1 20 30" }, "\(contents)")
    #expect(contents.contains { $0.contains("box 6 7") && $0.first == "doc" }, "\(contents)")
  }

  @Test("JSON lists what was erased, what was restored, and what was lost with its reason")
  func json() throws {
    let trial = try KeptRowsTrial(.sqlite)
    let migration = KeptRowsTrial.migration(.sqlite)
    try trial.write(migration.replacingOccurrences(of: "rtree (id, x0, x1)", with: "rtree (id, x0, x1, y0, y1)"))
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data", "--json"])
    let report = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    func names(_ key: String, _ name: String) -> Set<String> {
      Set((report[key] as? [[String: Any]] ?? []).compactMap { $0[name] as? String })
    }
    #expect(names("erased", "name").isSuperset(of: ["doc", "own", "box"]))
    #expect(names("lost", "name") == ["box"], "\(outcome.output)")
    #expect(names("lost", "reason") == ["the table's definition changed"])
    #expect(names("kept", "table").isSuperset(of: ["doc", "own"]))
  }

  @Test(
    "A killed rebuild loses no rows: the next rebuild restores them",
    arguments: TestEngine.allCases)
  func killed(engine: TestEngine) throws {
    let trial = try KeptRowsTrial(engine)
    let calls = try trial.calls()
    // The call that gives the backup its name; before it, the database is unchanged.
    let named = try #require(calls.firstIndex(of: "renameat2"))
    let last = calls.count
    let step = Self.isLong ? 1 : max(1, (last - named) / TestTier.pick(3, full: 9))
    var resumed = 0
    for call in stride(from: named + 1, through: last, by: step) {
      try trial.reset()
      #expect(try trial.runKilled(at: call, ["rebuild", "--yes", "--keep-data"]), "call \(call) of \(last)")
      #expect(try trial.contents().contains(KeptRowsTrial.full(engine)), "killed at call \(call) of \(last)")
      let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
      #expect(outcome.exitCode == 0, "killed at call \(call) of \(last): \(outcome.errors)")
      if outcome.output.contains("Kept the rows"), outcome.output.contains(", from app.db.backup-") { resumed += 1 }
      try trial.use { db throws in
        #expect(try KeptRowsTrial.content(db) == KeptRowsTrial.full(engine), "killed at call \(call) of \(last)")
      }
      // There is nothing left to do.
      #expect(try trial.run(["rebuild", "--keep-data"]).output.contains("Nothing to do"), "call \(call) of \(last)")
    }
    let count = (last - named + step - 1) / step
    print("\(engine): killed at \(count) of \(last) calls; \(resumed) times the next rebuild restored the rows")
    // At least one of them erased rows without restoring them.
    #expect(resumed > 0)
  }

  @Test(
    "A killed `restore` leaves the file before it or the restored one, and both remain", arguments: TestEngine.allCases)
  func killedRestore(engine: TestEngine) throws {
    let trial = try KeptRowsTrial(engine)
    #expect(try trial.run(["rebuild", "--yes"]).exitCode == 0)
    let rebuilt = try #require(try trial.contents().first)
    let backup = try #require(try trial.keep().first)
    let restore = ["restore", backup, "--yes"]
    let calls = try trial.calls(of: restore)
    let swap = try #require(calls.lastIndex(of: "renameat")) + 1
    var states: Set<[String]> = []
    let others = Self.isLong ? Array(1...calls.count) : [swap / 2]
    for call in Set([1, swap, swap + 1, calls.count] + others).sorted() where call <= calls.count {
      try trial.reset()
      #expect(try trial.runKilled(at: call, restore), "call \(call) of \(calls.count)")
      let contents = try trial.contents()
      states.insert(try #require(contents.first))
      #expect([rebuilt, KeptRowsTrial.full(engine)].contains(contents.first), "killed at call \(call)")
      #expect(contents.contains(rebuilt) && contents.contains(KeptRowsTrial.full(engine)), "killed at call \(call)")
      let outcome = try trial.run(restore)
      #expect(outcome.exitCode == 0, "killed at call \(call): \(outcome.errors)")
      #expect(try trial.contents().first == KeptRowsTrial.full(engine), "killed at call \(call)")
    }
    #expect(states.count == 2)
  }

  @Test("Rows that were not restored cause a warning, and their backup is not removed")
  func unfinished() throws {
    let trial = try KeptRowsTrial(.sqlite)
    let calls = try trial.calls()
    try trial.reset()
    // One of the last calls is the commit of the rows.
    #expect(try trial.runKilled(at: calls.count - 6, ["rebuild", "--yes", "--keep-data"]))
    for _ in 1...4 {
      // Each rebuild erases the result of the one before, and is killed before it restores rows.
      #expect(try trial.runKilled(at: calls.count - 6, ["rebuild", "--yes", "--keep-data", "--force"]))
    }
    let warned = try trial.run(["rebuild"])
    #expect(warned.errors.contains("`migrator rebuild --keep-data"), "\(warned.errors)")
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(outcome.output.contains("an earlier rebuild ended before it restored the rows"), "\(outcome.output)")
    try trial.use { db throws in #expect(try KeptRowsTrial.content(db) == KeptRowsTrial.full(.sqlite)) }
  }
}
