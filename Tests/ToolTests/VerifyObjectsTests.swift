import Foundation
import Migrator
import TestEngines
import Testing

/// The objects that `verify` finds unusable, and what it says where it cannot look.
@Suite("verify looks at objects")
struct VerifyObjectsTests {
  private static func verify(
    _ sql: [String], journal: String? = nil, collation: Bool = false, _ commands: [[String]] = [["verify"]]
  ) throws -> [ToolProcess.Outcome] {
    let transcript = try Transcript()
    defer { withExtendedLifetime(transcript) {} }
    try transcript.write("CREATE TABLE other (x);\n", to: "migrations/1_first.sql")
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { db in
      guard collation else { return }
      try db.add(
        collation: DatabaseCollation("of_app") {
          $0 < $1 ? .orderedAscending : $0 == $1 ? .orderedSame : .orderedDescending
        })
    }
    let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.db"), configuration: configuration)
    try queue.writeWithoutTransaction { db in
      if let journal { try db.execute(sql: "PRAGMA journal_mode = \(journal)") }
      for statement in sql { try db.execute(sql: statement) }
    }
    try queue.close()
    let tool = ToolProcess(folder: transcript.folder.path, variables: ["MIGRATOR_DATABASE": "app.db"])
    return try commands.map { try tool.run($0) }
  }

  private static func key(_ engine: TestEngine) -> String { engine.isEncrypted ? " --key-env K --raw-key" : "" }

  private static func variables(_ engine: TestEngine) -> [String: String] {
    var variables = ["MIGRATOR_DATABASE": "app.db", "K": TestKey.rawText]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    return variables
  }

  /// A full-text table that triggers keep equal to the table with its content.
  private static let sync = [
    "CREATE TABLE d (id INTEGER PRIMARY KEY, b)",
    "CREATE VIRTUAL TABLE f USING fts5(b, content='d', content_rowid='id')",
    "CREATE TRIGGER d_ai AFTER INSERT ON d BEGIN INSERT INTO f (rowid, b) VALUES (new.id, new.b); END",
    "CREATE TRIGGER d_ad AFTER DELETE ON d BEGIN INSERT INTO f (f, rowid, b) VALUES ('delete', old.id, old.b); END",
    "INSERT INTO d VALUES (1, 'one'), (2, 'two')",
  ]

