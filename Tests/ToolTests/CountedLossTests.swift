import Foundation
import Migrator
import TestEngines
import Testing

/// The rows that `migrate` counts before and after each migration, in its transaction.
@Suite("Counted losses")
struct CountedLossTests {
  private static let table = "CREATE TABLE s (a INTEGER, b TEXT NOT NULL, kind TEXT);\n"
  /// A rebuild that keeps one row for each value of `a`.
  private static let halving = """
    ALTER TABLE s RENAME TO o;
    CREATE TABLE s (a INTEGER PRIMARY KEY ON CONFLICT REPLACE, b TEXT NOT NULL, kind TEXT);
    INSERT INTO s SELECT a, b, kind FROM o;
    DROP TABLE o;

    """

  /// Returns an INSERT of rows in pairs with the same value of `a`.
  private static func rows(_ count: Int, _ values: String = "x / 2, 'b' || x, 'new'") -> String {
    "WITH RECURSIVE n (x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n WHERE x < \(count - 1)) "
      + "INSERT INTO s SELECT \(values) FROM n;\n"
  }

  private struct Fixture {
    let transcript: Transcript
    let tool: ToolProcess

    init(_ first: String, _ second: String) throws {
      transcript = try Transcript()
      tool = ToolProcess(folder: transcript.folder.path, variables: ["MIGRATOR_DATABASE": "app.db"])
      try transcript.write(first, to: "migrations/1_first.sql")
      #expect(try tool.run(["migrate"]).exitCode == 0)
      try transcript.write(second, to: "migrations/2_second.sql")
    }

    /// Runs the second migration, and expects a question if it loses something, and otherwise no word about a loss.
    func migrate(
      isLoss: Bool, _ note: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let outcome = try tool.run(["migrate", "--confirm-loss"])
      #expect(
        outcome.exitCode == (isLoss ? 5 : 0) && outcome.errors.isEmpty != isLoss, "\(note): \(outcome)",
        sourceLocation: sourceLocation)
    }

    /// Accesses the database as the app does, which has a collation of its own.
    func asApp(_ body: (Database) throws -> Void) throws {
      var configuration = Configuration()
      configuration.prepareDatabase { db in
        try db.add(
          collation: DatabaseCollation("of_app") {
            $0 < $1 ? .orderedAscending : $0 == $1 ? .orderedSame : .orderedDescending
          })
      }
      let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.db"), configuration: configuration)
      try queue.write(body)
      try queue.close()
    }

