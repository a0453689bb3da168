import Migrator
import SQLCipherBackend
import TestEngines
import Testing

/// Databases written by other programs are converted, and other programs then find their complete content.
@Suite("Databases of other programs")
struct OtherProgramTests {
  private static let passphrase = "a 'quoted' one"
  private static let newPassphrase = "the new one"
  private static let key = EncryptionKey.passphrase(passphrase)
  private static let newKey = EncryptionKey.passphrase(newPassphrase)

  private static func settings(_ pageSize: Int, _ iterations: Int? = nil) -> CipherSettings {
    var settings = CipherSettings()
    settings.pageSizeInBytes = pageSize
    settings.kdfIterations = iterations
    return settings
  }

  /// The statements that the oldest of the programs supports.
  private static let oldTables = """
    CREATE TABLE plain (a, b); INSERT INTO plain (rowid, a, b) VALUES (3, 'three', x'0102'), (70, NULL, 7), (1, -1, 'ä€😀');
    CREATE TABLE compact (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO compact VALUES ('k', x''), ('l', 1);
    CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, bytes BLOB);
    INSERT INTO counted (id, bytes) VALUES (500, zeroblob(200000)); DELETE FROM counted;
    INSERT INTO counted (bytes) VALUES (randomblob(70000)), (zeroblob(9000));
    CREATE TABLE texts (t TEXT COLLATE NOCASE);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO texts SELECT 'text ' || i FROM n;
    CREATE INDEX texts_t ON texts (t DESC);
    CREATE VIEW shown AS SELECT count(*) AS n FROM texts;
    PRAGMA user_version = 42;
    """

  /// The additional statements that only newer programs support.
  private static let newTables = """
    CREATE TABLE made (a INTEGER, b INTEGER GENERATED ALWAYS AS (a * 2) STORED, c TEXT AS (a || 'v')) STRICT;
    INSERT INTO made (a) VALUES (4), (5);
    CREATE TABLE keyed (k INTEGER, d TEXT AS ('d' || k), PRIMARY KEY (k DESC)) WITHOUT ROWID; INSERT INTO keyed (k) VALUES (9);
    CREATE VIRTUAL TABLE words USING fts5(body); INSERT INTO words VALUES ('hello world'), ('good bye');
    CREATE VIRTUAL TABLE outer_words USING fts5(t, content='texts'); INSERT INTO outer_words (outer_words) VALUES ('rebuild');
    """

  /// Returns a script that reads all content.
  private static func dump(isNew: Bool) -> String {
    var script = """
      PRAGMA integrity_check; PRAGMA user_version; PRAGMA encoding;
      SELECT type, name, tbl_name, coalesce(sql, '-') FROM sqlite_master ORDER BY rowid;
      SELECT rowid, quote(a), quote(b) FROM plain; SELECT quote(k), quote(v) FROM compact;
      SELECT id, quote(bytes) FROM counted; SELECT quote(name), seq FROM sqlite_sequence; SELECT n FROM shown;
      SELECT rowid, quote(t) FROM texts ORDER BY t DESC;

      """
    if isNew {
      script += """
        SELECT rowid, a, b, c FROM made; SELECT k, d FROM keyed;
        SELECT rowid, quote(body) FROM words; SELECT rowid FROM words WHERE words MATCH 'bye'; SELECT rowid FROM outer_words('1999');

        """
    }
    // Python's reader takes one statement per line.
    return script.split(separator: ";").joined(separator: ";\n")
  }

  /// The program that writes a database, with its pragmas.
  struct Setup: CustomTestStringConvertible {
    let writer: OtherProgram
    let pragmas: String

    var testDescription: String { "\(writer.rawValue): \(pragmas)" }

    // The everyday run has one writer for each engine.
    static let all = TestTier.pick([some[0], some[3]], full: some)

    private static let some = [
      Setup(writer: .sqlite, pragmas: "PRAGMA page_size = 1024; PRAGMA encoding = 'UTF-16be';"),
      Setup(writer: .sqlite, pragmas: "PRAGMA page_size = 65536; PRAGMA journal_mode = WAL;"),
      Setup(writer: .python, pragmas: "PRAGMA auto_vacuum = 1; PRAGMA journal_mode = PERSIST;"),
      Setup(writer: .python, pragmas: "PRAGMA encoding = 'UTF-16le'; PRAGMA journal_mode = WAL;"),
    ]
  }

