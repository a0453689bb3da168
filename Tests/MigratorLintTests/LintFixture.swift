import Migrator
import SQLMigrations
import TestEngines
import Testing

@testable import MigratorLint

/// Lints migrations with all rules, on an engine.
struct LintFixture {
  /// The findings, in order.
  let findings: [LintFinding]
  /// The allowed findings.
  let allowed: [LintFinding]

  /// Lints files whose names are numbers from 1.
  init(_ scripts: [String], on testEngine: TestEngine = .sqlite, limit: Duration? = nil) throws {
    let names = scripts.enumerated().map { ("\($0.offset + 1)_a.sql", $0.element) }
    let folder = try FolderFixture(Dictionary(uniqueKeysWithValues: names)).read()
    let queue = try testEngine.inMemoryQueue()
    let result = try queue.writeWithoutTransaction { db in
      db.confine()
      if let limit { db.limitStatements(to: limit) }
      var linter = Linter(folder.files) { false }
      return try linter.run(on: db)
    }
    (findings, allowed) = LintAllowances(toolName: "migrator").apply(
      to: result.findings, of: folder.files, judged: result.judged)
  }

  /// Returns the findings of a rule.
  func findings(_ rule: LintRule) -> [LintFinding] { findings.filter { $0.rule == rule } }

  /// The rules of all findings.
  var rules: Set<LintRule> { Set(findings.map(\.rule)) }
}

/// A migration with a finding of a rule, and a similar one without.
struct LintSample: CustomTestStringConvertible, Sendable {
  /// The rule.
  let rule: LintRule
  /// The migration before it.
  let base: String
  /// A migration with one finding.
  let found: String
  /// A similar migration without a finding.
  let nearMiss: String

  var testDescription: String { "\(rule.name): \(found.prefix(60))" }

