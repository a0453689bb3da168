import Foundation
import Migrator
import SQLCipherBackend
import SQLMigrations
import TestEngines

/// The undamaged databases, each with other structures in its file.
enum DatabaseSeed: CaseIterable {
  /// Tables, an index, a view, a trigger, a full-text table and a ledger.
  case usual
  /// Objects of newer engines, which no migration created.
  case newerObjects
  /// Overflow pages, unused pages and pointer maps.
  case pages
  /// Text in UTF-16.
  case utf16
  /// A write-ahead log with transactions that are not in the file yet.
  case log
  /// The journal of a transaction that was killed, and that the next connection rolls back.
  case journal
  /// The histories of other tools.
  case otherTools

  /// The migrations; the last one is pending in all databases.
  static let migrations = [
    "1_start.sql": """
    CREATE TABLE author (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE, born INTEGER CHECK (born > 0));
    CREATE TABLE book (
      id INTEGER PRIMARY KEY, author INTEGER NOT NULL REFERENCES author (id) ON DELETE CASCADE,
      title TEXT DEFAULT 'it''s', price DECIMAL(10,2));
    CREATE INDEX book_author ON book (author, title DESC) WHERE price > 0;
    """,
    "2_objects.sql": """
    CREATE VIEW shelf AS SELECT author.name, count(*) AS books FROM author JOIN book ON book.author = author.id;
    CREATE TABLE tag (tag TEXT, book INTEGER REFERENCES book, PRIMARY KEY (tag, book)) WITHOUT ROWID;
    CREATE TRIGGER tags AFTER DELETE ON book BEGIN DELETE FROM tag WHERE book = old.id; END;
    CREATE VIRTUAL TABLE words USING fts4(body);
    """,
    "3_rows.sql": """
    INSERT INTO author (name, born) VALUES ('Ursula', 1929), ('Iain', NULL), ('Stanisław', 1921);
    INSERT INTO book (author, title, price) VALUES (1, 'one', 5), (1, 'two', 7.5), (3, NULL, NULL);
    INSERT INTO tag VALUES ('x', 1), ('x', 2), ('y', 2);
    INSERT INTO words VALUES ('hello world'), ('some words');
    """,
    "4_pending.sql": """
    ALTER TABLE book ADD COLUMN pages INTEGER;
    UPDATE author SET born = 1 WHERE born IS NULL;
    DELETE FROM tag WHERE tag = 'y';
    """,
  ]

  private static let rows = """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
    INSERT INTO author (name, born) SELECT 'name ' || i || hex(zeroblob(i * 4)), i FROM n
    """

  /// Creates the database and returns its files.
  func files(_ engine: TestEngine, _ settings: CipherSettings, migrations: String) throws -> DatabaseFiles {
    let folder = try TemporaryFolder(isInMemory: true)
    let path = folder.file("seed.db")
    let queue = try DatabaseQueue(engine.backend(path: path, key: .raw, settings: settings))
    try queue.writeWithoutTransaction { db in
      // In small pages, random damage often meets structures.
      if !engine.isEncrypted { try db.execute(sql: "PRAGMA page_size = 512") }
      if self == .utf16 { try db.execute(sql: "PRAGMA encoding = 'UTF-16le'") }
      if self == .pages { try db.execute(sql: "PRAGMA auto_vacuum = FULL") }
    }
    if self != .otherTools {
      var migrator = DatabaseMigrator()
      try migrator.registerMigrations(in: migrations)
      try migrator.migrate(queue, upTo: "3_rows")
    }
    let files = try queue.writeWithoutTransaction { db in try openFiles(db, path) }
    try queue.close()
    // A closed database is complete in one file.
    return files ?? DatabaseFiles(path: path)
  }

  /// Fills a database; returns the files of a database that has to be open to have them.
  private func openFiles(_ db: Database, _ path: String) throws -> DatabaseFiles? {
    switch self {
    case .usual, .utf16: break
    case .newerObjects: newerObjects(db)
    case .otherTools: try db.execute(sql: Self.otherHistories)
    case .pages:
      try db.execute(sql: Self.rows)
      try db.execute(sql: "DELETE FROM author WHERE id % 3 = 0")
    case .log:
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: Self.rows)
      return DatabaseFiles(path: path)
    case .journal:
      try db.execute(sql: "PRAGMA cache_size = 1; BEGIN IMMEDIATE")
      try db.execute(sql: Self.rows)
      let files = DatabaseFiles(path: path)
      try db.execute(sql: "ROLLBACK")
      return files
    }
    return nil
  }

  private func newerObjects(_ db: Database) {
    for sql in [
      "CREATE TABLE made (a INT, b AS (a * 2), c TEXT AS (a || 'x') STORED)",
      "CREATE INDEX made_b ON made (b, lower(c))",
      "INSERT INTO made (a) VALUES (1), (2)", "CREATE TABLE strictly (a INTEGER PRIMARY KEY, b ANY) STRICT",
      "CREATE VIRTUAL TABLE newer USING fts5(title, content='book', content_rowid='id')",
      "CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1)",
      "CREATE TRIGGER t INSTEAD OF INSERT ON shelf BEGIN INSERT INTO author (name) VALUES (new.name); END", "ANALYZE",
    ] {
      // Older engines do not have all of them.
      try? db.execute(sql: sql)
    }
  }

  private static let otherHistories = """
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('1_start');
    CREATE TABLE schema_migrations (version TEXT PRIMARY KEY); INSERT INTO schema_migrations VALUES ('1');
    CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMP NOT NULL
      DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL, execution_time BIGINT NOT NULL);
    INSERT INTO _sqlx_migrations VALUES (1, 'start', '2026-01-02', 1, x'00ff', 5);
    CREATE TABLE migrator_development (note TEXT, rowsToPutBack TEXT); INSERT INTO migrator_development VALUES ('', 'x');
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
    """
}