  @Test(
    "A plain database is encrypted, read by other programs, and decrypted",
    arguments: TestTier.pairs(TestEngine.encrypting, Setup.all))
  func plaintext(engine: TestEngine, setup: Setup) throws {
    // The old engine cannot open a database with generated columns.
    let isNew = engine == .sqlCipher4
    let reader = isNew ? OtherProgram.pythonSQLCipher : .sqlCipher
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let options = ConversionOptions(patience: .zero, engine: engine.source)
    let words = "CREATE VIRTUAL TABLE words USING fts5(body); INSERT INTO words VALUES ('hello world');"
    _ = try setup.writer.run(path, "\(setup.pragmas)\n\(Self.oldTables)\n\(isNew ? Self.newTables : words)\n")
    let dump = Self.dump(isNew: isNew)
    // Read it with the program that reads it later, and with the one that wrote it.
    let before = try reader.run(path, dump)
    let written = try setup.writer.run(path, dump)
    #expect(before.hasPrefix("ok\n42\n"))

    #expect(try SQLCipher.encrypt(path, key: Self.key, options: options) == .converted(original: nil))
    #expect(try reader.run(path, dump, key: Self.passphrase) == before)
    #expect(throws: OtherProgram.Failure.self) { try reader.run(path, dump, key: Self.newPassphrase) }
    try SQLCipher.rekey(path, from: Self.key, to: Self.newKey, options: options)
    try SQLCipher.upgrade(
      path, key: Self.newKey, from: CipherSettings(), to: Self.settings(65536, 5000), options: options)
    let sizes = "PRAGMA cipher_page_size = 65536; PRAGMA kdf_iter = 5000;"
    #expect(try reader.run(path, dump, key: Self.newPassphrase, settings: sizes) == before)
    try SQLCipher.decrypt(path, key: Self.newKey, settings: Self.settings(65536, 5000), options: options)
    #expect(try setup.writer.run(path, dump) == written)
    // The old engine has no such module, but still copies its tables.
    let found = try setup.writer.run(path, "SELECT body FROM words WHERE words MATCH 'hello'")
    #expect(found == "hello world")
  }

  @Test(
    "A database in format 3 by Debian's shell is upgraded, with or without its defaults",
    arguments: TestTier.pick([nil, 65536], full: [nil, 1024, 65536]))
  func format3(pageSize: Int?) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let sizes = pageSize.map { "PRAGMA cipher_page_size = \($0); PRAGMA kdf_iter = 6000;" } ?? ""
    let pragmas = OtherProgram.sqlCipher.pragmas(format: 3) + sizes
    let dump = Self.dump(isNew: false)
    let run = { try OtherProgram.sqlCipher.run(path, $0, key: Self.passphrase, settings: pragmas) }
    _ = try run(Self.oldTables)
    let before = try run(dump)
    var old = CipherSettings(compatibility: 3)
    old.pageSizeInBytes = pageSize
    old.kdfIterations = pageSize.map { _ in 6000 }
    let options = ConversionOptions(patience: .zero, engine: TestEngine.sqlCipher4.source)

    // A file that `PRAGMA cipher_migrate` leaves, and which makes that pragma fail (hazard 21).
    let left = Array("left by another program".utf8)
    _ = try folder.write(left, to: "db-migrated")
    try SQLCipher.upgrade(path, key: Self.key, from: pageSize == nil ? nil : old, options: options)
    #expect(try Array(folder.bytes(of: "db-migrated")) == left)
    #expect(try OtherProgram.pythonSQLCipher.run(path, dump, key: Self.passphrase) == before)
    try SQLCipher.upgrade(path, key: Self.key, from: CipherSettings(), to: old, options: options)
    #expect(try run(dump) == before)
    try SQLCipher.decrypt(path, key: Self.key, settings: old, options: options)
    #expect(try OtherProgram.sqlite.run(path, dump) == before)
  }

  @Test("A database of SQLCipher 4 by Python is decrypted and goes back to format 3")
  func format4() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let options = ConversionOptions(patience: .zero, engine: TestEngine.sqlCipher4.source)
    let dump = Self.dump(isNew: false)
    let run = { try OtherProgram.pythonSQLCipher.run(path, $0, key: Self.passphrase) }
    _ = try run("PRAGMA journal_mode = WAL;\n" + Self.oldTables)
    let before = try run(dump)
    try SQLCipher.upgrade(path, key: Self.key, to: CipherSettings(compatibility: 3), options: options)
    let shell = OtherProgram.sqlCipher
    #expect(try shell.run(path, dump, key: Self.passphrase, settings: shell.pragmas(format: 3)) == before)
    try SQLCipher.upgrade(path, key: Self.key, options: options)
    #expect(try run(dump) == before)
    try SQLCipher.decrypt(path, key: Self.key, options: options)
    #expect(try OtherProgram.sqlite.run(path, dump) == before)
  }
}