  @Test(
    "An object that cannot be used is found, with a next step",
    arguments: [
      (
        ["CREATE TABLE t (x)", "CREATE VIEW v AS SELECT x FROM t", "DROP TABLE t"], "view \"v\": no such table: main.t"
      ),
      (
        [
          "CREATE TABLE t (x)", "CREATE TABLE gone (x)",
          "CREATE TRIGGER r AFTER UPDATE ON t BEGIN DELETE FROM gone; END", "DROP TABLE gone",
        ],
        "trigger \"r\": no such table: main.gone"
      ),
      (
        ["CREATE TABLE c (a REFERENCES auhtor (id))"],
        "the foreign key on \"a\" of table \"c\" refers to table \"auhtor\", which does not exist"
      ),
      (
        ["CREATE TABLE p (id INTEGER PRIMARY KEY)", "CREATE TABLE c (a REFERENCES p (idd))"],
        "refers to column \"idd\" of table \"p\", which does not exist"
      ),
      (
        [
          "CREATE TABLE d (id INTEGER PRIMARY KEY, b)",
          "CREATE VIRTUAL TABLE f USING fts5(b, content='d', content_rowid='id')", "DROP TABLE d",
        ],
        "table \"f\": it reads its rows from table \"d\", which does not exist"
      ),
      (
        [
          "CREATE TABLE d (id INTEGER PRIMARY KEY, b)",
          "CREATE VIRTUAL TABLE f USING fts5(b, content='d', content_rowid='id')",
          "INSERT INTO f (rowid, b) VALUES (1, 'text')",
        ],
        "full-text table \"f\": its index differs from its content"
      ),
      (
        [
          "CREATE TABLE d (id INTEGER PRIMARY KEY, b, z)",
          "CREATE VIRTUAL TABLE f USING fts5(b, content='d', content_rowid='id')", "ALTER TABLE d RENAME COLUMN b TO c",
        ],
        "table \"f\": its content, table \"d\", has no column \"b\""
      ),
      (
        [
          "CREATE TABLE d (b, z)", "CREATE VIRTUAL TABLE f USING fts4(content='d', b)", "ALTER TABLE d DROP COLUMN b",
        ],
        "table \"f\": its content, table \"d\", has no column \"b\""
      ),
      (
        [
          "CREATE TABLE d (id INTEGER PRIMARY KEY, b)", "CREATE VIRTUAL TABLE f USING fts4(b, content='d')",
          "INSERT INTO d VALUES (1, 'one'), (2, 'two')", "INSERT INTO f (rowid, b) VALUES (1, 'three')",
        ],
        "full-text table \"f\": its index is damaged, or differs from its content"
      ),
      (sync + ["UPDATE d SET b = 'three'"], "full-text table \"f\": its index differs from its content"),
      (
        sync + [
          "CREATE TABLE gone (x)", "CREATE TRIGGER x AFTER INSERT ON d BEGIN INSERT INTO f (b) VALUES (new.x); END",
        ],
        "trigger \"x\": no such column: new.x"
      ),
      (
        sync + [
          "CREATE TABLE gone (x)",
          "CREATE TRIGGER x AFTER DELETE ON d BEGIN INSERT INTO f (b) VALUES ('x'); DELETE FROM gone; END",
          "DROP TABLE gone",
        ],
        "trigger \"x\": no such table: main.gone"
      ),
      (sync + ["CREATE VIEW v AS SELECT z FROM f"], "view \"v\": no such column: z"),
      (
        [
          "CREATE VIRTUAL TABLE r USING rtree(id, a, b)", "CREATE TABLE t (x)", "CREATE TABLE gone (x)",
          "CREATE TRIGGER x AFTER INSERT ON t BEGIN INSERT INTO r VALUES (new.x, 1, 1); DELETE FROM gone; END",
          "DROP TABLE gone",
        ],
        "trigger \"x\": no such table: main.gone"
      ),
      // Other triggers, and functions that only the app has, hide no fault.
      (
        [
          "CREATE TABLE t (x)", "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO gone VALUES (1); END",
          "CREATE TRIGGER s AFTER INSERT ON t BEGIN SELECT of_app(1); END",
        ],
        "trigger \"r\": no such table: main.gone"
      ),
      (
        ["CREATE TABLE t (x)", "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT of_app(1); DELETE FROM gone; END"],
        "trigger \"r\": no such table: main.gone"
      ),
      (
        [
          "CREATE TABLE t (x)", "CREATE TABLE u (x)",
          "CREATE TRIGGER a AFTER INSERT ON t BEGIN INSERT INTO u VALUES (1); END",
          "CREATE TRIGGER b AFTER INSERT ON u WHEN of_app(new.x) BEGIN DELETE FROM gone; END",
        ],
        "failed   objects\n    trigger \"b\": no such table: main.gone"
      ),
      (["CREATE TABLE t (x)", "CREATE VIEW v AS SELECT of_app(x), z FROM t"], "view \"v\": no such column: z"),
      (
        ["CREATE TABLE t (x)", "CREATE VIEW v AS SELECT z FROM t ORDER BY x COLLATE nowhere"],
        "view \"v\": no such column: z"
      ),
      (["CREATE VIEW v AS SELECT nme FROM pragma_table_info('t')"], "view \"v\": no such column: nme"),
      (["CREATE VIEW v (a, b) AS SELECT 1"], "view \"v\": expected 2 columns for 'v' but got 1"),
      (
        ["CREATE VIRTUAL TABLE f USING fts5(a)", "CREATE VIRTUAL TABLE v USING fts5vocab(f, row)", "DROP TABLE f"],
        "table \"v\": no such fts5 table: main.f"
      ),
      (
        ["CREATE VIRTUAL TABLE f USING fts4(a)", "CREATE VIRTUAL TABLE v USING fts4aux(f)", "DROP TABLE f"],
        "table \"v\": SQL logic error"
      ),
      (["CREATE VIRTUAL TABLE f USING fts5(a)", "DROP TABLE f_idx"], "its table \"f_idx\" is missing"),
      (
        ["CREATE VIRTUAL TABLE f USING fts5(a)", "DROP TABLE f_docsize"],
        "full-text table \"f\": its table \"f_docsize\""
      ),
      (["CREATE VIRTUAL TABLE f USING fts4(a)", "DROP TABLE f_stat"], "its table \"f_stat\" is missing"),
      (
        [
          "CREATE TABLE d (id INTEGER PRIMARY KEY, b)",
          "CREATE VIRTUAL TABLE f USING fts5(b, content='d', content_rowid='idd')",
        ],
        "table \"f\": its content, table \"d\", has no column \"idd\""
      ),
      (
        [
          "CREATE TABLE d (id INTEGER PRIMARY KEY, b) WITHOUT ROWID",
          "CREATE VIRTUAL TABLE f USING fts5(b, content='d')",
        ],
        "table \"f\": its content, table \"d\", has no column \"rowid\""
      ),
      (
        [
          "CREATE VIRTUAL TABLE r USING rtree(id, a, b)", "INSERT INTO r VALUES (1, 2, 3)",
          "UPDATE r_node SET data = zeroblob(3)",
        ],
        "table \"r\": "
      ),
      (
        ["CREATE VIRTUAL TABLE r USING rtree(id, a, b)", "INSERT INTO r VALUES (1, 2, 3)", "DELETE FROM r_rowid"],
        "R-tree \"r\": "
      ),
      (
        [
          "CREATE VIRTUAL TABLE f USING fts5(b)", "INSERT INTO f VALUES ('one two')",
          "UPDATE f_data SET block = x'0011' WHERE id > 10",
        ],
        // Newer versions name the damaged block.
        "full-text table \"f\": "
      ),
    ])
  func unusable(sql: [String], text: String) throws {
    let outcome = try Self.verify(sql)[0]
    #expect(outcome.exitCode == 1 && outcome.output.contains(text), "\(outcome)")
    #expect(outcome.output.contains("objects: recreate the object"), "\(outcome)")
  }

