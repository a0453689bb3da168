import Testing

/// A statement that fails, the advice that its error must give, and the statements that follow the advice.
struct StatementAdvice: Sendable, CustomTestStringConvertible {
  /// The statements before the one that fails, after those of ``tables``.
  let before: String
  let failing: String
  /// A part of the advice; empty if the message must be enough.
  let advice: String
  /// The statements that succeed in place of the failing one; nil if a machine cannot carry the advice out.
  let cure: String?
  /// The engines on which the statement fails like this, by the minor number of their SQLite.
  let engines: Range<Int>

  var testDescription: String { failing }

  static let tables = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE);
    CREATE TABLE book (id INTEGER PRIMARY KEY, author INTEGER REFERENCES author (id), title TEXT);
    CREATE INDEX book_on_title ON book (title);
    CREATE VIEW titles AS SELECT title FROM book;
    INSERT INTO author VALUES (1, 'a', 'x'), (2, 'b', 'y');
    INSERT INTO book VALUES (1, 1, 't');
    """

  private init(
    _ failing: String, _ advice: String, _ cure: String? = nil, before: String = "", engines: Range<Int> = 0..<1000
  ) {
    (self.failing, self.advice, self.cure) = (failing, advice, cure)
    (self.before, self.engines) = (before, engines)
  }

  private static let rebuilt =
    "CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO n (id, name) SELECT id, name FROM author; "
    + "DROP TABLE author; ALTER TABLE n RENAME TO author;"
  private static let brokenView = "CREATE TABLE gone (a); CREATE VIEW broken AS SELECT a FROM gone; DROP TABLE gone;"
  private static let brokenTrigger =
    "CREATE TABLE gone (a); CREATE TRIGGER broken AFTER INSERT ON author BEGIN INSERT INTO gone VALUES (1); END; DROP TABLE gone;"

  static let all =
    ofObjects + ofConstraints + ofColumns + ofRoutines + ofText + ofRules + ofOtherDatabases + ofOtherSchemas
    + ofOtherForms + ofOtherClauses + ofOtherDumps + ofEngines + ofKeywords + ofSeparators + ofMisuse + withoutAdvice

  private static let ofOtherDumps = [
    StatementAdvice("SELECT pg_catalog.set_config('search_path', '', false)", "SQLite's functions have no schema"),
    StatementAdvice("SELECT dbo.length(title) FROM book", "delete it and the period", "SELECT length(title) FROM book"),
    StatementAdvice(
      "SELECT right(title, 2) FROM book", "write substr(text, -count)", "SELECT substr(title, -2) FROM book"),
    StatementAdvice("SELECT E'a'", "SQLite has no escapes in strings", "SELECT 'a'"),
    StatementAdvice("SELECT N'a'", "Delete the N before the string", "SELECT 'a'"),
    StatementAdvice("SELECT INTERVAL '1 day'", "write datetime(time, '+1 day')", "SELECT datetime('now', '+1 day')"),
    StatementAdvice("CREATE TABLE x (a INT CHECK (a > 0) NOT VALID)", "SQLite checks all constraints"),
    StatementAdvice("CREATE TABLE x (a DEFAULT (SELECT 1))", "A default cannot contain a query"),
    StatementAdvice("REPLACE author SET name = 'a'", "Write REPLACE INTO table (column) VALUES (value)"),
    StatementAdvice(
      "SELECT repeat('a', 2)", "write replace(printf(", "SELECT replace(printf('%.*c', 2, 'x'), 'x', 'a')"),
    StatementAdvice("SELECT currval('s')", "write last_insert_rowid()", "SELECT last_insert_rowid()"),
    StatementAdvice(
      "CREATE TRIGGER order AFTER INSERT ON book BEGIN SELECT 1; END", "order is a keyword",
      "CREATE TRIGGER \"order\" AFTER INSERT ON book BEGIN SELECT 1; END"),
    StatementAdvice(
      "CREATE VIEW v AS SELECT id AS order FROM book", "order is a keyword",
      "CREATE VIEW v AS SELECT id AS \"order\" FROM book"),
    StatementAdvice("SELECT 1\nSELECT 2", "Write a semicolon before SELECT", "SELECT 1; SELECT 2"),
    StatementAdvice("DELETE FROM book\nWITH a AS (SELECT 1) SELECT * FROM a", "Write a semicolon before WITH"),
    // The place of the error decides, not the first token like it.
    StatementAdvice("CREATE TABLE x (\n  a INT,\n  b INT CHEK (a > 0)\n)", ""),
    StatementAdvice("CREATE TABLE x (\n  c TEXT\n  a INT,\n  b INT CHEK (a > 0)\n)", "", engines: 38..<1000),
    StatementAdvice(
      "INSERT INTO author (name) VALUES ('a')" + String(repeating: ", ('a')", count: 3000) + " RETURNING id",
      "RETURNING needs SQLite 3.35", engines: 0..<35),
  ]

  private static let ofObjects = [
    StatementAdvice(
      "ALTER TABLE author RENAME TO writer", "If an earlier migration broke it, `verify` names it",
      "DROP VIEW broken; ALTER TABLE author RENAME TO writer", before: brokenView, engines: 26..<1000),
    StatementAdvice(
      "ALTER TABLE book RENAME COLUMN title TO name", "The view \"broken\" is broken, perhaps by an earlier statement",
      "DROP VIEW broken; ALTER TABLE book RENAME COLUMN title TO name", before: brokenView, engines: 26..<1000),
    StatementAdvice(
      "ALTER TABLE author RENAME TO writer", "The trigger \"broken\" is broken, perhaps by an earlier statement",
      "DROP TRIGGER broken; ALTER TABLE author RENAME TO writer", before: brokenTrigger, engines: 26..<1000),
    StatementAdvice(
      "INSERT INTO author (name) VALUES ('c')", "a trigger, a view or a foreign key that it uses does",
      "DROP TRIGGER broken; INSERT INTO author (name) VALUES ('c')", before: brokenTrigger),
    StatementAdvice(
      "SELECT * FROM broken", "a trigger, a view or a foreign key that it uses does", "DROP VIEW broken; SELECT 1",
      before: brokenView),
    StatementAdvice(
      "ALTER TABLE book DROP COLUMN title", "The index \"book_on_title\" uses it: drop the index before this statement",
      "DROP VIEW titles; DROP INDEX book_on_title; ALTER TABLE book DROP COLUMN title", engines: 35..<1000),
    StatementAdvice(
      "ALTER TABLE author DROP COLUMN name", "The view \"names\" uses it",
      "DROP VIEW names; ALTER TABLE author DROP COLUMN name", before: "CREATE VIEW names AS SELECT name FROM author;",
      engines: 35..<1000),
    StatementAdvice(
      "CREATE TABLE author (id)", "has \"author\" already",
      "DROP TABLE book; DROP TABLE author; CREATE TABLE author (id)"),
    StatementAdvice(
      "CREATE INDEX book_on_title ON book (title)", "has \"book_on_title\" already",
      "DROP INDEX book_on_title; CREATE INDEX book_on_title ON book (title)"),
    StatementAdvice(
      "CREATE VIEW titles AS SELECT 1", "has \"titles\" already", "DROP VIEW titles; CREATE VIEW titles AS SELECT 1"),
    StatementAdvice(
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN SELECT 1; END", "has \"t\" already", "DROP TRIGGER t",
      before: "CREATE TRIGGER t AFTER INSERT ON book BEGIN SELECT 1; END;"),
    StatementAdvice("CREATE INDEX author ON book (title)", "already", "CREATE INDEX i ON book (title)"),
    StatementAdvice("ALTER TABLE author RENAME TO book", "has \"book\" already", "ALTER TABLE author RENAME TO writer"),
    StatementAdvice(
      "DROP TABLE \"my view\"", "Write DROP VIEW \"my view\"", "DROP VIEW \"my view\"",
      before: "CREATE VIEW \"my view\" AS SELECT 1;"),
    StatementAdvice(
      "DROP TABLE \"select\"", "Write DROP VIEW \"select\"", before: "CREATE VIEW \"select\" AS SELECT 1;"),
    StatementAdvice(
      "ALTER TABLE author DROP COLUMN name", "The index \"my index\" uses it", "DROP INDEX \"my index\"",
      before: "CREATE INDEX \"my index\" ON author (name);", engines: 35..<1000),
    StatementAdvice(
      "ALTER TABLE author DROP COLUMN name", "The view \"v: w\" uses it", "DROP VIEW \"v: w\"",
      before: "CREATE VIEW \"v: w\" AS SELECT name FROM author;", engines: 35..<1000),
    StatementAdvice(
      "ALTER TABLE author DROP COLUMN name", "The view \"the day after tomorrow\" uses it",
      before: "CREATE VIEW \"the day after tomorrow\" AS SELECT name FROM author;", engines: 35..<1000),
    StatementAdvice(
      "ALTER TABLE author DROP COLUMN name", "The trigger \"my trig\" uses it",
      before: "CREATE TRIGGER \"my trig\" AFTER INSERT ON author BEGIN SELECT new.name; END;",
      engines: 35..<1000),
    StatementAdvice(
      "ALTER TABLE author RENAME TO writer", "The view \"my view\" is broken",
      before: "CREATE TABLE gone (a); CREATE VIEW \"my view\" AS SELECT a FROM gone; DROP TABLE gone;",
      engines: 26..<1000),
    StatementAdvice("INSERT INTO \"my.tab\" VALUES (1)", ""),
    StatementAdvice("ALTER TABLE author DROP COLUMN \"qty\"", "", engines: 35..<1000),
    StatementAdvice(
      "PRAGMA foreign_keys = ON; INSERT INTO k VALUES (1)", "for a foreign key, create the table first",
      before: "CREATE TABLE k (a REFERENCES tt (id));"),
    StatementAdvice("DROP TABLE titles", "Write DROP VIEW titles", "DROP VIEW titles"),
    StatementAdvice("DROP VIEW book", "Write DROP TABLE book", "DROP TABLE book"),
    StatementAdvice(
      "INSERT INTO titles VALUES ('t')", "give the view an INSTEAD OF trigger first",
      "INSERT INTO book (title) VALUES ('t')"),
    StatementAdvice("DELETE FROM titles", "Change the tables that the view \"titles\" reads", "DELETE FROM book"),
    StatementAdvice(
      "ALTER TABLE author RENAME TO Author", "rename it to another name first",
      "ALTER TABLE author RENAME TO x; ALTER TABLE x RENAME TO Author"),
    StatementAdvice(
      "ALTER TABLE author RENAME TO \"AUTHOR\"", "in a second statement, to \"AUTHOR\"",
      "ALTER TABLE author RENAME TO x; ALTER TABLE x RENAME TO \"AUTHOR\""),
    StatementAdvice(
      "INSERT INTO n SELECT 1, name FROM author", "Rows of the source have equal keys",
      "INSERT INTO n SELECT id, name FROM author",
      before: "CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT);"),
    StatementAdvice(
      "INSERT INTO n SELECT id, name FROM author", "the target has a row with such a key",
      "DELETE FROM n; INSERT INTO n SELECT id, name FROM author",
      before: "CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO n SELECT id, name FROM author;"),
    StatementAdvice(
      "INSERT INTO n SELECT 'x' FROM author", "an index is damaged",
      "INSERT OR IGNORE INTO n SELECT 'x' FROM author",
      before: "CREATE TABLE n (k UNIQUE);"),
  ]

  private static let ofConstraints = [
    StatementAdvice(
      "INSERT INTO book (title) VALUES ('t')", "A trigger refuses the change, with this message",
      "DROP TRIGGER no; INSERT INTO book (title) VALUES ('t')",
      before: "CREATE TRIGGER no BEFORE INSERT ON book BEGIN SELECT RAISE(ABORT, 'no zz please'); END;"),
    StatementAdvice(
      "DELETE FROM p", "",
      before: "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p ON DELETE RESTRICT); "
        + "INSERT INTO p VALUES (1); INSERT INTO c VALUES (1); PRAGMA foreign_keys = ON;"),
    StatementAdvice(
      "INSERT INTO f (rowid, a) VALUES (1, 'b')", "it has a row with this rowid, or its index is damaged",
      "INSERT INTO f (a) VALUES ('b')",
      before: "CREATE VIRTUAL TABLE f USING fts4 (a); INSERT INTO f (rowid, a) VALUES (1, 'a');"),
  ]

  private static let ofColumns = [
    StatementAdvice(
      "ALTER TABLE author ADD COLUMN name TEXT", "has a column \"name\" already",
      "ALTER TABLE author ADD COLUMN title TEXT"),
    StatementAdvice(
      "ALTER TABLE author RENAME COLUMN name TO email", "has a column \"email\" already",
      "ALTER TABLE author RENAME COLUMN name TO title", engines: 25..<1000),
    StatementAdvice(
      "ALTER TABLE odd DROP COLUMN a", "Another part of the table's definition uses it: create a new table",
      "CREATE TABLE n (b); INSERT INTO n SELECT b FROM odd; DROP TABLE odd; ALTER TABLE n RENAME TO odd",
      before: "CREATE TABLE odd (a, b, CHECK (a < b));", engines: 35..<1000),
    StatementAdvice(
      "ALTER TABLE odd DROP COLUMN a", "Another part of the table's definition uses it",
      before:
        "CREATE TABLE odd (a, b AS (a + 1), c);", engines: 35..<1000),
    StatementAdvice(
      "ALTER TABLE author DROP COLUMN email", "SQLite cannot drop this column: create a new table", rebuilt,
      engines: 35..<1000),
    StatementAdvice(
      "ALTER TABLE author DROP COLUMN id", "drop the old table and rename the new one", rebuilt, engines: 35..<1000),
    StatementAdvice(
      "ALTER TABLE one DROP COLUMN a", "It is the only column",
      "ALTER TABLE one ADD COLUMN b; ALTER TABLE one DROP COLUMN a",
      before: "CREATE TABLE one (a);", engines: 35..<1000),
    StatementAdvice(
      "ALTER TABLE author ADD COLUMN age INTEGER NOT NULL", "Give the column a constant default",
      "ALTER TABLE author ADD COLUMN age INTEGER NOT NULL DEFAULT 0"),
    StatementAdvice(
      "ALTER TABLE author ADD COLUMN at TEXT DEFAULT CURRENT_TIMESTAMP", "fill it with UPDATE",
      "ALTER TABLE author ADD COLUMN at TEXT; UPDATE author SET at = CURRENT_TIMESTAMP"),
    StatementAdvice("ALTER TABLE author ADD COLUMN k INTEGER PRIMARY KEY", "A primary key cannot be added", rebuilt),
    StatementAdvice(
      "ALTER TABLE author ADD COLUMN k UNIQUE", "create a unique index on it",
      "ALTER TABLE author ADD COLUMN k; CREATE UNIQUE INDEX author_on_k ON author (k)"),
    StatementAdvice(
      "ALTER TABLE author DROP COLUMN name", "DROP COLUMN needs SQLite 3.35", rebuilt, engines: 0..<35),
    StatementAdvice("ALTER TABLE author RENAME COLUMN name TO x", "RENAME COLUMN needs SQLite 3.25", engines: 0..<25),
  ]

  private static let ofRoutines = [
    StatementAdvice(
      "UPDATE author SET name = slug(name)", "If \"slug\" is misspelled", "UPDATE author SET name = lower(name)"),
    StatementAdvice(
      "SELECT name FROM author ORDER BY name COLLATE german", "If your program adds this collation", "SELECT 1"),
    StatementAdvice("CREATE INDEX i ON author (name COLLATE german)", "run this in a program that registers it"),
    StatementAdvice("CREATE VIRTUAL TABLE v USING spellfix1", "If your program adds this module"),
    StatementAdvice("CREATE VIRTUAL TABLE v USING dbstat_of_app", "If your program adds this module"),
    StatementAdvice("CREATE VIRTUAL TABLE v USING fts4 (a, tokenize=stemmer)", "If your program adds this tokenizer"),
    StatementAdvice(
      "INSERT INTO author (name) VALUES ('c')", "uses the function \"slug\", which only your program has",
      before: "CREATE TRIGGER t AFTER INSERT ON author BEGIN UPDATE author SET name = slug(name); END;"),
    StatementAdvice(
      "SELECT * FROM slugs", "which only your program has",
      before: "CREATE VIEW slugs AS SELECT slug(name) FROM author;"),
    StatementAdvice(
      "UPDATE author SET name = now()", "write CURRENT_TIMESTAMP", "UPDATE author SET name = CURRENT_TIMESTAMP"),
    StatementAdvice(
      "UPDATE author SET name = gen_random_uuid()", "lower(hex(randomblob(16)))",
      "UPDATE author SET name = lower(hex(randomblob(16)))"),
    StatementAdvice("UPDATE author SET name = uuid_generate_v4()", "SQLite has no UUIDs"),
    StatementAdvice("SELECT to_char(1, 'x')", "write strftime(format, time)"),
    StatementAdvice("SELECT date_trunc('month', 1)", "date(time, 'start of month')"),
    StatementAdvice("SELECT len('a')", "write length()", "SELECT length('a')"),
    StatementAdvice("SELECT nextval('a')", "SQLite has no sequences"),
    StatementAdvice("SELECT unixepoch()", "needs SQLite 3.38", engines: 0..<38),
    StatementAdvice("SELECT ceil(1.5)", "needs SQLite 3.35", "SELECT round(2.0)", engines: 0..<35),
    StatementAdvice(
      "SELECT name FROM sqlite_schema", "needs SQLite 3.33", "SELECT name FROM sqlite_master", engines: 0..<33),
    StatementAdvice("SELECT iif(1, 2, 3)", "needs SQLite 3.32", engines: 0..<32),
    StatementAdvice("SELECT concat('a', 'b')", "needs SQLite 3.44", engines: 0..<44),
  ]

  private static let ofText = [
    StatementAdvice(
      "CREATE TABLE s (a TEXT) STRICT", "STRICT needs SQLite 3.37", "CREATE TABLE s (a TEXT)", engines: 0..<37),
    StatementAdvice(
      "CREATE TABLE s (a, b GENERATED ALWAYS AS (a))", "Generated columns need SQLite 3.31", "CREATE TABLE s (a, b)",
      engines: 0..<31),
    StatementAdvice(
      "SELECT sum(id) OVER (ORDER BY id GROUPS CURRENT ROW) FROM book", "needs SQLite 3.28", engines: 0..<28),
    StatementAdvice(
      "SELECT * FROM author FULL JOIN book ON 1", "FULL JOIN needs SQLite 3.39", engines: 0..<39),
    StatementAdvice(
      "DELETE FROM book RETURNING id", "RETURNING needs SQLite 3.35", "DELETE FROM book", engines: 0..<35),
    StatementAdvice(
      "INSERT INTO author VALUES (1, 'a', 'x') ON CONFLICT (id) DO NOTHING", "needs SQLite 3.24",
      "INSERT OR IGNORE INTO author VALUES (1, 'a', 'x')", engines: 0..<24),
    StatementAdvice("SELECT row_number() OVER (ORDER BY id) FROM book", "needs SQLite 3.25", engines: 0..<25),
    StatementAdvice("SELECT 1 FROM book ORDER BY id NULLS LAST", "NULLS LAST needs SQLite 3.30", engines: 0..<30),
    StatementAdvice("SELECT 1 IS NOT DISTINCT FROM 1", "needs SQLite 3.39", engines: 0..<39),
    StatementAdvice("SELECT '{}' ->> 'a'", "needs SQLite 3.38", engines: 0..<38),
    StatementAdvice(
      "UPDATE book SET title = a.name FROM author a", "UPDATE ... FROM needs SQLite 3.33", engines: 0..<33),
    StatementAdvice("SELECT * FROM book FULL JOIN author ON 1", "needs SQLite 3.39", engines: 0..<39),
    StatementAdvice("SELECT TRUE", "TRUE needs SQLite 3.23", "SELECT 1", engines: 0..<23),
    StatementAdvice("CREATE INDEX i ON book (date(title))", "needs SQLite 3.20", engines: 0..<20),
    StatementAdvice("SELECT * FROM pragma_table_info('book')", "needs SQLite 3.16", engines: 0..<16),
    StatementAdvice("VACUUM INTO 'copy.db'", "VACUUM INTO needs SQLite 3.27", engines: 0..<27),
    StatementAdvice("CREATE TABLE s (a, b AS (a) STORED)", "need SQLite 3.31", engines: 0..<31),
    StatementAdvice("CREATE TABLE s (a, b INTEGER AS (a + 1))", "need SQLite 3.31", engines: 0..<31),
    StatementAdvice("CREATE TABLE s AS WITH c AS (SELECT 1) SELECT FROM c", ""),
    StatementAdvice("ALTER TABLE book ADD COLUMN g INT AS (id * 2)", "need SQLite 3.31", engines: 0..<31),
    StatementAdvice("SELECT sum(id) OVER w FROM book WINDOW w AS (ORDER BY id)", "needs SQLite 3.25", engines: 0..<25),
    StatementAdvice("SELECT * FROM json_each('[1]')", "needs SQLite 3.38", engines: 0..<16),
    StatementAdvice("CREATE VIRTUAL TABLE r USING rtree (id, a, b, +note)", "needs SQLite 3.24", engines: 0..<24),
    StatementAdvice("SELECT sign(-1)", "needs SQLite 3.35", engines: 0..<35),
    StatementAdvice(
      "SELECT substring('abc', 1, 2)", "needs SQLite 3.34", "SELECT substr('abc', 1, 2)", engines: 0..<34),
    StatementAdvice("SELECT json_pretty('{}')", "needs SQLite 3.46", engines: 0..<46),
    StatementAdvice("||||||| base\nSELECT 1", "A merge has left this mark", "SELECT 1"),
    StatementAdvice("SELECT 1_000", "needs SQLite 3.46", "SELECT 1000", engines: 0..<46),
    StatementAdvice("SELECT group_concat(title ORDER BY id) FROM book", "needs SQLite 3.44", engines: 0..<44),
    StatementAdvice("SELECT group_concat(b.title, ',' ORDER BY id) FROM book b", "needs SQLite 3.44", engines: 0..<44),
    StatementAdvice("SELECT true_up FROM book", "", engines: 0..<1000),
    StatementAdvice("SELECT if(1, 2, 3)", "needs SQLite 3.48", engines: 0..<48),
    StatementAdvice("SELECT unistr('a')", "needs SQLite 3.50", engines: 0..<50),
    StatementAdvice("<<<<<<< HEAD\nSELECT 1", "A merge has left this mark", "SELECT 1"),
    StatementAdvice("# a comment\nSELECT 1", "Write `--` in place of `#`", "-- a comment\nSELECT 1"),
    StatementAdvice(".mode csv", "This is a command of a shell"),
    StatementAdvice(".read other.sql", "write the equivalent SQL"),
  ]

  private static let ofOtherDatabases = [
    StatementAdvice(
      "CREATE TABLE x (id INT PRIMARY KEY AUTO_INCREMENT)", "an INTEGER PRIMARY KEY numbers the rows",
      "CREATE TABLE x (id INTEGER PRIMARY KEY)"),
    StatementAdvice(
      "CREATE TABLE x (id INT) ENGINE=InnoDB", "delete ENGINE and what follows it", "CREATE TABLE x (id INT)"),
    StatementAdvice(
      "CREATE TABLE x (a ENUM('b', 'c'))", "SQLite has no ENUM", "CREATE TABLE x (a TEXT CHECK (a IN ('b', 'c')))"),
    StatementAdvice(
      "ALTER TABLE author ADD COLUMN IF NOT EXISTS age INT", "delete these words",
      "ALTER TABLE author ADD COLUMN age INT"),
    StatementAdvice("ALTER TABLE author ALTER COLUMN name TYPE INT", "SQLite cannot change a column"),
    StatementAdvice("ALTER TABLE author MODIFY COLUMN name INT", "SQLite cannot change a column"),
    StatementAdvice("ALTER TABLE author CHANGE name title TEXT", "SQLite cannot change a column"),
    StatementAdvice(
      "ALTER TABLE author ADD CONSTRAINT u UNIQUE (name)", "create a unique index for UNIQUE",
      "CREATE UNIQUE INDEX u ON author (name)"),
    StatementAdvice(
      "ALTER TABLE author DROP CONSTRAINT u", "of CHECK and NOT NULL only) needs SQLite 3.53", engines: 0..<53),
    StatementAdvice("ALTER TABLE author ALTER COLUMN name SET DEFAULT 5", "SQLite cannot change a column"),
    StatementAdvice(
      "ALTER TABLE book ADD FOREIGN KEY (author) REFERENCES author (id)", "SQLite cannot add a foreign key"),
    StatementAdvice("ALTER TABLE book ADD INDEX i (title)", "Write CREATE INDEX", "CREATE INDEX i ON book (title)"),
    StatementAdvice(
      "ALTER TABLE book ADD COLUMN a INT, ADD COLUMN b INT", "Write one ALTER TABLE for each column",
      "ALTER TABLE book ADD COLUMN a INT; ALTER TABLE book ADD COLUMN b INT"),
    StatementAdvice("TRUNCATE TABLE book", "write DELETE FROM", "DELETE FROM book"),
    StatementAdvice(
      "CREATE OR REPLACE VIEW titles AS SELECT 1", "drop the object first",
      "DROP VIEW IF EXISTS titles; CREATE VIEW titles AS SELECT 1"),
    StatementAdvice(
      "CREATE MATERIALIZED VIEW m AS SELECT 1", "create a table, and fill it", "CREATE TABLE m AS SELECT 1"),
    StatementAdvice("CREATE FUNCTION f() RETURNS INT AS 'x'", "register the function in the program"),
    StatementAdvice("CREATE PROCEDURE p() SELECT 1", "write the statements themselves"),
    StatementAdvice("CREATE EXTENSION pgcrypto", "SQLite has no extensions in SQL"),
    StatementAdvice("SELECT LOAD_EXTENSION('mod_spatialite')", "run this in a program that has loaded it"),
    StatementAdvice("CREATE SEQUENCE s", "SQLite has no sequences"),
    StatementAdvice("CREATE TYPE mood AS ENUM ('a')", "use TEXT with a CHECK constraint"),
    StatementAdvice("CREATE SCHEMA app", "SQLite has no schemas in a file"),
    StatementAdvice("CREATE DATABASE app", "A file is the database"),
    StatementAdvice("COMMENT ON TABLE author IS 'x'", "write a comment with `--`"),
    StatementAdvice("GRANT SELECT ON author TO me", "SQLite has no users"),
    StatementAdvice("USE app", "A file is the database"),
    StatementAdvice("DELIMITER //", "SQLite needs no DELIMITER"),
    StatementAdvice("LOCK TABLES author WRITE", "The migration's transaction locks the database"),
    StatementAdvice(
      "INSERT IGNORE INTO author VALUES (1, 'a', 'x')", "Write INSERT OR IGNORE INTO",
      "INSERT OR IGNORE INTO author VALUES (1, 'a', 'x')"),
    StatementAdvice("INSERT INTO author VALUES (1, 'a', 'x') ON DUPLICATE KEY UPDATE name = 'b'", "Write ON CONFLICT"),
    StatementAdvice(
      "INSERT INTO author SELECT 1, 'a', 'x' FROM book ON DUPLICATE KEY UPDATE name = 'b'",
      "after a SELECT without WHERE, write WHERE true first"),
    StatementAdvice(
      "INSERT INTO author SELECT 1, 'a', 'x' FROM book ON CONFLICT (id) DO UPDATE SET name = 'b'",
      "write WHERE true before ON CONFLICT",
      "INSERT INTO author SELECT 1, 'a', 'x' FROM book WHERE true ON CONFLICT (id) DO UPDATE SET name = 'b'",
      engines: 24..<1000),
    StatementAdvice("START TRANSACTION", "SQLite has no START TRANSACTION"),
    StatementAdvice("VACUUM FULL", "SQLite has no VACUUM FULL", "VACUUM"),
    StatementAdvice(
      "SELECT * FROM author WHERE name ILIKE 'a'", "LIKE ignores the case", "SELECT * FROM author WHERE name LIKE 'a'"),
    StatementAdvice("SELECT id::text FROM author", "Write CAST(value AS type)", "SELECT CAST(id AS text) FROM author"),
    StatementAdvice("CREATE TABLE x (a TEXT CHARACTER SET utf8)", "SQLite stores UTF-8", "CREATE TABLE x (a TEXT)"),
    StatementAdvice("CREATE TABLE x (a TIMESTAMP ON UPDATE CURRENT_TIMESTAMP)", "create a trigger that sets the time"),
    StatementAdvice(
      "CREATE INDEX CONCURRENTLY i ON book (title)", "Delete CONCURRENTLY", "CREATE INDEX i ON book (title)"),
    StatementAdvice("CREATE INDEX i ON book USING btree (title)", "delete USING", "CREATE INDEX i ON book (title)"),
    StatementAdvice("DROP TABLE book CASCADE", "Delete CASCADE", "DROP TABLE book"),
    StatementAdvice("SELECT TOP 1 id FROM book", "Write LIMIT at the end of the query", "SELECT id FROM book LIMIT 1"),
    StatementAdvice("ALTER INDEX book_on_title RENAME TO i", "SQLite cannot change an index"),
    StatementAdvice("ALTER VIEW titles AS SELECT 1", "SQLite cannot change a view"),
    StatementAdvice("ALTER TABLE book RENAME INDEX book_on_title TO i", "SQLite cannot rename an index"),
    StatementAdvice("ALTER TABLE book OWNER TO me", "SQLite has no users"),
    StatementAdvice("ALTER TABLE book ENABLE ROW LEVEL SECURITY", "SQLite has no users"),
    StatementAdvice(
      "ALTER TABLE IF EXISTS book ADD COLUMN a INT", "no IF EXISTS for ALTER TABLE", "ALTER TABLE book ADD COLUMN a INT"
    ),
    StatementAdvice(
      "ALTER TABLE book ADD (a INT, b INT)", "one ALTER TABLE for each column, without parentheses",
      "ALTER TABLE book ADD a INT; ALTER TABLE book ADD b INT"),
    StatementAdvice("DROP INDEX book_on_title ON book", "Delete ON and the table", "DROP INDEX book_on_title"),
    StatementAdvice("DROP TRIGGER IF EXISTS t ON book", "Delete ON and the table", "DROP TRIGGER IF EXISTS t"),
    StatementAdvice("DROP TABLE book, author", "Write one DROP for each object", "DROP TABLE book; DROP TABLE author"),
    StatementAdvice("DROP TABLE IF EXISTS book CASCADE", "Delete CASCADE", "DROP TABLE IF EXISTS book"),
    StatementAdvice(
      "UPDATE book JOIN author ON author.id = book.author SET title = name", "Write UPDATE table SET column = (SELECT",
      "UPDATE book SET title = (SELECT name FROM author WHERE author.id = book.author)"),
    StatementAdvice(
      "UPDATE book b INNER JOIN author a ON a.id = b.author SET title = name", "Write UPDATE table SET column = (SELECT"
    ),
    StatementAdvice("DELETE b FROM book b WHERE id = 1", "SQLite deletes from one table"),
    StatementAdvice("COPY book FROM stdin", "SQLite has no COPY"),
    StatementAdvice("SET FOREIGN_KEY_CHECKS = 0", "SQLite has no SET"),
    StatementAdvice("SET search_path TO app", "SQLite has no SET"),
    StatementAdvice("LOCK TABLE book IN EXCLUSIVE MODE", "The migration's transaction locks the database"),
    StatementAdvice("GO", "GO is a command of a shell"),
    StatementAdvice("EXEC sp_rename 'book.title', 'name'", "SQLite has no procedures"),
    StatementAdvice("CALL fill()", "SQLite has no procedures"),
    StatementAdvice("PRINT 'done'", "SQLite prints nothing"),
    StatementAdvice(
      "CREATE TABLE x (id INT, a INT, KEY i (a))", "Write CREATE INDEX name", "CREATE TABLE x (id INT, a INT)"),
    StatementAdvice("CREATE TABLE x (id INT, a INT, INDEX i (a))", "SQLite has no INDEX here"),
    StatementAdvice("CREATE TABLE x (id INT, a INT, UNIQUE KEY i (a))", "Write CREATE UNIQUE INDEX name"),
    StatementAdvice(
      "CREATE TABLE x (id INT PRIMARY KEY CLUSTERED)", "delete CLUSTERED", "CREATE TABLE x (id INT PRIMARY KEY)"),
    StatementAdvice("CREATE TABLE x (id INT) TABLESPACE s", "delete TABLESPACE", "CREATE TABLE x (id INT)"),
    StatementAdvice("CREATE TABLE x (id INT) COMMENT='y'", "write a comment with `--`", "CREATE TABLE x (id INT)"),
    StatementAdvice(
      "CREATE TABLE x (id TEXT DEFAULT lower('A'))", "stands in parentheses",
      "CREATE TABLE x (id TEXT DEFAULT (lower('A')))"),
    StatementAdvice(
      "INSERT INTO author SET name = 'c'", "Write INSERT INTO table (column) VALUES (value)",
      "INSERT INTO author (name) VALUES ('c')"),
    StatementAdvice("SELECT * FROM author FOR UPDATE", "delete FOR UPDATE", "SELECT * FROM author"),
    StatementAdvice("INSERT INTO author (name) VALUES (E'a')", "SQLite has no escapes in strings"),
    StatementAdvice("INSERT INTO book (title) VALUES (INTERVAL '1 day')", "SQLite has no INTERVAL"),
    StatementAdvice(
      "CREATE TABLE x AS SELECT * FROM author WITH DATA", "Delete WITH DATA", "CREATE TABLE x AS SELECT * FROM author"),
    StatementAdvice("REINDEX TABLE book", "Write REINDEX, and the name", "REINDEX book"),
    StatementAdvice(
      "CREATE INDEX i ON book USING gin (title)", "delete USING and the method", "CREATE INDEX i ON book (title)"),
    StatementAdvice("\\connect app", "a command of a shell"),
    StatementAdvice("ALTER TABLE book ALTER title DROP DEFAULT", "SQLite cannot change a column", engines: 0..<53),
    StatementAdvice("ALTER TABEL book ADD COLUMN a INT", ""),
    StatementAdvice("ALTER TABLE book DROP FOREIGN KEY author", "SQLite cannot drop a constraint"),
    StatementAdvice("ALTER TABLE book DROP INDEX book_on_title", "Write DROP INDEX name", "DROP INDEX book_on_title"),
    StatementAdvice("RENAME TABLE book TO tome", "Write ALTER TABLE name RENAME TO new"),
    StatementAdvice(
      "CREATE TABLE x (a TEXT DEFAULT CURRENT_TIMESTAMP())", "without parentheses",
      "CREATE TABLE x (a TEXT DEFAULT CURRENT_TIMESTAMP)"),
    StatementAdvice("CREATE TABLE x (a TEXT DEFAULT now())", "Write DEFAULT CURRENT_TIMESTAMP"),
    StatementAdvice(
      "CREATE TABLE x (a TEXT DEFAULT uuid())", "randomblob",
      "CREATE TABLE x (a TEXT DEFAULT (lower(hex(randomblob(16)))))"),
    StatementAdvice(
      "INSERT INTO author (id, name) VALUES (DEFAULT, 'c')", "Leave the column out",
      "INSERT INTO author (name) VALUES ('c')"),
    StatementAdvice("DELETE FROM book USING author WHERE author.id = book.author", "Write DELETE FROM table WHERE"),
    StatementAdvice("SELECT id FROM book FETCH FIRST 3 ROWS ONLY", "Write LIMIT"),
    StatementAdvice("INSERT INTO author (name) VALUES (N'c')", "Delete the N"),
    StatementAdvice("CREATE TABLE public.x (a)", "delete public and the period", "CREATE TABLE x (a)"),
    StatementAdvice("SELECT CURDATE()", "write CURRENT_DATE", "SELECT CURRENT_DATE"),
    StatementAdvice("SELECT title #>> 'a' FROM book", ""),
    StatementAdvice("SELECT 1;\n# a comment\nSELECT 2", "Write `--` in place of `#`"),
    StatementAdvice("SELECT 1 : 2", ""),
    StatementAdvice("INSERT INTO book (title) VALUES ('\n# a heading\n') selct", ""),
    StatementAdvice("ALTER TABLE titles DROP COLUMN title", "Only tables lose columns", engines: 35..<1000),
    // A word that is known elsewhere is not the cause.
    StatementAdvice("CREATE TABLE x (use INT, ilike INT, order INT)", "order is a keyword"),
    StatementAdvice("CREATE TABLE x (enum INT, a INT TYPE,, b INT)", ""),
  ]

  /// Rules of SQLite that a statement breaks.
  private static let ofRules = [
    StatementAdvice(
      "CREATE TABLE x (id TEXT PRIMARY KEY AUTOINCREMENT)", "with exactly this type",
      "CREATE TABLE x (id INTEGER PRIMARY KEY AUTOINCREMENT)"),
    StatementAdvice(
      "CREATE INDEX i ON titles (title)", "on the tables that the view reads", "CREATE INDEX i ON book (title, id)"),
    StatementAdvice(
      "CREATE INDEX i ON docs (a)", "has its own index", before: "CREATE VIRTUAL TABLE docs USING fts4 (a);"),
    StatementAdvice(
      "ALTER TABLE docs ADD COLUMN b", "Create the virtual table again",
      "DROP TABLE docs; CREATE VIRTUAL TABLE docs USING fts4 (a, b)",
      before: "CREATE VIRTUAL TABLE docs USING fts4 (a);"),
    StatementAdvice(
      "CREATE TRIGGER t AFTER INSERT ON docs BEGIN SELECT 1; END", "on the table from which",
      before: "CREATE VIRTUAL TABLE docs USING fts4 (a);"),
    StatementAdvice(
      "CREATE TRIGGER t AFTER INSERT ON titles BEGIN SELECT 1; END", "Write INSTEAD OF",
      "CREATE TRIGGER t INSTEAD OF INSERT ON titles BEGIN SELECT 1; END"),
    StatementAdvice(
      "CREATE TRIGGER t INSTEAD OF INSERT ON book BEGIN SELECT 1; END", "Write BEFORE or AFTER",
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN SELECT 1; END"),
    StatementAdvice(
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN UPDATE main.book SET title = 'x'; END", "without the schema",
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN UPDATE book SET title = 'x'; END"),
    StatementAdvice("CREATE VIEW v AS SELECT ?", "in place of the parameter", "CREATE VIEW v AS SELECT 1"),
    StatementAdvice(
      "CREATE TABLE x (a CHECK (a > (SELECT 1)))", "calls RAISE(ABORT",
      "CREATE TABLE x (a); CREATE TRIGGER t BEFORE INSERT ON x WHEN new.a <= (SELECT 1) BEGIN SELECT RAISE(ABORT, 'small'); END"
    ),
    StatementAdvice("CREATE TABLE x (a DEFAULT (b), b)", "cannot use other columns", "CREATE TABLE x (a, b)"),
    StatementAdvice(
      "CREATE TABLE x (a) STRICT", "needs a type for each column", "CREATE TABLE x (a ANY) STRICT", engines: 37..<1000),
    StatementAdvice(
      "CREATE TABLE x (a MONEY) STRICT", "have the types INTEGER", "CREATE TABLE x (a REAL) STRICT", engines: 37..<1000),
    StatementAdvice(
      "CREATE TABLE x (a TEXT) WITHOUT ROWID", "Declare a primary key",
      "CREATE TABLE x (a TEXT PRIMARY KEY) WITHOUT ROWID"),
    StatementAdvice("CREATE TABLE sqlite_x (a)", "Choose another name", "CREATE TABLE x (a)"),
    StatementAdvice(
      "INSERT INTO author (name) VALUES ('a') ON CONFLICT (name) DO NOTHING", "create such an index",
      "CREATE UNIQUE INDEX i ON author (name); INSERT INTO author (name) VALUES ('a') ON CONFLICT (name) DO NOTHING",
      engines: 24..<1000),
    StatementAdvice("DROP INDEX sqlite_autoindex_author_1", "belongs to a constraint of the table"),
    StatementAdvice(
      "INSERT INTO g (b) VALUES (1)", "leave it out", "INSERT INTO g (a) VALUES (1)",
      before: "CREATE TABLE g (a, b AS (a));", engines: 31..<1000),
    StatementAdvice(
      "UPDATE g SET b = 1", "columns from which it is computed", "UPDATE g SET a = 1",
      before: "CREATE TABLE g (a, b AS (a));", engines: 31..<1000),
    StatementAdvice(
      "DELETE FROM p", "that are no key", "CREATE UNIQUE INDEX i ON p (code); DELETE FROM p",
      before:
        "CREATE TABLE p (code); CREATE TABLE c (code REFERENCES p (code)); INSERT INTO p VALUES (1); PRAGMA foreign_keys = ON;"
    ),
    StatementAdvice(
      "INSERT INTO c VALUES (1)", "that are no key", "CREATE UNIQUE INDEX i ON p (code); INSERT INTO c VALUES (1)",
      before:
        "CREATE TABLE p (code); CREATE TABLE c (code REFERENCES p (code)); INSERT INTO p VALUES (1); PRAGMA foreign_keys = ON;"
    ),
    StatementAdvice("DROP TABLE sqlite_master", "It is the table of the schema"),
    StatementAdvice("UPDATE sqlite_master SET sql = 'x' WHERE name = 'book'", "write the CREATE, ALTER or DROP"),
    StatementAdvice("DELETE FROM sqlite_master", "write the CREATE, ALTER or DROP"),
    StatementAdvice("DELETE FROM sqlite_stat1", "write it before this statement", "ANALYZE; DELETE FROM sqlite_stat1"),
    StatementAdvice(
      "DELETE FROM sqlite_sequence", "with the first table that has AUTOINCREMENT",
      "CREATE TABLE x (id INTEGER PRIMARY KEY AUTOINCREMENT); DELETE FROM sqlite_sequence"),
  ]

  /// Schemas and tables of other databases, and names that only resemble them.
  private static let ofOtherSchemas = [
    StatementAdvice("SELECT public.author", "delete public and the period"),
    StatementAdvice(
      "SELECT public.author.id FROM author", "delete public and the period", "SELECT author.id FROM author"),
    StatementAdvice("SELECT * FROM public.author", "delete public and the period", "SELECT * FROM author"),
    StatementAdvice(
      "INSERT INTO dbo.[author] (name) VALUES ('c')", "delete dbo and the period",
      "INSERT INTO [author] (name) VALUES ('c')"),
    StatementAdvice("DROP TABLE app.author", "delete app and the period", "DROP TABLE book; DROP TABLE author"),
    StatementAdvice(
      "CREATE INDEX app.i ON book (title)", "delete app and the period", "CREATE INDEX i ON book (title)"),
    StatementAdvice(
      "SELECT table_name FROM information_schema.tables", "sqlite_schema", "SELECT name FROM sqlite_master"),
    StatementAdvice("SELECT * FROM pg_catalog.pg_class", "sqlite_schema"),
    StatementAdvice("SELECT 1 FROM dual", "delete FROM", "SELECT 1"),
    StatementAdvice("SELECT * FROM generate_series(1, 10)", "WITH RECURSIVE"),
    StatementAdvice("SELECT book.titel FROM book", ""),
    StatementAdvice("INSERT INTO \"app.author\" VALUES (1)", ""),
  ]

  /// More forms of other databases.
  private static let ofOtherForms = [
    StatementAdvice(
      "CREATE TABLE x (id INTEGER AUTOINCREMENT PRIMARY KEY)", "in this order",
      "CREATE TABLE x (id INTEGER PRIMARY KEY AUTOINCREMENT)"),
    StatementAdvice("CREATE TABLE x (id INT, PRIMARY KEY (id) AUTOINCREMENT)", "in this order"),
    StatementAdvice("CREATE TABLE x (id INT, PRIMARY KEY (id) ORDER BY id)", ""),
    StatementAdvice(
      "CREATE TABLE x (a VARCHAR(20) COLLATE utf8mb4_unicode_ci)", "BINARY, NOCASE and RTRIM",
      "CREATE TABLE x (a VARCHAR(20) COLLATE NOCASE)"),
    StatementAdvice(
      "CREATE TABLE x (a, UNIQUE NULLS NOT DISTINCT (a))", "delete NULLS NOT DISTINCT", "CREATE TABLE x (a, UNIQUE (a))"
    ),
    StatementAdvice("CREATE TABLE x (a, EXCLUDE USING gist (a WITH =))", "no EXCLUDE"),
    StatementAdvice("CREATE TABLE x (a INT) PARTITION BY RANGE (a)", "delete PARTITION BY", "CREATE TABLE x (a INT)"),
    StatementAdvice("CREATE TABLE x (a INT) INHERITS (book)", "no inheritance"),
    StatementAdvice("CREATE TABLE x (a INT) WITH (fillfactor=70)", "delete WITH", "CREATE TABLE x (a INT)"),
    StatementAdvice("CREATE TABLE x (a INT) ON [PRIMARY]", "delete ON", "CREATE TABLE x (a INT)"),
    StatementAdvice("CREATE UNLOGGED TABLE x (a INT)", "Delete UNLOGGED", "CREATE TABLE x (a INT)"),
    StatementAdvice("CREATE GLOBAL TEMPORARY TABLE x (a INT)", "Delete GLOBAL", "CREATE TEMPORARY TABLE x (a INT)"),
    StatementAdvice("CREATE TABLE x LIKE book", "no LIKE here"),
    StatementAdvice("SELECT * INTO x FROM book", "CREATE TABLE name AS SELECT", "CREATE TABLE x AS SELECT * FROM book"),
    StatementAdvice("ALTER TABLE ONLY book ADD COLUMN z INT", "Delete ONLY", "ALTER TABLE book ADD COLUMN z INT"),
    StatementAdvice(
      "ALTER TABLE book DROP COLUMN title, DROP COLUMN author", "one ALTER TABLE for each change", engines: 35..<1000),
    StatementAdvice("ALTER TABLE book RENAME AS books", "Write RENAME TO", "ALTER TABLE book RENAME TO books"),
    StatementAdvice("ALTER TABLE book SET SCHEMA other", "delete the statement"),
    StatementAdvice("ALTER TABLE book DISABLE KEYS", "delete the statement"),
    StatementAdvice("ALTER TABLE book DISABLE TRIGGER ALL", "drop them before"),
    StatementAdvice("INSERT INTO book (title) VALUE ('x')", "Write VALUES", "INSERT INTO book (title) VALUES ('x')"),
    StatementAdvice("INSERT book (title) VALUES ('x')", "Write INSERT INTO", "INSERT INTO book (title) VALUES ('x')"),
    StatementAdvice(
      "INSERT INTO book (id) VALUES (1) ON CONFLICT ON CONSTRAINT book_key DO NOTHING", "columns of the constraint",
      engines: 24..<1000),
    StatementAdvice(
      "INSERT INTO book (title) VALUES (\u{2018}x\u{2019})", "typographic quotes",
      "INSERT INTO book (title) VALUES ('x')"),
    StatementAdvice("UPDATE book, author SET title = name", "UPDATE table SET column = (SELECT"),
    StatementAdvice("UPDATE book SET book.title = 'x'", "without its table", "UPDATE book SET title = 'x'"),
    StatementAdvice(
      "UPDATE TOP (1) book SET title = 'x'", "no TOP",
      "UPDATE book SET title = 'x' WHERE rowid IN (SELECT rowid FROM book LIMIT 1)"),
    StatementAdvice("DELETE book WHERE id = 1", "Write DELETE FROM", "DELETE FROM book WHERE id = 1"),
    StatementAdvice("DELETE FROM book b WHERE b.id = 1", "or delete that name", "DELETE FROM book WHERE id = 1"),
    StatementAdvice(
      "DELETE FROM book b WHERE b.id = 1", "Write AS before", "DELETE FROM book AS b WHERE b.id = 1", engines: 24..<1000
    ),
    StatementAdvice("DELETE FROM book b", "Write AS before", "DELETE FROM book AS b", engines: 24..<1000),
    StatementAdvice(
      "UPDATE book b SET title = 'x' WHERE b.id = 1", "Write AS before",
      "UPDATE book AS b SET title = 'x' WHERE b.id = 1",
      engines: 24..<1000),
    StatementAdvice(
      "UPDATE OR IGNORE main.book b SET title = 'x'", "", "UPDATE OR IGNORE main.book AS b SET title = 'x'",
      engines: 24..<1000),
    StatementAdvice(
      "UPDATE main.book b SET title = 'x'", "Write AS before", "UPDATE main.book AS b SET title = 'x'",
      engines: 24..<1000),
    StatementAdvice(
      "UPDATE IGNORE book SET title = 'x'", "Write UPDATE OR IGNORE", "UPDATE OR IGNORE book SET title = 'x'"),
    StatementAdvice("UPDATE ONLY book SET title = 'x'", "Delete ONLY", "UPDATE book SET title = 'x'"),
    StatementAdvice(
      "SELECT * FROM author WHERE id =! 1", "Write <> in place of `=!`", "SELECT * FROM author WHERE id <> 1"),
    StatementAdvice("SELECT * FROM author WHERE id !< 1", "Write >= in place of", "SELECT * FROM author WHERE id >= 1"),
    StatementAdvice("SELECT * FROM author WHERE !(id = 1)", "Write NOT", "SELECT * FROM author WHERE NOT (id = 1)"),
    StatementAdvice(
      "SELECT rand()", "from 0 to 1, 0.5 + random() / 18446744073709551616.0",
      "SELECT 0.5 + random() / 18446744073709551616.0"),
    StatementAdvice(
      "SELECT row_number() AS c FROM author", "Write OVER ()", "SELECT row_number() OVER () AS c FROM author",
      engines: 25..<1000),
    StatementAdvice(
      "SELECT * FROM author WHERE row_number() OVER () = 1", "Compute it in a subquery",
      "SELECT * FROM (SELECT row_number() OVER () AS n FROM author) WHERE n = 1", engines: 25..<1000),
    StatementAdvice(
      "ALTER TABLE author ADD COLUMN up INT DEFAULT 1 AS (id)", "A generated column has no default",
      "ALTER TABLE author ADD COLUMN up INT AS (id)", engines: 31..<1000),
    StatementAdvice(
      "CREATE TABLE x (a INT DEFAULT 1, b INT AS (a) KEPT)", "Write STORED or VIRTUAL",
      "CREATE TABLE x (a INT DEFAULT 1, b INT AS (a))", engines: 31..<1000),
    StatementAdvice(
      "CREATE TABLE x (a INT, b INT DEFAULT (2) GENERATED ALWAYS AS (a))", "A generated column has no default",
      "CREATE TABLE x (a INT, b INT GENERATED ALWAYS AS (a))", engines: 31..<1000),
    StatementAdvice(
      "CREATE TABLE x (a INT, b INT AS (a) DEFAULT 1)", "A generated column has no default",
      "CREATE TABLE x (a INT, b INT AS (a))", engines: 31..<1000),
    StatementAdvice(
      "ALTER TABLE author ADD COLUMN up AS (CURRENT_TIMESTAMP)", "Use only functions that always give the same result",
      engines: 35..<1000),
    StatementAdvice(
      "ALTER TABLE author ADD COLUMN up CHECK (name <> date('now'))", "Delete the CHECK constraint",
      "ALTER TABLE author ADD COLUMN up", engines: 37..<1000),
    StatementAdvice(
      "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FROM author", "for a median",
      "SELECT (SELECT id FROM author ORDER BY id LIMIT 1 OFFSET (SELECT count(*) / 2 FROM author))"),
    StatementAdvice(
      "SELECT mode() WITHIN GROUP (ORDER BY name) FROM author", "GROUP BY value ORDER BY count(*) DESC LIMIT 1",
      "SELECT name FROM author GROUP BY name ORDER BY count(*) DESC LIMIT 1"),
    StatementAdvice(
      "SELECT listagg(name, ',') WITHIN GROUP (ORDER BY id) FROM author", "in place of listagg()",
      "SELECT group_concat(name, ',') FROM (SELECT name FROM author ORDER BY id)"),
    StatementAdvice(
      "SELECT extract(month FROM name) FROM author", "with %m for the month",
      "SELECT CAST(strftime('%m', name) AS INTEGER) FROM author"),
    StatementAdvice("SELECT date_part('month', name) FROM author", "with %m for the month"),
    StatementAdvice(
      "CREATE TABLE x (a TEXT DEFAULT 'b c'::text)", "write the value alone", "CREATE TABLE x (a TEXT DEFAULT 'b c')"),
    StatementAdvice(
      "CREATE TABLE x (a INT DEFAULT nextval('s'::regclass))", "Delete DEFAULT", "CREATE TABLE x (a INT)"),
    StatementAdvice(
      "SELECT to_char(name, 'YYYY') FROM author", "YYYY is %Y", "SELECT strftime('%Y', name) FROM author"),
    StatementAdvice(
      "SELECT date_format(name, '%i') FROM author", "%i is %M", "SELECT strftime('%M', name) FROM author"),
    StatementAdvice(
      "SELECT lpad(name, 5, '0') FROM author", "of a text, substr(",
      "SELECT substr('00000', 1, 5 - length(name)) || name FROM author"),
    StatementAdvice(
      "SELECT date_add(name, INTERVAL 1 DAY) FROM author", "date(day, '+1 day')",
      "SELECT date(name, '+1 day') FROM author"),
    StatementAdvice("CREATE TABLE IF NOT EXIST x (a)", "Write IF NOT EXISTS", "CREATE TABLE IF NOT EXISTS x (a)"),
    StatementAdvice(
      "CREATE UNIQUE INDEX IF NOT EXIST x ON book (id)", "Write IF NOT EXISTS",
      "CREATE UNIQUE INDEX IF NOT EXISTS x ON book (id)"),
    StatementAdvice("DROP TABLE IF EXIST x", "Write IF EXISTS", "DROP TABLE IF EXISTS x"),
    StatementAdvice("SELECT * FROM book ORDER id", "Write BY after", "SELECT * FROM book ORDER BY id"),
    StatementAdvice(
      "SELECT count(*) FROM book GROUP title", "Write BY after", "SELECT count(*) FROM book GROUP BY title"),
    StatementAdvice("DELETE * FROM book WHERE id = 1", "Write DELETE FROM", "DELETE FROM book WHERE id = 1"),
    StatementAdvice("MERGE INTO book USING author ON 1 WHEN MATCHED THEN DELETE", "no MERGE"),
    StatementAdvice("UPSERT INTO book VALUES (1, 1, 't')", "no MERGE or UPSERT"),
    StatementAdvice("COMMIT WORK", "Delete the statement"),
    StatementAdvice("END WORK", "in a file without one, delete WORK"),
    StatementAdvice("CREATE TABLE #t (a)", "No name begins with #", "CREATE TEMPORARY TABLE t (a)"),
    StatementAdvice("INSERT INTO #t SELECT 1", "No name begins with #"),
    StatementAdvice("SELECT * FROM book JOIN #t AS t ON t.a = 1", "No name begins with #"),
    StatementAdvice("SELECT 1 #comment", "a comment begins with `--`", "SELECT 1 --comment"),
    StatementAdvice("SELECT * FROM book PIVOT (count(id) FOR title IN ('a')) AS p", "no PIVOT"),
    StatementAdvice("SELECT * FROM book UNPIVOT (v FOR n IN (title)) AS u", "UNION ALL for UNPIVOT"),
    StatementAdvice("SELECT * FROM book OPTION (MAXDOP 1)", "delete OPTION", "SELECT * FROM book"),
    StatementAdvice(
      "SELECT EXTRACT(YEAR FROM '2020-01-01')", "strftime('%Y', time)",
      "SELECT CAST(strftime('%Y', '2020-01-01') AS INTEGER)"),
    StatementAdvice(
      "SELECT group_concat(title SEPARATOR ',') FROM book", "group_concat(value, separator)",
      "SELECT group_concat(title, ',') FROM book"),
    StatementAdvice("SELECT array_agg(title) FROM book", "json_group_array"),
    StatementAdvice(
      "SELECT charindex('a', title) FROM book", "write instr(text, part)", "SELECT instr(title, 'a') FROM book"),
    StatementAdvice("SELECT title FROM book WHERE title SIMILAR TO 'a'", "LIKE or GLOB"),
    StatementAdvice("SELECT title FROM book WHERE title ~ 'a'", "LIKE or GLOB"),
    StatementAdvice("SELECT DISTINCT ON (title) title FROM book", "row_number() OVER"),
    StatementAdvice("SELECT * FROM book, LATERAL (SELECT 1)", "no LATERAL"),
    StatementAdvice("IF NOT EXISTS (SELECT 1) CREATE TABLE x (a)", "no IF for statements", "CREATE TABLE x (a)"),
    StatementAdvice("BEGIN TRY SELECT 1", "no TRY"),
    StatementAdvice("CREATE INDEX ON book (title)", "An index needs a name", "CREATE INDEX name ON book (title)"),
    StatementAdvice("CREATE INDEX i ON book (title(10))", "delete the length", "CREATE INDEX i ON book (title)"),
    StatementAdvice(
      "CREATE INDEX i ON book (title) INCLUDE (author)", "no INCLUDE", "CREATE INDEX i ON book (title, author)"),
    StatementAdvice("CREATE FULLTEXT INDEX i ON book (title)", "module fts5"),
    StatementAdvice(
      "CREATE TRIGGER t AFTER INSERT OR UPDATE ON book BEGIN SELECT 1; END", "one trigger for each event"),
    StatementAdvice(
      "CREATE TRIGGER t BEFORE INSERT ON book BEGIN SET NEW.title = 'x'; END", "cannot change NEW",
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN UPDATE book SET title = 'x' WHERE rowid = new.rowid; END"),
    StatementAdvice("CREATE TABLE {{schema}}_x (a)", "replaces placeholders"),
    StatementAdvice("CREATE TABLE ${name} (a)", "replaces placeholders"),
    StatementAdvice("CREATE TABLE <%= name %> (a)", "replaces placeholders"),
    StatementAdvice("INSERT INTO book (title) VALUES (%(title)s)", "replaces placeholders"),
    StatementAdvice("SELECT 5 % (2) frm book", ""),
    StatementAdvice("@other.sql", "a command of a shell"),
    StatementAdvice(":setvar a 1", "a command of a shell"),
    StatementAdvice("/ SELECT 1", "a command of a shell"),
    StatementAdvice("SOURCE other.sql", "a command of a shell"),
    StatementAdvice("CREATE TABLE x (a)\nGO", "end each statement with a semicolon"),
    StatementAdvice("CREATE TABLE x (a VARCHAR(10) NOT NULL COMMENT 'y')", "comments on columns"),
    StatementAdvice("CREATE TABLE x (a BIT(1) DEFAULT b'0')", "write the number"),
    StatementAdvice("CREATE TABLE x (a NVARCHAR(MAX))", "delete (MAX)", "CREATE TABLE x (a NVARCHAR)"),
    StatementAdvice("ALTER TABLE book ADD DEFAULT 1 FOR title", "cannot change a default"),
    StatementAdvice("CREATE SYNONYM s FOR book", "SQLite has no SYNONYM"),
    StatementAdvice("CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM book", "SQLite has no EVENT"),
    StatementAdvice("CREATE POLICY p ON book", "SQLite has no POLICY"),
    StatementAdvice("DROP FUNCTION f()", "SQLite has no FUNCTION"),
    StatementAdvice("DROP DATABASE x", "SQLite has no DATABASE"),
    StatementAdvice("ALTER ROLE x", "SQLite has no ROLE"),
    StatementAdvice("OPTIMIZE TABLE book", "SQLite has no OPTIMIZE"),
    StatementAdvice("REFRESH MATERIALIZED VIEW v", "SQLite has no REFRESH"),
    StatementAdvice("FLUSH PRIVILEGES", "SQLite has no FLUSH"),
    StatementAdvice("DESCRIBE book", "SQLite has no DESCRIBE"),
    StatementAdvice("ANALYZE TABLE book", "Write ANALYZE", "ANALYZE book"),
    StatementAdvice("CRAETE TABLE x (a)", ""),
    StatementAdvice("DROP TABEL book", ""),
    StatementAdvice("CREATE TRIGER t AFTER INSERT ON book", ""),
    StatementAdvice("INSRT INTO book (title) VALUES ('x')", ""),
    StatementAdvice("LOAD DATA INFILE 'x' INTO TABLE book", "write INSERT statements"),
    StatementAdvice("SELECT * FROM book FOR SHARE", "delete this part", "SELECT * FROM book"),
    StatementAdvice("SELECT * FROM book LIMIT ALL", "Delete LIMIT ALL", "SELECT * FROM book"),
    StatementAdvice(
      "SELECT * FROM (VALUES (1, 2)) AS t (a, b)", "WITH name (column) AS",
      "WITH t (a, b) AS (VALUES (1, 2)) SELECT * FROM t"),
    StatementAdvice("SELECT now() - INTERVAL 1 DAY", "datetime(time, '+1 day')"),
    StatementAdvice("SELECT trim(BOTH 'x' FROM 'xax')", "Write trim(text, characters)", "SELECT trim('xax', 'x')"),
    StatementAdvice(
      "SELECT substring('abc' FROM 1 FOR 2)", "Write substr", "SELECT substr('abc', 1, 2)", engines: 34..<1000),
    StatementAdvice("SELECT TRY_CAST('1' AS INT)", "write CAST", "SELECT CAST('1' AS INT)"),
    StatementAdvice("SELECT ISNULL(title, '') FROM book", "write ifnull()", "SELECT ifnull(title, '') FROM book"),
    StatementAdvice(
      "SELECT title FROM book WHERE id = ANY (SELECT 1)", "Write IN", "SELECT title FROM book WHERE id IN (SELECT 1)"),
    StatementAdvice("SELECT title FROM book GROUP BY title WITH ROLLUP", "no ROLLUP"),
    StatementAdvice(
      "INSERT DELAYED INTO book (title) VALUES ('a')", "Write INSERT INTO", "INSERT INTO book (title) VALUES ('a')"),
    StatementAdvice("DROP TABLE book PURGE", "Delete PURGE", "DROP TABLE book"),
    StatementAdvice(
      "CREATE INDEX i ON book (title varchar_pattern_ops)", "no operator classes", "CREATE INDEX i ON book (title)"),
    StatementAdvice("CREATE INDEX i USING BTREE ON book (title)", "delete USING", "CREATE INDEX i ON book (title)"),
    StatementAdvice("CREATE INDEX i ON book (title) INVISIBLE", "no options", "CREATE INDEX i ON book (title)"),
    StatementAdvice("CREATE VIEW v AS SELECT 1 WITH CHECK OPTION", "no options", "CREATE VIEW v AS SELECT 1"),
    StatementAdvice(
      "CREATE DEFINER=`root`@`localhost` VIEW v AS SELECT 1", "between CREATE and VIEW", "CREATE VIEW v AS SELECT 1"),
    StatementAdvice("CREATE TRIGGER t BEFORE INSERT ON book BEGIN SIGNAL SQLSTATE '45000'; END", "SELECT RAISE(ABORT"),
    StatementAdvice("ALTER TABLE book ORDER BY title", "delete the statement"),
    StatementAdvice("ALTER TABLE book RENAME CONSTRAINT a TO b", "cannot rename it"),
    StatementAdvice(
      "ALTER TABLE titles ADD COLUMN a", "Drop the view",
      "DROP VIEW titles; CREATE VIEW titles AS SELECT title, 1 AS a FROM book"),
  ]

  /// Operators, literals and clauses of other databases.
  private static let ofOtherClauses = [
    StatementAdvice("!ls", "command of a shell", "SELECT 1"),
    StatementAdvice("SELECT * FROM ONLY book", "Delete ONLY", "SELECT * FROM book"),
    StatementAdvice("UPDATE book SET id += 1", "Write column = column + value", "UPDATE book SET id = id + 1"),
    StatementAdvice("SELECT id FROM book GROUP BY ROLLUP(id)", "no ROLLUP", "SELECT id FROM book GROUP BY id"),
    StatementAdvice("SELECT to_number('1')", "write CAST", "SELECT CAST('1' AS NUMERIC)"),
    StatementAdvice("SELECT title FROM book CONNECT BY PRIOR id = author", "WITH RECURSIVE"),
    StatementAdvice(
      "CREATE OR ALTER VIEW v AS SELECT 1", "drop the object first", "DROP VIEW IF EXISTS v; CREATE VIEW v AS SELECT 1"),
    StatementAdvice("SELECT DATE '2024-01-01'", "delete the word", "SELECT '2024-01-01'"),
    StatementAdvice(
      "INSERT INTO book (title) VALUES (TIMESTAMP '2024-01-01')", "delete the word",
      "INSERT INTO book (title) VALUES ('2024-01-01')"),
    StatementAdvice("SELECT _utf8mb4 'a'", "delete the word", "SELECT 'a'"),
    StatementAdvice("SELECT @@version", "no variables", "SELECT sqlite_version()"),
    StatementAdvice("SELECT @x := 1", "no variables", "SELECT 1"),
    StatementAdvice("SELECT !1", "Write NOT", "SELECT NOT 1"),
    StatementAdvice("SELECT 7 DIV 2", "Write / in place", "SELECT 7 / 2"),
    StatementAdvice("SELECT 7 MOD 2", "Write % in place", "SELECT 7 % 2"),
    StatementAdvice("SELECT 1 XOR 0", "Write <> in place", "SELECT (1) <> (0)"),
    StatementAdvice("SELECT 1 && 0", "Write AND", "SELECT 1 AND 0"),
    StatementAdvice("SELECT title RLIKE 'x' FROM book", "no regular expressions", "SELECT title LIKE 'x' FROM book"),
    StatementAdvice("SELECT 1 <=> NULL", "Write IS", "SELECT 1 IS NULL"),
    StatementAdvice("SELECT * FROM book WHERE ROWNUM <= 10", "Write LIMIT", "SELECT * FROM book LIMIT 10"),
    StatementAdvice(
      "SELECT title FROM book WHERE title IS UNKNOWN", "Write NULL", "SELECT title FROM book WHERE title IS NULL"),
    StatementAdvice(
      "INSERT INTO book (title) VALUES (sysdate)", "CURRENT_TIMESTAMP",
      "INSERT INTO book (title) VALUES (CURRENT_TIMESTAMP)"),
    StatementAdvice("SELECT CONVERT(INT, '1')", "Write CAST", "SELECT CAST('1' AS INT)"),
    StatementAdvice("SELECT POSITION('a' IN 'abc')", "Write instr", "SELECT instr('abc', 'a')"),
    StatementAdvice("SELECT CURRENT_DATE()", "without parentheses", "SELECT CURRENT_DATE"),
    StatementAdvice(
      "ALTER TABLE book ADD COLUMN d VARCHAR(10) CHARSET utf8", "delete the character set",
      "ALTER TABLE book ADD COLUMN d VARCHAR(10)"),
    StatementAdvice(
      "CREATE TABLE x (a INT) DEFAULT CHARACTER SET utf8", "delete the character set", "CREATE TABLE x (a INT)"),
    StatementAdvice("CREATE TABLE x (a INT) COLLATE utf8_bin", "no collation", "CREATE TABLE x (a INT)"),
    StatementAdvice("CREATE TABLE x (a SET('a', 'b'))", "no type SET", "CREATE TABLE x (a TEXT)"),
    StatementAdvice(
      "CREATE TABLE x (a INT(11) unsigned NOT NULL)", "no unsigned numbers",
      "CREATE TABLE x (a INT(11) NOT NULL CHECK (a >= 0))"),
    StatementAdvice(
      "CREATE TABLE x (a INT, INDEX (a))", "CREATE INDEX name", "CREATE TABLE x (a INT); CREATE INDEX x_a ON x (a)"),
    StatementAdvice(
      "CREATE TABLE x (a INT, KEY (a))", "CREATE INDEX name", "CREATE TABLE x (a INT); CREATE INDEX x_a ON x (a)"),
    StatementAdvice("CREATE TABLE x (a INT, FULLTEXT KEY (a))", "fts5"),
    StatementAdvice("CREATE TABLE x (a INT NOT NULL ENABLE)", "delete the word", "CREATE TABLE x (a INT NOT NULL)"),
    StatementAdvice(
      "CREATE TABLE x (a INT CHECK (a > 0) NOT ENFORCED)", "delete the word", "CREATE TABLE x (a INT CHECK (a > 0))"),
    StatementAdvice(
      "CREATE TABLE x (a INT, FOREIGN KEY fk (a) REFERENCES author (id))", "Write FOREIGN KEY (column)",
      "CREATE TABLE x (a INT, FOREIGN KEY (a) REFERENCES author (id))"),
    StatementAdvice(
      "CREATE TABLE x (a INT, PRIMARY KEY (a) USING BTREE)", "delete USING", "CREATE TABLE x (a INT, PRIMARY KEY (a))"),
    StatementAdvice(
      "CREATE TABLE x AS (SELECT * FROM author)", "without parentheses", "CREATE TABLE x AS SELECT * FROM author"),
    StatementAdvice("CREATE TABLE x AS TABLE author", "AS SELECT * FROM", "CREATE TABLE x AS SELECT * FROM author"),
    StatementAdvice("CREATE TABLE x (a INT) AS SELECT 1", "without columns", "CREATE TABLE x AS SELECT 1"),
    StatementAdvice(
      "CREATE INDEX main.i ON main.book (title)", "only before the index", "CREATE INDEX main.i ON book (title)"),
    StatementAdvice("ALTER TABLE book ADD KEY k (title)", "CREATE INDEX name", "CREATE INDEX k ON book (title)"),
    StatementAdvice("ALTER TABLE author RENAME writer", "Write RENAME TO", "ALTER TABLE author RENAME TO writer"),
    StatementAdvice("ALTER TABLE book COMMENT = 'x'", "no comments on tables", "SELECT 1"),
    StatementAdvice("ALTER TABLE book SET WITHOUT OIDS", "delete the statement", "SELECT 1"),
    StatementAdvice(
      "ALTER TABLE book WITH CHECK ADD CONSTRAINT c UNIQUE (title)", "cannot add a constraint",
      "CREATE UNIQUE INDEX c ON book (title)"),
    StatementAdvice(
      "INSERT INTO book (id, title) VALUES (9, DEFAULT)", "Leave the column out", "INSERT INTO book (id) VALUES (9)"),
    StatementAdvice("UPDATE book SET title = DEFAULT", "write the value itself", "UPDATE book SET title = NULL"),
    StatementAdvice("REPLACE book (id) VALUES (1)", "Write REPLACE INTO", "REPLACE INTO book (id) VALUES (1)"),
    StatementAdvice("DROP TABLE book RESTRICT", "Delete the word", "DROP VIEW titles; DROP TABLE book"),
    StatementAdvice("DROP VIEW IF EXISTS titles CASCADE", "Delete CASCADE", "DROP VIEW IF EXISTS titles"),
    StatementAdvice("DROP TABLE IF NOT EXISTS book", "Write IF EXISTS", "DROP TABLE IF EXISTS book"),
    StatementAdvice("CREATE TABLE IF EXISTS x (a)", "Write IF NOT EXISTS", "CREATE TABLE IF NOT EXISTS x (a)"),
    StatementAdvice(
      "SELECT title FROM book MINUS SELECT name FROM author", "Write EXCEPT",
      "SELECT title FROM book EXCEPT SELECT name FROM author"),
    StatementAdvice(
      "SELECT title FROM book EXCEPT ALL SELECT name FROM author", "without ALL",
      "SELECT title FROM book EXCEPT SELECT name FROM author"),
    StatementAdvice(
      "SELECT title FROM book UNION (SELECT name FROM author)", "Delete the parentheses",
      "SELECT title FROM book UNION SELECT name FROM author"),
    StatementAdvice(
      "SELECT * FROM book STRAIGHT_JOIN author", "Write CROSS JOIN", "SELECT * FROM book CROSS JOIN author"),
    StatementAdvice(
      "SELECT * FROM book USE INDEX (book_on_title)", "INDEXED BY",
      "SELECT * FROM book INDEXED BY book_on_title WHERE title = 't'"),
    StatementAdvice("SELECT title FROM book OFFSET 1", "LIMIT -1", "SELECT title FROM book LIMIT -1 OFFSET 1"),
    StatementAdvice("SELECT LEFT('abc', 2)", "substr", "SELECT substr('abc', 1, 2)"),
    StatementAdvice(
      "CREATE TRIGGER g ON book AFTER INSERT AS BEGIN SELECT 1; END", "the event before ON",
      "CREATE TRIGGER g AFTER INSERT ON book BEGIN SELECT 1; END"),
    StatementAdvice("EXPLAIN ANALYZE SELECT 1", "EXPLAIN QUERY PLAN", "EXPLAIN QUERY PLAN SELECT 1"),
    StatementAdvice(
      "WITH x AS (INSERT INTO book (title) VALUES ('x') RETURNING id) SELECT * FROM x", "separate statements",
      engines: 35..<1000),
    StatementAdvice("TABLE author", "SELECT * FROM", "SELECT * FROM author"),
    StatementAdvice("CREATE TABLE x (a INT, b INT COMPUTED BY (a * 2))", "Write AS (expression)"),
  ]

  /// Options of full-text tables that only newer engines have, and columns that rows refuse.
  private static let ofEngines =
    [("contentless_delete=1, content=''", 43), ("tokendata=1", 45), ("locale=1", 47)].map { option, minor in
      StatementAdvice(
        "CREATE VIRTUAL TABLE x USING fts5(a, \(option))", "needs SQLite 3.\(minor)",
        "CREATE VIRTUAL TABLE x USING fts5(a)", engines: 16..<minor)
    } + [
      StatementAdvice(
        "ALTER TABLE book ADD COLUMN d INT NOT NULL DEFAULT 0 CHECK (d > 0)", "a default that meets it",
        "ALTER TABLE book ADD COLUMN d INT NOT NULL DEFAULT 1 CHECK (d > 0)", engines: 34..<1000),
      StatementAdvice(
        "CREATE VIRTUAL TABLE x USING fts5(a, tokenizer=ascii)", "", engines: 16..<1000),
    ]

  /// Names that are keywords.
  private static let ofKeywords = [
    StatementAdvice(
      "ALTER TABLE author RENAME COLUMN name TO select", "select is a keyword",
      "ALTER TABLE author RENAME COLUMN name TO \"select\"", engines: 25..<1000),
    StatementAdvice(
      "ALTER TABLE book RENAME TO having", "having is a keyword", "ALTER TABLE book RENAME TO \"having\""),
    StatementAdvice("CREATE TABLE order (id INT)", "order is a keyword", "CREATE TABLE \"order\" (id INT)"),
    StatementAdvice(
      "CREATE TABLE x (id INT, order INT)", "order is a keyword", "CREATE TABLE x (id INT, \"order\" INT)"),
    StatementAdvice("CREATE TABLE IF NOT EXISTS group (id INT)", "group is a keyword"),
    StatementAdvice(
      "ALTER TABLE book ADD COLUMN index INT", "index is a keyword", "ALTER TABLE book ADD COLUMN \"index\" INT"),
    StatementAdvice("ALTER TABLE book RENAME TO transaction", "transaction is a keyword"),
    StatementAdvice("INSERT INTO book (id, default) VALUES (1, 2)", "default is a keyword"),
    StatementAdvice("SELECT * FROM table", "table is a keyword"),
    StatementAdvice("SELECT book.limit FROM book", "limit is a keyword"),
    StatementAdvice("SELECT title FROM book WHERE order = 1", "order is a keyword"),
    StatementAdvice("UPDATE book SET order = 1", "order is a keyword"),
    StatementAdvice("CREATE VIEW order AS SELECT 1", "order is a keyword", "CREATE VIEW \"order\" AS SELECT 1"),
    StatementAdvice(
      "CREATE TABLE x (id INT, from TEXT)", "from is a keyword", "CREATE TABLE x (id INT, \"from\" TEXT)"),
    StatementAdvice("UPDATE TABLE book SET title = 'x'", "Delete TABLE", "UPDATE book SET title = 'x'"),
    StatementAdvice("INSERT INTO TABLE book VALUES (2, 1, 'x')", "Delete TABLE", "INSERT INTO book VALUES (2, 1, 'x')"),
    StatementAdvice("DROP TABLE TABLE", ""),
    StatementAdvice("CREATE TABLE x (id INT, DEFAULT 3)", ""),
    StatementAdvice("CREATE TABLE x (id INT, REFERENCES author (id))", ""),
    StatementAdvice("UPDATE book SET title = 'x', LIMIT 3", "Delete the comma"),
    StatementAdvice("ALTER TABLE book ADD COLUMN DEFAULT 3", ""),
    StatementAdvice("SELECT title, ORDER BY title", "Delete the comma"),
  ]

  /// Semicolons, commas and parentheses that are missing or too many, and characters that only look like them.
  private static let ofSeparators = [
    StatementAdvice(
      "CREATE TABLE x (a)\nCREATE TABLE y (b)", "Write a semicolon before CREATE",
      "CREATE TABLE x (a);\nCREATE TABLE y (b)"),
    StatementAdvice(
      "UPDATE book SET title = 'x'\n  DELETE FROM book", "Write a semicolon before DELETE",
      "UPDATE book SET title = 'x'; DELETE FROM book"),
    StatementAdvice(
      "INSERT INTO book (title) VALUES ('a')\n\nINSERT INTO book (title) VALUES ('b')", "semicolon before INSERT"),
    StatementAdvice(
      "ALTER TABLE book ADD COLUMN n TEXT\nALTER TABLE book ADD COLUMN m TEXT", "semicolon before ALTER",
      "ALTER TABLE book ADD COLUMN n TEXT; ALTER TABLE book ADD COLUMN m TEXT"),
    StatementAdvice("ALTER TABLE book\n  ALTER COLUMN title TYPE INTEGER", "SQLite cannot change a column"),
    StatementAdvice("ALTER TABLE book\n  DROP COLUMN id\n  DROP COLUMN title", "each change", engines: 35..<1000),
    StatementAdvice("ALTER TABLE book\n  ADD COLUMN a TEXT\n  ADD COLUMN b TEXT", "each change"),
    StatementAdvice("BEGIN\nCREATE TABLE x (a)", "semicolon before CREATE", "CREATE TABLE x (a)"),
    StatementAdvice(
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN UPDATE book SET title = 'a'\n  DELETE FROM author; END",
      "semicolon before DELETE"),
    StatementAdvice(
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN\nWITH c AS (SELECT 1)\nINSERT INTO author (id) SELECT * FROM c; END",
      ""),
    StatementAdvice("CREATE TRIGGER t AFTER INSERT ON book BEGIN\n  CREATE TABLE x (a); END", ""),
    StatementAdvice("CREATE TRIGGER t AFTER INSERT ON book FOR EACH ROW\n  UPDATE author SET name = 'x'", ""),
    StatementAdvice("ALTER TABLE book\n  DELETE COLUMN title", ""),
    StatementAdvice("ALTER TABLE book\n  CREATE INDEX i (title)", ""),
    StatementAdvice("INSERT INTO author (name)\n  DELETE FROM book RETURNING title", "", engines: 35..<1000),
    StatementAdvice("DELETE FROM book WHERE id = 1 AND\nDELETE FROM author", ""),
    StatementAdvice("EXPLAIN QUERY PLAN\nALTER TABL book", ""),
    StatementAdvice("SELECT * FROM book WHERE id =\nUPDATE author SET name = 'x'", ""),
    StatementAdvice(
      "WITH c AS (SELECT 1) SELECT * FROM c\nDELETE FROM book", "semicolon before DELETE",
      "WITH c AS (SELECT 1) SELECT * FROM c; DELETE FROM book"),
    StatementAdvice(
      "WITH c AS (SELECT 1) CREATE TABLE x AS SELECT * FROM c", "Write WITH after CREATE TABLE name AS",
      "CREATE TABLE x AS WITH c AS (SELECT 1) SELECT * FROM c"),
    StatementAdvice(
      "CREATE TABLE x (\n  a TEXT NOT NULL\n  b TEXT\n)", "Write a comma before the line that begins with b",
      "CREATE TABLE x (a TEXT NOT NULL, b TEXT)"),
    StatementAdvice(
      "CREATE TABLE x (a INTEGER PRIMARY KEY,\n  b DEFAULT 1\n  CHECK (a > 0)\n  c TEXT)", "a comma before the line"),
    StatementAdvice("CREATE TABLE x (\n  a TEXT NOT NULL\n    CHEK (a > 0)\n)", ""),
    StatementAdvice(
      "INSERT INTO book (title) VALUES ('a')\n  ('b')", "comma before the line that begins with (",
      "INSERT INTO book (title) VALUES ('a'), ('b')"),
    StatementAdvice("CREATE TABLE x (a TEXT,)", "Delete the comma", "CREATE TABLE x (a TEXT)"),
    StatementAdvice("SELECT title, FROM book", "Delete the comma", "SELECT title FROM book"),
    StatementAdvice("UPDATE book SET title = 'a', WHERE id = 1", "Delete the comma"),
    StatementAdvice("INSERT INTO book (title) VALUES ('a'),", "Delete the comma"),
    StatementAdvice("CREATE TABLE x (a TEXT, b TEXT", "not closed", "CREATE TABLE x (a TEXT, b TEXT)"),
    StatementAdvice("CREATE TABLE x (", "not closed"),
    StatementAdvice("INSERT INTO book (title VALUES ('a')", "not closed"),
    StatementAdvice("INSERT INTO book (title) VALUES ('a'))", "has no `(` before it"),
    StatementAdvice("\u{A0}SELECT 1", "U+00A0, which looks like a space", " SELECT 1"),
    StatementAdvice("SELECT title\u{A0}FROM book", "U+00A0"),
    StatementAdvice("SELECT\u{200B} 1", "U+200B", "SELECT 1"),
    StatementAdvice("SELECT 1\u{FF1B}", "U+FF1B", "SELECT 1;"),
    StatementAdvice("SELECT 1 \u{1A}", "U+001A", "SELECT 1"),
    StatementAdvice("SELECT '\u{A0}' frm book x", ""),
    StatementAdvice("SELECT title FROM book\u{A0}WHERE id = 1", "U+00A0"),
    StatementAdvice("SELECT max\u{FF08}id\u{FF09} FROM book", "U+FF08", "SELECT max(id) FROM book"),
    StatementAdvice("SELECT title FROM book WHERE id \u{FF1D} 1", "U+FF1D"),
    StatementAdvice("SELECT naem FROM (SELECT 1 AS 価格（円）)", ""),
    StatementAdvice("SELECT naem FROM (SELECT 1 AS 金額１)", ""),
    StatementAdvice("SELECT 金額１ FROM book", ""),
    StatementAdvice("UPDATE book SET naem = (SELECT 1 AS 価格（円）)", ""),
    StatementAdvice("SELECT title\u{FF0C}id FROM book", "U+FF0C", "SELECT title,id FROM book"),
    StatementAdvice("SELECT title FROM book\u{FF1B} SELECT 1", "U+FF1B", "SELECT title FROM book; SELECT 1"),
    StatementAdvice("CREATE TABLE x (価格（円） INT,, b INT)", ""),
    StatementAdvice(
      "INSERT INTO book (title) VALUES ('it's')", "or double it", "INSERT INTO book (title) VALUES ('it''s')"),
    StatementAdvice("INSERT INTO book (title) VALUES ('it)", "A quote is not closed"),
    StatementAdvice("SELECT \"title FROM book", "A quote is not closed"),
    StatementAdvice("SELECT 1 // one", "in place of `//`", "SELECT 1 -- one"),
    StatementAdvice("// one\nSELECT 1", "in place of `//`", "-- one\nSELECT 1"),
  ]

  private static let ofMisuse = [
    StatementAdvice(
      "INSERT INTO (name) VALUES ('c')", "the table after INTO", "INSERT INTO author (name) VALUES ('c')"),
    StatementAdvice(
      "CREATE TABLE AS SELECT id FROM book", "the name before AS", "CREATE TABLE x AS SELECT id FROM book"),
    StatementAdvice(
      "CREATE TABLE x AS SELECT id, FROM book", "Delete the comma", "CREATE TABLE x AS SELECT id FROM book"),
    StatementAdvice(
      "CREATE VIEW x (a) AS (SELECT id FROM book)", "without parentheses", "CREATE VIEW x AS SELECT id AS a FROM book"),
    StatementAdvice(
      "CREATE VIEW x SELECT id FROM book", "Write AS before the query", "CREATE VIEW x AS SELECT id FROM book"),
    StatementAdvice(
      "CREATE VIEW x (a, b) SELECT id, id FROM book", "Write AS before the query",
      "CREATE VIEW x AS SELECT id, id FROM book"),
    StatementAdvice(
      "CREATE TABLE x SELECT id FROM book", "Write AS before the query", "CREATE TABLE x AS SELECT id FROM book"),
    StatementAdvice(
      "CREATE VIEW x WITH c AS (SELECT 1) SELECT * FROM c", "Write AS before the query",
      "CREATE VIEW x AS WITH c AS (SELECT 1) SELECT * FROM c"),
    StatementAdvice("ALTER TABLE book RENAME TO", "the new name after TO", "ALTER TABLE book RENAME TO x"),
    StatementAdvice(
      "INSERT INTO author (name) (SELECT title FROM book)", "Delete the parentheses of the query",
      "INSERT INTO author (name) SELECT title FROM book"),
    StatementAdvice(
      "INSERT INTO author (SELECT 7, 'g', 'g')", "Delete the parentheses of the query",
      "INSERT INTO author SELECT 7, 'g', 'g'"),
    StatementAdvice(
      "INSERT INTO author (name, email) ('c', 'z')", "Write VALUES before",
      "INSERT INTO author (name, email) VALUES ('c', 'z')"),
    StatementAdvice(
      "INSERT INTO x (x) VALUES ('rebuild')", "create the table with its content",
      "CREATE TABLE gone (a); INSERT INTO x (x) VALUES ('rebuild')",
      before: "CREATE VIRTUAL TABLE x USING fts4(a, content='gone');"),
    StatementAdvice(
      "INSERT INTO x (x) VALUES ('rebuld')", "correct the command", "INSERT INTO x (x) VALUES ('rebuild')",
      before: "CREATE VIRTUAL TABLE x USING fts4(a);"),
    StatementAdvice(
      "CREATE TABLE x AS SELECT sum(id) OVER w AS n FROM book WINDOW w AS (ORDER BY id)",
      "WINDOW (window functions) needs",
      engines: 0..<25),
    StatementAdvice("ALTER TABLE book ADD COLUMN n INTEGER AUTOINCREMENT", "which cannot be added"),
    StatementAdvice("CREATE x (a)", "the kind of the object", "CREATE TABLE x (a)"),
    StatementAdvice("DROP book", "the kind of the object", "DROP TABLE book"),
    StatementAdvice("DROP IF EXISTS book", "the kind of the object", "DROP TABLE IF EXISTS book"),
    StatementAdvice("ALTER book ADD COLUMN a", "the kind of the object", "ALTER TABLE book ADD COLUMN a"),
    StatementAdvice(
      "CREATE TABLE x (a, b AS (SELECT 1))", "cannot contain a query", "CREATE VIEW x AS SELECT 1 AS b",
      engines: 31..<1000),
    StatementAdvice("WITH c AS (SELECT FROM book) SELECT 1", ""),
    StatementAdvice("WITH c AS (SELECT 1), SELECT 2", ""),
    StatementAdvice("CREATE VIEW x AS WITH c AS (SELECT 1) SELECT SELECT 2", ""),
    StatementAdvice("WITH c AS (SELECT 1) INSERT INTO book SELECT * FORM c", ""),
    StatementAdvice("WITH c AS (SELECT id id id FROM book) SELECT 1", ""),
    StatementAdvice("UPDATE book AS b SET title 'x'", "", engines: 33..<1000),
    StatementAdvice("UPDATE book AS b SET title AS 'x'", "", engines: 33..<1000),
    StatementAdvice("DELETE FROM book AS b WHERE b id = 1", "", engines: 33..<1000),
    StatementAdvice("CREATE VIRTUAL TABLE x USING fts5 content=book", ""),
    StatementAdvice(
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN SELECT RAISE(IGNORE) WHEN NEW.id > 1; END", ""),
    StatementAdvice("CREATE VIEW x (a) AS (SELECT 1)", "without parentheses", "CREATE VIEW x (a) AS SELECT 1"),
    StatementAdvice("CREATE TABLE IF NOT EXISTS x AS (SELECT 1)", "without parentheses"),
    StatementAdvice("CREATE INDEX i ON book (title) WHERE id > (SELECT 1)", "store the value in a column"),
    StatementAdvice("CREATE INDEX i ON book (title) WHERE id = ?", "Write the value itself"),
    StatementAdvice("CREATE TABLE x (a CHECK (a > :b))", "Write the value itself"),
    StatementAdvice(
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN UPDATE book SET title = :a; END", "Write the value itself"),
    StatementAdvice(
      "CREATE TABLE x (a, b AS (random()))", "always give the same result", "CREATE TABLE x (a, b AS (abs(a)))",
      engines: 31..<1000),
    StatementAdvice(
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN DELETE FROM author RETURNING id; END", "Delete RETURNING",
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN DELETE FROM author; END", engines: 35..<1000),
    StatementAdvice(
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN SELECT RAISE(ABORT); END", "RAISE(ABORT, 'message')",
      "CREATE TRIGGER t AFTER INSERT ON book BEGIN SELECT RAISE(ABORT, 'message'); END"),
    StatementAdvice("ALTER TABLE titles RENAME TO names", "A view cannot be renamed"),
    StatementAdvice(
      "UPDATE book SET id = max(id) + 1", "SELECT max(column) FROM table",
      "UPDATE book SET id = (SELECT max(id) FROM book) + 1"),
    StatementAdvice(
      "SELECT title FROM book WHERE count(*) > 1 GROUP BY title", "after HAVING",
      "SELECT title FROM book GROUP BY title HAVING count(*) > 1"),
    StatementAdvice(
      "SELECT title FROM book WHERE row_number() OVER (ORDER BY id) = 1", "in a subquery",
      "SELECT title FROM (SELECT title, row_number() OVER (ORDER BY id) AS n FROM book) WHERE n = 1",
      engines: 25..<1000),
    StatementAdvice(
      "SELECT 1 WHERE (1, 2) = (1, 2, 3)", "rows of equal length", "SELECT 1 WHERE (1, 2) IN (VALUES (1, 2), (3, 4))",
      engines: 15..<1000),
    StatementAdvice("INSERT INTO book (id) VALUES ('x')", "A value is no integer", "INSERT INTO book (id) VALUES (9)"),
    StatementAdvice("INSERT INTO book (id) VALUES (99999999999999999999)", "A value is no integer"),
    StatementAdvice(
      "CREATE TABLE x (a PRIMARY KEY) WITHOUT ROWID STRICT", "comma between the options",
      "CREATE TABLE x (a TEXT PRIMARY KEY) WITHOUT ROWID, STRICT", engines: 37..<1000),
    StatementAdvice("CREATE TABLE x (a, FOREIGN KEY a REFERENCES author (id))", "FOREIGN KEY (column)"),
    StatementAdvice("CREATE TABLE x (a TEXT DEFAULT 'a' || 'b')", "stands in parentheses"),
    StatementAdvice("INSERT INTO book VALUE (9, 1, 't')", "Write VALUES", "INSERT INTO book VALUES (9, 1, 't')"),
    StatementAdvice("INSERT INTO book DEFAULT VALUES, DEFAULT VALUES", "one INSERT for each row"),
    StatementAdvice(
      "UPDATE book AS b SET title = 'x'", "Delete the second name", "UPDATE book SET title = 'x'", engines: 0..<24),
    StatementAdvice("UPDATE book AS b SET b.title = 'x'", "without its table", engines: 33..<1000),
    StatementAdvice(
      "SELECT json_set('{}', 'x', 1)", "A path begins with $", "SELECT json_set('{}', '$.x', 1)", engines: 38..<1000),
    StatementAdvice(
      "CREATE VIRTUAL TABLE f USING fts5(a INTEGER)", "has no type", "CREATE VIRTUAL TABLE f USING fts5(a)",
      engines: 34..<1000),
    StatementAdvice(
      "CREATE VIRTUAL TABLE f USING fts5(a, tokenize='trigram remove_diacritics 1')", "needs SQLite 3.45",
      engines: 34..<45),
    StatementAdvice(
      "CREATE VIRTUAL TABLE f USING fts5(a, tokenize='porter unicode62')", "one of the words after its name",
      "CREATE VIRTUAL TABLE f USING fts5(a, tokenize='porter unicode61')", engines: 34..<45),
  ]

  /// Errors whose message is enough: the file is to be corrected.
  private static let withoutAdvice = [
    "WITH c (n) AS (SELECT 1 UNION UNION ALL SELECT 2) SELECT n FROM c", "DROP DROP TABLE book",
    "author SET name = 'x' WHERE id = 1", "CREATE x VIEW AS SELECT 1", "UNIQUE CREATE INDEX x ON book (id)",
    "TABLE IF EXISTS book", "title, author FROM book", "RECURSIVE c AS (SELECT 1) SELECT 1",
    "CREATE TABLE x (mod INT,, div INT)", "CREATE TABLE x (offset INT,, xor INT)",
    "CREATE TABLE x (charset TEXT,, b INT)",
    "CREATE TABLE x (a INT REFERENCES author ON DELETE RESTRICT,, b INT)", "SELECT max(nothing) FROM author",
    "SELECT unknown FROM author", "SELECT title @> '{}' FROM book", "SELECT date FROM author",
    "UPDATE author SET engine = 1",
    "SELECT * FROM nothing", "SELECT nothing FROM author", "INSERT INTO author VALUES (1)", "CREATE TABEL x (a)",
    "selct 1",
    "DROP TABLE nothing", "UPDATE author SET nothing = 1",
    "INSERT INTO author VALUES (1, 'a', 'x')",
    "CREATE TABLE x (a, a)",
  ].map { StatementAdvice($0, "") }
}
