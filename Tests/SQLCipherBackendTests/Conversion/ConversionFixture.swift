import Migrator
import SQLCipherBackend
import SQLiteBackend
import TestEngines

/// A database with everything that a conversion could lose.
enum ConversionFixture {
  /// A text that no encrypted file may contain.
  static let marker = "MARKER-of-plaintext-5d41402a"

  /// Returns statements that every engine supports; run by one that has all modules.
  static func script(rows: Int = 300) -> String {
    #"""
    CREATE TABLE first (id INTEGER PRIMARY KEY, name TEXT); DROP TABLE first;
    CREATE TABLE plain (a, b TEXT DEFAULT ('x' || 'y'), c REAL) -- no key at all
    ;
    CREATE TABLE gaps (a TEXT);
    CREATE VIEW early AS SELECT a FROM plain;
    CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE ON CONFLICT IGNORE);
    CREATE TABLE child (
      parent_id INTEGER REFERENCES parent ON DELETE CASCADE, note TEXT, CHECK (length(note) < 100));
    CREATE TABLE keyed (k TEXT PRIMARY KEY, v BLOB);
    CREATE TABLE "odd ""name""" ("select" TEXT, [group] INT, rowid TEXT);
    CREATE TABLE compact (k TEXT, n INTEGER, v, PRIMARY KEY (k, n DESC)) WITHOUT ROWID;
    CREATE TABLE big (id INTEGER PRIMARY KEY, bytes BLOB);
    CREATE VIRTUAL TABLE words USING fts4(body);
    CREATE INDEX child_on_note ON child (note COLLATE NOCASE DESC) WHERE note IS NOT NULL;
    CREATE UNIQUE INDEX plain_on_expression ON compact (lower(k), v);
    CREATE TRIGGER on_plain AFTER INSERT ON plain BEGIN INSERT INTO gaps VALUES (new.a); END;
    CREATE VIEW broken AS SELECT * FROM nowhere;
    CREATE VIEW late AS SELECT count(*) AS n FROM child;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \#(rows))
      INSERT INTO plain SELECT 'row ' || i || ' \#(marker)', CASE i % 3 WHEN 0 THEN NULL ELSE i END, i / 7.0 FROM n;
    DELETE FROM gaps WHERE rowid % 3 = 1;
    INSERT INTO gaps (rowid, a) VALUES (-5, 'before'), (9000000000, 'far away');
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \#(rows))
      INSERT INTO parent (name) SELECT 'parent ' || i FROM n;
    DELETE FROM parent WHERE id > \#(rows - 20);
    INSERT INTO child (rowid, parent_id, note) SELECT id * 3, id, 'Note ' || id FROM parent;
    INSERT INTO child VALUES (NULL, NULL), (99999, 'an orphan');
    INSERT INTO keyed (rowid, k, v) SELECT id * 2, name, zeroblob(id % 40) FROM parent;
    INSERT INTO "odd ""name""" SELECT note, parent_id, 'not the rowid' FROM child;
    INSERT INTO compact SELECT name, id, CASE id % 2 WHEN 0 THEN x'00ff00' || id ELSE id * 1e300 END FROM parent;
    INSERT INTO big (bytes) VALUES (zeroblob(100000)), (x''), (NULL), (CAST('\#(marker)' AS BLOB));
    INSERT INTO words (body) SELECT 'word' || id || ' ' || name FROM parent;
    ANALYZE;
    PRAGMA user_version = -7; PRAGMA application_id = 1234567;
    """#
  }

  /// Writes the database without encryption.
  static func makePlaintext(
    _ path: String, _ engine: TestEngine, before: String = "", rows: Int = 300, after: String = ""
  ) throws {
    let connection = try plaintext(path, engine)
    try connection.run(before)
    try connection.run("BEGIN; \(script(rows: rows)); COMMIT; \(after)")
    try connection.close()
  }

  /// Writes the database encrypted with a test key.
  static func makeEncrypted(
    _ path: String, _ engine: TestEngine, key: EncryptionKey, settings: CipherSettings = CipherSettings(),
    before: String = "", rows: Int = 300
  ) throws {
    let connection = try engine.connect(path, key: key, settings: settings)
    try connection.run("PRAGMA foreign_keys = 0; \(before); BEGIN; \(script(rows: rows)); COMMIT")
    try connection.close()
  }

  /// Opens a connection without a key, through the library that encrypts.
  static func plaintext(_ path: String, _ engine: TestEngine) throws -> any DatabaseConnection {
    try SQLite(path: path, engine: .library(engine.loadablePath()))
      .connect(ConnectionOptions(enforcesForeignKeys: false))
  }

  /// Returns the whole content of a database: settings, definitions in order, rows with rowids.
  static func contents(_ connection: any DatabaseConnection) throws -> [String] {
    var contents: [String] = []
    for setting in ["user_version", "application_id", "encoding", "auto_vacuum", "journal_mode"] {
      contents.append("\(setting): \(try connection.run("PRAGMA main.\(setting)"))")
    }
    contents += try connection.run(
      "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY rowid")
    let tables = try connection.run("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
    for table in tables {
      let name = "\"" + table.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
      let columns = try connection.columns(in: table)?.filter { !$0.isGenerated } ?? []
      let values = columns.map { "quote(\"\($0.name)\")" }.joined(separator: " || ',' || ")
      let hasRowID = !(table == "compact" || table.hasSuffix("_idx") || table.hasSuffix("_config"))
      let rowID = hasRowID ? "_rowid_ || ':' || " : ""
      contents += try connection.run(
        "SELECT '\(table.utf8.count) ' || \(rowID)\(values) FROM \(name) NOT INDEXED\(hasRowID ? " ORDER BY _rowid_" : "")"
      )
    }
    return contents
  }
}