  @Test("Usable objects of each kind pass")
  func usable() throws {
    let outcome = try Self.verify([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, x REFERENCES t)", "CREATE VIEW v AS SELECT x FROM t",
      "CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN INSERT INTO t (x) VALUES (new.x); END",
      "CREATE VIRTUAL TABLE f USING fts5(x, content='t', content_rowid='id')", "CREATE VIRTUAL TABLE g USING fts4(x)",
      "CREATE VIRTUAL TABLE h USING fts5(x, content='')", "CREATE VIRTUAL TABLE r3 USING rtree(id, a, b)",
      "INSERT INTO r3 VALUES (1, 2, 3)",
      "INSERT INTO g VALUES ('one two')", "INSERT INTO h (rowid, x) VALUES (1, 'one')",
      "INSERT INTO t VALUES (1, NULL)",
      "INSERT INTO f (rowid, x) VALUES (1, NULL)",
    ])[0]
    #expect(
      outcome.exitCode == 0 && outcome.output.contains("views, triggers, virtual tables and foreign keys can be used"),
      "\(outcome)")
  }

  @Test(
    "Intact databases pass",
    arguments: [
      sync,
      sync + ["CREATE VIEW v AS SELECT b, rank FROM f", "CREATE VIEW w AS SELECT name FROM pragma_table_info('d')"],
      sync + ["CREATE VIRTUAL TABLE v USING fts5vocab(f, row)"],
      // An index of some rows only.
      [
        "CREATE TABLE d (id INTEGER PRIMARY KEY, b, del)",
        "CREATE VIRTUAL TABLE f USING fts5(b, content='d', content_rowid='id')",
        "CREATE TRIGGER x AFTER INSERT ON d WHEN new.del = 0 BEGIN INSERT INTO f (rowid, b) VALUES (new.id, new.b); END",
        "INSERT INTO d VALUES (1, 'one', 0), (2, 'two', 1)",
      ],
      [
        "CREATE TABLE d (b)", "CREATE VIRTUAL TABLE f USING fts4(b, content='d')",
        "INSERT INTO d VALUES ('one'), ('two')",
        "INSERT INTO f (rowid, b) VALUES (2, 'two')",
      ],
      // BLOBs are read in the encoding of the database.
      [
        "PRAGMA encoding = 'UTF-16le'", "CREATE TABLE d (id INTEGER PRIMARY KEY, b)",
        "CREATE VIRTUAL TABLE f USING fts5(b, content='d', content_rowid='id')", "CREATE VIRTUAL TABLE g USING fts4(b)",
        "INSERT INTO d VALUES (1, x'6100620020006300'), (2, 'é a')", "INSERT INTO f (rowid, b) SELECT * FROM d",
        "INSERT INTO g (rowid, b) SELECT * FROM d",
      ],
      [
        "CREATE TABLE d (id INTEGER PRIMARY KEY, b) WITHOUT ROWID",
        "CREATE VIRTUAL TABLE f USING fts5(b, content='d', content_rowid='id')", "INSERT INTO d VALUES (7, 'one')",
        "INSERT INTO f (rowid, b) SELECT * FROM d",
      ],
      [
        "CREATE VIRTUAL TABLE r USING rtree(id, a, b)", "CREATE TABLE t (x)",
        "CREATE TRIGGER x AFTER INSERT ON t BEGIN INSERT INTO r VALUES (new.x, 1, 1); END", "INSERT INTO t VALUES (1)",
      ],
      ["CREATE VIRTUAL TABLE f USING fts3(x)", "INSERT INTO f VALUES ('one')"],
      ["CREATE VIRTUAL TABLE f USING fts5(x, content='')", "INSERT INTO f (rowid, x) VALUES (1, 'one')"],
    ])
  func intact(sql: [String]) throws {
    let outcome = try Self.verify(sql)[0]
    // Since 3.44, SQLite's own check finds rows of the content that an FTS4 index lacks, whatever the intent.
    let engineFinds = outcome.output.contains("malformed inverted index for FTS4 table main.f")
    if engineFinds, sql.contains(where: { $0.contains("fts4(b, content='d')") }) {
      #expect(outcome.output.contains("ok       objects"), "\(outcome)")
      return
    }
    #expect(outcome.exitCode == 0 && !outcome.output.contains("skipped  objects"), "\(outcome)")
  }

  @Test(
    "What cannot be looked at is skipped, with the reason",
    arguments: [
      (
        [
          "CREATE TABLE d (id INTEGER PRIMARY KEY, b)",
          "CREATE VIRTUAL TABLE f USING fts5(b, content='d', content_rowid='id', columnsize=0)",
          "INSERT INTO d VALUES (1, 'one'), (2, 'two')", "INSERT INTO f (rowid, b) VALUES (1, 'one')",
        ],
        "it does not record which rows it has"
      ),
      (
        ["CREATE TABLE t (a)", "CREATE VIEW v AS SELECT a FROM t ORDER BY a COLLATE of_app"],
        "no such collation sequence"
      ),
      (["CREATE TABLE t (x)", "CREATE VIEW v AS SELECT of_app(x) OVER () FROM t"], "no such function: of_app"),
      (
        [
          "CREATE TABLE t (x)", "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT of_app(1); END",
          "CREATE TRIGGER s AFTER INSERT ON t BEGIN SELECT 1; END",
        ], "cannot check trigger \"r\": no such function: of_app"
      ),
      (
        [
          "CREATE TABLE d (id INTEGER PRIMARY KEY, b)", "CREATE VIEW w AS SELECT id, b FROM d",
          "CREATE VIRTUAL TABLE f USING fts5(b, content='w', content_rowid='id')",
        ],
        "its content is a view"
      ),
    ])
  func skipped(sql: [String], reason: String) throws {
    let outcome = try Self.verify(sql, collation: true)[0]
    #expect(
      outcome.exitCode == 0 && outcome.output.contains("skipped  objects") && outcome.output.contains(reason),
      "\(outcome)")
  }

  @Test(
    "A table whose rows cannot be computed is a finding, with the engine's reason, and no damage",
    arguments: [
      ("a AS (date('now') - born) NOT NULL", "non-deterministic use of date() in a generated column"),
      // Only the engine's own check shows what the expression is.
      (
        "a AS (datetime(born, 'local' || 'time')) NOT NULL", "non-deterministic use of datetime() in a generated column"
      ),
      ("a AS (a)", "generated column loop on \"a\""),
    ])
  func rows(column: String, reason: String) throws {
    let definition = "CREATE TABLE user (id INTEGER PRIMARY KEY, born TEXT"
    let column = column.replacing("'", with: "''")
    let outcome = try Self.verify([
      definition + "); INSERT INTO user (born) VALUES ('2000-01-01'); PRAGMA writable_schema = ON;",
      "UPDATE sqlite_master SET sql = '\(definition), \(column))' WHERE name = 'user'",
    ])[0]
    #expect(outcome.exitCode == 1 && !outcome.output.contains("registers what is missing"), "\(outcome)")
    #expect(outcome.output.contains("table \"user\"") && outcome.output.contains(reason), "\(outcome)")
    #expect(!outcome.errors.contains("Restore a backup"), "\(outcome)")
  }

  @Test(
    "plan and migrate name what can no longer be used after a migration, once, and nothing else",
    arguments: [
      ("ALTER TABLE k DROP COLUMN a;", "trigger \"kt\" cannot be used after the migrations: no such column: a"),
      ("DROP TABLE l;", "view \"v\" cannot be used after the migrations: no such table: main.l"),
      ("CREATE VIEW w AS SELECT z FROM k;", "view \"w\" cannot be used after the migrations: no such column: z"),
      ("DROP TABLE d;", "table \"f\" refuses rows after the migrations: it reads its rows from table \"d\""),
      (
        "CREATE TABLE m (id INTEGER PRIMARY KEY, born TEXT, age AS (strftime('%Y', 'now') - born));",
        "table \"m\" cannot be used after the migrations: non-deterministic use of strftime() in a generated column"
      ),
      (
        "ALTER TABLE k ADD COLUMN c AS (c + 1);",
        "table \"k\" cannot be used after the migrations: generated column loop on \"c\""
      ),
      (
        "CREATE INDEX i ON k (a) WHERE b > date('now');",
        "index \"i\" cannot be used after the migrations: non-deterministic use of date() in an index"
      ),
      ("DROP TABLE f; DROP TABLE d;", nil), ("DROP VIEW v; DROP TABLE l;", nil),
      ("ALTER TABLE k RENAME COLUMN a TO c;", nil),
      ("DROP TABLE l; CREATE TABLE l (x);", nil),
    ])
  func broken(change: String, text: String?) throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.write(
      """
      CREATE TABLE k (a, b);
      CREATE TRIGGER kt AFTER UPDATE ON k BEGIN UPDATE k SET a = 1; END;
      CREATE TABLE l (x);
      CREATE VIEW v AS SELECT * FROM l;
      CREATE TABLE d (b);
      CREATE VIRTUAL TABLE f USING fts5(b, content='d');
      """, to: "migrations/1_first.sql")
    try #require(transcript.run("migrator migrate --quiet").exitCode == 0)
    try transcript.write(change + "\n", to: "migrations/2_change.sql")
    for command in ["plan", "migrate"] {
      let outcome = try transcript.run("migrator \(command)")
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(outcome.errors.contains(text ?? "after the migrations") == (text != nil), "\(outcome)")
    }
    try transcript.write("CREATE TABLE more (x);\n", to: "migrations/3_more.sql")
    let next = try transcript.run("migrator migrate")
    #expect(next.exitCode == 0 && !next.errors.contains("cannot be used"), "\(next)")
  }

  @Test(
    "A migration that makes a stored definition unreadable is undone, and is not taken for damage of the file",
    arguments: TestEngine.allCases)
  func unreadable(engine: TestEngine) throws {
    let transcript = try Transcript(variables: Self.variables(engine))
    let key = Self.key(engine)
    try transcript.write("CREATE TABLE a (b);\nCREATE INDEX a_on_b ON a (b);", to: "migrations/1_a.sql")
    try transcript.write(
      "PRAGMA writable_schema = ON;\nUPDATE sqlite_master SET sql = 'x' WHERE name = 'a';", to: "migrations/2_b.sql")
    let outcome = try transcript.run("migrator migrate\(key)")
    #expect(
      outcome.exitCode == 4 && outcome.errors.contains("Correct the statements that edit sqlite_schema"), "\(outcome)")
    #expect(try transcript.run("migrator status\(key)").exitCode == 0)
  }

  @Test(
    "A dump with virtual tables leaves tables that can be used, also by the next migration of the run",
    arguments: ["", "-- migrator: no-transaction\n"])
  func dumped(start: String) throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    // As the shell of SQLite writes it (https://www.sqlite.org/cli.html).
    let insertion = "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES"
    try transcript.write(
      start + """
        PRAGMA writable_schema = ON;
        \(insertion) ('table', 'f', 'f', 0, 'CREATE VIRTUAL TABLE f USING fts5(x)');
        CREATE TABLE f_data (id INTEGER PRIMARY KEY, block BLOB);
        INSERT INTO f_data VALUES (1, X'0101'), (10, X'000000000101010001010101'),
          (137438953473, X'0000000e063068656c6c6f01020204');
        CREATE TABLE f_idx (segid, term, pgno, PRIMARY KEY (segid, term)) WITHOUT ROWID;
        INSERT INTO f_idx VALUES (1, X'', 2);
        CREATE TABLE f_content (id INTEGER PRIMARY KEY, c0);
        INSERT INTO f_content VALUES (1, 'hello');
        CREATE TABLE f_docsize (id INTEGER PRIMARY KEY, sz BLOB);
        INSERT INTO f_docsize VALUES (1, X'01');
        CREATE TABLE f_config (k PRIMARY KEY, v) WITHOUT ROWID;
        INSERT INTO f_config VALUES ('version', 4);
        \(insertion) ('table', 'r', 'r', 0, 'CREATE VIRTUAL TABLE r USING rtree(i, a, b)');
        CREATE TABLE r_rowid (rowid INTEGER PRIMARY KEY, nodeno);
        CREATE TABLE r_node (nodeno INTEGER PRIMARY KEY, data);
        INSERT INTO r_node VALUES (1, zeroblob(1228));
        CREATE TABLE r_parent (nodeno INTEGER PRIMARY KEY, parentnode);
        PRAGMA writable_schema = OFF;

        """, to: "migrations/1_dump.sql")
    let alone = try transcript.run("migrator migrate --database alone.db")
    #expect(alone.exitCode == 0 && !alone.errors.contains("cannot be used"), "\(alone)")
    try transcript.write(
      "INSERT INTO f SELECT 'more' FROM f WHERE f MATCH 'hello';\nINSERT INTO r VALUES (1, 2, 3);\n",
      to: "migrations/2_more.sql")
    #expect(try !transcript.run("migrator lint").output.contains("does-not-run"))
    for command in ["plan", "migrate", "verify"] {
      let outcome = try transcript.run("migrator \(command)")
      #expect(outcome.exitCode == 0 && !outcome.errors.contains("cannot be used"), "\(outcome)")
    }
  }

  @Test("A value that STRICT refuses is to be corrected; the file is not damaged")
  func strict() throws {
    let first = try Self.verify([
      "CREATE TABLE t (a)", "INSERT INTO t VALUES ('text')", "PRAGMA writable_schema = 1",
      "UPDATE sqlite_master SET sql = 'CREATE TABLE t (a INT) STRICT' WHERE name = 't'",
    ])[0]
    #expect(first.exitCode == 1 && first.output.contains("integrity: correct these rows"), "\(first)")
  }

  @Test("diff accepts a stand-in for a function that only the app has, as its advice says")
  func functionInDiff() throws {
    let transcript = try Transcript()
    let table = "CREATE TABLE t (a CHECK (of_app(a)));\n"
    try transcript.write(table, to: "s.sql")
    try transcript.write(table, to: "t.sql")
    let failure = try transcript.run("migrator diff s.sql --from t.sql")
    #expect(failure.exitCode == 4 && failure.errors.contains("`diff` accept a stand-in"), "\(failure)")
    #expect(try transcript.run("migrator diff s.sql --from t.sql --check --function of_app/1").exitCode == 0)
  }

  @Test(
    "What is in place of a database or of its log is named",
    arguments: ["app.db-wal", "app.db-journal", "link", "loop"])
  func inPlace(name: String) throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": name.hasPrefix("app") ? "app.db" : name])
    try transcript.write("CREATE TABLE t (a);\n", to: "migrations/1_first.sql")
    switch name {
    case "link": try transcript.run("ln -s missing/app.db link")
    case "loop": try transcript.run("ln -s loop loop")
    default: try transcript.run("migrator migrate --quiet; mkdir \(name)")
    }
    let text = ["link": "a folder that does not exist", "loop": "Correct the link"][name] ?? "\(name) is a folder"
    for command in ["status", "migrate"] {
      let outcome = try transcript.run("migrator \(command)")
      #expect(outcome.exitCode == 3 && outcome.errors.contains(text), "\(outcome)")
    }
  }

  @Test("A trigger that makes each migration fail is named by status and verify; one that only observes is not")
  func ledgerTrigger() throws {
    for (body, isNamed) in [
      ("SELECT RAISE(ABORT, 'no')", true), ("DELETE FROM migrator_history", true),
      ("INSERT INTO log VALUES (new.identifier)", false),
    ] {
      let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
      try transcript.write("CREATE TABLE log (x);\n", to: "migrations/1_first.sql")
      try #require(transcript.run("migrator migrate --quiet").exitCode == 0)
      try transcript.execute("CREATE TRIGGER r BEFORE INSERT ON migrator_history BEGIN \(body); END", on: "app.db")
      for command in ["status", "verify"] {
        let outcome = try transcript.run("migrator \(command)")
        #expect(outcome.exitCode == 0 && outcome.errors.contains("trigger \"r\" of the table") == isNamed, "\(outcome)")
      }
    }
  }

  @Test("A damaged R-tree stops no command that reads, and has a way out")
  func damagedTree() throws {
    let outcomes = try Self.verify(
      [
        "CREATE VIRTUAL TABLE r USING rtree(id, a, b)", "INSERT INTO r VALUES (1, 2, 3)", "CREATE TABLE p (x)",
        "INSERT INTO p VALUES (1)", "UPDATE r_node SET data = zeroblob(3)",
      ],
      [
        ["dump"], ["diff"], ["diagram"], ["plan"], ["migrate"], ["status"],
        ["rebuild", "--keep-data", "--yes", "--force-foreign"],
      ])
    #expect(outcomes.map(\.exitCode) == [0, 0, 0, 0, 0, 0, 0], "\(outcomes)")
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.write("CREATE VIRTUAL TABLE r USING rtree(id, a, b);\n", to: "migrations/1_r.sql")
    try #require(transcript.run("migrator migrate --quiet").exitCode == 0)
    try transcript.execute("UPDATE r_node SET data = zeroblob(3)", on: "app.db")
    let drop = "DROP TABLE r;\n"
    try transcript.write(drop, to: "migrations/2_drop.sql")
    let failed = try transcript.run("migrator migrate")
    #expect(failed.exitCode == 4 && failed.errors.contains("REPLACE INTO name_node"), "\(failed)")
    try transcript.write(
      "REPLACE INTO r_node (nodeno, data) VALUES (1, zeroblob(1000));\n" + drop, to: "migrations/2_drop.sql")
    #expect(try transcript.run("migrator migrate").exitCode == 0)
    #expect(try transcript.run("migrator verify").exitCode == 0)
  }

  @Test("A collation that only the app has stops neither verify nor plan, which say what they left out")
  func collation() throws {
    let outcomes = try Self.verify(
      [
        "CREATE TABLE deck (name TEXT COLLATE of_app PRIMARY KEY) WITHOUT ROWID", "INSERT INTO deck VALUES ('a')",
        "CREATE TABLE note (id INTEGER PRIMARY KEY, x)", "INSERT INTO note VALUES (1, 2)",
        "CREATE INDEX i ON note (x COLLATE of_app)",
      ], collation: true,
      [["verify"], ["plan"], ["migrate", "--dry-run"], ["migrate"], ["dump"], ["erase", "--yes", "--force-foreign"]])
    #expect(outcomes.map(\.exitCode) == [0, 0, 0, 0, 0, 0], "\(outcomes)")
    #expect(
      outcomes[0].output.contains("skipped  integrity")
        && outcomes[0].output.contains("no such collation sequence: of_app"), "\(outcomes[0])")
    #expect(outcomes[1].output.contains("The copy lacks") && outcomes[1].output.contains("deck"), "\(outcomes[1])")
  }

  @Test("What cannot be compared without the app hides neither a violation elsewhere nor the way to correct it")
  func collationBesideFaults() throws {
    let outcome = try Self.verify(
      [
        "CREATE TABLE p (x TEXT COLLATE of_app PRIMARY KEY)", "CREATE TABLE c (x REFERENCES p)",
        "INSERT INTO c VALUES ('a')",
        "CREATE TABLE q (id INTEGER PRIMARY KEY)", "CREATE TABLE d (q REFERENCES q)", "INSERT INTO d VALUES (7)",
        "CREATE TABLE n (a NOT NULL)", "INSERT INTO n VALUES (1)", "CREATE INDEX i ON p (x)",
        "PRAGMA writable_schema = 1",
        "UPDATE sqlite_master SET sql = 'CREATE TABLE n (a NOT NULL, b NOT NULL)' WHERE name = 'n'",
      ], collation: true)[0]
    #expect(outcome.exitCode == 1)
    #expect(outcome.output.contains("integrity: correct these rows"), "\(outcome)")
    #expect(!outcome.output.contains("damaged"), "\(outcome)")
    #expect(outcome.output.contains("foreign keys: delete these rows"), "\(outcome)")
    #expect(outcome.output.contains("not checked: table \"c\" (no such collation sequence: of_app)"), "\(outcome)")
  }

  @Test(
    "A damaged page is named with its table, and with no other", arguments: TestEngine.allCases, [true, false])
  func damagedPage(engine: TestEngine, ofTable: Bool) throws {
    let transcript = try Transcript(variables: Self.variables(engine))
    try transcript.write("CREATE TABLE other (x);\n", to: "migrations/1_first.sql")
    let path = transcript.folder.file("app.db")
    let queue = try engine.queue(path: path)
    let (page, count) = try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE sound (x); INSERT INTO sound VALUES (1);
          CREATE TABLE t (x); CREATE INDEX i ON t (x);
          WITH n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 99) INSERT INTO t SELECT x FROM n;
          """)
      let root = try Int.fetchOne(
        db, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [ofTable ? "t" : "i"])
      return (root, try Int.fetchOne(db, sql: "PRAGMA page_count"))
    }
    try queue.close()
    var bytes = try transcript.folder.bytes(of: "app.db")
    let start = (try #require(page) - 1) * (bytes.count / (try #require(count)))
    bytes.replaceSubrange(start..<start + 100, with: repeatElement(0xff, count: 100))
    try transcript.folder.write(bytes, to: "app.db")
    let outcome = try transcript.run("migrator verify\(Self.key(engine))")
    let finding = ofTable ? "not all rows of table \"t\" can be read" : "the rows of all tables can be read"
    #expect(outcome.exitCode == 1 && outcome.output.contains(finding), "\(outcome)")
    #expect(!outcome.output.contains("\"sound\"") && outcome.output.contains("Restore a backup"), "\(outcome)")
  }

  @Test("A dump names the tables that a module of the app may create itself, and no others")
  func possibleShadowTables() throws {
    let unknown = [
      "CREATE TABLE Vec_chunks (a)", "CREATE TABLE vec_info (a)", "CREATE TABLE vector (a)",
      "PRAGMA writable_schema = 1",
      "INSERT INTO sqlite_master VALUES ('table', 'vec', 'vec', 0, 'CREATE VIRTUAL TABLE vec USING vec0(e float[4])')",
    ]
    let outcome = try Self.verify(unknown, [["dump"]])[0]
    #expect(outcome.exitCode == 0 && outcome.output.contains("CREATE TABLE vec_info"), "\(outcome)")
    #expect(outcome.errors.contains("if its module creates \"Vec_chunks\" and \"vec_info\" itself"), "\(outcome)")
    let known = [
      "CREATE VIRTUAL TABLE f USING fts5(x)", "CREATE TABLE f_log (a)", "CREATE TABLE g (f_x)",
      "CREATE VIRTUAL TABLE v USING fts5vocab(f, 'row')", "CREATE TABLE v_items (a)",
    ]
    #expect(try Self.verify(known, [["dump"]])[0].errors.isEmpty)
  }

  @Test(
    "A table with an expression that only the app can compute is named, and hides no fault elsewhere",
    arguments: [
      "CREATE TABLE t (x CHECK (of_app(x)))", "CREATE TABLE t (x, CHECK (x > 0 AND of_app(x) < 9))",
      "CREATE TABLE t (x CHECK (x > 0) CHECK (x <> 'a' COLLATE of_app))",
      "CREATE TABLE t (x CHECK (CASE WHEN of_app(x) THEN 1 END))",
    ])
  func expression(definition: String) throws {
    let statements = [
      "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)", "CREATE TABLE u (y CHECK (y < 5))",
      "PRAGMA writable_schema = 1",
      "UPDATE sqlite_master SET sql = '\(definition.replacing("'", with: "''"))' WHERE name = 't'",
    ]
    let skipped = try Self.verify(statements)[0]
    #expect(skipped.exitCode == 0 && skipped.output.contains("skipped  integrity"), "\(skipped)")
    #expect(skipped.output.contains("cannot check table \"t\"") && skipped.output.contains("of_app"), "\(skipped)")
    let failed = try Self.verify(
      statements + ["PRAGMA ignore_check_constraints = 1", "INSERT INTO u VALUES (7)"])[0]
    #expect(failed.exitCode == 1 && failed.output.contains("CHECK constraint failed in u"), "\(failed)")
    #expect(failed.output.contains("not checked: table \"t\""), "\(failed)")
  }

  @Test("Keys that only the app can compare are skipped, with the reason")
  func uncomparableKeys() throws {
    let outcome = try Self.verify(
      [
        "CREATE TABLE p (x TEXT COLLATE of_app PRIMARY KEY)", "CREATE TABLE c (x REFERENCES p)",
        "INSERT INTO c VALUES ('a')",
      ],
      collation: true)[0]
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.output.contains("skipped  foreign keys"), "\(outcome)")
  }

  @Test("A defect of the engine is named if it concerns the file", arguments: ["wal", "delete"])
  func defect(journal: String) throws {
    let outcome = try Self.verify(["CREATE TABLE t (x)"], journal: journal)[0]
    let version =
      try TestEngine.sqlite.inMemoryQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? ""
    let numbers = version.split(separator: ".").compactMap { Int($0) }
    let isConcerned = journal == "wal" && numbers.lexicographicallyPrecedes([3, 51, 3])
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.contains("https://sqlite.org/wal.html#walresetbug") == isConcerned, "\(outcome)")
  }

  @Test(
    "verify and diff have one opinion of a change by hand",
    arguments: [
      ("SELECT 1", nil), ("DROP INDEX i", "index \"i\""), ("CREATE TABLE z (a)", "table \"z\""),
      ("CREATE INDEX j ON p (n); CREATE VIEW w AS SELECT 1", "index \"j\" and view \"w\""),
      ("ALTER TABLE c ADD COLUMN extra", "table \"c\" differs"),
      ("DROP TRIGGER t; CREATE TRIGGER t AFTER INSERT ON p BEGIN SELECT 1; END", "trigger \"t\" differs"),
      ("DROP VIEW v; CREATE VIEW v AS SELECT id FROM p", "view \"v\" differs"),
      ("DROP TABLE f; CREATE VIRTUAL TABLE f USING fts5(body, title)", "table \"f\" differs"),
      ("DROP TABLE f", "table \"f\""), ("DELETE FROM sqlite_sequence; PRAGMA user_version = 7; ANALYZE", nil),
      ("x INTEGER, -> x BIGINT,", "table \"c\" differs"), ("COLLATE NOCASE -> COLLATE RTRIM", "table \"p\" differs"),
      ("(x + 1) VIRTUAL -> (x + 1) STORED", "table \"c\" differs"), ("CASCADE -> SET NULL", "table \"c\" differs"),
      ("PRIMARY KEY AUTOINCREMENT -> PRIMARY KEY", "table \"c\" differs"), ("n TEXT -> \"N\" /* */ TEXT", nil),
    ])
  func agreement(change: String, difference: String?) throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.write(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY, n TEXT COLLATE NOCASE);
      CREATE TABLE c (id INTEGER PRIMARY KEY AUTOINCREMENT, p INTEGER REFERENCES p (id) ON DELETE CASCADE, x INTEGER,
        g INTEGER GENERATED ALWAYS AS (x + 1) VIRTUAL);
      CREATE INDEX i ON c (p);
      CREATE VIEW v AS SELECT n FROM p;
      CREATE TRIGGER t AFTER INSERT ON p BEGIN UPDATE p SET n = trim(n) WHERE id = new.id; END;
      CREATE VIRTUAL TABLE f USING fts5(body);
      """, to: "migrations/1_first.sql")
    try #require(transcript.run("migrator migrate --quiet").exitCode == 0)
    let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.db"))
    try queue.writeWithoutTransaction { db in
      let parts = change.components(separatedBy: " -> ")
      guard parts.count == 2 else { return try db.execute(sql: change) }
      try db.execute(sql: "PRAGMA writable_schema = 1")
      try db.execute(
        sql: "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE type = 'table'", arguments: [parts[0], parts[1]])
    }
    try queue.close()
    let verified = try transcript.run("migrator verify")
    #expect(try transcript.run("migrator diff --check").exitCode == (difference == nil ? 0 : 1))
    if let difference {
      #expect(verified.output.contains(difference), "\(verified)")
      // Objects of another program are named, but allowed.
      #expect((verified.exitCode == 0) == verified.output.contains(", besides "), "\(verified)")
    } else {
      #expect(verified.exitCode == 0 && !verified.output.contains(", besides "), "\(verified)")
    }
  }

  @Test("verify says that it cannot compare the schema before a pending migration has merged the applied ones")
  func unmerged() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.write("CREATE TABLE a (b);", to: "migrations/1_a.sql")
    try transcript.write("CREATE TABLE c (d);", to: "migrations/2_c.sql")
    try transcript.run("migrator migrate --quiet; rm migrations/*")
    try transcript.write(
      "-- migrator: merges 1_a 2_c\nCREATE TABLE a (b); CREATE TABLE c (d);", to: "migrations/3_all.sql")
    let outcome = try transcript.run("migrator verify")
    #expect(outcome.exitCode == 0 && outcome.output.contains("a pending migration merges 1_a and 2_c"), "\(outcome)")
  }
}