    func count(_ table: String = "s") throws -> Int? {
      try TestEngine.sqlite.queue(path: transcript.folder.file("app.db")).read { db in
        guard try db.tableExists(table) else { return nil }
        return try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)")
      }
    }
  }

  private static var sizes: [Int] { TestTier.pick([10, 600], full: [10, 4_000], soak: [10, 600, 100_000]) }

  /// Migrations of the table `s` that lose rows, whatever the number of rows.
  static let lossy = [
    halving,
    // A condition, and one that NULL does not satisfy.
    "CREATE TABLE n (a, b, kind); INSERT INTO n SELECT * FROM s WHERE b NOT LIKE 'b%1'; DROP TABLE s; ALTER TABLE n RENAME TO s;",
    "CREATE TABLE n (a, b, kind); INSERT INTO n SELECT * FROM s WHERE abs(a) > 1; DROP TABLE s; ALTER TABLE n RENAME TO s;",
    // A conflict clause, and one of the index.
    "CREATE TABLE n (a UNIQUE, b, kind); INSERT OR IGNORE INTO n SELECT * FROM s; DROP TABLE s; ALTER TABLE n RENAME TO s;",
    "CREATE TABLE n (a, b UNIQUE, kind); INSERT OR REPLACE INTO n SELECT a, substr(b, 1, 1), kind FROM s; DROP TABLE s; ALTER TABLE n RENAME TO s;",
    // A join without a partner.
    "CREATE TABLE u (a); INSERT INTO u VALUES (1); CREATE TABLE n AS SELECT s.* FROM s JOIN u USING (a); DROP TABLE s; ALTER TABLE n RENAME TO s;",
    // A collation.
    "CREATE TABLE n (a, b TEXT COLLATE NOCASE PRIMARY KEY, kind); INSERT OR IGNORE INTO n SELECT a, 'x' || (a % 2), kind FROM s; DROP TABLE s; ALTER TABLE n RENAME TO s;",
    // A trigger, and a DELETE.
    "CREATE TRIGGER t AFTER INSERT ON s BEGIN DELETE FROM s WHERE a < new.a; END; INSERT INTO s VALUES (3, 'n', NULL); DROP TRIGGER t;",
    "-- migrator: foreign-keys immediate\nCREATE TABLE p (i INTEGER PRIMARY KEY); CREATE TABLE c (i REFERENCES p ON DELETE CASCADE); DELETE FROM s WHERE a = 0;",
    // Another name.
    "CREATE TABLE other AS SELECT * FROM s; DROP TABLE s;",
    "ALTER TABLE s RENAME TO o; CREATE TABLE kept AS SELECT * FROM o; DROP TABLE o;",
    "UPDATE s SET b = b; DELETE FROM s WHERE b = 'b1';",
    // A temporary table of the same name.
    "CREATE TEMP TABLE s (x); DROP TABLE s; DELETE FROM s WHERE a > 1;",
    "CREATE TEMP TABLE s (x); ALTER TABLE s RENAME TO s9; DELETE FROM s WHERE a > 1;",
    "CREATE TEMP TABLE s (x); DROP TABLE main.s;",
    "CREATE TEMP TABLE s (x); DROP TABLE temp.s; " + halving,
    // Rows that come back in part, and a savepoint that is kept.
    "CREATE TEMP TABLE k AS SELECT * FROM s; DELETE FROM s; INSERT INTO s SELECT * FROM k WHERE a > 0; DROP TABLE k;",
    "SAVEPOINT p; DELETE FROM s; SAVEPOINT q; DROP TABLE s; ROLLBACK TO q; RELEASE p;",
    "SAVEPOINT p; ALTER TABLE s RENAME TO o; ROLLBACK TO p; RELEASE p; DELETE FROM s WHERE a = 0;",
  ]

  /// Migrations that lose no row.
  static let harmless = [
    "ALTER TABLE s RENAME TO o; CREATE TABLE s (a, b, kind); INSERT INTO s SELECT * FROM o; DROP TABLE o;",
    "ALTER TABLE s RENAME TO o; CREATE TABLE s (a, b UNIQUE, kind); INSERT OR REPLACE INTO s SELECT a, b, kind FROM o; DROP TABLE o;",
    "CREATE TABLE n (a, b, kind); INSERT INTO n SELECT * FROM s WHERE kind <> 'legacy'; DROP TABLE s; ALTER TABLE n RENAME TO s;",
    "CREATE TABLE n (a, b, kind); INSERT INTO n SELECT * FROM s WHERE kind NOT LIKE 'leg%'; DROP TABLE s; ALTER TABLE n RENAME TO s;",
    "CREATE TABLE n (a, b, kind); INSERT INTO n SELECT DISTINCT * FROM s WHERE b <> ''; DROP TABLE s; ALTER TABLE n RENAME TO s;",
    "CREATE TABLE n (a, b, kind); INSERT INTO n SELECT * FROM s WHERE b <> ''; INSERT INTO n VALUES (9, 'x', 1); DROP TABLE s; ALTER TABLE n RENAME TO s;",
    "ALTER TABLE s RENAME TO o;",
    "ALTER TABLE s ADD COLUMN h; UPDATE s SET h = a WHERE a > 1; ALTER TABLE s DROP COLUMN h;",
    "ALTER TABLE s ADD h; ALTER TABLE s RENAME TO o; ALTER TABLE o DROP H;",
    "ALTER TABLE s ADD h; ALTER TABLE s RENAME h TO i; ALTER TABLE s DROP i;",
    "CREATE TEMP TABLE k AS SELECT * FROM s; DELETE FROM s; INSERT INTO s SELECT * FROM k; DROP TABLE k;",
    "CREATE TABLE k AS SELECT * FROM s; DELETE FROM s WHERE 1; ALTER TABLE s ADD c; "
      + "INSERT INTO s (a, b, kind) SELECT a, b, kind FROM k; DROP TABLE k;",
    "SAVEPOINT p; DELETE FROM s; ROLLBACK TO p; RELEASE p;",
    "SAVEPOINT p; DROP TABLE s; ROLLBACK TO SAVEPOINT p; RELEASE SAVEPOINT p;",
    "SAVEPOINT p; SAVEPOINT p; UPDATE s SET b = 1; DELETE FROM s; ROLLBACK TRANSACTION TO p; RELEASE p; RELEASE \"P\";",
    "SAVEPOINT p; ALTER TABLE s RENAME TO o; DELETE FROM o WHERE a = 1; ROLLBACK TO p; RELEASE p;",
    "SAVEPOINT p; ALTER TABLE s DROP b; ALTER TABLE s ADD b; ROLLBACK TO p; RELEASE p;",
    "SAVEPOINT p; ALTER TABLE s ADD c; UPDATE s SET c = substr(b, 1, 1); ALTER TABLE s DROP b; "
      + "ALTER TABLE s RENAME c TO b; ROLLBACK TO p; RELEASE p;",
    "SAVEPOINT p; ALTER TABLE s ADD c; ROLLBACK TO p; RELEASE p; ALTER TABLE s ADD c; ALTER TABLE s DROP c;",
    "ALTER TABLE s RENAME TO o; CREATE TABLE s (a); CREATE TABLE x (y); DROP TABLE x;",
    "ALTER TABLE s RENAME TO o; ALTER TABLE o RENAME TO s; CREATE TABLE x (y); DROP TABLE x;",
    "CREATE TABLE x AS SELECT * FROM s; DELETE FROM x; DROP TABLE x;",
    "INSERT INTO s VALUES (-1, 'n', NULL); CREATE TRIGGER t AFTER INSERT ON s BEGIN DELETE FROM s WHERE a = -1; END; "
      + "INSERT INTO s VALUES (3, 'n', NULL);",
  ]

  @Test(
    "A migration that removes rows is refused before its commit, for each size of the table",
    arguments: TestTier.pairs(lossy, sizes))
  func refused(migration: String, size: Int) throws {
    do {
      let fixture = try Fixture(Self.table + Self.rows(size), migration)
      let plan = try fixture.tool.run(["plan"])
      #expect(
        plan.output.contains(" of the \(size) rows of table \"s\"")
          || plan.output.contains("! drops table \"s\"") || plan.output.contains("! deletes all rows of table \"s\""),
        "\(plan)")
      let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
      #expect(outcome.exitCode == 5, "\(size): \(outcome)")
      #expect(try fixture.count() == size)
      let status = try fixture.tool.run(["status"])
      #expect(status.output.contains("1 applied, 1 pending"), "\(status)")
      let warned = try fixture.tool.run(["migrate"])
      #expect(warned.exitCode == 0 && warned.errors.contains("warning: "), "\(size): \(warned)")
      #expect(try fixture.count() ?? 0 < size)
    }
  }

  @Test(
    "A rebuild that leaves out rows is refused, even if as many others take their place",
    arguments: [
      "CREATE TABLE n (a, b, kind); INSERT INTO n SELECT * FROM s WHERE rowid > 1; INSERT INTO main.\"n\" VALUES (9, 'x', 1); @",
      "CREATE TABLE n AS SELECT * FROM s LIMIT 9; REPLACE INTO n VALUES (9, 'x', 1); @",
      "CREATE TABLE n AS SELECT * FROM s WHERE a > 0; @ INSERT OR IGNORE INTO s VALUES (9, 'x', 1), (9, 'y', 1);",
      "CREATE TABLE n AS SELECT * FROM s WHERE rowid > 1; @ WITH z (v) AS (SELECT 9) INSERT INTO s SELECT v, 'x', 1 FROM z;",
      "CREATE TABLE n AS SELECT * FROM (SELECT s.* FROM s JOIN (SELECT 1 UNION ALL SELECT 2) WHERE s.rowid % 2); @",
      "CREATE TABLE n AS SELECT s.* FROM s JOIN (SELECT 1 UNION ALL SELECT 2) WHERE s.a < 3 AND s.b <> 'b4'; @",
      "CREATE TABLE n AS SELECT * FROM s WHERE a < 2 UNION ALL SELECT * FROM s WHERE a < 3; @",
    ])
  func replacedRows(migration: String) throws {
    let fixture = try Fixture(
      Self.table + Self.rows(10), migration.replacing("@", with: "DROP TABLE s; ALTER TABLE n RENAME TO s;"))
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 5, "\(outcome)")
  }

  @Test(
    "A migration that removes no row is applied without a question, for each size of the table", arguments: harmless)
  func applied(migration: String) throws {
    for size in TestTier.pick([600], full: Self.sizes) {
      let fixture = try Fixture(Self.table + Self.rows(size), migration)
      let plan = try fixture.tool.run(["plan"])
      #expect(!plan.output.contains("! deletes all rows"), "\(size): \(plan)")
      let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
      #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(size): \(outcome)")
    }
  }

  @Test(
    "A dropped column is a loss if the columns computed from it do not determine its values, for each size of the table",
    arguments: [
      ("c = b WHERE b LIKE '%gmail%'", true), ("c = b IS NOT NULL", true), ("c = substr(b, 1, 1)", true),
      ("c = CASE b WHEN 'b1' THEN 1 WHEN 'b2' THEN 2 END", true), ("c = length(b)", true), ("c = b WHERE a < 2", true),
      ("c = (SELECT o.b FROM s AS o WHERE o.b = s.b || '?')", true), ("c = 1 WHERE b > 'b1'", true),
      ("c = o.kind FROM s AS o WHERE o.b = s.b", true), ("c = CASE b WHEN 'b1' THEN 1 END, d = rowid", true),
      ("c = b; ALTER TABLE s RENAME c TO e", false),
      ("c = b; ALTER TABLE s RENAME COLUMN c TO e; UPDATE s SET d = 1", false),
      ("c = b; UPDATE s SET c = NULL WHERE a = 1", true), ("c = b; INSERT INTO s (a, b) VALUES (1, 'c')", true),
      ("c = upper(b); UPDATE s SET c = 'x' WHERE rowid = 1", true),
      ("c = b; INSERT INTO s SELECT a, b || '!', 1, 2, 3 FROM s", true),
      ("c = upper(b); INSERT INTO s (a, b, c) VALUES (1, 'q', 'y')", true), ("c = b; DROP TRIGGER g", true),
      ("c = b WHERE b <> ''", false), ("c = b; DELETE FROM s WHERE a < 0", false),
      ("c = b", false), ("c = upper(b)", false), ("c = substr(b, 1, 1), d = substr(b, 2)", false),
      ("c = b WHERE a < 2; SAVEPOINT p; UPDATE s SET c = b; ROLLBACK TO p; RELEASE p", true),
      ("c = nullif(b, '')", false), ("kind = kind || ' ' || b", true), ("(c, d) = (a, b)", false),
      ("c = (SELECT min(o.rowid) FROM s AS o WHERE o.b = s.b)", false),
    ])
  func values(assignment: String, isLoss: Bool) throws {
    for size in TestTier.pick([600], full: Self.sizes) {
      let fixture = try Fixture(
        Self.table + Self.rows(size)
          + (assignment.contains("TRIGGER g")
            ? "CREATE TRIGGER g BEFORE UPDATE ON s WHEN old.a = 1 BEGIN SELECT RAISE(IGNORE); END;" : ""),
        "ALTER TABLE s ADD c; ALTER TABLE s ADD d;\nUPDATE s SET \(assignment);\nALTER TABLE s DROP COLUMN b;\n"
          + "ALTER TABLE s RENAME TO s2;\nALTER TABLE s2 RENAME TO s;\n")
      let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
      #expect(outcome.exitCode == (isLoss ? 5 : 0), "\(size): \(outcome)")
      #expect(outcome.errors.contains("drops column \"b\"") == isLoss, "\(size): \(outcome)")
    }
  }

  private static func everySecond(_ migrations: [String]) -> [String] {
    stride(from: 0, to: migrations.count, by: 2).map { migrations[$0] }
  }

  /// Migrations that lose values of a column, of the table `t`.
  static let forgetful = [
    "CREATE TABLE c AS SELECT * FROM t; @new; INSERT INTO n(id,name) SELECT id,name FROM t; @swap; DROP TABLE c",
    "CREATE TEMP TABLE c AS SELECT id,name FROM t; @new; INSERT INTO n(id,name) SELECT id,name FROM t; @swap",
    "ALTER TABLE t RENAME TO t2; @new; INSERT INTO n(id) SELECT id FROM t2; DROP TABLE t2; ALTER TABLE n RENAME TO t2",
    "ALTER TABLE t RENAME TO t2; @new; INSERT INTO n SELECT * FROM t2 WHERE id > 1; DROP TABLE t2; ALTER TABLE n RENAME TO t2",
    // The table is there.
    "CREATE TABLE IF NOT EXISTS t @columns; @drop",
    "CREATE TABLE IF NOT EXISTS t(id); UPDATE t SET email = NULL WHERE id = 1",
    "CREATE TEMP TABLE t2(x); @next CREATE TEMP TABLE t2 AS SELECT id,email FROM t; CREATE TABLE IF NOT EXISTS t(id); @drop",
    // A column that the run adds may have got the values of another one.
    "ALTER TABLE t RENAME email TO c; @next UPDATE t SET c=qty",
    "ALTER TABLE t ADD c; UPDATE t SET c=email; @drop; @next UPDATE t SET c=qty",
    "CREATE TABLE n(id INTEGER PRIMARY KEY,name,c,note,qty); INSERT INTO n SELECT * FROM t; @swap; @next UPDATE t SET c=qty",
    "ALTER TABLE t ADD c; UPDATE t SET c=email; ALTER TABLE t RENAME TO t2; ALTER TABLE t2 DROP email; @next UPDATE t2 SET c=qty",
    // A condition that many values fulfil shows none.
    "ALTER TABLE t ADD c; UPDATE t SET c = qty WHERE email IS NOT NULL; UPDATE t SET email = NULL WHERE id = 2",
    // A row that replaces itself keeps nothing for a later statement.
    "REPLACE INTO t SELECT * FROM t; @next UPDATE t SET email = NULL WHERE id > 0",
    "UPDATE t SET email = trim(email) WHERE id > 0; @next REPLACE INTO t(id,name) SELECT id,name FROM t",
    "'k' || (id % 2) => CREATE TABLE mail(a); INSERT INTO mail SELECT DISTINCT note FROM t; @next ALTER TABLE t DROP note",
    "'k' || (id % 2) => CREATE TABLE mail(i INTEGER PRIMARY KEY,a); INSERT INTO mail(a) SELECT DISTINCT note FROM t; @next ALTER TABLE t DROP note",
    "@more; INSERT INTO n SELECT *, 1 FROM t; UPDATE n SET email = NULL; @swap",
    "@more; INSERT INTO n SELECT *, 1 FROM t; ALTER TABLE n RENAME email TO m; UPDATE n SET m = NULL; @swap",
    "@more; INSERT INTO n SELECT *, 1 FROM t WHERE id > 1; UPDATE n SET z = NULL; INSERT INTO n (id) VALUES (-1); @swap",
    "CREATE TABLE y AS SELECT * FROM t; ALTER TABLE y DROP COLUMN email; @drop",
    "@new; INSERT INTO n SELECT * FROM t; ALTER TABLE n DROP COLUMN email; @swap",
    "CREATE TABLE y AS SELECT * FROM t; CREATE TABLE y2 AS SELECT * FROM y WHERE id > 1; DROP TABLE y; @drop",
    "UPDATE t SET email = lower(email); @drop",
    "UPDATE t SET name = email, email = name; @drop", "REPLACE INTO t SELECT * FROM t; @drop",
    "UPDATE t SET email = trim(email) WHERE id=1; @drop",
    "UPDATE t SET email = email; @drop",
    "UPDATE t SET email=lower(email); @new; INSERT INTO n(id,name,note,qty) SELECT id,name,note,qty FROM t; @swap",
    "UPDATE t SET email=lower(email); @new; INSERT INTO n SELECT id,name,NULL,note,qty FROM t; @swap",
    "DELETE FROM t WHERE id>1000; @drop",
    "DELETE FROM t WHERE email NOT LIKE '%@%'; @drop",
    "DELETE FROM t WHERE rowid>1000; @new; INSERT INTO n(id,name,note,qty) SELECT id,name,note,qty FROM t; @swap",
    "DELETE FROM t WHERE id>1000; @new; INSERT INTO n SELECT id,name,NULL,note,qty FROM t; @swap",
    "@new; INSERT INTO n(id,name,note,qty) SELECT id,name,note,qty FROM t WHERE email IS NOT NULL; @swap",
    "@new; INSERT INTO n(id,name,note,qty) SELECT id,name,note,qty FROM t LEFT JOIN o ON o.x=t.email; @swap",
    "@new; INSERT INTO n(id,name,note,qty) SELECT id,name,note,qty FROM t GROUP BY id,email; @swap",
    "UPDATE t SET name='z' WHERE email='zz'; @new; INSERT INTO n(id,name,note,qty) SELECT id,name,note,qty FROM t; @swap",
    "ALTER TABLE t RENAME TO old; CREATE TABLE t @columns; INSERT INTO t(id,name,note,qty) SELECT id,name,note,qty FROM old WHERE email<>''; DROP TABLE old",
    "INSERT INTO log SELECT 'dropping '||count(email) FROM t; @drop",
    "CREATE TABLE mx AS SELECT max(email) m FROM t; @drop",
    "INSERT INTO log SELECT email||' dropped' FROM t WHERE id=1; @drop",
    "INSERT INTO log SELECT 'dropping '||count(email) FROM t; @new; INSERT INTO n(id,name,note,qty) SELECT id,name,note,qty FROM t; @swap",
    "UPDATE t SET name=coalesce(name,email); @drop",
    "UPDATE t SET qty=qty+length(email); @drop",
    "UPDATE t SET name=substr(email,1,5); @drop",
    "ALTER TABLE t ADD COLUMN tmp TEXT; UPDATE t SET tmp=email; @drop; ALTER TABLE t DROP COLUMN tmp",
    "ALTER TABLE t ADD COLUMN tmp TEXT; UPDATE t SET tmp=email; @drop; ALTER TABLE t ADD COLUMN email TEXT COLLATE NOCASE; ALTER TABLE t DROP COLUMN tmp",
    "ALTER TABLE t ADD COLUMN tmp TEXT; UPDATE t SET tmp=email; @drop; UPDATE t SET tmp=NULL",
    "ALTER TABLE t ADD COLUMN tmp TEXT; UPDATE t SET tmp=email; UPDATE t SET tmp='x'; @drop",
    "ALTER TABLE t ADD COLUMN tmp TEXT; UPDATE t SET tmp=email; @drop; CREATE TABLE n AS SELECT id,name,note,qty FROM t; @swap",
    "CREATE TABLE cat(id INTEGER PRIMARY KEY,e TEXT); INSERT INTO cat(e) SELECT DISTINCT email FROM t; ALTER TABLE t ADD COLUMN cat_id; UPDATE t SET cat_id=(SELECT id FROM cat WHERE e=email); @drop; DROP TABLE cat",
    "CREATE TABLE mail(t_id INTEGER PRIMARY KEY,email TEXT); INSERT INTO mail SELECT id,email FROM t WHERE name IS NOT NULL; @drop",
    "CREATE TABLE mail(t_id INTEGER PRIMARY KEY,email TEXT); INSERT INTO mail SELECT id,email FROM t WHERE length(email)>5; @drop",
    "CREATE TABLE mail(t_id INTEGER PRIMARY KEY,email TEXT); INSERT INTO mail SELECT id,email FROM t LIMIT 2; @drop",
    "CREATE TABLE mail(t_id INTEGER PRIMARY KEY,email TEXT); INSERT INTO mail SELECT id,lower(email) FROM t; @drop",
    "CREATE TABLE mail AS SELECT max(email) AS email FROM t GROUP BY id<3; @drop",
    "UPDATE acc SET email=(SELECT email FROM t WHERE t.id=acc.t_id AND id<3); @drop",
    "UPDATE acc SET email=t.email FROM t WHERE t.id=acc.t_id AND t.name>''; @drop",
    "CREATE TABLE mail AS SELECT id,email FROM t; @drop; DELETE FROM mail WHERE email LIKE 'a%'",
    "CREATE TABLE lg AS SELECT email FROM t; DELETE FROM lg; @drop",
    "CREATE TABLE lg AS SELECT email FROM t; UPDATE lg SET email=NULL; @drop",
    "CREATE TABLE lg AS SELECT email FROM t; @drop; UPDATE lg SET email=NULL",
    "CREATE TABLE lg AS SELECT email FROM t; @drop; DROP TABLE lg",
    "CREATE TABLE lg AS SELECT id,email FROM t; @drop; ALTER TABLE lg DROP COLUMN email",
    "CREATE TEMP TABLE k AS SELECT id,email FROM t; @drop",
    "CREATE TEMP TABLE k AS SELECT id,email FROM t; @drop; DROP TABLE temp.k",
    "CREATE TABLE temp.k AS SELECT id,email FROM t; @drop; DROP TABLE IF EXISTS \"TEMP\".k",
    "CREATE TEMP TABLE k AS SELECT id,email FROM t; @drop; ALTER TABLE t ADD COLUMN email; UPDATE t SET email=(SELECT email FROM k WHERE k.id=t.id AND id>1); DROP TABLE k",
    "CREATE TEMP TABLE b(id,name,email,note,qty); INSERT INTO b SELECT * FROM t; DROP TABLE t; CREATE TABLE t @columns; INSERT INTO t SELECT id,name,NULL,note,qty FROM b; DROP TABLE b",
    "CREATE TEMP TABLE b(id,name,note,qty); INSERT INTO b SELECT id,name,note,qty FROM t; DROP TABLE t; CREATE TABLE t @columns; INSERT INTO t(id,name,note,qty) SELECT * FROM b; DROP TABLE b",
    "@new; INSERT INTO n SELECT * FROM t WHERE id<3; INSERT INTO n(id,name) SELECT id,name FROM t WHERE id>=3; @swap",
    "@new; INSERT INTO n SELECT * FROM (SELECT id,name,NULL,note,qty FROM t); @swap",
    "@new; INSERT INTO n SELECT * FROM t; UPDATE n SET email=NULL; @swap",
    // Others take the place of rows that are left out.
    "@new; INSERT INTO n SELECT * FROM t WHERE id>1 UNION ALL SELECT 999999,'s','s','s',1; @swap",
    "@new; INSERT INTO n SELECT * FROM t WHERE id>1; INSERT INTO n VALUES(999999,'s','s','s',1); @swap",
    "CREATE TABLE p AS SELECT id x FROM t WHERE id>1 UNION ALL SELECT id FROM t WHERE id>1; CREATE TABLE n AS SELECT t.* FROM t JOIN p ON x=id; @swap",
    "CREATE TABLE n AS SELECT * FROM t WHERE id>2 UNION ALL SELECT * FROM t WHERE id>2 UNION ALL SELECT * FROM t WHERE id=1; @swap",
    "@new; INSERT INTO n(note,id,email) SELECT note,id,email FROM t WHERE name IS NOT NULL; INSERT INTO n(id) VALUES(999999); @swap",
    // Another type, implicit or not, changes text that begins with a zero or a sign, many digits, and exponents.
    "'0'||(id+1000) => @integer; INSERT INTO n SELECT * FROM t; @swap",
    "'0'||(id+1000) => @integer; INSERT INTO n SELECT id,name,email,CAST(note AS INTEGER),qty FROM t; @swap",
    "'0'||(id+1000) => ALTER TABLE t ADD zip INTEGER; UPDATE t SET zip=note; ALTER TABLE t DROP note",
    "'0'||(id+1000) => CREATE TABLE z(i,zip INTEGER); INSERT INTO z SELECT id,note FROM t; ALTER TABLE t DROP note",
    "'+49'||id => @integer; INSERT INTO n SELECT * FROM t WHERE id>0; @swap",
    "'1234567890123456789'||id => @integer; INSERT INTO n SELECT * FROM t; @swap",
    "'1e'||(id%9) => @integer; INSERT INTO n SELECT * FROM t; @swap",
    // The file after the mark is another one.
    "CREATE TABLE mail AS SELECT id,email FROM t WHERE id<3; @next @drop",
    "CREATE TABLE mail AS SELECT id,email FROM t; @next DELETE FROM mail; @next @drop",
    "CREATE TABLE mail AS SELECT id,email FROM t; @next @drop; @next DROP TABLE mail",
    "ALTER TABLE t ADD c; UPDATE t SET c=email; @next @drop; @next ALTER TABLE t DROP c",
    "ALTER TABLE t ADD c; UPDATE t SET c=lower(email); @next @drop",
    "@new; INSERT INTO n SELECT id,name,NULL,note,qty FROM t; @next @swap",
    // Results that differ are not the values if they are parts of them, or those of other columns.
    "ALTER TABLE t ADD c; UPDATE t SET c=substr(email,1,instr(email,'@')); @drop",
    "json_object('a',id,'b',email) => ALTER TABLE t ADD a; UPDATE t SET a=json_extract(note,'$.a'); ALTER TABLE t DROP note",
    "id||iif(id%2,' kg',' lb') => @integer; INSERT INTO n SELECT id,name,email,CAST(note AS INTEGER),qty FROM t; @swap",
    "datetime(id*100000,'unixepoch') => @new; INSERT INTO n SELECT id,name,email,date(note),qty FROM t; @swap",
    "ALTER TABLE t ADD c; UPDATE t SET c=coalesce(name,email); @drop",
    "ALTER TABLE t ADD c; UPDATE t SET c=iif(qty>1,id,email); @drop",
    "ALTER TABLE t ADD c; UPDATE t SET c=id||(email IS NOT NULL); @drop",
    "ALTER TABLE t ADD c; UPDATE t SET c=email WHERE name IS NULL; UPDATE t SET c=name WHERE name>''; @drop",
    "@new; INSERT INTO n SELECT id,name,coalesce(name,email),note,qty FROM t; @swap",
    "NULL => UPDATE t SET note=coalesce(name,email) WHERE note IS NULL; @drop",
    "CREATE TABLE mail(email TEXT UNIQUE COLLATE NOCASE); INSERT INTO t VALUES(999999,'q','ANN@x','z',0); INSERT OR IGNORE INTO mail SELECT email FROM t; @drop",
    // An UPDATE of the new table removes what an expression would have kept.
    "@new; INSERT INTO n SELECT id,name,email,note,qty FROM t; UPDATE n SET email=NULL; @swap",
    "@new; INSERT INTO n SELECT id,name,email,note,qty FROM t; UPDATE n SET email='new'; @swap",
    "@new; INSERT INTO n SELECT id,name,email,note,qty FROM t; UPDATE n SET email='x' WHERE 1; @swap",
    "@new; INSERT INTO n SELECT id,name,email,note,qty FROM t; UPDATE n SET email='x' WHERE email<>''; @swap",
    "@new; INSERT INTO n SELECT id,name,upper(email),note,qty FROM t; UPDATE n SET email=NULL WHERE id=1; @swap",
    "@new; INSERT INTO n SELECT id,name,email,note,qty FROM t; UPDATE n SET email=NULL WHERE email NOTNULL; @swap",
    // Other rows with the same key.
    "@new; INSERT INTO n VALUES(1,'Unknown','x','y',0); INSERT OR IGNORE INTO n SELECT id,name,email,note,qty FROM t; @swap",
    "@new; INSERT INTO n SELECT id,name,email,note,qty FROM t; REPLACE INTO n VALUES(1,'Unknown','x','y',0); @swap",
    "@new; INSERT INTO n SELECT c.id,c.name,q.email,c.note,c.qty FROM t c JOIN t q ON q.id=1; @swap",
    "@new; INSERT INTO n SELECT c.id,c.name,q.email,c.note,c.qty FROM t q JOIN t c ON q.id=1; @swap",
    "ALTER TABLE t RENAME TO old; CREATE TABLE t @columns; INSERT INTO t SELECT c.id,c.name,q.email,c.note,c.qty FROM old q, old c WHERE q.id=1; DROP TABLE old",
    "CREATE TABLE n(id,name,email,note,qty); INSERT INTO n SELECT s.id,upper(q.name),upper(q.email),trim(q.note),q.qty||'' FROM t q, (SELECT id FROM t) s WHERE q.id=1; @swap",
    "@new; INSERT INTO n SELECT c.id,c.name,q.email,c.note,c.qty FROM t c LEFT JOIN t q ON q.id=-1; @swap",
    "@new; INSERT INTO n SELECT c.id,c.name,q.email,c.note,c.qty FROM t c LEFT JOIN (SELECT * FROM t) q ON q.id=c.id+1; @swap",
    "CREATE TABLE n(id,name,email,note,qty,x); INSERT INTO n SELECT *,email FROM t; @swap; UPDATE t SET x='const'; @drop",
    // What is copied before, after or in part does not keep what is overwritten.
    "ALTER TABLE t ADD n; UPDATE t SET n=email WHERE id>100; UPDATE t SET email='new'; DELETE FROM t WHERE id=-9",
    "CREATE TABLE y(i,v); INSERT INTO y SELECT id,email FROM t WHERE id=2; UPDATE t SET email='new'; DELETE FROM o",
    "UPDATE t SET email='new'; @new; INSERT INTO n SELECT id,name,coalesce(email,''),note,qty FROM t; @swap",
    "UPDATE t SET email='new'; ALTER TABLE t ADD c; UPDATE t SET c=note||email; ALTER TABLE t DROP email",
    "ALTER TABLE t ADD c; UPDATE t SET c=email; UPDATE t SET email='new'; UPDATE t SET c='old'",
    "ALTER TABLE t ADD c; UPDATE t SET c=email; ALTER TABLE t DROP c; UPDATE t SET email='new'",
    "UPDATE t SET email=email; UPDATE t SET email='new'",
    "ALTER TABLE t ADD c; SAVEPOINT s; UPDATE t SET c=email; ROLLBACK TO s; RELEASE s; UPDATE t SET email='new'",
    "DELETE FROM t WHERE id=1; UPDATE t SET email='x' WHERE id=2; INSERT INTO t(id,name) VALUES(1,'Ann')",
    // An equal value of another row.
    "'k' => ALTER TABLE t ADD c; UPDATE t SET c=note WHERE id>1; ALTER TABLE t DROP note",
    "'k'||(id%2) => ALTER TABLE t ADD c DEFAULT 'k1'; UPDATE t SET c=note WHERE id<>2; ALTER TABLE t DROP COLUMN note",
    "'k' => ALTER TABLE t ADD c; UPDATE t SET c=note WHERE id>1; UPDATE t SET c='x' WHERE c IS NULL; ALTER TABLE t DROP note",
    "'k' => @new; INSERT INTO n SELECT id,name,email,CASE WHEN id>1 THEN note END,qty FROM t; @swap",
    "'k'||(id%2) => CREATE TABLE x(ref,c); INSERT INTO x SELECT id,note FROM t WHERE id>1; ALTER TABLE t DROP COLUMN note",
    "'k' => CREATE TABLE x AS SELECT id,note FROM t WHERE id<>2; UPDATE t SET note=NULL",
    "'k'||(id%2) => CREATE TABLE x(ref,c UNIQUE); INSERT OR IGNORE INTO x SELECT id,note FROM t; ALTER TABLE t DROP COLUMN note",
    // A copy that goes after the values.
    "ALTER TABLE t ADD n; UPDATE t SET n=email; UPDATE t SET email=NULL WHERE id=2; ALTER TABLE t DROP COLUMN n",
    "ALTER TABLE t ADD n; UPDATE t SET n=email; UPDATE t SET email=''; ALTER TABLE t RENAME n TO m; ALTER TABLE t DROP COLUMN m",
    "CREATE TABLE x AS SELECT id,email FROM t; UPDATE t SET email=NULL; ALTER TABLE x DROP COLUMN email",
    "CREATE TABLE x AS SELECT id,email FROM t; UPDATE t SET email=NULL; @next DROP TABLE x",
    "CREATE TABLE x AS SELECT * FROM t; UPDATE t SET email=NULL; @next ALTER TABLE x DROP COLUMN email",
    "CREATE VIRTUAL TABLE f USING fts5(email, content='t', content_rowid='id'); @drop",
    // Rows that come back with fewer values.
    "CREATE TABLE k AS SELECT * FROM t WHERE id=1; DELETE FROM t WHERE id<3; INSERT INTO t SELECT * FROM k; INSERT INTO t(id,name) VALUES(2,'Bob')",
    "CREATE TABLE k AS SELECT * FROM t; UPDATE k SET email=NULL; DELETE FROM t WHERE id<3; INSERT INTO t SELECT * FROM k WHERE id<3; DROP TABLE k",
    "CREATE TABLE k AS SELECT * FROM t; DELETE FROM t WHERE id<3; DELETE FROM k WHERE id=2; INSERT INTO t SELECT * FROM k WHERE id<3; INSERT INTO t(id) VALUES(2)",
    "DELETE FROM t WHERE id=1; INSERT INTO t(id,name) VALUES(1,'Ann')",
    "CREATE TABLE k AS SELECT id,name FROM t WHERE id<3; DELETE FROM t WHERE id<3; INSERT INTO t(id,name) SELECT id,name FROM k; DROP TABLE k",
    "ALTER TABLE t ADD x; UPDATE t SET x=qty; DELETE FROM t WHERE id IN (1,2); INSERT INTO t(id,name,email,note) VALUES(1,'A','a','n'),(2,'B','b','m')",
    "DELETE FROM t WHERE id=1; INSERT INTO t VALUES(1,'Ann','','a',1)",
    "DELETE FROM t WHERE id=1; INSERT INTO t VALUES(1,'Ann',NULL,'a',1); ALTER TABLE t RENAME email TO mail; ALTER TABLE t RENAME TO t9",
    "CREATE TABLE k AS SELECT * FROM t WHERE id>1; DELETE FROM t WHERE id>1; INSERT INTO t SELECT * FROM k; DROP TABLE k; DELETE FROM t WHERE id=3; INSERT INTO t(id,email) VALUES(3,'cat@z')",
    "CREATE TABLE k AS SELECT id,name FROM t WHERE id>1; DELETE FROM t WHERE id>1; INSERT INTO t(id,name) SELECT * FROM k; DROP TABLE k; CREATE TABLE k AS SELECT * FROM t; DELETE FROM t WHERE id>2; INSERT INTO t SELECT * FROM k WHERE id>2; DROP TABLE k",
    // The second rebuild of a table.
    "@copy; @swap; @copy WHERE id>1 UNION ALL SELECT 999999,'s','s','s',1; @swap",
    "@copy; @swap; @copy WHERE id>1; @swap; INSERT INTO t VALUES(999999,'s','s','s',1)",
    "@copy WHERE id>1; @swap; INSERT INTO t VALUES(999999,'s','s','s',1); @copy WHERE 1; @swap",
    "@again; @again WHERE id>1 UNION ALL SELECT 999999,'s','s','s',1; DROP TABLE old",
    // Keys of NULL.
    "CREATE TABLE n(id INT PRIMARY KEY, b); INSERT INTO n SELECT id,b FROM nk WHERE id=1 UNION ALL SELECT NULL,b FROM nk WHERE b>'z'; INSERT INTO n SELECT 1000000+t_id,'s' FROM acc; DROP TABLE nk; ALTER TABLE n RENAME TO nk",
    "CREATE TABLE n(id INT PRIMARY KEY, b); INSERT INTO n SELECT id,b FROM nk WHERE id=1; INSERT INTO n SELECT 1000000+t_id,'s' FROM acc; DROP TABLE nk; ALTER TABLE n RENAME TO nk",
    "@copy; DELETE FROM n WHERE id=1; INSERT INTO n VALUES(999999,'s','s','s',1); @swap",
    // A value that joins several columns is not all of them.
    "ALTER TABLE t ADD c; UPDATE t SET c=coalesce(name,email||' '||note); ALTER TABLE t DROP name; @drop; ALTER TABLE t DROP note",
    "ALTER TABLE t ADD c; UPDATE t SET c=CASE WHEN name<>'' THEN name ELSE email END; @drop; ALTER TABLE t DROP name",
    "id*10 => ALTER TABLE t ADD c; UPDATE t SET c=note+qty; ALTER TABLE t DROP note; ALTER TABLE t DROP qty",
    "id%3 => ALTER TABLE t ADD c; UPDATE t SET c=max(note,qty); ALTER TABLE t DROP note; ALTER TABLE t DROP qty",
    "id*10 => CREATE TABLE n(id INTEGER PRIMARY KEY, name, email, sum); INSERT INTO n SELECT id,name,email,note+qty FROM t; @swap",
    // A column that the copy does not read, another type that makes texts equal, an index without contents.
    "id => CREATE TABLE n(id INTEGER PRIMARY KEY, name, email, note, qty); INSERT INTO n(id,name,email,note,qty) SELECT id,name,email,qty,qty FROM t; @swap",
    "iif(id%2,'1.1','1.10') => @integer; INSERT INTO n SELECT * FROM t; @swap",
    "iif(id%2,'1.1','1.10') => @integer; INSERT INTO n SELECT id,name,email,CAST(note AS NUMERIC),qty FROM t; @swap",
    "CREATE VIRTUAL TABLE f USING fts5(email, content=''); INSERT INTO f(rowid,email) SELECT id,email FROM t; @drop",
    // The rows of a table whose name is taken by another one.
    "CREATE TABLE n AS SELECT * FROM t; DROP TABLE o; INSERT INTO acc SELECT id,email FROM t; DROP TABLE t; ALTER TABLE acc RENAME TO t; DROP TABLE n",
    "DELETE FROM o; CREATE TABLE IF NOT EXISTS o(x); INSERT INTO o SELECT id FROM t WHERE id>1; DROP TABLE t; ALTER TABLE o RENAME TO t",
    // Rows that were set aside do not all come back.
    "CREATE TEMP TABLE k AS SELECT * FROM t WHERE id=2; @copy WHERE id>2; @swap; INSERT INTO t SELECT * FROM k",
    // A result that is changed later, and a number that is rounded.
    "ALTER TABLE t ADD c; UPDATE t SET c=coalesce(name,email); UPDATE t SET c=trim(c); @drop",
    "ALTER TABLE t ADD c; UPDATE t SET c=coalesce(name,email); UPDATE t SET c=c||'.'; @drop; ALTER TABLE t DROP name",
    "id+0.4 => ALTER TABLE t ADD c; UPDATE t SET c=round(note); ALTER TABLE t DROP note",
    "id+0.4 => @integer; INSERT INTO n SELECT id,name,email,CAST(CAST(note AS REAL) AS INTEGER),qty FROM t; @swap",
    // No column shows which row has which of the values.
    "'k'||(id%2) => CREATE TABLE c(name); INSERT INTO c SELECT DISTINCT note FROM t; ALTER TABLE t DROP note",
    "'k'||(id%2) => CREATE TABLE c(name UNIQUE); INSERT OR IGNORE INTO c SELECT note FROM t; ALTER TABLE t DROP note",
    "'k'||(id%2) => CREATE TABLE c AS SELECT note, count(*) FROM t GROUP BY note; ALTER TABLE t DROP note",
    "'k'||(id%2) => CREATE TABLE c AS SELECT note FROM t UNION SELECT 'k2'; ALTER TABLE t DROP note",
    "'k'||(id%2) => CREATE TABLE c(i INTEGER PRIMARY KEY,name); INSERT INTO c(name) VALUES('k0'),('k1'); CREATE TABLE n(id INTEGER PRIMARY KEY,name,email,c_id,qty); INSERT INTO n SELECT t.id,t.name,email,c.i,qty FROM t JOIN c ON c.name=t.note; @swap; DROP TABLE c",
    "'k'||(id%2) => CREATE TABLE c(i INTEGER PRIMARY KEY,name); INSERT INTO c(name) VALUES('k0'); CREATE TABLE n(id INTEGER PRIMARY KEY,name,email,c_id,qty); INSERT INTO n SELECT t.id,t.name,email,c.i,qty FROM t LEFT JOIN c ON c.name=t.note; @swap",
    "'k'||(id%2) => CREATE TABLE c(name); INSERT INTO c VALUES('k0'),('k1'); DELETE FROM t WHERE note NOT IN (SELECT name FROM c); ALTER TABLE t DROP note",
    "'k'||(id%2) => UPDATE t SET note=trim(note) WHERE 1; CREATE TABLE c(name); INSERT INTO c SELECT DISTINCT note FROM t; ALTER TABLE t DROP note",
    "'k'||(id%2) => CREATE TABLE c(name); INSERT INTO c SELECT DISTINCT note FROM t WHERE note NOT IN (SELECT name FROM c); ALTER TABLE t DROP note",
  ]

  /// Migrations that keep them.
  static let retentive = [
    "NULL => UPDATE t SET note = 'new'", "'' => UPDATE t SET note = 'new'",
    "ALTER TABLE t ADD c; UPDATE t SET c = email; UPDATE t SET email = NULL",
    "CREATE TABLE y AS SELECT * FROM t; CREATE TABLE y2 AS SELECT * FROM y WHERE id > 0; DROP TABLE y; @drop",
    "ALTER TABLE t ADD c; UPDATE t SET c = email; CREATE TABLE y AS SELECT id, c AS x FROM t; ALTER TABLE t DROP c; @drop",
    "CREATE TABLE cat(id INTEGER PRIMARY KEY,e TEXT); INSERT INTO cat(e) SELECT DISTINCT email FROM t; ALTER TABLE t ADD COLUMN cat_id; UPDATE t SET cat_id=(SELECT id FROM cat WHERE e=email); @drop",
    "ALTER TABLE t ADD tmp TEXT; UPDATE t SET tmp=note; ALTER TABLE t DROP COLUMN note; ALTER TABLE t ADD note INTEGER; UPDATE t SET note=tmp; ALTER TABLE t DROP COLUMN tmp",
    "ALTER TABLE t ADD tmp TEXT; UPDATE t SET tmp=id; ALTER TABLE t DROP COLUMN tmp",
    "CREATE TABLE mail(t_id INTEGER PRIMARY KEY,email TEXT); INSERT INTO mail SELECT id,email FROM t WHERE email LIKE '%@%'; @drop",
    "CREATE TABLE mail(t_id INTEGER PRIMARY KEY,email TEXT); INSERT INTO mail SELECT id,email FROM t WHERE qty>=0; @drop",
    "CREATE TABLE mail(t_id INTEGER PRIMARY KEY,email TEXT); INSERT INTO mail SELECT t.id,t.email FROM t JOIN acc ON acc.t_id=t.id; @drop",
    "CREATE TABLE mail(t_id INTEGER PRIMARY KEY,email TEXT); INSERT INTO mail SELECT id,email FROM t LIMIT 100000; @drop",
    "UPDATE acc SET email=(SELECT email FROM t WHERE t.id=acc.t_id); @drop",
    "UPDATE acc SET email=t.email FROM t WHERE t.id=acc.t_id; @drop",
    "CREATE VIRTUAL TABLE f USING fts5(email); INSERT INTO f(rowid,email) SELECT id,email FROM t; @drop",
    "ALTER TABLE t RENAME TO r; CREATE TABLE y AS SELECT * FROM r; ALTER TABLE r DROP COLUMN email",
    "CREATE TABLE y AS SELECT * FROM t; @drop",
    "CREATE TEMP TABLE k AS SELECT id,email FROM t; @drop; ALTER TABLE t ADD COLUMN email TEXT COLLATE NOCASE; UPDATE t SET email=(SELECT email FROM k WHERE k.id=t.id); DROP TABLE k",
    "CREATE TEMP TABLE k AS SELECT id,email FROM t; @drop; ALTER TABLE t ADD COLUMN email TEXT; UPDATE t SET email=(SELECT email FROM k WHERE k.id=t.id); DROP TABLE temp.k",
    "CREATE TABLE y AS SELECT * FROM t; @drop; DROP TABLE IF EXISTS temp.y",
    "CREATE TEMP TABLE b(id,name,email,note,qty); INSERT INTO b SELECT * FROM t; DROP TABLE t; CREATE TABLE t @columns; INSERT INTO t SELECT * FROM b; DROP TABLE b",
    "@new; INSERT INTO n SELECT * FROM t WHERE id<3; INSERT INTO n SELECT * FROM t WHERE id>=3; @swap",
    "@new; INSERT INTO n SELECT * FROM t WHERE id<3 UNION ALL SELECT * FROM t WHERE id>=3; @swap",
    "@new; WITH x AS (SELECT * FROM t) INSERT INTO n SELECT * FROM x; @swap",
    "@new; INSERT INTO n SELECT * FROM (SELECT id,name,email,note,qty FROM t); @swap",
    "@new; INSERT INTO n SELECT id,name,upper(email),note,qty FROM t; @swap",
    "@new; INSERT INTO n SELECT id,coalesce(name,'?'),email,note,CAST(qty AS TEXT) FROM t; @swap",
    "CREATE TABLE n(id INTEGER PRIMARY KEY, name TEXT, mail TEXT, note TEXT, qty INTEGER); INSERT INTO n SELECT id,name,email,note,qty FROM t; @swap",
    "ALTER TABLE t ADD c; UPDATE t SET c=email; @drop; ALTER TABLE t RENAME COLUMN c TO email",
    "ALTER TABLE t ADD first; ALTER TABLE t ADD last; UPDATE t SET first=substr(name,1,1), last=substr(name,2); ALTER TABLE t DROP COLUMN name",
    "ALTER TABLE t ADD c; UPDATE t SET c=json_object('e',email,'n',note); @drop; ALTER TABLE t DROP COLUMN note",
    "ALTER TABLE t ADD c NOT NULL DEFAULT ''; UPDATE t SET c=email WHERE email IS NOT NULL; @drop; UPDATE t SET c='none' WHERE c IS NULL",
    "ALTER TABLE t RENAME TO t2; CREATE TABLE k(i); DROP TABLE k",
    "CREATE TABLE mail(t_id,email); INSERT INTO mail(email,t_id) SELECT email,id FROM t; @drop",
    "CREATE TABLE mail(t_id,email); INSERT INTO mail SELECT id,email FROM t WHERE id<3; CREATE TABLE mail2 AS SELECT email FROM t WHERE id>=3; @drop",
    "UPDATE t SET email=NULL WHERE email=''; CREATE TABLE mail AS SELECT id,email FROM t; @drop",
    "CREATE TABLE p AS SELECT id x FROM t UNION ALL SELECT 1; CREATE TABLE n AS SELECT t.* FROM t JOIN p ON x=id; @swap",
    "CREATE TABLE n AS SELECT * FROM t WHERE id>2 UNION SELECT * FROM t WHERE id<=2; @swap",
    "@new; INSERT INTO n SELECT id,upper(name),t.email,coalesce(note,''),qty FROM t LEFT JOIN acc ON t_id=id; @swap",
    "@new; INSERT INTO n SELECT * FROM t WHERE email LIKE '%@%'; INSERT INTO n VALUES(999999,'s','s','s',1); @swap",
    "id+1000 => @integer; INSERT INTO n SELECT * FROM t; @swap",
    "1.5 => @integer; INSERT INTO n SELECT id,name,email,CAST(note AS REAL),qty FROM t; @swap",
    "'123456789012345678' => @integer; INSERT INTO n SELECT * FROM t; @swap",
    "id+1000 => ALTER TABLE t ADD zip INTEGER; UPDATE t SET zip=note; ALTER TABLE t DROP note",
    "CREATE TABLE n(id INTEGER PRIMARY KEY, name TEXT, email TEXT, note TEXT, qty TEXT); INSERT INTO n SELECT * FROM t; @swap",
    "ALTER TABLE t ADD u; ALTER TABLE t ADD d; UPDATE t SET u=substr(email,1,instr(email,'@')-1), d=substr(email,instr(email,'@')+1); @drop",
    "json_object('a',id,'b',email) => ALTER TABLE t ADD a; ALTER TABLE t ADD b; UPDATE t SET a=json_extract(note,'$.a'), b=json_extract(note,'$.b'); ALTER TABLE t DROP note",
    "'level '||(id%3) => @integer; INSERT INTO n SELECT id,name,email,CAST(substr(note,7) AS INTEGER),qty FROM t; @swap",
    "iif(id%2,'yes','no') => ALTER TABLE t ADD c NOT NULL DEFAULT 0; UPDATE t SET c=note='yes'; ALTER TABLE t DROP note",
    "iif(id%2,'yes','no') => ALTER TABLE t ADD c NOT NULL DEFAULT 0; UPDATE t SET c=1 WHERE note='yes'; ALTER TABLE t DROP note",
    "NULL => UPDATE t SET note=ifnull(name,'?')||' '||email WHERE note IS NULL; @drop",
    "ALTER TABLE t ADD c; UPDATE t SET c=trim(email); UPDATE t SET c=lower(c); @drop",
    "ALTER TABLE t ADD c; UPDATE t SET c=email WHERE name IS NULL; UPDATE t SET c=email WHERE name>''; @drop",
    // A column is copied twice, or to a position after a computed one.
    "CREATE TABLE n(pos INTEGER,id INTEGER PRIMARY KEY,name TEXT,email TEXT,note TEXT,qty); INSERT INTO n SELECT id*10,id,name,email,note,qty FROM t; @swap",
    "CREATE TABLE n(slug TEXT,email TEXT,name TEXT,note TEXT,qty); INSERT INTO n SELECT lower(email),email,name,note,qty FROM t; @swap",
    "CREATE TABLE n(pos INTEGER PRIMARY KEY,name TEXT,email TEXT,note TEXT,qty); INSERT INTO n SELECT row_number() OVER (ORDER BY id),name,email,note,qty FROM t; @swap",
    "CREATE TABLE n(id INTEGER PRIMARY KEY,parent TEXT,name TEXT,email TEXT,note TEXT,qty); INSERT INTO n SELECT c.id,q.email,c.name,c.email,c.note,c.qty FROM t c LEFT JOIN t q ON q.id=c.id-1; @swap",
    "@new; INSERT INTO n SELECT c.* FROM t c JOIN t q ON q.id=c.id; @swap",
    "@new; INSERT INTO n SELECT q.id,q.name,c.email,c.note,q.qty FROM t q JOIN t c ON q.id=c.id; @swap",
    "@new; INSERT INTO n SELECT q.id,trim(q.name),q.email,upper(q.note),q.qty FROM t q LEFT JOIN t c ON c.id=q.id+1; @swap",
    "@new; INSERT INTO n SELECT id,name,upper(email),note,qty FROM t; UPDATE n SET email='' WHERE email IS NULL; @swap",
    "CREATE TABLE n(id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '?', email TEXT, note TEXT, qty INTEGER); INSERT OR REPLACE INTO n SELECT * FROM t; @swap",
    "@copy; @swap; @copy WHERE 1; @swap",
    "@again; @again WHERE id>0; DROP TABLE old",
    // An expression that fails for values of other rows.
    "iif(id%2,'{\"a\":1}','plain'||id) => @new; INSERT INTO n SELECT id,name,email,CASE id%2 WHEN 1 THEN json(note) ELSE note END,qty FROM t; @swap",
    // Rows that were set aside come back after the rebuild.
    "CREATE TEMP TABLE k AS SELECT * FROM t WHERE id=1; @copy WHERE id>1; @swap; INSERT INTO t SELECT * FROM k; DROP TABLE k",
    "CREATE TABLE k AS SELECT * FROM t WHERE id=1; @copy WHERE id>1; @swap; INSERT INTO t(id,name,email,note,qty) SELECT id,name,email,note,qty FROM k; DROP TABLE k",
    "ALTER TABLE t ADD c; UPDATE t SET c=lower(email)||' '||note; @drop; ALTER TABLE t DROP note",
    "ALTER TABLE t ADD c; UPDATE t SET c=printf('%s (%03d)',note,qty); ALTER TABLE t DROP qty; ALTER TABLE t DROP note",
    "ALTER TABLE t ADD c; UPDATE t SET c=json_object('e',email,'n',note,'q',qty); @drop; ALTER TABLE t DROP note; ALTER TABLE t DROP qty",
    "NULL => UPDATE t SET note=email||' '||qty WHERE note IS NULL; @drop; ALTER TABLE t DROP qty",
    "CREATE TABLE n(id INTEGER PRIMARY KEY, name, c); INSERT INTO n SELECT id,name,email||' '||note||qty FROM t; @swap",
    "iif(id%2,'1.1','1.2') => @integer; INSERT INTO n SELECT * FROM t; @swap",
    "NULL => ALTER TABLE t DROP COLUMN note",
    "'  ' => ALTER TABLE t DROP COLUMN note",
    "'  ' => UPDATE t SET note=NULL WHERE trim(note)=''",
    "'' => ALTER TABLE t RENAME TO r; ALTER TABLE r DROP COLUMN note",
    "UPDATE t SET note=email, email=note; CREATE TABLE y AS SELECT * FROM t; @drop",
    "ALTER TABLE t ADD c; UPDATE t SET c=trim(email); UPDATE t SET c=c||'?'; @drop",
    "id+0.5 => ALTER TABLE t ADD c; UPDATE t SET c=CAST(note*10 AS INTEGER); ALTER TABLE t DROP note",
    "'k'||(id%2) => CREATE TABLE c(i INTEGER PRIMARY KEY,name); INSERT INTO c(name) SELECT DISTINCT note FROM t; ALTER TABLE t ADD c_id; UPDATE t SET c_id=c.i FROM c WHERE c.name=note; ALTER TABLE t DROP note",
    "'k'||(id%2) => CREATE TABLE c AS SELECT DISTINCT name,note FROM t; ALTER TABLE t DROP note",
    "'k'||(id%2) => CREATE TABLE c(i INTEGER PRIMARY KEY,name); INSERT INTO c(name) VALUES('k0'),('k1'); CREATE TABLE n(id INTEGER PRIMARY KEY,name,email,c_id,qty); INSERT INTO n SELECT t.id,t.name,email,c.i,qty FROM t JOIN c ON c.name=t.note; @swap",
    "'k'||(id%2) => CREATE TABLE c(i INTEGER PRIMARY KEY,name); INSERT INTO c(name) SELECT DISTINCT note FROM t; CREATE TABLE tc AS SELECT t.id,c.i FROM t JOIN c ON c.name=t.note; ALTER TABLE t DROP note",
    "'k'||(id%2) => CREATE TABLE c(i INTEGER PRIMARY KEY,name); INSERT INTO c(name) SELECT note FROM t GROUP BY 1; CREATE TABLE n(id INTEGER PRIMARY KEY,name,email,c_id,qty); INSERT INTO n SELECT t.id,t.name,email,c.i,qty FROM t LEFT JOIN c ON c.name=t.note; @swap",
    "'k'||(id%2) => CREATE TABLE c(i INTEGER PRIMARY KEY,name); INSERT INTO c(name) SELECT DISTINCT note FROM t; ALTER TABLE t ADD c_id; UPDATE t SET c_id=(SELECT i FROM c WHERE name=note) @next ALTER TABLE t DROP note",
    "@new; INSERT INTO n SELECT * FROM t; @swap; ALTER TABLE t RENAME TO t2; ALTER TABLE t2 RENAME TO t3",
    "id%2 => @new; INSERT INTO n SELECT id,name,email,CASE WHEN note THEN TRUE ELSE FALSE END,qty FROM t; @swap",
    "'k' => ALTER TABLE t ADD c; UPDATE t SET c=note; ALTER TABLE t DROP note",
    "ALTER TABLE t ADD c; UPDATE t SET c=email; UPDATE t SET email=NULL; ALTER TABLE t ADD d; UPDATE t SET d=c; ALTER TABLE t DROP c",
    "ALTER TABLE t ADD c; UPDATE t SET c=email; UPDATE t SET email=NULL; CREATE TABLE z AS SELECT id,c FROM t; ALTER TABLE t DROP c",
    "CREATE TABLE x AS SELECT id,email FROM t; UPDATE t SET email=''; ALTER TABLE x ADD z; UPDATE x SET z=email; ALTER TABLE x DROP email",
    "CREATE TABLE k AS SELECT * FROM t WHERE id<3; DELETE FROM t WHERE id<3; INSERT INTO t SELECT * FROM k; DROP TABLE k; ALTER TABLE t ADD c; UPDATE t SET c=email; UPDATE t SET email=NULL",
    "CREATE TABLE k AS SELECT * FROM t WHERE id<3; DELETE FROM t WHERE id<3; INSERT INTO t SELECT * FROM k; DROP TABLE k; CREATE TABLE z AS SELECT id,email FROM t; UPDATE t SET email=''",
    "'k' => CREATE TABLE x(ref,c); INSERT INTO x SELECT id,note FROM t WHERE id>1; INSERT INTO x SELECT id,note FROM t WHERE id<2; ALTER TABLE t DROP note",
    "'k' => CREATE TABLE x(ref TEXT,c); CREATE TABLE y(i,c); INSERT INTO x SELECT id,note FROM t WHERE id>1; INSERT INTO y SELECT id,note FROM t WHERE id<2; ALTER TABLE t DROP note",
    "'k' => CREATE TABLE x(ref,c); INSERT INTO x SELECT id,note FROM t; UPDATE x SET ref=ref+1000; ALTER TABLE t DROP note",
    "'k'||(id%2) => CREATE TABLE x(i INTEGER PRIMARY KEY,c UNIQUE); INSERT OR IGNORE INTO x SELECT id,note FROM t; ALTER TABLE t ADD x_id; UPDATE t SET x_id=(SELECT i FROM x WHERE c=t.note); ALTER TABLE t DROP COLUMN note",
    "ALTER TABLE t ADD n; UPDATE t SET n=email; UPDATE t SET email='q'",
    "ALTER TABLE t ADD n; UPDATE t SET n=email; UPDATE t SET email=NULL WHERE id=2; @drop",
    "CREATE TABLE x AS SELECT id,email FROM t; UPDATE t SET email=NULL; @next ALTER TABLE x ADD z; CREATE TABLE y AS SELECT * FROM x; DROP TABLE x",
    "CREATE TABLE x AS SELECT id,email FROM t; UPDATE t SET email='' WHERE id<0; @next DROP TABLE x",
    "CREATE TABLE x AS SELECT id,email FROM t; UPDATE t SET email=NULL WHERE id=1; UPDATE t SET email=x.email FROM x WHERE x.id=t.id; @next DROP TABLE x",
    // Rows that come back.
    "CREATE TABLE k AS SELECT * FROM t; DELETE FROM t WHERE id<3; INSERT INTO t SELECT id-10,name,email,note,qty FROM k WHERE id<3; DROP TABLE k",
    "CREATE TABLE k AS SELECT * FROM t; UPDATE k SET email='e'||id; DELETE FROM t WHERE id<3; INSERT INTO t SELECT * FROM k WHERE id<3; DROP TABLE k",
    "CREATE TEMP TABLE k AS SELECT id,name,coalesce(email,'?') AS email,note,qty FROM t WHERE id=3; DELETE FROM t WHERE id=3; @new; INSERT INTO n SELECT * FROM t; @swap; INSERT INTO t SELECT * FROM k; DROP TABLE k",
    "DELETE FROM t WHERE id=3; @new; INSERT INTO n SELECT * FROM t; @swap; INSERT INTO t VALUES(3,'C','cat@z','c',3)",
    "DELETE FROM t WHERE id=1; INSERT INTO t VALUES(1,'Zoe','z@z','z',9)",
    "CREATE TABLE k AS SELECT * FROM t WHERE id<3; DELETE FROM t WHERE id<3; INSERT INTO t SELECT * FROM k; DROP TABLE k",
    "CREATE TABLE k AS SELECT * FROM t; DELETE FROM t WHERE id<3; INSERT INTO t SELECT k.* FROM k WHERE id<3; DROP TABLE k",
    "CREATE TABLE mail AS SELECT id,email FROM t; DELETE FROM t WHERE id=1; INSERT INTO t(id,name,note,qty) VALUES(1,'Ann','a',1)",
    "INSERT INTO t VALUES(9999999,'x','y','z',0); DELETE FROM t WHERE id>999999; INSERT INTO t(id) VALUES(9999999)",
    "DELETE FROM t WHERE id<0; INSERT INTO t(id,name) VALUES(-1,'n')",
    "DELETE FROM t WHERE id=1; INSERT INTO t(id,name) VALUES(1,'Ann'); UPDATE t SET email='e',note='n',qty=1 WHERE id=1",
    "SAVEPOINT p; DELETE FROM t WHERE id=1; INSERT INTO t(id) VALUES(1); ROLLBACK TO p; RELEASE p",
    // A copy beside a rebuild is a backup that is not needed.
    "CREATE TABLE c AS SELECT * FROM t; @new; INSERT INTO n SELECT * FROM t; @swap; DROP TABLE c",
    "CREATE TEMP TABLE c AS SELECT * FROM t; @new; INSERT INTO n SELECT * FROM t; @swap",
    "@new; INSERT INTO n SELECT * FROM t; CREATE TABLE c AS SELECT id,email FROM t; @swap; DROP TABLE c",
    // The new table need not have the first name of the old one.
    "ALTER TABLE t RENAME TO t2; @new; INSERT INTO n SELECT * FROM t2; DROP TABLE t2; ALTER TABLE n RENAME TO t2",
    // A table that is left over from another migration.
    "DROP TABLE IF EXISTS n; @copy; @swap; CREATE TABLE n(x); @next DROP TABLE IF EXISTS n; @copy; @swap",
    "CREATE TABLE n(x); @next DROP TABLE IF EXISTS n; @copy; @swap",
    "DROP TABLE o; CREATE TABLE o AS SELECT * FROM t; DROP TABLE t; ALTER TABLE o RENAME TO t",
    "DELETE FROM o; ALTER TABLE o ADD y; INSERT INTO o SELECT id,email FROM t; ALTER TABLE t RENAME TO t9; ALTER TABLE o RENAME TO t",
    "DROP TABLE IF EXISTS o; ALTER TABLE t RENAME TO o; CREATE TABLE t @columns; INSERT INTO t SELECT * FROM o; DROP TABLE o",
    // The file after the mark is another one.
    "CREATE TABLE mail AS SELECT id,email FROM t; @next @drop",
    "@more; INSERT INTO n SELECT *, 1 FROM t; UPDATE n SET z = NULL; @swap",
    "@more; INSERT INTO n SELECT *, 1 FROM t; UPDATE n SET z = 5 WHERE id > 1; @swap",
    "CREATE TABLE mail(i INTEGER PRIMARY KEY,a); INSERT INTO mail(a) SELECT DISTINCT email FROM t; ALTER TABLE t ADD c; "
      + "UPDATE t SET c=(SELECT i FROM mail WHERE a=t.email); @next @drop",
    "ALTER TABLE t ADD c TEXT; UPDATE t SET c=email; @next @drop; ALTER TABLE t RENAME c TO email",
    "CREATE TABLE mail(id,address); @next INSERT INTO mail SELECT id,email FROM t; @next ALTER TABLE mail RENAME TO mails; @next @drop",
    "CREATE TABLE mail(i INTEGER PRIMARY KEY,email); INSERT INTO mail(email) SELECT DISTINCT email FROM t; CREATE TABLE n(id INTEGER "
      + "PRIMARY KEY,name,i,note,qty); INSERT INTO n SELECT t.id,t.name,mail.i,t.note,t.qty FROM t JOIN mail USING (email); @swap",
    // A column that the run adds has no values that were there before.
    "ALTER TABLE t ADD c INT; @next UPDATE t SET c=qty*2",
    "ALTER TABLE t ADD c INT DEFAULT 5; @next UPDATE t SET c=qty",
    "ALTER TABLE t ADD c; ALTER TABLE t RENAME TO t2; @next UPDATE t2 SET c=upper(email); ALTER TABLE t2 DROP c",
    "CREATE TABLE n(id INTEGER PRIMARY KEY,name,email,note,qty,c); INSERT INTO n SELECT id,name,email,note,qty,1 FROM t; @swap; @next UPDATE t SET c=qty",
    "@new; INSERT INTO n SELECT * FROM t; @next @swap",
  ]

  @Test(
    "A column is kept by an expression whose results can be turned back into its values, for each size of the table",
    arguments: [
      ("strftime('%s', d || ' ' || tm)", "d tm", false), ("unixepoch(d || ' ' || tm)", "tm d", false),
      ("strftime('%s', d || ' ' || hm)", "hm d", false), ("datetime(d || ' ' || hm)", "d hm", false),
      ("strftime('%s', d)", "d", false), ("strftime('%s', d)", "d tm", true), ("strftime('%Y', d)", "d", true),
      ("dollars * 100 + cents", "dollars cents", false), ("100 * dollars + cents", "cents dollars", false),
      ("dollars * 10 + cents", "dollars cents", true), ("dollars + cents", "dollars cents", true),
      ("dollars * cents", "dollars cents", true), ("total / 100", "total", true), ("(total + 9) / 100", "total", true),
      ("total / 100.0", "total", false), ("total / 100, e = total % 100", "total", false),
      ("total * 3", "total", false), ("ms / 1000", "ms", false), ("ms % 7", "ms", true), ("price * 8", "price", false),
      ("CAST(price AS INTEGER)", "price", true), ("name || ' ' || last", "name last", false),
      ("last || ', ' || name", "name last", false), ("substr(name, 1, 2)", "name", true),
      ("upper(substr(last, 1, 1)) || substr(last, 2)", "last", false), ("substr(last, 1, 40)", "last", false),
    ])
  func undoneExpressions(expression: String, columns: String, isLoss: Bool) throws {
    for size in Self.sizes {
      let values = """
        date('2020-01-01', '+' || (x % 300) || ' days'), time('00:00', '+' || (x * 61 % 86400) || ' seconds'),
        time('00:00', '+' || (x % 1440) || ' minutes'), x * 3 % 50, x * 7 % 100, x * 137 + 50, x * 1000, x / 8.0,
        'F' || x || CASE WHEN x % 5 THEN '' ELSE ' M' || x END, 'L' || x * 7
        """
      let fixture = try Fixture(
        "CREATE TABLE s (d, tm, hm, dollars INTEGER, cents INTEGER, total INTEGER, ms INTEGER, price REAL, name, last);\n"
          + Self.rows(size + 1, values) + "UPDATE s SET hm = substr(hm, 1, 5); DELETE FROM s WHERE ms = 0;\n",
        "ALTER TABLE s ADD c INT; ALTER TABLE s ADD e; UPDATE s SET c = \(expression);\n"
          + columns.split(separator: " ").map { "ALTER TABLE s DROP \($0);\n" }.joined())
      try fixture.migrate(isLoss: isLoss, "\(size) rows")
    }
  }

  @Test(
    "A value is kept by a column that was computed from it in the same file or in an earlier one, if the row still shows that",
    arguments: [
      ("ALTER TABLE t ADD c; UPDATE t SET c = substr(b, 1, 2); ALTER TABLE t DROP b", true),
      (
        "ALTER TABLE t ADD c; ALTER TABLE t ADD d; UPDATE t SET c = substr(at, 1, 4), d = substr(at, 6); ALTER TABLE t DROP at",
        false
      ),
      (
        "ALTER TABLE t ADD c; UPDATE t SET c = substr(at, 1, 4) * 372 + substr(at, 6, 2) * 31 + substr(at, 9); ALTER TABLE t DROP at",
        false
      ),
      ("ALTER TABLE t ADD c; UPDATE t SET c = upper(substr(b, 1, 1)) || '.'; ALTER TABLE t DROP b", true),
      (
        "ALTER TABLE t ADD c; ALTER TABLE t ADD d; UPDATE t SET c = substr(b, 1, 1), d = substr(b, 2); ALTER TABLE t DROP b",
        false
      ),
      ("@cents @next ALTER TABLE t DROP price", false),
      ("@cents @next UPDATE t SET cents = cents + 1 WHERE id = 2 @next ALTER TABLE t DROP price", true),
      (
        "ALTER TABLE t ADD full TEXT; UPDATE t SET full = a || ' ' || b @next ALTER TABLE t DROP a; "
          + "ALTER TABLE t DROP b", false
      ),
      (
        "ALTER TABLE t ADD full TEXT; UPDATE t SET full = substr(a,1,1) || ' ' || b @next ALTER TABLE t "
          + "DROP a; ALTER TABLE t DROP b", true
      ),
      ("ALTER TABLE t ADD ep INTEGER; UPDATE t SET ep = strftime('%s', at) @next ALTER TABLE t DROP at", false),
      ("@cents; @new; INSERT INTO n SELECT id, a, b, cents, f, g, at FROM t; @swap", false),
      ("@cents WHERE f = 1; @new; INSERT INTO n SELECT id, a, b, cents, f, g, at FROM t; @swap", true),
      ("@cents; @new; INSERT INTO n (id, a, b, f, g, at) SELECT id, a, b, f, g, at FROM t; @swap", true),
      ("@cents; @new; INSERT INTO n SELECT id, a, b, cents, f, g, at FROM t WHERE id > 1; @swap", true),
      ("@cents @next @new; INSERT INTO n SELECT id, a, b, cents, f, g, at FROM t; @swap", false),
      (
        "ALTER TABLE t ADD nick TEXT; UPDATE t SET nick = a; CREATE TABLE n (id, nick, b, price, f, g, "
          + "at); INSERT INTO n SELECT id, nick, b, price, f, g, at FROM t; @swap", false
      ),
      (
        "@cents; @new; INSERT INTO n SELECT id, a, b, cents, f, g, at FROM t; @swap; UPDATE t SET cents "
          + "= NULL WHERE id = 1", true
      ),
      ("ALTER TABLE t ADD f_at TEXT; UPDATE t SET f_at = at WHERE f = 1; ALTER TABLE t DROP f", false),
      ("ALTER TABLE t ADD f_at TEXT; UPDATE t SET f_at = CASE WHEN f THEN at END; ALTER TABLE t DROP f", false),
      (
        "ALTER TABLE t ADD f_at TEXT; UPDATE t SET f_at = CASE WHEN f THEN at END @next ALTER TABLE t "
          + "DROP f", false
      ),
      (
        "UPDATE t SET at = 'x' WHERE id = 9; ALTER TABLE t ADD f_at TEXT; UPDATE t SET f_at = CASE WHEN "
          + "f AND id > 5 THEN at END; ALTER TABLE t DROP f", true
      ),
      (
        "ALTER TABLE t ADD st TEXT; UPDATE t SET st = CASE WHEN f THEN 'done' WHEN g THEN 'arch' ELSE "
          + "'open' END; ALTER TABLE t DROP f; ALTER TABLE t DROP g", true
      ),
      ("ALTER TABLE t ADD st TEXT; UPDATE t SET st = a; ALTER TABLE t DROP f", true),
      ("ALTER TABLE t ADD x TEXT; UPDATE t SET x = a; ALTER TABLE t DROP a @next ALTER TABLE t DROP x", true),
      (
        "ALTER TABLE t ADD x TEXT; UPDATE t SET x = a; ALTER TABLE t DROP a @next ALTER TABLE t ADD a "
          + "TEXT; UPDATE t SET a = x; ALTER TABLE t DROP x", false
      ),
      (
        "ALTER TABLE t ADD x TEXT; UPDATE t SET x = a @next ALTER TABLE t DROP a @next UPDATE t SET x = "
          + "NULL", true
      ),
      ("ALTER TABLE t ADD x TEXT; UPDATE t SET x = a; UPDATE t SET a = NULL @next ALTER TABLE t DROP x", true),
      (
        "UPDATE t SET g = 1 WHERE id = 1; UPDATE t SET f = 1 WHERE id = 3; ALTER TABLE t ADD st TEXT; "
          + "UPDATE t SET st = CASE WHEN f THEN 'done' WHEN g THEN 'arch' ELSE 'open' END; ALTER TABLE t "
          + "DROP f; ALTER TABLE t DROP g", true
      ),
      ("ALTER TABLE t ADD n INT; UPDATE t SET n = f + g; ALTER TABLE t DROP f; ALTER TABLE t DROP g", true),
    ])
  func convertedBefore(migrations: String, isLoss: Bool) throws {
    let columns =
      "id INTEGER PRIMARY KEY, a TEXT, b TEXT, %, f INTEGER NOT NULL DEFAULT 0, g INTEGER NOT NULL DEFAULT 0, at TEXT"
    let files = migrations.replacing(
      "@cents", with: "ALTER TABLE t ADD cents INTEGER; UPDATE t SET cents = round(price * 100)"
    )
    .replacing("@new", with: "CREATE TABLE n (\(columns.replacing("%", with: "cents INTEGER")))")
    .replacing("@swap", with: "DROP TABLE t; ALTER TABLE n RENAME TO t").components(separatedBy: " @next ")
    for isStepwise in [false, true] {
      let fixture = try Fixture(
        """
        CREATE TABLE t (\(columns.replacing("%", with: "price REAL")));
        INSERT INTO t VALUES (1, 'Ann', 'Lee', 9.99, 1, 0, '2020-01-01'), (2, 'Bob', 'Ray', 5.5, 0, 1, '2021-02-02'),
          (3, 'Cid', 'Moe', 7.25, 0, 0, '2022-03-03'), (4, 'Dan', 'Poe', 1.1, 0, 0, '2022-03-04');

        """, files[0] + ";\n")
      var codes: [Int32] = []
      for (index, file) in files.enumerated() {
        try fixture.transcript.write(file + ";\n", to: "migrations/\(index + 2)_\(index == 0 ? "second" : "next").sql")
        guard isStepwise || index == files.count - 1 else { continue }
        codes.append(try fixture.tool.run(["migrate", "--confirm-loss"]).exitCode)
      }
      #expect(codes.last == (isLoss ? 5 : 0) && codes.dropLast().allSatisfy { $0 == 0 }, "\(isStepwise): \(codes)")
    }
  }

  @Test(
    "A value is not kept by what other values, other rows, or statements in between determine",
    arguments: [
      "ALTER TABLE d ADD z TEXT; UPDATE d SET z = coalesce(a, b); ALTER TABLE d DROP a; CREATE TABLE n (id "
        + "INTEGER PRIMARY KEY, z); INSERT INTO n SELECT id, z FROM d; @swap",
      "ALTER TABLE d ADD z TEXT; UPDATE d SET z = coalesce(a, CASE WHEN f THEN 'on' ELSE 'off' END); ALTER "
        + "TABLE d DROP f",
      "ALTER TABLE d ADD z TEXT; UPDATE d SET z = a || CASE WHEN f OR g THEN '*' ELSE '' END; ALTER TABLE "
        + "d DROP f; ALTER TABLE d DROP g",
      "ALTER TABLE d ADD z TEXT; UPDATE d SET z = printf('%s-%d', a, f > 5); ALTER TABLE d DROP f",
      "ALTER TABLE d ADD z TEXT; UPDATE d SET z = a WHERE f = 1; UPDATE d SET z = a WHERE g = 1; ALTER "
        + "TABLE d DROP f; ALTER TABLE d DROP g",
      "ALTER TABLE d ADD z TEXT; UPDATE d SET z = CASE WHEN t THEN 'y' END; ALTER TABLE d DROP t",
      "ALTER TABLE d ADD z TEXT; UPDATE d SET z = b WHERE t = 1; ALTER TABLE d DROP t",
      "DROP TABLE o; CREATE TABLE o (t, pos); INSERT INTO o SELECT id, id FROM d",
      "DROP TABLE x; CREATE VIRTUAL TABLE x USING fts5 (b); INSERT INTO x (rowid, b) SELECT id, b FROM d",
      "UPDATE d SET b = 'new' WHERE id = 1; DROP TABLE y; CREATE VIRTUAL TABLE y USING fts5 (b); INSERT "
        + "INTO y (rowid, b) SELECT id, b FROM d",
      "ALTER TABLE d ADD old TEXT; UPDATE d SET old = a; UPDATE d SET a = 'x' WHERE id = 1 @next ALTER "
        + "TABLE d DROP old",
      "ALTER TABLE d ADD old TEXT; UPDATE d SET old = a; UPDATE d SET a = 'x' WHERE id = 1 @next UPDATE d "
        + "SET old = 'n'",
      "ALTER TABLE d ADD old TEXT; UPDATE d SET old = a @next UPDATE d SET a = 'x' WHERE id = 1 @next "
        + "UPDATE d SET old = NULL WHERE id = 1",
      "UPDATE d SET a = b @next UPDATE d SET b = 'new' WHERE id = 1; UPDATE d SET a = b",
      "UPDATE s SET v = 'EUR' WHERE k = 'cur'; UPDATE d SET c = (SELECT v FROM s WHERE k = 'cur')",
      "INSERT INTO o VALUES (1, 9); UPDATE d SET m = (SELECT count(*) FROM o WHERE o.t = d.id)",
      "ALTER TABLE d RENAME TO d0; ALTER TABLE e RENAME TO d @next UPDATE d SET a = b",
      "UPDATE d SET n = a; ALTER TABLE d DROP a @next UPDATE d SET n = 'x'",
      "ALTER TABLE d ADD z TEXT; UPDATE d SET z = q; CREATE TABLE n (id INTEGER PRIMARY KEY, z INTEGER); "
        + "INSERT INTO n SELECT id, z FROM d; @swap",
      "ALTER TABLE d ADD z TEXT; UPDATE d SET z = a; CREATE TABLE n (id INTEGER PRIMARY KEY, z); INSERT "
        + "INTO n SELECT id, z FROM d; @swap; UPDATE d SET z = 'x'",
      "UPDATE d SET h = 5",
      "ALTER TABLE d ADD z INT; UPDATE d SET z = h / 10; DELETE FROM d WHERE id = 2; ALTER TABLE d DROP h",
      "CREATE VIEW v AS SELECT v FROM s WHERE k = 'cur' @next UPDATE s SET v = 'EUR'; UPDATE d SET c = (SELECT v FROM v)",
      "CREATE TRIGGER r AFTER INSERT ON e BEGIN UPDATE s SET v = new.a; END; INSERT INTO e VALUES (9, 'EUR', ''); UPDATE d SET c = "
        + "(SELECT v FROM s WHERE k = 'cur')",
      "ALTER TABLE d ADD z INT; UPDATE d SET z = CASE WHEN a LIKE 'A%' THEN 1 WHEN a LIKE 'P%' THEN 2 ELSE 3 END @next ALTER TABLE d DROP a",
      "ALTER TABLE d ADD z INT; UPDATE d SET z = unicode(a); CREATE TABLE n (id INTEGER PRIMARY KEY, z); INSERT INTO n SELECT id, z FROM d; "
        + "@swap",
      "ALTER TABLE d ADD z TEXT; UPDATE d SET z = a; CREATE TABLE n (id INTEGER PRIMARY KEY, z); INSERT INTO n SELECT id, z FROM d; @swap; "
        + "UPDATE d SET z = 'x' WHERE id = 1",
    ])
  func notKept(migrations: String) throws {
    let files = migrations.replacing("@swap", with: "DROP TABLE d; ALTER TABLE n RENAME TO d").components(
      separatedBy: " @next ")
    let fixture = try Fixture(
      """
      CREATE TABLE d (id INTEGER PRIMARY KEY, a TEXT, b TEXT, f INT, g INT, t INT, n TEXT DEFAULT 'none', c TEXT, m INT, q TEXT,
        h INT DEFAULT 1);
      INSERT INTO d VALUES (1, 'A', 'B', 1, 0, 1, 'none', 'USD', 1, '007', 1), (2, 'P', 'Q', 0, 1, 0, 'none', 'USD', 1, '7', NULL),
        (3, 'R', 'S', 0, 0, NULL, 'none', 'USD', 1, '8', 1);
      CREATE TABLE e (id INTEGER PRIMARY KEY, a TEXT, b TEXT); INSERT INTO e VALUES (1, 'k', 'l'), (2, 'm', 'n');
      CREATE TABLE o (t, pos); INSERT INTO o VALUES (1, 3), (2, 1), (3, 2);
      CREATE TABLE s (k PRIMARY KEY, v); INSERT INTO s VALUES ('cur', 'USD');
      CREATE VIRTUAL TABLE x USING fts4 (b); INSERT INTO x (rowid, b) SELECT 4 - id, b FROM d;
      CREATE VIRTUAL TABLE y USING fts4 (b); INSERT INTO y (rowid, b) SELECT id, b FROM d;

      """, files[0] + ";\n")
    for (index, file) in files.enumerated().dropFirst() {
      try fixture.transcript.write(file + ";\n", to: "migrations/\(index + 2)_next.sql")
    }
    try fixture.migrate(isLoss: true, migrations)
  }

  @Test(
    "The rows that a DELETE removes are reported, if other statements do not bring them back",
    arguments: [
      ("DELETE FROM s WHERE rowid = 3", 9), ("DELETE FROM s WHERE rowid = -3", 10),
      ("@; INSERT INTO s VALUES (3, 'x', 1)", 9), ("INSERT INTO s VALUES (3, 'x', 1); @", 9),
      ("@; DELETE FROM s WHERE rowid = 4; INSERT INTO s VALUES (3, 'x', 1)", 8),
      ("DELETE FROM s WHERE rowid = 10; INSERT OR IGNORE INTO main.s SELECT 3, 'x', 1", 9),
      ("DELETE FROM s WHERE random() AND rowid = 3; INSERT INTO s VALUES (3, 'x', 1)", 0),
      (
        "@; INSERT INTO s VALUES (3, 'x', 1); CREATE TABLE n AS SELECT * FROM s; DROP TABLE s; ALTER TABLE n RENAME TO s",
        9
      ),
      (
        "CREATE TABLE n AS SELECT * FROM s; DROP TABLE s; ALTER TABLE n RENAME TO s; @; INSERT INTO s VALUES (3, 'x', 1)",
        9
      ),
      (
        "CREATE TABLE k AS SELECT * FROM s; @; INSERT INTO s SELECT * FROM k WHERE rowid = 3; INSERT INTO s VALUES (3, 'x', 1)",
        10
      ),
      ("SAVEPOINT p; @; ROLLBACK TO p; RELEASE p; INSERT INTO s VALUES (3, 'x', 1)", 10),
      ("@; DELETE FROM s WHERE rowid = 4", 8),
      ("INSERT INTO s VALUES (-3, 'x', 1); DELETE FROM s WHERE a = -3", 10),
      ("@; UPDATE s SET kind = 'x' WHERE rowid = 1", 9),
      ("SAVEPOINT p; @; ROLLBACK TO p; DELETE FROM s WHERE rowid = -3; RELEASE p", 10),
      ("SAVEPOINT p; @; RELEASE p", 9),
      ("CREATE TABLE k AS SELECT * FROM s; DELETE FROM s; INSERT INTO s SELECT * FROM k; DROP TABLE k", 10),
      (
        "CREATE TABLE k AS SELECT * FROM s WHERE rowid > 2; DELETE FROM s WHERE a >= 0; INSERT INTO s SELECT * FROM k; DROP TABLE k",
        8
      ),
      ("WITH z AS (SELECT 3 AS i) DELETE FROM s WHERE rowid IN (SELECT i FROM z)", 9),
      ("DELETE FROM s WHERE rowid > 3", 3),
      ("-- migrator: allow lost-rows old\n@; DELETE FROM s WHERE rowid = 4", 8), ("@; ALTER TABLE s RENAME TO s2", 9),
      ("DELETE FROM s WHERE rowid = 4;\n-- migrator: allow lost-rows old\n@", 8),
      ("CREATE TABLE k AS SELECT a FROM s; DELETE FROM k", 10),
      ("CREATE TRIGGER g AFTER DELETE ON s BEGIN INSERT INTO s VALUES (9, 'x', 1); END; @", 10),
      ("CREATE TRIGGER g BEFORE DELETE ON s BEGIN SELECT RAISE(IGNORE); END; @", 10),
      ("CREATE TEMP TABLE s (a); INSERT INTO s VALUES (1); DELETE FROM s WHERE a = 1", 10),
      ("PRAGMA user_version = 3; @; SELECT 1", 9),
    ])
  func deletedRows(migration: String, remaining: Int) throws {
    let script = migration.replacing("@", with: "DELETE FROM s WHERE rowid = 3")
    let fixture = try Fixture(Self.table + Self.rows(10), script + ";\n")
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == (remaining < 10 ? 5 : 0), "\(outcome)")
    #expect(outcome.errors.contains("keeps \(remaining) of its 10 rows") == (remaining < 10), "\(outcome)")
  }

  @Test(
    "One statement that removes values of several columns gets one finding",
    arguments: [
      (
        "DELETE FROM s WHERE a = 1; INSERT INTO s (a) VALUES (1)",
        "deletes rows of table \"s\" that come back without columns"
      ),
      ("UPDATE s SET b = NULL, c = NULL WHERE a = 1", "overwrites columns"),
    ])
  func columnsOfOneStatement(migration: String, reason: String) throws {
    let setup = "CREATE TABLE s (a INTEGER PRIMARY KEY, b, c); INSERT INTO s VALUES (1, 'b', 'c'), (2, 'd', 'e');\n"
    let fixture = try Fixture(setup, migration + ";\n")
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 5)
    #expect(outcome.errors.components(separatedBy: "warning:").count == 2, "\(outcome)")
    #expect(outcome.errors.contains("\(reason) \"b\" and \"c\""), "\(outcome)")
    #expect(outcome.errors.contains("at least 2 of their values are gone afterwards"), "\(outcome)")
  }

  @Test(
    "The values of a dropped column are asked about unless the real rows have them elsewhere",
    arguments: TestTier.isFull ? forgetful + retentive : everySecond(forgetful) + everySecond(retentive))
  func keptValues(migration: String) throws {
    let isLoss = Self.forgetful.contains(migration)
    let columns = "(id INTEGER PRIMARY KEY, name TEXT, email TEXT, note TEXT, qty INTEGER)"
    var script = migration
    for (mark, text) in [
      ("@copy", "@new; INSERT INTO n SELECT * FROM t"),
      (
        "@again",
        "DROP TABLE IF EXISTS old; ALTER TABLE t RENAME TO old; CREATE TABLE t @columns; INSERT INTO t SELECT * FROM old"
      ),
      ("@more", "CREATE TABLE n \(columns.dropLast()), z)"), ("@new", "CREATE TABLE n \(columns)"),
      ("@swap", "DROP TABLE t; ALTER TABLE n RENAME TO t"),
      ("@drop", "ALTER TABLE t DROP COLUMN email"), ("@columns", columns),
      ("@integer", "CREATE TABLE n \(columns.replacing("note TEXT", with: "note INTEGER"))"),
    ] { script = script.replacing(mark, with: text) }
    let notes = script.components(separatedBy: " => ")
    let files = (notes.last ?? "").components(separatedBy: " @next ")
    for size in TestTier.pick([3], full: [3, 4_000], soak: [3, 600, 100_000]) {
      let fixture = try Fixture(
        """
        CREATE TABLE t \(columns); CREATE TABLE acc (t_id INTEGER, email TEXT); CREATE TABLE log (x); CREATE TABLE o (x);
        INSERT INTO t VALUES (1, 'Ann', 'ann@x', 'a', 1), (2, 'Bob', 'Bob@y', 'b', 2), (3, NULL, 'cat@z', 'c', 3);
        WITH RECURSIVE n (x) AS (SELECT 4 UNION ALL SELECT x + 1 FROM n WHERE x < \(size))
        INSERT INTO t SELECT x, 'n' || x, 'm' || x || '@x', 'k' || x, x FROM n WHERE x <= \(size);
        INSERT INTO acc SELECT id, NULL FROM t;
        CREATE TABLE nk (id INT PRIMARY KEY, b TEXT); INSERT INTO nk SELECT CASE id WHEN 1 THEN 1 END, 'k' || id FROM t;
        UPDATE t SET note = \(notes.count > 1 ? notes[0] : "note");

        """, files[0] + ";\n")
      for (index, file) in files.enumerated().dropFirst() {
        try fixture.transcript.write(file + ";\n", to: "migrations/\(index + 2)_next.sql")
      }
      try fixture.migrate(isLoss: isLoss, "\(size) rows")
    }
  }

  @Test(
    "A column that has fewer values after statements that overwrite it is a loss, unless another column has them",
    arguments: [
      ("UPDATE s SET kind = date(kind)", true), ("UPDATE s SET kind = NULL WHERE kind IS NOT NULL", true),
      ("UPDATE s SET kind = CASE kind WHEN 'old' THEN 'o' END", true),
      ("UPDATE main.s SET kind = '' WHERE a < 2", true),
      ("UPDATE s SET kind = (SELECT 'x' WHERE kind = 'none')", true),
      ("UPDATE s SET kind = c FROM (SELECT '' AS c)", true),
      ("ALTER TABLE s RENAME kind TO k; UPDATE s SET k = NULL WHERE a > 1; ALTER TABLE s RENAME TO s8", true),
      ("REPLACE INTO u(a, b) SELECT a, b FROM u", true), ("INSERT OR REPLACE INTO u(a) VALUES (1)", true),
      ("INSERT INTO u(a, b) SELECT a, b FROM u WHERE 1 ON CONFLICT(a) DO UPDATE SET kind = excluded.kind", true),
      ("WITH x AS (SELECT 1 AS y) UPDATE u SET kind = NULL WHERE a IN (SELECT y FROM x)", true),
      ("SAVEPOINT p; UPDATE s SET kind = NULL WHERE a > 1; ROLLBACK TO p; RELEASE p", false),
      ("UPDATE s SET kind = upper(kind)", false), ("UPDATE s SET kind = NULL WHERE kind = ''", false),
      ("UPDATE s SET kind = b WHERE a >= 0; UPDATE s SET b = '' WHERE a >= 0", false),
      ("UPDATE s SET a = b, b = a", false), ("UPDATE s SET b = 'b' || (SELECT s.rowid)", true),
      ("UPDATE s SET b = 'b' || (SELECT s.rowid - 1)", false),
      ("ALTER TABLE s ADD k DEFAULT 'x'; UPDATE s SET k = NULL WHERE a > 1", false),
      ("ALTER TABLE s ADD k; UPDATE s SET k = kind; UPDATE s SET kind = NULL WHERE a > 0", false),
      ("ALTER TABLE s ADD k; UPDATE s SET k = kind, kind = NULL", false),
      ("CREATE TABLE k AS SELECT a, kind FROM s; UPDATE s SET kind = NULL WHERE a > 1", false),
      ("CREATE TABLE k AS SELECT a, b FROM s WHERE a > 1; UPDATE s SET b = '' WHERE a > 1", false),
      ("UPDATE s SET kind = NULL WHERE a > 1; UPDATE s SET kind = 'x' WHERE kind IS NULL", false),
      ("REPLACE INTO u SELECT a, b, kind FROM u", false), ("INSERT OR REPLACE INTO u VALUES (1, 'x', 'y')", false),
      ("INSERT INTO u VALUES (1, 'x', '') ON CONFLICT DO UPDATE SET b = excluded.b", false),
      ("-- migrator: allow lost-rows old\nUPDATE s SET kind = NULL WHERE a > 1", false),
      (
        "-- migrator: allow lost-rows old\nUPDATE s SET kind = NULL WHERE a = 1; UPDATE s SET kind = NULL WHERE a > 1",
        true
      ),
      (
        "-- migrator: allow lost-rows old\nUPDATE s SET kind = b; ALTER TABLE s DROP b; UPDATE s SET kind = NULL WHERE a > 1",
        true
      ),
      ("-- migrator: allow lost-rows old\nREPLACE INTO u(a) VALUES (1); REPLACE INTO u(a) VALUES (2)", true),
      ("REPLACE INTO u VALUES (1, 'x', 'y'); REPLACE INTO u(a) VALUES (2)", true),
      ("REPLACE INTO u VALUES (1, 'x', 'y'); ALTER TABLE u ADD c; REPLACE INTO u VALUES (2, 'x', NULL, 'z')", true),
      // A trigger or a temporary table may come between two equal statements.
      (
        "UPDATE s SET b = trim(b) WHERE a = 1; CREATE TRIGGER t AFTER UPDATE OF b ON s BEGIN UPDATE s SET kind = '' WHERE a = 2; END; UPDATE s SET b = trim(b), kind = trim(kind) WHERE a = 1",
        true
      ),
      (
        "DELETE FROM u WHERE a = 3; CREATE TRIGGER t BEFORE DELETE ON u BEGIN DELETE FROM s WHERE a = old.a; END; DELETE FROM u WHERE a = 4; INSERT INTO u(a) VALUES (3); DELETE FROM u WHERE a = 3",
        true
      ),
      ("UPDATE s SET b = trim(b); CREATE TEMP TABLE s AS SELECT * FROM main.s; UPDATE s SET b = '' WHERE a > 1", false),
      // The column is dropped, renamed or part of a rebuild afterwards, or of one before.
      ("UPDATE s SET b = '' WHERE a > 1; ALTER TABLE s RENAME b TO c", true),
      (
        "UPDATE s SET kind = NULL WHERE a > 1; ALTER TABLE s ADD k; UPDATE s SET k = kind; ALTER TABLE s DROP kind",
        true
      ),
      ("CREATE TABLE k AS SELECT a, b FROM s; UPDATE s SET b = 'x' WHERE a > 1; ALTER TABLE s DROP b", false),
      ("UPDATE s SET b = '' WHERE a > 1; CREATE TABLE n (a, c, kind); INSERT INTO n SELECT * FROM s; @swap", true),
      ("CREATE TABLE n (a, b, kind); INSERT INTO n SELECT * FROM s; @swap; UPDATE s SET b = '' WHERE a > 1", true),
      ("CREATE TABLE n (a, b, kind); INSERT INTO n SELECT * FROM s; @swap; UPDATE s SET b = 'x' WHERE a > 1", false),
      (
        "CREATE TABLE n (a, b, kind, d DEFAULT 1); INSERT INTO n (a, b, kind) SELECT a, b, kind FROM s; @swap; UPDATE s SET d = '' WHERE a",
        false
      ),
      // To compute a column from itself is the purpose of the statement, unless values get empty.
      ("UPDATE s SET kind = nullif(kind, 'new') WHERE 1", true),
      ("UPDATE s SET b = trim(b, 'b0123456789') WHERE 1", true),
      ("UPDATE s SET kind = coalesce('', kind) WHERE 1", true), ("UPDATE s SET kind = coalesce(kind, '')", false),
      ("UPDATE s SET kind = replace(kind, 'new', '') WHERE 1", true),
      ("UPDATE s SET kind = ifnull(replace(kind, 'new', ''), 'x') WHERE 1", true),
      ("UPDATE s SET kind = replace(kind, 'new', 'x') WHERE 1", false),
      ("UPDATE s SET kind = CAST(kind AS TEXT) || '' WHERE 1", false), ("UPDATE s SET kind = '' WHERE a > 1", true),
      ("UPDATE s SET a = a / 2 WHERE 1", false), ("UPDATE s SET b = substr(b, 1, 1) WHERE a > 1", false),
      ("UPDATE s AS t SET b = lower(t.b), a = abs(t.a - 2) WHERE a >= 0", false),
      ("UPDATE s SET a = a + 1 WHERE a > 1", false), ("UPDATE s SET a = a * 2 WHERE b < 'b5'", false),
      ("UPDATE s SET b = b || kind || a WHERE 1", false), ("UPDATE s SET kind = coalesce(kind, 'x') WHERE a", false),
      ("UPDATE p SET price = round(price) WHERE 1", false),
      ("UPDATE p SET price = CAST(price AS INTEGER) WHERE 1", false),
      ("UPDATE p SET zip = CAST(zip AS INTEGER) WHERE 1", false), ("UPDATE p SET n = abs(n) WHERE n < 0", false),
      ("UPDATE p SET n = -n WHERE 1", false), ("UPDATE p SET price = price * 100 WHERE 1", false),
      ("UPDATE p SET n = abs(n) WHERE n > 0", false), ("UPDATE p SET zip = upper(zip) || '-' WHERE 1", false),
      ("UPDATE p SET price = round(price, 1) WHERE 1", false),
      ("UPDATE p SET n = CASE n WHEN 2 THEN 9 ELSE n END WHERE 1", false),
    ])
  func overwrittenValues(migration: String, isLoss: Bool) throws {
    let fixture = try Fixture(
      Self.table + Self.rows(10)
        + """
        CREATE TABLE u (a INTEGER PRIMARY KEY, b, kind); INSERT INTO u VALUES (1, 'p', 'q'), (2, 'r', 'q');
        CREATE TABLE p (price REAL UNIQUE, zip TEXT UNIQUE, n INTEGER UNIQUE); INSERT INTO p VALUES (1.2, '012', -1), (2.7, '034', 2);

        """,
      migration.replacing("@swap", with: "DROP TABLE s; ALTER TABLE n RENAME TO s") + ";\n")
    try fixture.migrate(isLoss: isLoss)
  }

  @Test(
    "A value that another row receives does not hide one that is lost, nor does one that the same row receives",
    arguments: [
      ("UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET a = 'x' WHERE id = 2", true),
      ("UPDATE t SET a = 'x' WHERE id = 2; UPDATE t SET a = '' WHERE id = 1", true),
      ("UPDATE t SET a = NULL WHERE id = 1; INSERT INTO t(a, b) VALUES ('x', 'y')", true),
      ("UPDATE t SET a = CASE id WHEN 1 THEN NULL WHEN 2 THEN 'x' ELSE a END WHERE 1", true),
      ("UPDATE t SET a = b WHERE id IN (2, 3)", true),
      (
        "UPDATE t SET a = CASE (SELECT o.a FROM t AS o WHERE o.id = t.id - 1) WHEN 'z' THEN NULL ELSE 'z' END WHERE id IN (1, 2, 3, 4)",
        true
      ),
      ("UPDATE t AS q SET a = NULL WHERE q.id IN (SELECT max(1, 1)); UPDATE t SET a = 'x' WHERE id = 2", true),
      ("UPDATE t SET a = NULL WHERE id = 1; ALTER TABLE t RENAME a TO c; UPDATE t SET c = 'x' WHERE id = 2", true),
      (
        "UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET id = -id WHERE 1; UPDATE t SET a = 'x' WHERE id = -2", true
      ),
      ("UPDATE t SET a = NULL, b = '' WHERE id = 1; UPDATE t SET a = 'x', b = 'y' WHERE id = 3", true),
      (
        "UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET a = '' WHERE id = 3; UPDATE t SET a = 'k' WHERE id IN (1, 2)",
        true
      ),
      (
        "ALTER TABLE t ADD k; UPDATE t SET k = a WHERE id = 3; UPDATE t SET a = '' WHERE id IN (1, 3); UPDATE t SET a = 'x' WHERE id = 2",
        true
      ),
      (
        "UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET a = 'x' WHERE id = 2; ALTER TABLE t ADD k; UPDATE t SET k = a; ALTER TABLE t DROP a",
        true
      ),
      ("CREATE TEMP TABLE t AS SELECT * FROM main.t; UPDATE main.t SET a = NULL WHERE id = 1; DROP TABLE t", true),
      ("CREATE TEMP TABLE t AS SELECT * FROM main.t; ALTER TABLE main.t DROP a; DROP TABLE t", true),
      ("UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET a = 'x' WHERE id = 1", false),
      (
        "UPDATE t SET n = NULL WHERE id IN (1, 4); UPDATE t SET n = 4 WHERE id = 1; UPDATE t SET n = 1 WHERE id = 4",
        false
      ),
      (
        "UPDATE t SET a = '' WHERE id = 1; UPDATE t SET a = '' WHERE id = 3; UPDATE t SET a = 'k' WHERE id IN (1, 3)",
        false
      ),
      (
        "ALTER TABLE t ADD k; UPDATE t SET k = a; UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET a = 'x' WHERE id = 2",
        false
      ),
      (
        "SAVEPOINT p; UPDATE t SET a = NULL WHERE id = 1; ROLLBACK TO p; RELEASE p; UPDATE t SET a = 'x' WHERE id = 2",
        false
      ),
      ("UPDATE t SET a = trim(a) WHERE id > 0", false),
      // The loss of one column is not that of another.
      ("UPDATE t SET a = NULL WHERE id = 1; ALTER TABLE t DROP b; UPDATE t SET a = 'x' WHERE id = 1", true),
      (
        "UPDATE t SET a = NULL WHERE id = 1; ALTER TABLE t ADD c; ALTER TABLE t DROP c; UPDATE t SET a = 'x' WHERE id = 1",
        false
      ),
      // Rows with other rowids cannot be followed, and a number may become that of another row.
      (
        "UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET id = -9 WHERE id = 1; UPDATE t SET id = 1 WHERE id = 4", true
      ),
      (
        "UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET oid = -9 WHERE id = 1; UPDATE t SET rowid = 1 WHERE id = 4",
        true
      ),
      // A statement whose rows are not known is followed by a count of the column.
      (
        "UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET a = s.v FROM (SELECT NULL AS v) AS s WHERE id = 3; UPDATE t SET a = 'x' WHERE id = 1",
        true
      ),
      (
        "UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET a = s.v FROM (SELECT NULL AS v) AS s WHERE id = 3; UPDATE t SET a = 'x' WHERE id IN (1, 3)",
        false
      ),
      // What the file itself sets is not lost when it is emptied again.
      (
        "UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET a = 'x' WHERE id = 1; UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET a = 'y' WHERE id = 1",
        false
      ),
      (
        "UPDATE t SET a = '' WHERE id <= 3; UPDATE t SET a = 'k' WHERE a = ''; UPDATE t SET a = NULL WHERE a = 'k'; UPDATE t SET a = 'none' WHERE a IS NULL",
        false
      ),
      ("UPDATE t SET a = NULL WHERE id = 1;\n-- migrator: allow lost-rows old\nDELETE FROM t WHERE id = 1", false),
      (
        "-- migrator: allow lost-rows old\nUPDATE t SET a = NULL WHERE id = 1; UPDATE t SET a = NULL WHERE id = 3", true
      ),
      ("ALTER TABLE t RENAME a TO z; UPDATE t SET z = 'x'", true), ("UPDATE t SET a = 'x'", true),
    ])
  func hiddenValues(migration: String, isLoss: Bool) throws {
    for size in TestTier.pick([4], full: [4, 4_000], soak: [4, 600, 100_000]) {
      let fixture = try Fixture(
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT, n INTEGER);
        INSERT INTO t VALUES (1, 'p', 'q', 1), (2, NULL, 'r', NULL), (3, 's', '', 3), (4, 'u', 'v', 4);
        WITH RECURSIVE n (x) AS (SELECT 5 UNION ALL SELECT x + 1 FROM n WHERE x < \(size))
        INSERT INTO t SELECT x, nullif('a' || (x % 3), 'a0'), 'b', x FROM n WHERE x <= \(size);

        """, migration + ";\n")
      try fixture.migrate(isLoss: isLoss, "\(size) rows")
    }
  }

  @Test(
    "A temporary table keeps values until the migration ends, and is not taken for another table of its name",
    arguments: [
      ("CREATE TEMP TABLE k AS SELECT * FROM t; @; INSERT INTO t SELECT * FROM k", false),
      ("CREATE TEMP TABLE k AS SELECT * FROM t; @; INSERT INTO t(id) SELECT id FROM k", true),
      ("CREATE TABLE temp.k (x, y); INSERT INTO k SELECT * FROM t; @; INSERT INTO t SELECT * FROM k", false),
      ("CREATE TABLE temp.k AS SELECT * FROM t; @; INSERT INTO t(id) SELECT id FROM k; DROP TABLE temp.k", true),
      ("CREATE TEMP TABLE t AS SELECT * FROM main.t; @; INSERT INTO main.t SELECT * FROM temp.t", false),
      ("CREATE TEMP TABLE t AS SELECT * FROM main.t; @; INSERT INTO main.t SELECT * FROM t; DROP TABLE t", false),
      ("CREATE TEMP TABLE t AS SELECT * FROM main.t; @; INSERT INTO main.t(id) SELECT id FROM temp.t", true),
      ("CREATE TEMP TABLE t AS SELECT * FROM main.t; @; INSERT INTO main.t SELECT * FROM t WHERE id > 1", true),
      ("CREATE TEMP TABLE t AS SELECT * FROM main.t; UPDATE t SET a = ''; @; INSERT INTO main.t SELECT * FROM t", true),
      (
        "CREATE TEMP TABLE k AS SELECT * FROM t; UPDATE k SET a = ''; @; INSERT INTO t SELECT * FROM k; DROP TABLE k",
        true
      ),
      ("CREATE TEMP TABLE t AS SELECT * FROM main.t; ALTER TABLE main.t DROP a", true),
      ("CREATE TEMP TABLE t AS SELECT * FROM main.t; ALTER TABLE main.t RENAME TO u; ALTER TABLE u DROP a", true),
      ("CREATE TEMP TABLE k AS SELECT * FROM t; ALTER TABLE k RENAME TO l; ALTER TABLE t DROP a", true),
      ("CREATE TEMP TABLE k AS SELECT * FROM t; CREATE TABLE l AS SELECT * FROM k; ALTER TABLE t DROP a", false),
      ("SAVEPOINT p; CREATE TEMP TABLE k AS SELECT * FROM t; ALTER TABLE t DROP a; ROLLBACK TO p; RELEASE p", false),
      ("CREATE TEMP TABLE t AS SELECT * FROM main.t; UPDATE main.t SET a = NULL WHERE id = 1", true),
      ("CREATE TEMP TABLE k AS SELECT * FROM t; UPDATE t SET a = NULL WHERE id = 1; DROP TABLE k", true),
      ("CREATE TABLE k AS SELECT * FROM t; UPDATE t SET a = NULL WHERE id = 1; DROP TABLE k", true),
      ("CREATE TABLE k AS SELECT * FROM t; UPDATE t SET a = NULL WHERE id = 1; ALTER TABLE k RENAME TO l", false),
      ("CREATE TEMP TABLE k AS SELECT * FROM t; UPDATE t SET a = trim(a) WHERE id < 9", false),
    ])
  func temporaryTable(migration: String, isLoss: Bool) throws {
    let fixture = try Fixture(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, '007'), (2, 'x'), (3, NULL);\n",
      migration.replacing("@", with: "DROP TABLE main.t; CREATE TABLE main.t (id INTEGER PRIMARY KEY, a TEXT)") + ";\n")
    try fixture.migrate(isLoss: isLoss)
  }

  @Test(
    "A loss with a temporary table names the statement that drops the table, or else the one that creates it",
    arguments: [
      ("DROP TABLE temp.k;", "3:1: the statement drops the old table \"k\" with column \"a\""),
      ("DROP TABLE k;", "3:1: the statement drops the old table \"k\" with column \"a\""),
      ("", "1:1: the statement creates temporary table \"k\" with column \"a\", which is dropped after the migration"),
    ])
  func temporaryTableMessage(drop: String, message: String) throws {
    let fixture = try Fixture(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x');\n",
      "CREATE TEMP TABLE k AS SELECT * FROM t;\nALTER TABLE t DROP COLUMN a;\n\(drop)\n")
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 5 && outcome.errors.contains(message), "\(outcome)")
  }

  @Test(
    "A query in the list of a rebuild keeps a value that its result determines",
    arguments: [
      ("(SELECT x.id FROM x WHERE x.name = o.name)", "", false),
      ("(SELECT max(x.id) + 1 FROM x WHERE x.name = o.name)", "", false),
      ("(SELECT x.id FROM x WHERE x.name = o.name)", "INSERT INTO o VALUES (4, 'other')", true),
      ("(SELECT count(*) FROM x WHERE x.name = o.name)", "", true),
      ("EXISTS (SELECT 1 FROM x WHERE x.name = o.name)", "", true),
      ("coalesce((SELECT x.id FROM x WHERE x.name = o.name), 1)", "INSERT INTO x VALUES (3, 'n3')", false),
      ("(SELECT min(x.id) FROM x WHERE x.name >= o.name)", "DELETE FROM x WHERE id = 1", true),
    ])
  func correlatedQuery(result: String, rows: String, isLoss: Bool) throws {
    let tables = """
      CREATE TABLE x (id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO x VALUES (1, 'n1'), (2, 'n2');
      CREATE TABLE o (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO o VALUES (1, 'n1'), (2, 'n2'), (3, 'n1');
      \(rows);

      """
    let fixture = try Fixture(
      tables,
      "CREATE TABLE n (id INTEGER PRIMARY KEY, x_id INT); INSERT INTO n SELECT id, \(result) FROM o; DROP TABLE o; ALTER TABLE n RENAME TO o;\n"
    )
    try fixture.migrate(isLoss: isLoss)
  }

  private static let textKey = "CREATE TABLE t (k TEXT PRIMARY KEY, a, b);"
  private static let unique = "CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT UNIQUE, a, b);"
  private static let expression =
    "CREATE TABLE t (k TEXT, a, b); CREATE UNIQUE INDEX i ON t (lower(k)); CREATE UNIQUE INDEX j ON t (k);"
  private static let withoutRowID = "CREATE TABLE t (k TEXT PRIMARY KEY, a, b) WITHOUT ROWID;"
  private static let twoColumns =
    "CREATE TABLE t (k TEXT COLLATE NOCASE, a, b, l DEFAULT 0.5, PRIMARY KEY (l, k)) WITHOUT ROWID;"
  private static let trigger =
    "CREATE TABLE t (k TEXT PRIMARY KEY, a, b); CREATE TABLE log (x); CREATE TRIGGER g AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (new.k); END;"

  @Test(
    "In tables of each kind, other values or rows do not take the place of those that a statement removes",
    arguments: TestTier.pairs(
      [
        ("UPDATE t SET a = NULL WHERE k = 'x'; @", true),
        ("UPDATE t SET a = v FROM (SELECT 'x' AS i, '' AS v) WHERE k = i; @", true),
        ("UPDATE t SET a = z.a FROM (SELECT 'x' AS k, NULL AS a) AS z WHERE z.k = t.k; @", true),
        ("UPDATE t SET a = t.b, b = t.a FROM (SELECT 'y' AS k) AS z WHERE z.k = t.k", false),
        ("WITH z(i) AS (VALUES ('x')) UPDATE t AS q SET a = NULL WHERE q.k IN (SELECT i FROM z); @", true),
        ("UPDATE t SET (a, b) = (SELECT NULL, 'w') WHERE k = 'x'; @", true),
        ("UPDATE t SET a = CASE WHEN random() THEN NULL END WHERE k = 'x'; @", true),
        ("UPDATE OR REPLACE t SET a = NULL WHERE k = 'x'; @", true),
        ("REPLACE INTO t (k, b) VALUES ('x', 'q'); @", true),
        ("INSERT OR REPLACE INTO t (k, a, b) VALUES ('x', '', 'q'), ('y', 'new', 'r')", true),
        ("INSERT INTO t (k) VALUES ('x') ON CONFLICT DO UPDATE SET a = excluded.a; @", true),
        ("REPLACE INTO t (k, b) VALUES ('x', 'q'); INSERT INTO t (k, a) VALUES ('new', 'v')", true),
        (
          "UPDATE t SET a = NULL WHERE k = 'x'; ALTER TABLE t RENAME k TO n; UPDATE t SET a = 'new' WHERE n = 'y'", true
        ),
        ("UPDATE t SET a = NULL WHERE k = 'x'; UPDATE t SET k = 'n' WHERE k = 'x'; @", true),
        ("DELETE FROM t WHERE k = 'x'; INSERT INTO t (k, a, b) VALUES ('new', 'v', 'w')", true),
        ("INSERT INTO t (k, a, b) VALUES ('new', 'v', 'w'); DELETE FROM t WHERE k = 'x'", true),
        (
          "DELETE FROM t WHERE k = 'x'; UPDATE t SET k = 'x' WHERE k = 'z'; INSERT INTO t (k, a) VALUES ('z', 'v')",
          true
        ),
        ("DELETE FROM t WHERE k = 'x'; INSERT INTO t (k, a) VALUES ('new', 'v'); ALTER TABLE t RENAME k TO n", true),
        ("UPDATE t SET a = NULL WHERE k = 'x'; UPDATE t SET a = 'new' WHERE k = 'x'", false),
        ("UPDATE t SET a = v FROM (SELECT 'x' AS i, 'v' AS v) WHERE k = i", false),
        ("UPDATE t SET a = NULL WHERE k = 'x'; UPDATE t SET a = 'n' WHERE k = 'x'; ALTER TABLE t RENAME k TO n", false),
        ("REPLACE INTO t (k, b) VALUES ('x', 'q'); UPDATE t SET a = 'new' WHERE k = 'x'", false),
        ("REPLACE INTO t (k, a, b) VALUES ('x', 'v', 'w'), ('new', NULL, 'w')", false),
        ("INSERT INTO t (k) VALUES ('x'), ('z') ON CONFLICT DO UPDATE SET a = 'new'", false),
      ], [textKey, unique, expression, withoutRowID, twoColumns, trigger]))
  func otherRows(migration: (String, isLoss: Bool), table: String) throws {
    let rows = "INSERT INTO t (k, a, b) VALUES ('x', 'p', 'q'), ('y', NULL, 'r'), ('z', 's', 'q');\n"
    let fixture = try Fixture(
      table + rows, migration.0.replacing("@", with: "UPDATE t SET a = 'new' WHERE k = 'y'") + ";\n")
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == (migration.isLoss ? 5 : 0) && outcome.errors.isEmpty != migration.isLoss, "\(outcome)")
  }

  @Test(
    "Values are counted in tables without rowids, and in those whose columns hide them",
    arguments: [
      "_rowid_ TEXT, k, a, b)", "_rowid_ INTEGER, rowid TEXT, a, b)", "_rowid_ TEXT, rowid INT, oid, a, b)",
      "k INTEGER PRIMARY KEY, rowid TEXT DEFAULT 'it''s', a, b)", "k TEXT PRIMARY KEY, c, a, b) WITHOUT ROWID",
    ])
  func hiddenRowIDs(columns: String) throws {
    for (value, isLoss) in [("NULL", true), ("coalesce(nullif(a, 'x'), 'y')", false)] {
      let others = columns.split(separator: ",").dropLast(2).map { $0.split(separator: " ")[0] }.joined(separator: ", ")
      let rows = [5, 6].map { "(\(columns.contains("oid,") ? "\($0), " : "")\($0), \($0), 'x\($0)', 'q')" }
      let fixture = try Fixture(
        "CREATE TABLE t (\(columns); INSERT INTO t (\(others), a, b) VALUES \(rows.joined(separator: ", "));\n",
        "UPDATE t SET a = \(value) WHERE b = 'q';\n")
      let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
      #expect(outcome.exitCode == (isLoss ? 5 : 0) && outcome.errors.isEmpty != isLoss, "\(outcome)")
    }
  }

  @Test(
    "A trigger that empties what a harmless UPDATE sets is noticed",
    arguments: ["CAST(y AS TEXT)", "replace(y, 'q', 'w')", "coalesce(y, '')", "'k'", "trim(y)"], ["", "TEMP"])
  func emptyingTrigger(value: String, temporary: String) throws {
    let trigger =
      "CREATE \(temporary) TRIGGER tr AFTER UPDATE ON a WHEN NEW.y IS NOT NULL BEGIN UPDATE a SET y = NULL WHERE id = NEW.id; END;\n"
    let table = "CREATE TABLE a (id INTEGER PRIMARY KEY, y TEXT); INSERT INTO a VALUES (1, 'q'), (2, 'r');\n"
    let update = "UPDATE a SET y = \(value) WHERE id = 1;\n"
    let fixture = try Fixture(
      table + (temporary.isEmpty ? trigger : ""), (temporary.isEmpty ? "" : trigger) + update)
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 5 && outcome.errors.contains("column \"y\""), "\(outcome)")
  }

  @Test(
    "Rows that a statement removes from another table are named, too",
    arguments: [
      "CREATE TRIGGER tr AFTER DELETE ON a BEGIN DELETE FROM b; END;\nDELETE FROM a WHERE id > 0;\n",
      "-- migrator: foreign-keys immediate\nDELETE FROM a WHERE id > 0;\n",
    ])
  func otherTable(migration: String) throws {
    let fixture = try Fixture(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1), (2);
      CREATE TABLE b (id INTEGER PRIMARY KEY REFERENCES a ON DELETE CASCADE); INSERT INTO b VALUES (1), (2);

      """, migration)
    let outcome = try fixture.tool.run(["migrate"])
    #expect(outcome.exitCode == 0 && outcome.errors.contains("table \"b\""), "\(outcome)")
  }

  @Test(
    "Tables that a savepoint has undone are forgotten",
    arguments: [
      "CREATE TABLE n (id INTEGER PRIMARY KEY, x TEXT); ALTER TABLE n DROP COLUMN x",
      "CREATE TABLE n (a, b, kind); INSERT INTO n SELECT * FROM s; DROP TABLE s; ALTER TABLE n RENAME TO s",
    ])
  func undoneTable(statements: String) throws {
    let fixture = try Fixture(
      Self.table + Self.rows(10), "SAVEPOINT p; \(statements); ROLLBACK TO p; RELEASE p; UPDATE s SET a = a + 1;\n")
    let outcome = try fixture.tool.run(["migrate", "--yes"])
    #expect(try outcome.exitCode == 0 && fixture.count() == 10, "\(outcome)")
  }

  @Test(
    "A table that is made again from the tables that it was made of loses only what these do not have",
    arguments: [
      ("", "DROP TABLE c; CREATE TABLE c (k, v); INSERT INTO c (k, v) SELECT a, kind FROM s", true),
      ("", "DROP TABLE c; CREATE TABLE c (k, v); INSERT INTO c (k, v) SELECT a, b FROM s WHERE a > 1", true),
      (
        "UPDATE c SET v = 'mine' WHERE k = 1;", "DROP TABLE c; CREATE TABLE c (k, v); INSERT INTO c SELECT a, b FROM s",
        true
      ),
      ("", "DROP TABLE c; CREATE TABLE c (k, v); INSERT INTO c VALUES (1, 2)", true),
      (
        "CREATE VIRTUAL TABLE f USING fts4 (b, tokenize=unicode61); INSERT INTO f (rowid, b) SELECT rowid, b FROM s;",
        "DROP TABLE f; CREATE VIRTUAL TABLE f USING fts5 (b, kind); INSERT INTO f (rowid, b, kind) SELECT rowid, b, kind FROM s",
        false
      ),
      (
        "CREATE VIRTUAL TABLE f USING fts4 (b); INSERT INTO f (rowid, b) SELECT rowid, b || '!' FROM s;",
        "DROP TABLE f; CREATE VIRTUAL TABLE f USING fts5 (b); INSERT INTO f (rowid, b) SELECT rowid, b FROM s", true
      ),
    ])
  func derivedTable(first: String, migration: String, isLoss: Bool) throws {
    let derived = "CREATE TABLE c (k, v);\nINSERT INTO c SELECT a, b FROM s;\n"
    let fixture = try Fixture(Self.table + Self.rows(10) + derived + first, migration + ";\n")
    try fixture.migrate(isLoss: isLoss, migration)
  }

  @Test(
    "A number that grows in the only row of a table without a key needs no condition in an UPDATE",
    arguments: [
      ("v (version INTEGER)", "(1)", "UPDATE v SET version = 2", false),
      ("v (major INTEGER, minor INTEGER)", "(1, 4)", "UPDATE v SET major = 2, minor = 6", false),
      ("v (system TEXT)", "('imperial')", "UPDATE v SET system = 'metric'", true),
      ("v (version INTEGER)", "(7)", "UPDATE v SET version = 2", true),
      ("v (version INTEGER)", "(1)", "UPDATE v SET version = NULL", true),
      ("v (version INTEGER)", "(1), (2)", "UPDATE v SET version = 3", true),
      ("v (version INTEGER UNIQUE)", "(1)", "UPDATE v SET version = 3", true),
      ("v (id INTEGER PRIMARY KEY, theme TEXT)", "(1, 'dark')", "UPDATE v SET theme = 'light'", true),
    ])
  func onlyRow(table: String, rows: String, update: String, isLoss: Bool) throws {
    let fixture = try Fixture("CREATE TABLE \(table);\nINSERT INTO v VALUES \(rows);\n", "\(update);\n")
    try fixture.migrate(isLoss: isLoss, update)
    let lint = try fixture.tool.run(["lint"])
    // Lint has no older number than the one that the migrations write.
    #expect(lint.output.contains("destructive") == (isLoss && rows != "(7)"), "\(lint)")
  }

  @Test(
    "What an earlier migration of the run has moved is counted like the rows that were there before",
    arguments: [
      ("DELETE FROM e WHERE v <> 'b1'", true), ("DELETE FROM e WHERE v = 'none'", false),
      ("DELETE FROM s WHERE a = -1", false),
      ("UPDATE e SET v = NULL WHERE v = 'b1'", true), ("UPDATE e SET v = upper(v)", false),
      (
        "CREATE TABLE n (k, v); INSERT INTO n SELECT k, v FROM e WHERE v <> 'b1'; DROP TABLE e; ALTER TABLE n RENAME TO e",
        true
      ),
      ("CREATE TABLE n (k, v); INSERT INTO n SELECT k, v FROM e; DROP TABLE e; ALTER TABLE n RENAME TO e", false),
      ("ALTER TABLE e RENAME TO n; DELETE FROM n WHERE v = 'b1'", true), ("DROP TABLE e", true),
      ("ALTER TABLE e DROP COLUMN v", true), ("ALTER TABLE e DROP COLUMN k", false),
      ("ALTER TABLE s ADD COLUMN b TEXT; UPDATE s SET b = (SELECT v FROM e WHERE k = s.rowid); DROP TABLE e", false),
      ("DELETE FROM seed WHERE x = 1", false), ("DROP TABLE seed", false), ("UPDATE seed SET x = NULL", false),
    ])
  func movedEarlier(migration: String, isLoss: Bool) throws {
    let fixture = try Fixture(
      Self.table + Self.rows(10),
      "CREATE TABLE e (k, v); INSERT INTO e (k, v) SELECT rowid, b FROM s; ALTER TABLE s DROP COLUMN b;\n"
        + "CREATE TABLE seed (x); INSERT INTO seed VALUES (1), (2);\n")
    try fixture.transcript.write("SELECT 1;\n", to: "migrations/3_third.sql")
    try fixture.transcript.write("\(migration);\n", to: "migrations/4_fourth.sql")
    try fixture.migrate(isLoss: isLoss, migration)
  }

  @Test(
    "A DELETE counts its own rows, after one of an earlier migration in the same transaction",
    arguments: ["", " WITHOUT ROWID"])
  func countedOnce(option: String) throws {
    let fixture = try Fixture(
      "CREATE TABLE n (k INTEGER PRIMARY KEY)\(option);\nINSERT INTO n VALUES (1), (2), (3), (4), (5), (6);\n",
      "-- migrator: allow lost-rows they are old\nDELETE FROM n WHERE k > 3;\n")
    try fixture.transcript.write("DELETE FROM n WHERE k > 2;\n", to: "migrations/3_third.sql")
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss", "--one-transaction"])
    #expect(outcome.exitCode == 5 && outcome.errors.contains("keeps 2 of its 3 rows"), "\(outcome)")
  }

  @Test("Statements with the same text are distinguished by their order")
  func equalStatements() throws {
    let rebuild = { (table: String, copy: String) in
      "ALTER TABLE \(table) RENAME TO old;\nCREATE TABLE \(table) (a, b, kind);\n"
        + "INSERT INTO \(table) SELECT \(copy) FROM old;\nDROP TABLE old;\n"
    }
    let first = Self.table + Self.rows(10) + "CREATE TABLE u AS SELECT * FROM s;\n"
    let harmless = try Fixture(first, rebuild("s", "a, upper(b), kind") + rebuild("u", "a, b, kind"))
    #expect(try harmless.tool.run(["migrate", "--confirm-loss"]).exitCode == 0)
    let lossy = try Fixture(first, rebuild("s", "a, b, kind") + rebuild("u", "a, NULL, kind"))
    let outcome = try lossy.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 5 && outcome.errors.contains("2_second.sql:8:1: the statement drops"), "\(outcome)")
    // A comment at the first one does not allow the second one.
    let allowed = try Fixture(
      first,
      "-- migrator: allow lost-rows old\nDELETE FROM s WHERE a = 1;\nINSERT INTO s SELECT * FROM u WHERE a = 1;\n"
        + "DELETE FROM s WHERE a = 1;\n")
    #expect(try allowed.tool.run(["migrate", "--confirm-loss"]).exitCode == 5)
  }

  @Test("What is known of a statement of one file is not taken for known of the same statement of another file")
  func equalFiles() throws {
    let drop = "ALTER TABLE s DROP COLUMN a;\n"
    let fixture = try Fixture(Self.table + Self.rows(10), drop)
    try fixture.transcript.write(
      "ALTER TABLE s RENAME COLUMN b TO a; ALTER TABLE s ADD COLUMN c;", to: "migrations/3_third.sql")
    try fixture.transcript.write("UPDATE s SET c = nullif(a, 'b3');\n" + drop, to: "migrations/4_fourth.sql")
    let outcome = try fixture.tool.run(["migrate"])
    #expect(
      outcome.errors.contains(
        "4_fourth.sql:2:1: the statement drops column \"a\" of table \"s\", and at least 1 value of it"),
      "\(outcome)")
  }

  @Test("Allowed rows that come back are not allowed to go again")
  func allowedTwice() throws {
    let migration = """
      CREATE TABLE k AS SELECT * FROM s;
      -- migrator: allow lost-rows they come back
      DELETE FROM s;
      INSERT INTO s SELECT * FROM k;

      """
    for (last, isLoss) in [("", false), ("DELETE FROM s WHERE a > 1;\n", true)] {
      let fixture = try Fixture(Self.table + Self.rows(10), migration + last)
      let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
      #expect(outcome.exitCode == (isLoss ? 5 : 0), "\(outcome)")
    }
  }

  @Test("Rows that a table copies from itself many times are followed in a short time")
  func selfCopies() throws {
    let copies = (1...60).map { "INSERT INTO s (b) SELECT b || '\($0 % 3)' FROM s WHERE a = 1;\n" }.joined()
    let moves = (1...60).map { $0 % 2 == 0 ? "UPDATE s SET kind = b;\n" : "UPDATE s SET b = kind;\n" }.joined()
    for statements in [copies, copies + moves] {
      let fixture = try Fixture(Self.table + Self.rows(600), statements + "ALTER TABLE s DROP COLUMN b;\n")
      let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
      #expect(outcome.exitCode == 5 || statements != copies, "\(outcome)")
    }
  }

  @Test("Values in the middle of a large table are counted, too, with and without a question")
  func middle() throws {
    let fixture = try Fixture(
      Self.table + Self.rows(21_000),
      "ALTER TABLE s ADD c;\nUPDATE s SET c = upper(b) WHERE a NOT BETWEEN 10100 AND 10150;\nALTER TABLE s DROP COLUMN b;\n"
    )
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 5 && outcome.errors.contains("in no other column"), "\(outcome)")
    let warned = try fixture.tool.run(["migrate"])
    #expect(warned.exitCode == 0 && warned.errors.contains("in no other column"), "\(warned)")
  }

  @Test(
    "A column that is replaced under its own name is asked about only if values are lost, with a transaction",
    arguments: [("b", false), ("upper(b)", false), ("CASE b WHEN 'b1' THEN 1 END", true), ("substr(b, 1, 1)", true)])
  func replacedColumn(expression: String, isLoss: Bool) throws {
    let replacing = """
      ALTER TABLE s ADD n;
      UPDATE s SET n = \(expression);
      ALTER TABLE s DROP COLUMN b;
      ALTER TABLE s RENAME COLUMN n TO b;

      """
    let fixture = try Fixture(Self.table + Self.rows(600), replacing)
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == (isLoss ? 5 : 0), "\(outcome)")
    #expect(outcome.errors.contains("drops column \"b\"") == isLoss, "\(outcome)")
    // Without one, values that are lost cannot be kept by an answer; they are counted all the same.
    let other = try Fixture(Self.table + Self.rows(600), "-- migrator: no-transaction\n" + replacing)
    let refused = try other.tool.run(["migrate", "--confirm-loss"])
    #expect(refused.exitCode == 5 && refused.errors.contains("drops column \"b\""), "\(refused)")
    let plan = try other.tool.run(["plan"])
    #expect(plan.output.contains("in no other column") == isLoss, "\(plan)")
    let warned = try other.tool.run(["migrate"])
    #expect(warned.exitCode == 0 && warned.errors.contains("in no other column") == isLoss, "\(warned)")
  }

  @Test(
    "In a table with more than 20,000 rows, the values of both ends are compared",
    arguments: [
      "a INTEGER, b TEXT, kind TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID",
      "a INTEGER, b TEXT, kind TEXT, PRIMARY KEY (b, a))",
      "a INTEGER, b TEXT, kind TEXT)", "a INTEGER PRIMARY KEY, b TEXT, kind TEXT)",
    ])
  func largeTables(columns: String) throws {
    for (condition, isLoss) in [("1", false), ("a > 50", true), ("a <= 24950", true)] {
      let fixture = try Fixture(
        "CREATE TABLE s (\(columns);\n" + Self.rows(25_000, "x + 1, printf('b%05d', x), 'new'"),
        "CREATE TABLE n AS SELECT a, CASE WHEN \(condition) THEN b || '' END AS b, kind FROM s;\nDROP TABLE s;\n"
          + "ALTER TABLE n RENAME TO s;\n")
      let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
      #expect(
        outcome.errors.contains("at least 50 values of it are in no other column") == isLoss, "\(condition): \(outcome)"
      )
    }
  }

  @Test(
    "A row that still has the default of the new column keeps its value only if the default is that value",
    arguments: [
      ("TEXT DEFAULT 0", "b WHERE a < 4", true), ("TEXT NOT NULL DEFAULT ''", "upper(b) WHERE a < 4", true),
      ("INTEGER NOT NULL DEFAULT (-1)", "length(b) * a WHERE a < 4", true), ("TEXT DEFAULT 0", "b", false),
      ("INTEGER NOT NULL DEFAULT 0", "CASE WHEN b > 'b3' THEN a * 100 + 1 ELSE 0 END", false),
      ("INTEGER DEFAULT 0", "1 WHERE b = 'b4'", false), ("TEXT DEFAULT 'b0'", "b WHERE b <> 'b0'", false),
      ("TEXT DEFAULT 'none'", "trim(s.b); ALTER TABLE s RENAME c TO d; UPDATE s SET d = d || '?'", false),
    ])
  func defaults(definition: String, assignment: String, isLoss: Bool) throws {
    // Of the values, one alone may be left out, which no other one shows.
    let rows = "INSERT INTO s VALUES (0, 'b0', 'new'), (1, 'b0', 'new'), (4, 'b4', 'new');\n"
    let fixture = try Fixture(
      Self.table + rows,
      "ALTER TABLE s ADD c \(definition);\nUPDATE s SET c = \(assignment);\nALTER TABLE s DROP COLUMN b;\n")
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == (isLoss ? 5 : 0), "\(outcome)")
  }

  @Test("A column that is filled before a rollback keeps no value")
  func rolledBackKeeper() throws {
    let fixture = try Fixture(
      Self.table + Self.rows(10),
      "SAVEPOINT p; ALTER TABLE s ADD c; UPDATE s SET c = b; ROLLBACK TO p; RELEASE p; ALTER TABLE s DROP COLUMN b;\n")
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 5 && outcome.errors.contains("drops column \"b\""), "\(outcome)")
  }

  @Test("Values are counted in a file without a transaction, unless it rolls back", arguments: ["COMMIT", "ROLLBACK"])
  func ownTransaction(end: String) throws {
    let migration = """
      -- migrator: no-transaction
      BEGIN;
      ALTER TABLE s ADD n;
      UPDATE s SET n = length(b);
      ALTER TABLE s DROP COLUMN b;
      \(end);

      """
    let fixture = try Fixture(Self.table + Self.rows(10), migration)
    let outcome = try fixture.tool.run(["migrate"])
    #expect(
      outcome.exitCode == 0
        && outcome.errors.contains("at least 9 values of it are in no other column") == (end == "COMMIT"),
      "\(outcome)")
  }

  @Test(
    "A rebuild whose copy computes a column is a loss if the copy does not determine its values, for each size of the table",
    arguments: [
      ("a, substr(b, 1, 1), kind", true), ("a, nullif(b, 'b1'), kind", true), ("a, CAST(b AS INTEGER), kind", true),
      ("a, CASE WHEN b <> 'b1' THEN o.b END, kind", true), ("round(o.a / 4.0), b, kind", true),
      ("a, b, nullif(kind, 'new')", true), ("a, length(b), CASE kind WHEN 'new' THEN 1 END", true),
      ("a, coalesce(nullif(b, 'b1'), 'b2'), kind", true), ("a, iif(b = 'b1', 'b2', b), kind", true),
      ("a, nullif(b, ''), kind", false), ("a, coalesce(b, ''), kind", false), ("a, upper(b), kind", false),
      ("CAST(a AS TEXT), trim(o.\"b\"), kind", false), ("a, CASE WHEN b IS NULL THEN 'x' ELSE b END, kind", false),
      ("a, substr(b, 2) || substr(b, 1, 1), kind", false), ("o.*", false), ("a, b || '', coalesce(kind, 'x')", false),
    ])
  func computedCopy(results: String, isLoss: Bool) throws {
    let query = "SELECT \(results) FROM"
    let forms = [
      "CREATE TABLE n (a, b, kind); INSERT INTO n \(query) s AS o; DROP TABLE s; ALTER TABLE n RENAME TO s;",
      "ALTER TABLE s RENAME TO o; CREATE TABLE s (a, b, kind); INSERT INTO s \(query) o; DROP TABLE o;",
      "CREATE TABLE n (a, b, kind); INSERT INTO n \(query) main.s o; ALTER TABLE s RENAME TO p; "
        + "ALTER TABLE n RENAME TO s; DROP TABLE p;",
      "CREATE TABLE n (a, b, kind); INSERT INTO n SELECT 0, b, kind FROM s WHERE b = ''; "
        + "INSERT INTO n \(query) s AS o; DROP TABLE s; ALTER TABLE n RENAME TO s;",
    ]
    // A copy of no rows in the last form keeps the values of "b" and "kind" as far as the statements show.
    for (index, form) in forms.enumerated() where index < 3 || !isLoss {
      guard TestTier.isFull || index % 2 == results.utf8.count % 2 else { continue }
      let fixture = try Fixture(Self.table + Self.rows(Self.sizes[index % Self.sizes.count]), form)
      let plan = try fixture.tool.run(["plan"])
      #expect(plan.output.contains("in no other column") == isLoss, "\(form) \(plan)")
      let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
      #expect(outcome.exitCode == (isLoss ? 5 : 0), "\(form) \(outcome)")
    }
  }

  @Test("The loss of values in a rebuild is reported with its place, and a comment at the copy or at the end allows it")
  func allowedCopy() throws {
    let comment = "-- migrator: allow lost-rows initials are enough\n"
    for place in ["", "CREATE", "DROP"] {
      let migration = """
        CREATE TABLE n AS SELECT a, substr(b, 1, 1) AS b, kind FROM s;
        DROP TABLE s;
        ALTER TABLE n RENAME TO s;

        """
      let fixture = try Fixture(
        Self.table + Self.rows(10),
        place.isEmpty ? migration : migration.replacing("\(place) TABLE", with: "\(comment)\(place) TABLE"))
      let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
      let text =
        "2_second.sql:2:1: the statement drops the old table \"s\" with column \"b\", and at least 9 values of it are in no other column"
      #expect(outcome.exitCode == (place.isEmpty ? 5 : 0), "\(place): \(outcome)")
      #expect(outcome.errors.contains(text) == place.isEmpty, "\(place): \(outcome)")
    }
  }

  @Test(
    "A comment at the copy of a rebuild allows the rows that it leaves out, for all commands",
    arguments: [
      "CREATE TABLE n (a, b, kind);\n@INSERT INTO n SELECT * FROM s WHERE a > 1;\nDROP TABLE s;\nALTER TABLE n RENAME TO s;",
      "ALTER TABLE s RENAME TO o;\nCREATE TABLE s (a, b, kind);\n@INSERT INTO s SELECT * FROM o LIMIT 5;\nDROP TABLE o;",
      "@CREATE TABLE n AS SELECT * FROM s WHERE a > 1;\nALTER TABLE s RENAME TO o;\nALTER TABLE n RENAME TO s;\nDROP TABLE o;",
      "CREATE TABLE m (a, b, kind);\nALTER TABLE m RENAME TO n;\n@INSERT INTO n SELECT * FROM s WHERE a > 1;\nDROP TABLE s;\nALTER TABLE n RENAME TO s;",
      "@CREATE TEMP TABLE n AS SELECT * FROM s WHERE a > 1;\nDROP TABLE s;\nCREATE TABLE s (a, b, kind);\nINSERT INTO s SELECT * FROM n;\nDROP TABLE n;",
    ])
  func allowedRows(migration: String) throws {
    for comment in ["", "-- migrator: allow lost-rows they are old\n"] {
      let fixture = try Fixture(Self.table + Self.rows(10), migration.replacing("@", with: comment) + "\n")
      let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
      #expect(outcome.exitCode == (comment.isEmpty ? 5 : 0), "\(outcome)")
      let lint = try fixture.tool.run(["lint"])
      #expect(!lint.output.contains("unused-allowance"), "\(lint)")
      if !comment.isEmpty { #expect(!lint.output.contains("lost-rows"), "\(lint)") }
    }
    // A comment about the rebuild does not cover what later statements remove from the new table.
    let later = try Fixture(
      Self.table + Self.rows(10),
      "CREATE TABLE n AS SELECT * FROM s;\n-- migrator: allow lost-rows they are old\nDROP TABLE s;\n"
        + "ALTER TABLE n RENAME TO s;\nDELETE FROM s WHERE a = 1;\n")
    #expect(try later.tool.run(["migrate", "--confirm-loss"]).exitCode == 5)
    // A copy into a table that is not new is none of a rebuild.
    let other = try Fixture(
      Self.table + Self.rows(10) + "CREATE TABLE t AS SELECT * FROM s;",
      "-- migrator: allow lost-rows they are old\nINSERT INTO t SELECT * FROM s;\nDROP TABLE s;\n")
    #expect(try other.tool.run(["migrate", "--confirm-loss"]).exitCode == 5)
  }

  @Test(
    "A comment that satisfies lint about a column that a rebuild leaves out satisfies migrate",
    arguments: ["", ", NULL"])
  func allowedColumn(copy: String) throws {
    let columns = copy.isEmpty ? "a, kind" : "a, kind, b"
    let rule = copy.isEmpty ? "destructive" : "lost-rows"
    for comment in ["", "-- migrator: allow \(rule) old addresses\n"] {
      let fixture = try Fixture(
        Self.table + Self.rows(10),
        "CREATE TABLE n (\(columns));\nINSERT INTO n SELECT a, kind\(copy) FROM s;\n\(comment)DROP TABLE s;\n"
          + "ALTER TABLE n RENAME TO s;\n")
      let lint = try fixture.tool.run(["lint"])
      #expect(lint.output.contains("3:1: \(rule): ") == comment.isEmpty, "\(lint)")
      #expect(!lint.output.contains("unused-allowance"), "\(lint)")
      let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
      #expect(outcome.exitCode == (comment.isEmpty ? 5 : 0), "\(outcome)")
      #expect(outcome.errors.contains("allow \(rule) REASON") == comment.isEmpty, "\(outcome)")
    }
  }

  @Test("A comment allows the loss of the values")
  func allowedValues() throws {
    let fixture = try Fixture(
      Self.table + Self.rows(10),
      """
      ALTER TABLE s ADD c;
      UPDATE s SET c = substr(b, 1, 1);
      -- migrator: allow destructive old addresses
      ALTER TABLE s DROP COLUMN b;

      """)
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test(
    "A full-text table is counted only if its rows are in no other table",
    arguments: [
      ("USING fts4(content=\"s\", b)", "INSERT INTO f (f) VALUES ('rebuild')", false),
      ("USING fts5(b, content=s)", "INSERT INTO f (f) VALUES ('rebuild')", false),
      ("USING fts5(b)", "INSERT INTO f (b) SELECT b FROM s", true),
      ("USING fts4(b)", "INSERT INTO f (b) SELECT b FROM s", true),
    ])
  func fullText(module: String, filling: String, isCounted: Bool) throws {
    let first = Self.table + Self.rows(10) + "CREATE VIRTUAL TABLE f \(module);\n\(filling);"
    let deletion = isCounted ? "DELETE FROM f WHERE rowid > 5;" : ""
    let fixture = try Fixture(
      first, "-- migrator: allow lost-rows old rows\nDELETE FROM s WHERE rowid > 5;\n" + deletion)
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == (isCounted ? 5 : 0), "\(outcome)")
    #expect(outcome.errors.contains("\"f\"") == isCounted, "\(outcome)")
  }

  @Test(
    "A full-text index of another table is built again without a question",
    arguments: [
      "USING fts5(b, content=s@, tokenize=porter)", "USING fts4(content=\"s\", b@, tokenize=porter)",
      "USING fts5(b, content='', tokenize=porter)",
    ])
  func rebuiltIndex(module: String) throws {
    let create = "CREATE VIRTUAL TABLE f \(module);\nINSERT INTO f (rowid, b) SELECT rowid, b FROM s;\n"
    let vocabulary = module.contains("fts5") ? "fts5vocab(f, row)" : "fts4aux(f)"
    let first = Self.table + Self.rows(10) + create.replacing("@, tokenize=porter", with: "")
    let fixture = try Fixture(
      first + "CREATE VIRTUAL TABLE v USING \(vocabulary);",
      "DROP TABLE v;\nDROP TABLE f;\n\(create.replacing("@", with: ""))CREATE VIRTUAL TABLE v USING \(vocabulary);")
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test("Many applied files do not keep the values of the last one from being found")
  func history() throws {
    let updates = (1...2500).map { "UPDATE s SET kind = b || \($0) WHERE a = \($0);\n" }.joined()
    let fixture = try Fixture(
      Self.table + updates, "CREATE TABLE k AS SELECT b FROM s;\nALTER TABLE s DROP COLUMN b;\n")
    try fixture.asApp { db in try db.execute(sql: "INSERT INTO s VALUES (1, 'b', NULL)") }
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test("Generated rebuilds are refused exactly if they lose a row, for each size of the table")
  func generated() throws {
    var random = SeededGenerator(seed: 39)
    var (lossyCount, safeCount) = (0, 0)
    for _ in 0..<TestTier.pick(6, full: 60, soak: 1000) {
      let migration = Self.rebuild(&random)
      let values = ["x, 'b' || x, 'new'", "x / 2, 'b' || x, NULL", "x, 'B' || (x / 2), 'legacy'"].randomElement(
        using: &random)
      var answers: Set<Int32> = []
      for size in [10, 600] {
        let fixture = try Fixture(Self.table + Self.rows(size, values ?? ""), migration)
        let before = try fixture.count()
        let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
        // A key that the rows violate.
        if outcome.exitCode == 4 { continue }
        let isApplied = outcome.exitCode == 0
        if !isApplied { #expect(try fixture.tool.run(["migrate", "--quiet"]).exitCode == 0) }
        let after = try fixture.count()
        #expect((after == before) == isApplied, "\(size): \(migration) \(before ?? -1) -> \(after ?? -1): \(outcome)")
        answers.insert(outcome.exitCode)
        if isApplied { safeCount += 1 } else { lossyCount += 1 }
      }
      #expect(answers.count <= 1, "\(migration)")
    }
    #expect(lossyCount > 0 && safeCount > 0)
  }

  private static func rebuild(_ random: inout SeededGenerator) -> String {
    let columns =
      [
        "a, b, kind", "a INTEGER PRIMARY KEY ON CONFLICT REPLACE, b, kind", "a UNIQUE ON CONFLICT IGNORE, b, kind",
        "a, b TEXT COLLATE NOCASE UNIQUE ON CONFLICT REPLACE, kind", "a UNIQUE, b, kind",
        "a, b, kind NOT NULL ON CONFLICT IGNORE",
      ].randomElement(using: &random) ?? ""
    let verb = ["INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE"].randomElement(using: &random) ?? ""
    let source =
      [
        "", " WHERE kind <> 'legacy'", " WHERE kind NOT LIKE 'leg%'", " WHERE length(b) > 2", " WHERE b >= 'b'",
        " WHERE a IN (SELECT max(a) FROM @ GROUP BY b)", " JOIN (SELECT 3 AS three) ON three <> a", " LIMIT 5",
        " GROUP BY a",
        " WHERE coalesce(kind, '') <> 'legacy'",
      ].randomElement(using: &random) ?? ""
    let copy = { (table: String, from: String) in
      "\(verb) INTO \(table) (a, b, kind) SELECT a, b, kind FROM \(from)\(source.replacing("@", with: from)); "
    }
    return Bool.random(using: &random)
      ? "ALTER TABLE s RENAME TO o; CREATE TABLE s (\(columns)); \(copy("s", "o"))DROP TABLE o;"
      : "CREATE TABLE n (\(columns)); \(copy("n", "s"))DROP TABLE s; ALTER TABLE n RENAME TO s;"
  }

  @Test("The loss is reported with its numbers and its statement, and a comment allows it")
  func report() throws {
    let fixture = try Fixture(Self.table + Self.rows(600), Self.halving)
    let outcome = try fixture.tool.run(["migrate", "--json"])
    let text = "migrations/2_second.sql:4:1: table \"s\" keeps 300 of its 600 rows"
    #expect(outcome.exitCode == 0 && outcome.errors.contains(text), "\(outcome)")
    #expect(outcome.output.contains("\"rule\" : \"lost-rows\""))
    let comment = "-- migrator: allow lost-rows one row of each pair\nDROP TABLE o"
    let allowed = try Fixture(Self.table + Self.rows(600), Self.halving.replacing("DROP TABLE o", with: comment))
    let quiet = try allowed.tool.run(["migrate", "--confirm-loss"])
    #expect(quiet.exitCode == 0 && quiet.errors.isEmpty, "\(quiet)")
  }

  @Test(
    "A comment on a statement allows its own losses, and not those of another one",
    arguments: ["UPDATE p SET n = 2 WHERE id = 1", "REPLACE INTO p VALUES (1, 2)"])
  func otherStatement(cause: String) throws {
    let first = """
      \(Self.table)\(Self.rows(10))CREATE TABLE w (v); CREATE TABLE p (id INTEGER PRIMARY KEY, n);
      INSERT INTO w VALUES (1); INSERT INTO p VALUES (1, 1);
      CREATE TRIGGER u AFTER UPDATE ON p BEGIN DELETE FROM s; END;
      CREATE TRIGGER i AFTER INSERT ON p BEGIN DELETE FROM s; END;
      """
    let allowance = "-- migrator: allow lost-rows it is a cache\n"
    let deletion = "\(allowance)DELETE FROM w WHERE v = 1;\n"
    let direct = try Fixture(first, "\(cause);\n\(allowance)DELETE FROM s WHERE a = -5;")
    #expect(try direct.tool.run(["migrate", "--confirm-loss"]).exitCode == 5)
    let refused = try Fixture(first, "\(deletion)\(cause);")
    let outcome = try refused.tool.run(["migrate", "--confirm-loss"])
    #expect(try outcome.exitCode == 5 && refused.count() == 10, "\(outcome)")
    #expect(outcome.errors.contains("migrations/2_second.sql:3:1: table \"s\" keeps 0 of its 10 rows"), "\(outcome)")
    // An allowed statement that touches the table first does not hide what the other one sets off.
    for other in [
      "DELETE FROM s WHERE a = 0", "DELETE FROM s WHERE a = -5",
      "DELETE FROM w WHERE v = 2;\n\(allowance)DELETE FROM s WHERE a = 1",
    ] {
      let hidden = try Fixture(first, "\(allowance)\(other);\n\(cause);")
      let outcome = try hidden.tool.run(["migrate", "--confirm-loss"])
      #expect(try outcome.exitCode == 5 && hidden.count() == 10, "\(outcome)")
      #expect(outcome.errors.contains("table \"s\" keeps 0 of its 10 rows"), "\(outcome)")
    }
    let file = try Fixture(first, "-- migrator: allow-file lost-rows all\nDELETE FROM s WHERE a = 0;\n\(cause);")
    #expect(try file.tool.run(["migrate", "--confirm-loss"]).exitCode == 0)
    let allowed = try Fixture(first, "\(deletion)\(allowance)\(cause);")
    #expect(try allowed.tool.run(["migrate", "--confirm-loss"]).exitCode == 0)
    #expect(try allowed.count() == 0)
  }

  @Test(
    "A table that cannot be counted is not dropped or emptied without a question",
    arguments: [
      ("(k TEXT COLLATE of_app UNIQUE, v)", "DROP TABLE w"),
      ("(k TEXT COLLATE of_app PRIMARY KEY, v) WITHOUT ROWID", "DROP TABLE w"),
      ("(k TEXT COLLATE of_app PRIMARY KEY, v) WITHOUT ROWID", "DELETE FROM w"),
      ("(k TEXT COLLATE of_app UNIQUE, v)", "DROP TABLE w; CREATE TABLE w (k, v)"),
      (
        "(k TEXT COLLATE of_app PRIMARY KEY, v) WITHOUT ROWID",
        "CREATE TABLE n (k, v); DROP TABLE w; ALTER TABLE n RENAME TO w"
      ),
      ("(k TEXT COLLATE of_app PRIMARY KEY, v) WITHOUT ROWID", "INSERT INTO s VALUES (1, 'b', NULL)"),
    ])
  func uncountable(columns: String, statement: String) throws {
    let fixture = try Fixture(Self.table, statement)
    try fixture.asApp { db in
      try db.execute(
        sql: "CREATE TABLE w \(columns); INSERT INTO w VALUES ('a', 1), ('b', 2); "
          + (statement.hasPrefix("INSERT") ? "CREATE TRIGGER t AFTER INSERT ON s BEGIN DELETE FROM w; END" : ""))
    }
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    // A table with rowids can be counted without its indexes.
    let isCounted = !columns.hasSuffix("WITHOUT ROWID")
    let question = isCounted ? "2 rows" : "rows of table \"w\", which cannot be counted"
    #expect(outcome.exitCode == 5 && outcome.errors.contains(question), "\(outcome)")
    var count: Int?
    try fixture.asApp { db in count = try Int.fetchOne(db, sql: "SELECT count(*) FROM w") }
    #expect(count == 2)
    let plan = try fixture.tool.run(["plan"])
    #expect(plan.exitCode == 0 && plan.output.contains("perhaps for lack of what is missing"), "\(plan)")
  }

  @Test("The rows that a run has created are not counted")
  func ownRows() throws {
    let fixture = try Fixture("CREATE TABLE other (x); INSERT INTO other VALUES (1);", Self.table + Self.rows(20))
    try fixture.transcript.write(Self.halving, to: "migrations/3_third.sql")
    try fixture.transcript.write("DELETE FROM s WHERE a > 2; DROP TABLE s;", to: "migrations/4_fourth.sql")
    let outcome = try fixture.tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test("The answer of all engines is the same", arguments: TestEngine.allCases)
  func engines(engine: TestEngine) throws {
    var losses: [RowLoss] = []
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in try db.execute(sql: Self.table + Self.rows(600)) }
    let queue = try engine.inMemoryQueue()
    try migrator.migrate(queue)
    migrator.registerMigration("2") { db in try db.execute(sql: Self.halving) }
    struct Refusal: Error {}
    let review = RowLossReview { found, canBeUndone in
      losses += found
      #expect(canBeUndone)
      throw Refusal()
    }
    #expect(throws: MigrationError.self) { try migrator.run(queue, reviewing: review) }
    #expect(losses.map(\.before) == [600] && losses.map(\.after) == [300])
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM s") } == 600)
    losses = []
    #expect(throws: Never.self) { try migrator.run(queue, reviewing: RowLossReview { found, _ in losses += found }) }
    #expect(losses.map(\.table) == ["s"])
  }

  @Test(
    "A count in a transaction of the file changes nothing that its statements see",
    arguments: [
      "BEGIN; UPDATE s SET b = 2 WHERE a = 1; INSERT INTO s SELECT 1, 2, 'new' WHERE changes() = 0; COMMIT",
      "BEGIN; UPDATE s SET b = 2; DROP TABLE IF EXISTS q; INSERT INTO log SELECT changes(); COMMIT",
      "UPDATE s SET b = 2; BEGIN; DROP TABLE w; INSERT INTO log SELECT changes(), last_insert_rowid(), total_changes(); COMMIT",
      "UPDATE s SET b = 2; BEGIN; SAVEPOINT p; DROP TABLE w; INSERT INTO log SELECT changes(); RELEASE p; PRAGMA user_version = 3; COMMIT",
      "PRAGMA query_only = 1; BEGIN; SELECT count(*) FROM s; DROP TABLE IF EXISTS q; COMMIT; PRAGMA query_only = 0",
      "BEGIN; PRAGMA query_only = 1; SELECT count(*) FROM s; PRAGMA query_only = 0; DROP TABLE w; COMMIT",
    ])
  func undisturbed(migration: String) throws {
    let first = """
      CREATE TABLE s (a, b, kind); INSERT INTO s VALUES (1, 1, 'new'), (2, 1, 'new'); PRAGMA user_version = 7;
      CREATE TABLE w (v); INSERT INTO w VALUES (1), (2), (3);
      CREATE TABLE log (x, y, z);
      """.replacing("log (x, y, z)", with: migration.contains("total") ? "log (x, y, z)" : "log (x)")
    // The total counts the rows of the ledger, too.
    let content = "SELECT group_concat(a || b) || ifnull((SELECT x FROM log), '') FROM s"
    let fixture = try Fixture(
      first,
      "-- migrator: no-transaction\n-- migrator: allow-file destructive old\n-- migrator: allow-file lost-rows old\n"
        + "\(migration);\nDROP TABLE IF EXISTS q;\nDELETE FROM s WHERE 0;\n")
    let outcome = try fixture.tool.run(["migrate"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    let own = try TestEngine.sqlite.inMemoryQueue()
    let expected = try own.writeWithoutTransaction { db in
      try db.execute(sql: "\(first);\(migration)")
      return try (String.fetchOne(db, sql: content), Int.fetchOne(db, sql: "PRAGMA user_version"))
    }
    try fixture.asApp { db in
      let (rows, version) = try (String.fetchOne(db, sql: content), Int.fetchOne(db, sql: "PRAGMA user_version"))
      #expect(rows == expected.0 && version == expected.1)
    }
  }

  @Test("A transaction of the file that only reads does not lock others out")
  func readingTransaction() throws {
    let transcript = try Transcript()
    let path = transcript.folder.file("app.db")
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .immediateError
    let other = try TestEngine.sqlite.queue(path: path, configuration: configuration)
    let queue = try TestEngine.sqlite.queue(path: path, configuration: configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in try db.execute(sql: Self.table + Self.rows(10)) }
    try migrator.migrate(queue)
    migrator.registerUnwrappedMigration("2") { db in
      try db.execute(sql: "BEGIN; SELECT count(*) FROM s")
      try other.write { db in try db.execute(sql: "INSERT INTO s VALUES (1, 'b', NULL)") }
      try db.execute(sql: "COMMIT")
    }
    let review = RowLossReview(allows: { _, _ in true }, review: { _, _ in })
    #expect(throws: Never.self) { try migrator.run(queue, reviewing: review) }
  }

  @Test(
    "A count in a transaction of the file does not make its first statement fail because another connection has written",
    arguments: [(TestEngine.sqlite, "ALTER TABLE s DROP COLUMN b")] + TestEngine.allCases.map { ($0, "DROP TABLE s") })
  func snapshot(engine: TestEngine, statement: String) throws {
    let transcript = try Transcript()
    let folder = transcript.folder
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .immediateError
    let other = try engine.queue(path: folder.file("app.db"), configuration: configuration)
    configuration.prepareDatabase { db in
      let write = DatabaseFunction("other_writes", argumentCount: 0) { _ in
        try? other.write { db in try db.execute(sql: "INSERT INTO w VALUES (1)") }
        return 1
      }
      try db.add(function: write)
    }
    let queue = try engine.queue(path: folder.file("app.db"), configuration: configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      try db.execute(sql: Self.table + Self.rows(10) + "CREATE TABLE w (x);")
    }
    try migrator.migrate(queue)
    migrator.registerUnwrappedMigration("2") { db in try db.execute(sql: "BEGIN; \(statement); COMMIT") }
    let keepers = RowLossReview.Keepers { _, _, _, _ in
      ["b": [.expression("other_writes()", unless: nil, inverses: [])]]
    } addsRows: { _, _ in
      false
    } holders: { _ in
      []
    }
    let review = RowLossReview(keepers: keepers, review: { _, _ in })
    #expect(throws: Never.self) { try migrator.run(queue, reviewing: review) }
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM w") } == 0)
  }

  #if os(Linux)
    @Test("A run that is killed while its question is open leaves the database as it was, and so does the answer no")
    func killed() throws {
      let fixture = try Fixture(Self.table + Self.rows(600), Self.halving)
      let folder = fixture.transcript.folder.path
      for answer in [nil, "n\n", "y\n"] {
        let terminal = try PseudoTerminal()
        try terminal.start(["migrate", "--confirm-loss", "--database", "app.db"], folder: folder)
        #expect(terminal.waits(for: "[y/N]"), "\(terminal.text)")
        #expect(terminal.text.contains("Commit migration 2_second to app.db?"), "\(terminal.text)")
        if let answer { terminal.type(answer) } else { terminal.kill() }
        let code = terminal.end()
        #expect(answer == nil || code == (answer == "y\n" ? 0 : 5), "\(terminal.text)")
        #expect(try fixture.count() == (answer == "y\n" ? 300 : 600))
        #expect(try fixture.count("o") == nil)
      }
    }
  #endif
}
