import Foundation
import Migrator
import TestEngines
import Testing

@Suite("The tool's errors")
struct FailureTests {
  @Test("An unusable folder ends with 2, before anything runs")
  func folders() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator migrate")
    try transcript.run("mkdir empty && migrator migrate --migrations empty")
    try transcript.writeSamples()
    try transcript.run("migrator migrate --migrations migrations/0001_authors.sql")
    try transcript.write("CREATE TABLE a (b);", to: "twice/1_a.sql")
    try transcript.write("CREATE TABLE a (b);", to: "twice/1_a.up.sql")
    try transcript.run("migrator migrate --migrations twice")
    try transcript.run("ln -s nowhere migrations/0003_link.sql && migrator migrate; rm migrations/0003_link.sql")
    try transcript.write("CREATE TABLE a (b);\nINSERT INTO a VALUES ('x);\n", to: "migrations/0003_open.sql")
    try transcript.write("-- migrator: no-transactoin\nVACUUM;\n", to: "migrations/0004_vacuum.sql")
    try transcript.write("CREATE TABLE c (d);\n/* a note\nCREATE TABLE e (f);\n", to: "migrations/0005_note.sql")
    try transcript.run("migrator migrate")
    #expect(!(try transcript.folder.names().contains("app.sqlite")))
    try transcript.expect(golden: "folders")
  }

  @Test("A migration that fails names its line, is rolled back, and ends with 4")
  func migrations() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    let wrong = """
      -- The seventh of nine lines is wrong.
      CREATE TABLE shelf (id INTEGER PRIMARY KEY);

      CREATE TABLE price (
        id INTEGER PRIMARY KEY,
        book INTEGER NOT NULL,
        amount REAL NOT NUL,
        note TEXT
      );
      """
    try transcript.write(wrong, to: "migrations/0003_wrong.sql")
    try transcript.write("CREATE TABLE later (id);\n", to: "migrations/0004_later.sql")
    try transcript.run("migrator migrate")
    let failing = [
      "INSERT INTO author (name) VALUES ('new');\n\tINSERT INTO author (name) VALUES ('Ursula');\n",
      "INSERT INTO book (author, title) VALUES (77, 'Orphan');\n",
      "CREATE TABLE x (a);\r\nINSERT INTO nowhere VALUES (1);\r\n",
      "CREATE TABLE x (a);\nPRAGMA user_version = 1;\nSELECT raise_it();\n",
    ]
    for sql in failing {
      try transcript.write(sql, to: "migrations/0003_wrong.sql")
      #expect(try transcript.run("migrator migrate").exitCode == 4)
    }
    try transcript.run("migrator status")
    try transcript.expect(golden: "failures")
  }

  @Test("A long line with a mistake, and a long token in the engine's message, are not printed whole")
  func longLine() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    let many = String(repeating: "(1, 2), ", count: TestTier.pick(400, full: 2_000))
    for rows in ["\(many)(1, nothing)", "(1, 2) '\(many)'"] {
      try transcript.write("CREATE TABLE a (b, c);\nINSERT INTO a VALUES \(rows);\n", to: "migrations/0001_rows.sql")
      for (command, exitCode) in [("migrate", 4), ("plan", 4), ("plan --verbose", 4), ("lint", Int32(1))] {
        let outcome = try transcript.run("migrator \(command)")
        let text = outcome.output + outcome.errors
        #expect(outcome.exitCode == exitCode, "\(command)")
        #expect(text.utf8.count < 6000, "\(command): \(text.prefix(6000))")
        #expect(text.contains("   2 | "), "\(command): \(text.prefix(6000))")
      }
    }
  }

  @Test(
    "A full disk is reported as full, and the migration is rolled back",
    .disabled(if: Sanitizer.isPresent, "a sanitizer's own files exceed the limit"))
  func fullDisk() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    let big = """
      CREATE TABLE big (bytes);
      INSERT INTO big WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
        SELECT randomblob(100) FROM n;
      """
    try transcript.write(big, to: "migrations/0003_big.sql")
    #expect(try transcript.run("ulimit -f 2048; migrator migrate").exitCode == 4)
    try transcript.run("migrator status")
    try transcript.run("migrator migrate")
    try transcript.expect(golden: "full")
  }

  @Test("A database that cannot be opened ends with 3 and says why")
  func opening() throws {
    let transcript = try Transcript.withSamples(variables: ["K": "secret", "EMPTY": ""])
    try transcript.run("migrator migrate --quiet --database plain.db")
    try transcript.run("migrator migrate --quiet --database secret.db --key-env K")
    try transcript.write(String(repeating: "This is no database. ", count: 100), to: "text.db")
    try transcript.write("wrong\n", to: "wrong.key")
    for line in [
      "migrator status --database migrations", "migrator migrate --database nowhere/app.db",
      "migrator status --database plain.db --key-env K", "migrator status --database secret.db",
      "migrator status --database secret.db --backend sqlite",
      "migrator status --database secret.db --key-file wrong.key",
      "migrator status --database text.db", "migrator status --database text.db --key-env K",
      "migrator migrate --database new.db --backend sqlcipher", "migrator erase --database none.db --yes",
      "migrator status --database plain.db --sqlite-library /nowhere/libsqlite3.so",
    ] {
      #expect(try transcript.run(line).exitCode == 3, "\(line)")
    }
    for line in [
      "migrator status --database secret.db --key-env NONE", "migrator status --database secret.db --key-env EMPTY",
      "migrator status --database secret.db --key-file none.key", "migrator status --database secret.db --key-fd 9",
      "migrator status --database secret.db --key-env K --raw-key",
    ] {
      #expect(try transcript.run(line).exitCode == 2, "\(line)")
    }
    #expect(try transcript.folder.names() == ["migrations", "plain.db", "secret.db", "text.db", "wrong.key"])
    try transcript.expect(golden: "opening")
  }
  @Test("A variable's name does not include part of its value")
  func variableNames() throws {
    let transcript = try Transcript.withSamples(variables: ["A": "B=correct horse"])
    #expect(try transcript.run("migrator migrate --database secret.db --key-env A=B").exitCode == 2)
    #expect(try transcript.run("migrator migrate --quiet --database secret.db --key-env A").exitCode == 0)
  }

  @Test("With --one-transaction, a failure leaves no migration applied, and a file that needs another one is refused")
  func oneTransaction() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("CREATE TABLE late (a);\nSELECT nothing FROM nowhere;\n", to: "migrations/0003_wrong.sql")
    try transcript.run("migrator migrate --one-transaction")
    try transcript.run("migrator status")
    try transcript.write("CREATE TABLE late (a);\n", to: "migrations/0003_wrong.sql")
    try transcript.write("-- migrator: no-transaction\nVACUUM;\n", to: "migrations/0004_vacuum.sql")
    try transcript.run("migrator migrate --one-transaction")
    try transcript.run("migrator plan --one-transaction")
    try transcript.run("migrator migrate --one-transaction --to 0003_wrong")
    try transcript.expect(golden: "one-transaction")
  }

  @Test("A trigger that removes the record of a migration is named in the message, with its table")
  func lostRecord() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    #expect(try transcript.run("migrator migrate").exitCode == 0)
    try transcript.execute(
      "CREATE TRIGGER t AFTER INSERT ON migrator_history BEGIN DELETE FROM migrator_history WHERE identifier = new.identifier; END"
    )
    try transcript.write("CREATE TABLE late (a);\n", to: "migrations/0003_late.sql")
    let outcome = try transcript.run("migrator migrate")
    #expect(outcome.exitCode == 4)
    #expect(outcome.errors.contains("table migrator_history does not keep its record"), "\(outcome.errors)")
    #expect(
      outcome.errors.contains("next: Drop the trigger, or remove the statement that drops the table, and run"),
      "\(outcome.errors)")
  }

  @Test(
    "A log that belongs to another user is named with its owner, and stays",
    .enabled(if: geteuid() == 0, "only the superuser can become another user"))
  func logOfAnotherUser() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.db"])
    try #require(transcript.run("migrator migrate --quiet").exitCode == 0)
    let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.db"))
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE held (a)")
    }
    try transcript.run("chmod 777 .; chmod 666 app.db app.db-shm; chmod 600 app.db-wal")
    let outcome = try transcript.run("exec setpriv --reuid 54321 --clear-groups migrator status")
    #expect(outcome.exitCode == 3, "\(outcome)")
    #expect(
      outcome.errors.contains("app.db-wal, which belongs to the user with the ID \(geteuid())"), "\(outcome.errors)")
    #expect(outcome.errors.contains("do not remove it"), "\(outcome.errors)")
    try queue.close()
  }

  @Test(
    "A database that cannot be written ends with 3 and names the file, whichever command writes",
    .enabled(if: geteuid() == 0, "only the superuser can become another user"),
    arguments: [
      (protection: "chmod 444 db/app.db", reason: "/db/app.db is not writable"),
      ("chmod 555 db", "/db is not writable"),
      ("sqlite3 db/app.db 'PRAGMA journal_mode = WAL'; touch db/app.db-wal; chmod 444 db/app.db-wal", "db/app.db-wal"),
      // The engine itself removes such a journal after the error.
      ("touch db/app.db-journal; chmod 444 db/app.db-journal", "error 10"),
    ])
  func unwritable(protection: String, reason: String) throws {
    let commands = [
      "migrate", "migrate --confirm-loss", "migrate --one-transaction", "baseline --to 0002_books --accept-differences",
    ]
    for command in commands {
      let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "db/app.db"])
      try transcript.run("mkdir db; migrator migrate --quiet --to 0001_authors; chown -R 54321 db; \(protection)")
      let outcome = try transcript.run("exec setpriv --reuid 54321 --clear-groups migrator \(command)")
      #expect(outcome.exitCode == 3, "\(command): \(outcome)")
      #expect(outcome.errors.contains("db/app.db cannot be "), "\(outcome.errors)")
      #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    }
  }

  @Test("A migration that makes its own connection read-only has failed itself")
  func queryOnly() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.write("PRAGMA query_only = 1; CREATE TABLE a (b);", to: "migrations/0001_a.sql")
    #expect(try transcript.run("migrator migrate").exitCode == 4)
  }
}
