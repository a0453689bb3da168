import Foundation
import Migrator
import TestEngines
import Testing

@Suite("The commands plan, verify, baseline and adopt")
struct PlanCommandTests {
  @Test("A plan shows what would run, why, and its effect on a copy, and exits like migrate")
  func plan() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator plan")
    #expect(try transcript.folder.names() == ["migrations"])
    try transcript.run("migrator plan --to 0001_authors --no-rehearsal --verbose")
    try transcript.run("migrator migrate --quiet")
    try transcript.run("migrator plan")
    let rebuild = """
      -- Every book gets a price, and authors lose their names.
      ALTER TABLE book ADD COLUMN price REAL;
      UPDATE book SET price = 1;
      CREATE TABLE new_author (id INTEGER PRIMARY KEY, born INTEGER);
      INSERT INTO new_author (id) SELECT id FROM author WHERE id > 1;
      DROP TABLE author;
      ALTER TABLE new_author RENAME TO author;

      """
    try transcript.write(rebuild, to: "migrations/0003_rebuild.sql")
    try transcript.run("migrator plan")
    try transcript.run("migrator plan --verbose")
    try transcript.run("migrator plan --rows none")
    try transcript.run("migrator plan --rows 1 --json")
    try transcript.run("migrator migrate --dry-run --quiet")
    try transcript.run("migrator plan --rows some")
    try transcript.write("DROP TABLE book;\nSELECT nothing FROM nowhere;\n", to: "migrations/0004_wrong.sql")
    try transcript.run("migrator plan")
    try transcript.run("migrator migrate --dry-run --json --to 0004_wrong")
    try transcript.run("rm migrations/0004_wrong.sql; migrator migrate --quiet")
    try transcript.write("CREATE TABLE late (a);\n", to: "migrations/0002_b.sql")
    try transcript.run("migrator plan")
    try transcript.run("migrator plan --json")
    try transcript.run("migrator plan --allow-out-of-order")
    try transcript.run("migrator plan --to 0001_authors")
    try transcript.expect(golden: "plan")
  }

  @Test("Where the engine itself objects to a full-text index of some rows only, REINDEX is not advised")
  func partialIndex() throws {
    // Since 3.44, the integrity check of SQLite looks at full-text tables.
    let engine = TestEngine.sqlCipher4
    var variables = ["MIGRATOR_DATABASE": "app.db", "K": "correct horse"]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    let transcript = try Transcript(variables: variables)
    try transcript.write(
      """
      CREATE TABLE d (b); CREATE VIRTUAL TABLE f USING fts4(b, content='d'); INSERT INTO d VALUES ('one'), ('two');
      INSERT INTO f (rowid, b) VALUES (2, 'two');
      """, to: "migrations/1_index.sql")
    try transcript.run("migrator migrate --backend sqlcipher --key-env K")
    let outcome = try transcript.run("migrator verify --key-env K")
    #expect(outcome.exitCode == 1 && outcome.output.contains("inverted index for FTS4"), "\(outcome)")
    #expect(outcome.output.contains("rebuild the index of the full-text table"), "\(outcome)")
    #expect(!outcome.output.contains("REINDEX") && !outcome.output.contains("Restore a backup"), "\(outcome)")
  }

  @Test("Plan and verify work on an encrypted database with its key", arguments: TestEngine.encrypting)
  func encrypted(engine: TestEngine) throws {
    var variables = ["MIGRATOR_DATABASE": "app.db", "K": "correct horse"]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    let transcript = try Transcript.withSamples(variables: variables)
    for line in [
      "migrator plan --backend sqlcipher --quiet", "migrator migrate --key-env K --to 0001_authors --quiet",
      "migrator plan --key-env K", "migrator plan", "migrator baseline --key-env K", "migrator verify",
    ] {
      try transcript.run(line)
    }
    let outcome = try transcript.run("migrator verify --key-env K", shown: "migrator verify (not shown)")
    #expect(outcome.exitCode == 0)
    #expect(outcome.output.contains("cipher pages"))
    let bytes = try transcript.folder.bytes(of: "app.db")
    if engine == .sqlCipher4 {
      // A hole that a damaged journal can leave; the check of each of its pages would take hours.
      try transcript.run("truncate --size=100G app.db")
      let huge = try transcript.run("migrator verify --key-env K", shown: "migrator verify (not shown)")
      #expect(huge.exitCode == 1 && huge.output.contains("bytes after its last page"), "\(huge.output)\(huge.errors)")
    }
    var damaged = bytes
    damaged[damaged.count - 100] ^= 1
    try transcript.folder.write(damaged, to: "app.db")
    let found = try transcript.run("migrator verify --key-env K --json", shown: "migrator verify --json (not shown)")
    #expect(found.exitCode == 1 || found.exitCode == 3, "\(found.output)\(found.errors)")
  }

  @Test("Problems of a database are found and reported for each check")
  func verify() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator verify")
    try transcript.run("migrator migrate --quiet")
    try transcript.run("migrator verify")
    try transcript.run("migrator verify --json")
    try transcript.execute(
      """
      PRAGMA foreign_keys = OFF;
      INSERT INTO book (author, title) VALUES (7, 'The Futurological Congress'), (8, 'Solaris');
      DROP INDEX book_on_author;
      ALTER TABLE author ADD COLUMN born;
      """)
    try transcript.write(SampleMigrations.authors + "SELECT 1;\n", to: "migrations/0001_authors.sql")
    try transcript.run("migrator verify")
    try transcript.run("migrator verify --quiet")
    try transcript.run("migrator verify --json --quiet")
    try transcript.write(SampleMigrations.authors, to: "migrations/0001_authors.sql")
    try transcript.run("migrator verify")
    try transcript.write("CREATE TABLE x (a);\n", to: "other/1_x.sql")
    try transcript.run("migrator verify --migrations other")
    try transcript.expect(golden: "verify")
    var bytes = [UInt8](try transcript.folder.bytes(of: "app.sqlite"))
    for index in 4096 * 3..<4096 * 4 { bytes[index] = 0xA5 }
    try transcript.folder.write(bytes, to: "app.sqlite")
    #expect(try transcript.run("migrator verify").exitCode != 0)
  }

  @Test("A database from other means gets a baseline if it has the schema, and is unchanged otherwise")
  func baseline() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator baseline")
    let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.sqlite"))
    try queue.write { db in try db.execute(sql: SampleMigrations.authors) }
    try transcript.run("migrator baseline")
    try transcript.run("cp app.sqlite other.sqlite; migrator baseline --accept-differences --database other.sqlite")
    try transcript.run("migrator verify --quiet --database other.sqlite")
    try transcript.run("migrator baseline --to 0001_authors")
    try transcript.run("migrator baseline --to 0001_authors")
    try transcript.run("migrator baseline --json")
    try transcript.run("migrator status")
    try queue.write { db in try db.execute(sql: "DROP TABLE migrator_history") }
    try queue.write { db in try db.execute(sql: SampleMigrations.books) }
    try queue.close()
    try transcript.run("migrator baseline --to 0001_authors")
    try transcript.run("migrator baseline --json")
    try transcript.run("migrator baseline --to nothing")
    try transcript.write("CREATE TABLE x (", to: "broken/1_x.sql")
    try transcript.run("migrator baseline --migrations broken")
    try transcript.expect(golden: "baseline")
  }

  @Test("Another tool's history is detected, mapped and imported once, or refused")
  func adopt() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator adopt")
    let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.sqlite"))
    try queue.write { db in try db.execute(sql: SampleMigrations.authors) }
    try transcript.run("migrator adopt")
    try transcript.run("migrator adopt goose")
    try transcript.run("migrator adopt liquibase")
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE schema_migrations (version VARCHAR(255) PRIMARY KEY);
          INSERT INTO schema_migrations VALUES ('0001'), ('0009');
          CREATE TABLE changes (version VARCHAR(255) PRIMARY KEY);
          INSERT INTO changes VALUES ('1');
          """)
    }
    try transcript.run("migrator adopt")
    try transcript.run("migrator adopt --map 9")
    try transcript.run("migrator adopt --map 9=nothing")
    try transcript.run("migrator adopt --unmapped sometimes")
    try transcript.run("migrator adopt dbmate --map 9=0002_books")
    try transcript.run("migrator adopt dbmate --map 9=0002_books --accept-differences")
    try transcript.run("migrator adopt")
    try transcript.run("migrator status")
    try queue.write { db in try db.execute(sql: "DROP TABLE migrator_history") }
    try transcript.run("migrator adopt --unmapped leave-out --json")
    try queue.write { db in try db.execute(sql: "DROP TABLE migrator_history") }
    try transcript.run("migrator adopt rails --history-table changes")
    try queue.write { db in try db.execute(sql: "DROP TABLE migrator_history; PRAGMA user_version = 1") }
    try transcript.run("migrator adopt user-version --json")
    try queue.close()
    try transcript.expect(golden: "adopt")
  }

  @Test(
    "A file that was edited after a tool applied it is not imported, and the tool's table is no difference afterwards")
  func adoptChecksums() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite", "MIGRATOR_MIGRATIONS": "prisma"])
    let names = ["20260101000000_authors", "20260102000000_books"]
    let texts = [SampleMigrations.authors, SampleMigrations.books]
    for (name, text) in zip(names, texts) { try transcript.write(text, to: "prisma/\(name)/migration.sql") }
    let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.sqlite"))
    try queue.write { db in
      for text in texts { try db.execute(sql: text) }
      try db.execute(
        sql:
          "CREATE TABLE _prisma_migrations (checksum, finished_at, migration_name, rolled_back_at); CREATE TABLE done (n)"
      )
      for (name, text) in zip(names, texts) {
        try db.execute(
          sql: "INSERT INTO _prisma_migrations VALUES (?, 1, ?, NULL)",
          arguments: [SHA256.hexadecimal(of: Array(text.utf8)), name])
        try db.execute(sql: "INSERT INTO done VALUES (?)", arguments: [name])
      }
    }
    try transcript.write(texts[1] + "-- edited\n", to: "prisma/\(names[1])/migration.sql")
    try transcript.run("migrator status")
    try transcript.run("migrator new tags")
    try transcript.run("rm -r prisma/*_tags")
    try transcript.run("migrator adopt")
    try transcript.run("migrator adopt --accept-edits --json")
    try queue.write { db in try db.execute(sql: "DROP TABLE migrator_history") }
    try transcript.write(texts[1], to: "prisma/\(names[1])/migration.sql")
    try transcript.run("migrator adopt")
    try transcript.run("migrator diff --check")
    try queue.write { db in try db.execute(sql: "DROP TABLE migrator_history") }
    for options in ["--table done", "--table none --column n", "--table done --column m", "--table done --column n"] {
      try transcript.run("migrator adopt \(options)")
    }
    try transcript.run("migrator diff --check")
    try queue.close()
    try transcript.expect(golden: "adopt-checksums")
  }
}