  private static let library = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE book (id INTEGER PRIMARY KEY, author INTEGER REFERENCES author (id) ON DELETE CASCADE, title TEXT);
    CREATE INDEX book_on_author ON book (author);
    CREATE INDEX author_on_name ON author (name);
    CREATE TABLE tag (name TEXT);
    CREATE VIEW title AS SELECT title FROM book;
    CREATE TRIGGER added AFTER INSERT ON author BEGIN UPDATE author SET name = trim(name) WHERE id = new.id; END;
    """

  private static func rebuild(_ columns: String, after: String = "") -> String {
    """
    CREATE TABLE new (\(columns));
    INSERT INTO new (id, name) SELECT id, name FROM author;
    DROP TABLE author;
    ALTER TABLE new RENAME TO author;
    \(after)
    """
  }

  private static let triggerAndIndex = """
    CREATE INDEX author_on_name ON author (name);
    CREATE TRIGGER added AFTER INSERT ON author BEGIN UPDATE author SET name = trim(name) WHERE id = new.id; END;
    """

  private init(
    _ rule: LintRule, base: String = library, _ found: String, nearMiss: String
  ) {
    (self.rule, self.base, self.found, self.nearMiss) = (rule, base, found, nearMiss)
  }

  static let all: [LintSample] = [
    LintSample(
      .dropReferencedTable,
      "-- migrator: foreign-keys immediate\nDROP VIEW title;\nDROP TRIGGER added;\nDROP TABLE author;",
      nearMiss: "DROP VIEW title;\nDROP TABLE book;\nDROP TABLE author;"),
    LintSample(
      .dropReferencedTable, "DROP TABLE author;",
      nearMiss: rebuild("id INTEGER PRIMARY KEY, name TEXT", after: triggerAndIndex)),
    LintSample(.destructive, "DROP TABLE tag;", nearMiss: "CREATE TABLE x (a);\nDROP TABLE x;"),
    LintSample(.destructive, "DELETE FROM tag;", nearMiss: "DELETE FROM tag WHERE name IS NULL;"),
    LintSample(
      .destructive, "UPDATE tag SET name = 'x';",
      nearMiss: "ALTER TABLE tag ADD COLUMN weight INTEGER;\nUPDATE tag SET weight = 1;"),
    LintSample(
      .destructive,
      "CREATE TABLE new (other TEXT);\nINSERT INTO new (other) SELECT 'x' FROM tag;\nDROP TABLE tag;\n"
        + "ALTER TABLE new RENAME TO tag;",
      nearMiss:
        "CREATE TABLE new (other TEXT, name TEXT);\nINSERT INTO new (name) SELECT name FROM tag;\nDROP TABLE tag;\n"
        + "ALTER TABLE new RENAME TO tag;"),
    LintSample(
      .lostRows,
      rebuild("id INTEGER PRIMARY KEY, name TEXT", after: triggerAndIndex)
        .replacing("SELECT id, name FROM author", with: "SELECT id, name FROM author WHERE name IS NOT NULL"),
      nearMiss: rebuild("id INTEGER PRIMARY KEY, name TEXT", after: triggerAndIndex)),
    LintSample(
      .uniqueOverRows, "CREATE UNIQUE INDEX one_tag ON tag (name);",
      nearMiss: "CREATE TABLE x (a);\nCREATE UNIQUE INDEX one_x ON x (a);"),
    LintSample(
      .existingTable, "CREATE TABLE IF NOT EXISTS tag (name TEXT, weight INTEGER);",
      nearMiss: "CREATE TABLE IF NOT EXISTS tag (name TEXT);\nCREATE TABLE IF NOT EXISTS x (a);"),
    LintSample(
      .lostAutoincrement, base: "CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);\n",
      rebuild("id INTEGER PRIMARY KEY, name TEXT"),
      nearMiss: rebuild("id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT")),
    LintSample(
      .lostProperty, base: "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'x');\n",
      rebuild("id INTEGER PRIMARY KEY, name TEXT NOT NULL"),
      nearMiss: rebuild("id INTEGER NOT NULL PRIMARY KEY, name VARCHAR (20) DEFAULT 'y' NOT NULL")),
    LintSample(
      .missingParent, "CREATE TABLE loan (book INTEGER PRIMARY KEY REFERENCES bok (id));",
      nearMiss: "CREATE TABLE loan (book INTEGER PRIMARY KEY REFERENCES later (id));\n"
        + "CREATE TABLE later (id INTEGER PRIMARY KEY);"),
    LintSample(
      .missingParent, "CREATE TABLE loan (book INTEGER PRIMARY KEY REFERENCES book (ident));",
      nearMiss: "CREATE TABLE loan (book INTEGER PRIMARY KEY REFERENCES Book (ID));"),
    LintSample(
      .brokenObject,
      base: library + "CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT);\n"
        + "CREATE VIRTUAL TABLE search USING fts4(content=\"doc\", body);\n",
      "ALTER TABLE doc RENAME TO page;",
      nearMiss: "DROP TABLE search;\nALTER TABLE doc RENAME TO page;\n"
        + "CREATE VIRTUAL TABLE search USING fts4(content=\"page\", body);"),
    LintSample(
      .ledgerChange, "DROP TABLE IF EXISTS migrator_history;", nearMiss: "DROP TABLE IF EXISTS other_history;"),
    LintSample(
      .lostObject,
      rebuild(
        "id INTEGER PRIMARY KEY, name TEXT",
        after: triggerAndIndex.replacing("author_on_name ON author (name)", with: "other ON author (id, name)")),
      nearMiss: "DROP INDEX author_on_name;\nDROP TRIGGER added;\n"
        + rebuild("id INTEGER PRIMARY KEY, name TEXT")),
    LintSample(
      .lostObject,
      base: "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT);\nCREATE INDEX by_title ON song (title);\n",
      "CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO new SELECT id, title FROM song;\nDROP TABLE song;\n"
        + "ALTER TABLE new RENAME TO song;\nCREATE INDEX by_id ON song (id, name);",
      nearMiss:
        "CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO new SELECT id, title FROM song;\nDROP TABLE song;\n"
        + "ALTER TABLE new RENAME TO song;\nCREATE INDEX by_name ON song (name);"),
    LintSample(
      .lostObject,
      base: "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT);\nCREATE UNIQUE INDEX by_title ON song (title);\n",
      "CREATE TABLE track (id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO track SELECT id, title FROM song;\nDROP TABLE song;",
      nearMiss: "CREATE TABLE track (id INTEGER PRIMARY KEY, name TEXT UNIQUE);\n"
        + "INSERT INTO track SELECT id, title FROM song;\nDROP TABLE song;"),
    LintSample(
      .lostObject,
      base: library + "CREATE VIEW v AS SELECT name FROM tag;\n"
        + "CREATE TRIGGER put INSTEAD OF INSERT ON v BEGIN INSERT INTO tag (name) VALUES (new.name); END;\n",
      "DROP VIEW v;\nCREATE VIEW v AS SELECT name, name AS title FROM tag;",
      nearMiss: "DROP TRIGGER put;\nDROP VIEW v;\nCREATE VIEW v AS SELECT name, name AS title FROM tag;"),
    LintSample(
      .brokenObject, "CREATE TABLE log (id INTEGER PRIMARY KEY, at TEXT DEFAULT (now()));",
      nearMiss: "CREATE TABLE log (id INTEGER PRIMARY KEY, at TEXT DEFAULT (slug(1)), a TEXT DEFAULT 'now()');"),
    LintSample(
      .brokenObject, "ALTER TABLE tag ADD COLUMN code TEXT DEFAULT (GetDate()); ALTER TABLE tag RENAME TO tags;",
      nearMiss: "ALTER TABLE tag ADD COLUMN code TEXT DEFAULT ('now()');"),
    LintSample(
      .brokenObject, "CREATE VIEW v AS SELECT getdate() AS at FROM tag;",
      nearMiss: "CREATE VIEW v AS SELECT slug(name) AS at FROM tag;"),
    LintSample(
      .brokenObject, "CREATE TRIGGER stamped AFTER INSERT ON tag BEGIN UPDATE tag SET name = now(); END;",
      nearMiss: "CREATE TRIGGER stamped AFTER INSERT ON tag BEGIN UPDATE tag SET name = slug(name); END;"),
    LintSample(
      .brokenObject, "CREATE VIEW v AS SELECT nme FROM tag;",
      nearMiss: "CREATE VIEW v AS SELECT name FROM later;\nCREATE TABLE later (name TEXT);"),
    LintSample(
      .brokenObject,
      "CREATE TRIGGER good AFTER INSERT ON tag BEGIN DELETE FROM book WHERE id = 1; END;\n"
        + "CREATE TRIGGER bad AFTER INSERT ON tag BEGIN INSERT INTO book (id, title) VALUES (1); END;\n"
        + "CREATE TRIGGER other AFTER UPDATE ON tag BEGIN DELETE FROM book WHERE id = 1; END;",
      nearMiss: "CREATE TRIGGER own AFTER INSERT ON tag BEGIN UPDATE tag SET name = only_the_app_has(new.name); END;"),
    LintSample(
      .brokenObject, "CREATE VIEW v AS SELECT * FROM other;",
      nearMiss: "CREATE VIEW v AS SELECT * FROM migrator_history;\n"
        + "CREATE VIEW numbers AS SELECT value FROM table_of_the_app (1, 5);"),
    LintSample(
      .brokenObject, base: library + "CREATE VIEW v AS SELECT name FROM tag;\n",
      "ALTER TABLE tag RENAME TO label;\nDROP VIEW v;\nCREATE VIEW v AS SELECT nme FROM label;",
      nearMiss: "ALTER TABLE tag RENAME TO label;\nDROP VIEW v;\nCREATE VIEW v AS SELECT name FROM label;"),
    LintSample(
      .brokenObject, "DROP TABLE book;",
      nearMiss: "DROP VIEW title;\nDROP TABLE book;\nCREATE VIEW title AS SELECT name AS title FROM tag;"),
    LintSample(
      .brokenObject,
      base: library
        + "CREATE TRIGGER tagged AFTER INSERT ON tag BEGIN INSERT INTO author (name) VALUES (new.name); END;\n",
      "DROP TABLE book;\nDROP VIEW title;\nDROP TABLE author;",
      nearMiss: "DROP TABLE book;\nDROP VIEW title;\nDROP TABLE author;\nDROP TRIGGER tagged;"),
    LintSample(
      .undoesItself, "CREATE TABLE x (a);\nINSERT INTO x VALUES (1);\nDROP TABLE x;",
      nearMiss:
        "CREATE TABLE x (a);\nINSERT INTO x SELECT name FROM tag;\nUPDATE tag SET name = (SELECT max(a) FROM x);\n"
        + "DROP TABLE x;\nCREATE TEMP TABLE y (a);\nDROP TABLE y;\nCREATE INDEX i ON tag (name);\nUPDATE tag SET name = '' "
        + "WHERE name = 'x';\nDROP INDEX i;\n" + rebuild("id INTEGER PRIMARY KEY, name TEXT", after: triggerAndIndex)),
    LintSample(
      .undoesItself, "CREATE VIEW x AS SELECT name FROM tag;\nDROP VIEW IF EXISTS x;",
      nearMiss: "DROP VIEW title;\nCREATE VIEW title AS SELECT name AS title FROM tag;"),
    LintSample(
      .misreadType, "CREATE TABLE x (id INT AUTO_INCREMENT PRIMARY KEY);",
      nearMiss:
        "CREATE TABLE x (id INTEGER PRIMARY KEY, n INT UNSIGNED, t TIMESTAMP WITH TIME ZONE, d DOUBLE PRECISION, s SERIAL, "
        + "b UNSIGNED BIG INT, c CHARACTER VARYING(10), first TEXT, comment TEXT, key TEXT, e LONG VARCHAR, f BLOB SUB_TYPE TEXT);"
    ),
    LintSample(
      .misreadType, "CREATE TABLE x (id SERIAL PRIMARY KEY, a TEXT);",
      nearMiss: "CREATE TABLE x (id INT PRIMARY KEY);"),
    LintSample(
      .misreadType, "ALTER TABLE tag ADD COLUMN w TEXT AFTER name;", nearMiss: "ALTER TABLE tag ADD COLUMN after TEXT;"),
    LintSample(
      .misreadType, "CREATE TABLE x (a INT\n  b TEXT, c TEXT);", nearMiss: "CREATE TABLE x (a INT, b TEXT, c TEXT);"),
    LintSample(
      .misreadType, "CREATE TABLE x (a INT COMMENT 'x');", nearMiss: "CREATE TABLE x (a INT DEFAULT 'x', comment);"),
    LintSample(
      .misreadType, "CREATE TABLE x (a TEXT COLATE NOCASE);",
      nearMiss:
        "CREATE TABLE x (a DOUBLE PRECISION, b CHARACTER VARYING(9), c BIT VARYING, d TIMESTAMP WITH TIME ZONE);"),
    LintSample(
      .misreadType, "CREATE TABLE x (id INTEGER PRIMARY KEY, a INT REFERENCE x);",
      nearMiss: "CREATE TABLE x (id INTEGER PRIMARY KEY, a INT REFERENCES x UNIQUE); CREATE INDEX x_on_a ON x (a);"),
    LintSample(
      .misreadType, "ALTER TABLE tag ADD COLUM w INT;", nearMiss: "ALTER TABLE tag ADD volume INT;"),
    LintSample(.misreadType, "CREATE TABLE x (a INT KEY);", nearMiss: "CREATE TABLE x (a INT UNIQUE, key);"),
    LintSample(.misreadType, "CREATE TABLE x (a TEXT[]);", nearMiss: "CREATE TABLE x ([a[] TEXT);"),
    LintSample(
      .misreadType, "CREATE TABLE x (a TEXT DEFAULT now);",
      nearMiss:
        "CREATE TABLE x (a DEFAULT CURRENT_TIMESTAMP, b DEFAULT Null, c DEFAULT -1, d DEFAULT 'now', e DEFAULT (1), "
        + "f DEFAULT x'00');"),
    LintSample(
      .misreadType, "ALTER TABLE tag ADD COLUMN w TEXT DEFAULT current_timestam;",
      nearMiss: "ALTER TABLE tag ADD COLUMN w TEXT DEFAULT null;"),
    LintSample(
      .misreadSpace, "CREATE TABLE x (id INTEGER PRIMARY\u{A0}KEY,\u{A0}a TEXT NOT\u{A0}NULL);",
      nearMiss: "CREATE TABLE x (\"a\u{A0}b\" TEXT DEFAULT '\u{A0}', größe INTEGER, 名前 TEXT);"),
    LintSample(
      .misreadSpace, "CREATE TABLE \u{201C}notes\u{201D} (a TEXT);",
      nearMiss: "CREATE TABLE \"\u{201C}notes\u{201D}\" (a TEXT DEFAULT '\u{201E}x\u{201C}', l\u{2019}an TEXT);"),
    LintSample(
      .misreadSpace, "ALTER TABLE tag ADD COLUMN\u{200B}weight INTEGER;",
      nearMiss: "ALTER TABLE tag ADD COLUMN क्\u{200D}ष INTEGER; -- a\u{A0}comment"),
    LintSample(
      .misreadOperator, "UPDATE author SET name = 'x' WHERE name = NULL;",
      nearMiss:
        "UPDATE author SET name = NULL WHERE name IS NULL;\nUPDATE author SET id = id, name = NULL WHERE id < 0;\n"
        + "CREATE TABLE x (a, b DEFAULT NULL CHECK (b = 'NULL'));"),
    LintSample(
      .misreadOperator, "CREATE VIEW v AS SELECT * FROM author WHERE id > 1 AND \"name\" <> NULL;",
      nearMiss: "CREATE VIEW v AS SELECT * FROM author WHERE id > 1 AND name <> 'NULL';"),
    LintSample(
      .misreadOperator, "CREATE TRIGGER r AFTER INSERT ON author WHEN new.name != NULL BEGIN SELECT 1; END;",
      nearMiss:
        "CREATE TRIGGER r AFTER INSERT ON author BEGIN UPDATE author SET name = NULL WHERE id = new.id AND 0; END;"),
    LintSample(
      .misreadOperator, "UPDATE author SET name = 'x' AND id = 2 WHERE id < 5;",
      nearMiss:
        "UPDATE author SET name = 'x', id = id > 1 AND id = 2 WHERE name = 'x' AND id = 2;\n"
        + "UPDATE author SET id = name = 'x' AND id = 2 WHERE id < 5;"),
    LintSample(
      .misreadOperator, "UPDATE author SET name = 'tag ' + name WHERE id < 5;",
      nearMiss: "UPDATE author SET name = 'tag ' || name, id = id + '1' WHERE id < 5;"),
    LintSample(
      .misreadOperator, "UPDATE author SET name = name + ' (old)' WHERE id < 5;",
      nearMiss:
        "UPDATE author SET name = name WHERE name = +'a';\nSELECT +'a', name + '' FROM author WHERE +'a' > name;"),
    LintSample(
      .misreadOperator, "UPDATE author SET name = datetime('now') + '1 day' WHERE id < 5;",
      nearMiss: "UPDATE author SET name = datetime('now', '+' || 1 || ' day') WHERE id < 5;"),
    LintSample(
      .misspelledPragma, "PRAGMA user_versoin = 2;",
      nearMiss:
        "PRAGMA user_version = 2;\nPRAGMA main.table_xinfo(tag);\nPRAGMA our_own = 1;\nPRAGMA cipher_integrity_check;\nPRAGMA index_info(i);"
    ),
    LintSample(
      .misspelledPragma, "PRAGMA main.cachesize = 100;", nearMiss: "PRAGMA main.cache_size = 100;"),
    LintSample(
      .addNotNullColumn, "ALTER TABLE tag ADD COLUMN weight INTEGER NOT NULL;",
      nearMiss: "ALTER TABLE tag ADD COLUMN weight INTEGER NOT NULL DEFAULT -1;\n"
        + "CREATE TABLE x (a);\nALTER TABLE x ADD COLUMN b INTEGER NOT NULL;"),
    LintSample(
      .addNotNullColumn, "ALTER TABLE tag ADD COLUMN weight INTEGER NOT NULL DEFAULT (NULL);",
      nearMiss: "ALTER TABLE tag ADD COLUMN weight INTEGER DEFAULT NULL;"),
    LintSample(
      .addExpressionDefault, "ALTER TABLE tag ADD COLUMN at TEXT DEFAULT CURRENT_TIMESTAMP;",
      nearMiss:
        "ALTER TABLE tag ADD COLUMN at TEXT DEFAULT ('now');\nCREATE TABLE x (at TEXT DEFAULT CURRENT_TIMESTAMP);"),
    LintSample(
      .addReferencingDefault,
      "-- migrator: foreign-keys immediate\nALTER TABLE tag ADD COLUMN author INTEGER DEFAULT 1 REFERENCES author (id);",
      nearMiss: "ALTER TABLE tag ADD COLUMN author INTEGER DEFAULT 1 REFERENCES author (id);"),
    LintSample(
      .unindexedForeignKey, "CREATE TABLE loan (id INTEGER PRIMARY KEY, book INTEGER REFERENCES book (id), day TEXT);",
      nearMiss: "CREATE TABLE loan (book INTEGER REFERENCES book (id), day TEXT, PRIMARY KEY (book, day));\n"
        + "CREATE TABLE one (id INTEGER PRIMARY KEY REFERENCES book (id));"),
    LintSample(
      .unindexedForeignKey,
      "CREATE TABLE loan (book INTEGER REFERENCES book (id), day TEXT);\nCREATE INDEX i ON loan (day, book);\n"
        + "CREATE INDEX j ON loan (book) WHERE day IS NULL;",
      nearMiss: "CREATE TABLE loan (book INTEGER REFERENCES book (id), day TEXT);\nCREATE INDEX i ON loan (book, day);"),
    LintSample(
      .mismatchedForeignKey,
      "CREATE TABLE label (tag TEXT REFERENCES tag (name));\nCREATE INDEX label_on_tag ON label (tag);\n"
        + "CREATE UNIQUE INDEX i ON tag (name COLLATE NOCASE);",
      nearMiss: "CREATE TABLE label (tag TEXT REFERENCES tag (name));\nCREATE UNIQUE INDEX i ON tag (name);"),
    LintSample(
      .insertSelectStar, "CREATE TABLE copy (name TEXT);\nINSERT INTO copy SELECT * FROM tag;",
      nearMiss: "CREATE TABLE copy (name TEXT);\nINSERT INTO copy (name) SELECT name FROM tag;\n"
        + "INSERT INTO copy (name) SELECT * FROM (SELECT name FROM tag);\n"
        + "INSERT INTO copy (name) SELECT count(*) FROM tag;"),
    LintSample(
      .omittedColumn,
      "CREATE TABLE copy (id INTEGER PRIMARY KEY, name TEXT, weight INTEGER NOT NULL);\n"
        + "INSERT INTO copy (id, name) SELECT id, name FROM author;",
      nearMiss:
        "CREATE TABLE copy (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, weight INTEGER NOT NULL DEFAULT 0, "
        + "note TEXT, CHECK (weight >= 0));\nINSERT INTO copy (name) SELECT name FROM author;\n"
        + "INSERT OR IGNORE INTO copy (id) SELECT id FROM author;"),
    LintSample(
      .omittedColumn,
      "CREATE TABLE copy (a TEXT, b TEXT NOT NULL DEFAULT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID;\n"
        + "REPLACE INTO copy (a) SELECT name FROM tag UNION SELECT 'x' WHERE 0;",
      nearMiss: "CREATE TABLE copy (a TEXT, b TEXT NOT NULL);\nINSERT INTO copy SELECT name, name FROM tag;"),
    LintSample(
      .omittedColumn,
      "CREATE TABLE copy (id INTEGER PRIMARY KEY, name TEXT) WITHOUT ROWID;\nINSERT INTO copy (name) SELECT name FROM tag;",
      nearMiss: "CREATE TABLE copy (id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO copy (name) SELECT name FROM tag;"),
    LintSample(
      .implicitRowID, "CREATE VIRTUAL TABLE search USING fts4(content=\"tag\", name);",
      nearMiss: "CREATE VIRTUAL TABLE search USING fts4(content=\"author\", name);\n"
        + "CREATE VIRTUAL TABLE other USING fts4(name);"),
    LintSample(
      .implicitRowID, "CREATE VIEW numbered AS SELECT rowid AS number, name FROM tag;",
      nearMiss: "CREATE VIEW numbered AS SELECT rowid AS number, name FROM author;\n"
        + "DELETE FROM tag WHERE rowid NOT IN (SELECT min(rowid) FROM tag GROUP BY name);"),
    LintSample(
      .implicitRowID,
      "CREATE TRIGGER gone AFTER DELETE ON tag BEGIN UPDATE book SET title = NULL WHERE id = old.rowid; END;",
      nearMiss:
        "CREATE TRIGGER gone AFTER DELETE ON author BEGIN UPDATE book SET title = NULL WHERE id = old.rowid; END;"
    ),
    LintSample(
      .implicitRowID,
      "CREATE VIRTUAL TABLE search USING fts4(content=\"tag\", name);\n"
        + "CREATE TRIGGER gone AFTER DELETE ON tag BEGIN DELETE FROM search WHERE docid = old.rowid; END;\n"
        + "CREATE TRIGGER inserted AFTER INSERT ON tag BEGIN INSERT INTO search (docid) VALUES (new.rowid); END;",
      nearMiss: "CREATE VIRTUAL TABLE search USING fts4(content=\"author\", name);\n"
        + "CREATE TRIGGER gone AFTER DELETE ON author BEGIN DELETE FROM search WHERE docid = old.rowid; END;"),
    LintSample(
      .implicitRowID,
      "CREATE TRIGGER moved AFTER UPDATE ON tag BEGIN DELETE FROM book WHERE id IN (old.rowid, new.rowid); END;",
      nearMiss: "CREATE TRIGGER moved AFTER UPDATE ON tag BEGIN DELETE FROM book WHERE title = old.name; END;"),
    LintSample(
      .implicitRowID, "INSERT INTO book (id, title) SELECT t.oid, t.name FROM tag AS t;",
      nearMiss: "CREATE TABLE new (name TEXT);\nINSERT INTO new (rowid, name) SELECT rowid, name FROM tag;"),
    LintSample(
      .implicitRowID, "CREATE TABLE note (tag INTEGER REFERENCES tag (rowid));\nCREATE INDEX i ON note (tag);",
      nearMiss: "CREATE TABLE r (rowid INTEGER PRIMARY KEY);\nCREATE TABLE note (r INTEGER REFERENCES r (rowid));"),
    LintSample(
      .implicitRowID, base: library + "CREATE VIRTUAL TABLE search USING fts4(content=\"tag\", name);\n",
      "-- migrator: no-transaction\nVACUUM;", nearMiss: "-- migrator: no-transaction\nANALYZE;"),
    LintSample(
      .doubleQuotedText, "INSERT INTO tag (name) SELECT title FROM book WHERE title = \"unknown\";",
      nearMiss: "INSERT INTO tag (\"name\") SELECT \"title\" AS t FROM \"book\" AS b WHERE \"t\" > '' ORDER BY \"t\";\n"
        + "CREATE VIEW v AS WITH c (x) AS (SELECT 1) SELECT \"x\", \"name\" FROM c JOIN tag;"),
    LintSample(
      .doubleQuotedText, "CREATE INDEX i ON tag (name) WHERE name <> \"none\";",
      // A DEFAULT cannot name a column.
      nearMiss: "CREATE TABLE x (a TEXT DEFAULT \"none\", CHECK (\"a\" <> ''));"),
  ]
}
