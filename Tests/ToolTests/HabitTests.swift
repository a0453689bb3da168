import Foundation
import TestEngines
import Testing

/// Folders as other tools and people write them.
@Suite("Habits of migration folders")
struct HabitTests {
  private let tables = """
    CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE post (id INTEGER PRIMARY KEY, user INTEGER REFERENCES user (id) ON DELETE CASCADE);
    CREATE INDEX post_on_user ON post (user);
    INSERT INTO user VALUES (1, 'a'), (2, 'b');
    INSERT INTO post VALUES (10, 1), (20, 2);

    """

  /// A database with rows in every table.
  private func filled() throws -> Transcript {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write(tables, to: "migrations/1_tables.sql")
    #expect(try transcript.run("migrator migrate").exitCode == 0)
    return transcript
  }

  /// The rows of both tables, as they are dumped by the shell of SQLite.
  private func rows(_ transcript: Transcript) throws -> String {
    let script =
      "import sqlite3; c = sqlite3.connect('app.sqlite'); "
      + "print(*[len(c.execute('SELECT * FROM ' + t).fetchall()) for t in ('user', 'post')])"
    return try transcript.run("python3 -c \"\(script)\"").output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("A rebuild as drizzle-kit writes it keeps all rows")
  func drizzle() throws {
    let transcript = try filled()
    try transcript.write(
      """
      CREATE TABLE other (a);--> statement-breakpoint
      PRAGMA foreign_keys=OFF;--> statement-breakpoint
      CREATE TABLE `__new_user` (`id` integer PRIMARY KEY, `name` text NOT NULL);--> statement-breakpoint
      INSERT INTO `__new_user`("id", "name") SELECT "id", "name" FROM `user`;--> statement-breakpoint
      DROP TABLE `user`;--> statement-breakpoint
      ALTER TABLE `__new_user` RENAME TO `user`;--> statement-breakpoint
      PRAGMA foreign_keys=ON;--> statement-breakpoint
      CREATE UNIQUE INDEX `user_name` ON `user` (`name`);
      """, to: "migrations/2_rebuild.sql")
    let migrate = try transcript.run("migrator migrate")
    #expect(migrate.exitCode == 0 && migrate.errors.isEmpty, "\(migrate.errors)")
    #expect(try rows(transcript) == "2 2")
  }

  @Test("A rebuild with foreign keys switched on is warned of")
  func enforced() throws {
    let transcript = try filled()
    try transcript.write(
      "PRAGMA foreign_keys=ON;\nCREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO n SELECT * FROM user;\n"
        + "DROP TABLE user;\nALTER TABLE n RENAME TO user;\n", to: "migrations/2_rebuild.sql")
    for command in ["plan", "migrate"] {
      let outcome = try transcript.run("migrator \(command)")
      let said = outcome.errors + outcome.output
      #expect(command == "plan" || said.contains("drops table \"user\" while foreign keys are enforced"), "\(said)")
    }
  }

  @Test("A folder with SQL files that are not read is warned of by each command, and fails the check")
  func skippedFolder() throws {
    let transcript = try filled()
    try transcript.write("CREATE TABLE a (b);\n", to: "migrations/v2/2_a.sql")
    let warning = "migrations/v2 holds 1 SQL file that is not read: 2_a.sql"
    for command in [
      "status", "plan", "migrate", "lint", "verify", "diff", "dump --from migrations", "rebuild --yes", "new next",
      "diagram --from migrations",
    ] {
      let outcome = try transcript.run("migrator \(command)")
      #expect(outcome.errors.contains("warning: " + warning), "\(command): \(outcome.errors)")
      #expect(outcome.errors.components(separatedBy: warning).count == 2, "\(command): \(outcome.errors)")
    }
    let check = try transcript.run("migrator check")
    #expect(check.exitCode == 1)
    #expect(check.output.contains(warning), "\(check.output)")
    #expect(try transcript.run("migrator plan --json").output.contains(warning))
  }

  @Test("A comment is no edit, and a strict run refuses a real one")
  func comments() throws {
    let transcript = try filled()
    try transcript.write("-- why\n" + tables, to: "migrations/1_tables.sql")
    #expect(try transcript.run("migrator status --check").exitCode == 0)
    try transcript.write(tables + "CREATE TABLE more (a);\n", to: "migrations/1_tables.sql")
    #expect(try transcript.run("migrator migrate").exitCode == 0)
    for command in ["migrate", "plan"] {
      let strict = try transcript.run("migrator \(command) --strict")
      #expect(strict.exitCode == 5)
      #expect(strict.errors.contains("error: 1_tables was edited after being applied"), "\(strict.errors)")
      #expect(!strict.errors.contains("warning: 1_tables"), "\(strict.errors)")
    }
  }

  @Test("Files that share a number can be accepted")
  func sharedNumber() throws {
    let transcript = try Transcript()
    try transcript.write("CREATE TABLE a (b);\n", to: "migrations/017_a.sql")
    try transcript.write("CREATE TABLE c (d);\n", to: "migrations/017_b.sql")
    let check = try transcript.run("migrator check")
    #expect(check.exitCode == 1 && check.output.contains("shared-number"), "\(check.output)")
    try transcript.write(
      "-- migrator: allow-file shared-number two branches\nCREATE TABLE c (d);\n", to: "migrations/017_b.sql")
    #expect(try transcript.run("migrator check").exitCode == 0)
    try transcript.write("CREATE TABLE c (d);\n", to: "migrations/017_b.sql")
    try transcript.write("allow shared-number two branches\n", to: "migrations/.migrator-lint")
    #expect(try transcript.run("migrator check").exitCode == 0)
  }

  @Test("What a folder accepts silences the same warning of other commands, and no other one")
  func folderAllowances() throws {
    let transcript = try filled()
    try transcript.write("-- later\n", to: "migrations/2_empty.sql")
    #expect(try transcript.run("migrator status").errors.contains("2_empty contains no statement"))
    try transcript.write("allow empty-migration they are placeholders\n", to: "migrations/.migrator-lint")
    #expect(try transcript.run("migrator status").errors.isEmpty)
    try transcript.write(tables + "SELECT 1;\n", to: "migrations/1_tables.sql")
    #expect(try transcript.run("migrator status").errors.contains("edited after being applied"))
  }

  @Test("A locked database is waited for with a note, and then cannot be used")
  func locked() throws {
    let transcript = try filled()
    try transcript.write("CREATE TABLE a (b);\n", to: "migrations/2_a.sql")
    let holder =
      "import sqlite3, time; c = sqlite3.connect('app.sqlite', isolation_level=None); c.execute('BEGIN EXCLUSIVE'); "
      + "print('held', flush=True); time.sleep(60)"
    for (command, timeout) in [("migrate", "1.5"), ("status", "1.5"), ("migrate", "0")] {
      let line =
        "python3 -c \"\(holder)\" > held & while ! grep -q held held; do :; done; "
        + "migrator \(command) --lock-timeout \(timeout); code=$?; kill %1; rm held; exit $code"
      let outcome = try transcript.run("bash -c '\(line.replacing("'", with: "'\\''"))'")
      #expect(outcome.exitCode == 3, "\(command): \(outcome.errors)")
      #expect(outcome.errors.contains("app.sqlite is locked by another connection; waiting") == (timeout != "0"))
      #expect(outcome.errors.contains("error: app.sqlite is locked by another connection\n"), "\(outcome.errors)")
    }
    #expect(try transcript.run("migrator status --lock-timeout soon").exitCode == 2)
    #expect(try transcript.run("migrator migrate --lock-timeout 1").exitCode == 0)
  }

  @Test("A mistyped path creates no database where one must exist")
  func mustExist() throws {
    let transcript = try Transcript.withSamples()
    let outcome = try transcript.run("migrator migrate --database ap.sqlite --must-exist")
    #expect(outcome.exitCode == 3 && outcome.errors.contains("there is no database at ap.sqlite"), "\(outcome.errors)")
    #expect(try transcript.folder.names() == ["migrations"])
  }

  @Test("Names of a diagram that are keywords of Mermaid or hold its quotes are quoted")
  func mermaid() throws {
    let transcript = try Transcript()
    try transcript.write(
      "CREATE TABLE class (pk INTEGER PRIMARY KEY, FK TEXT);\nCREATE TABLE \"50%\\x\" (a);\nCREATE TABLE \"\" (a);\n",
      to: "migrations/1_a.sql")
    let diagram = try transcript.run("migrator diagram --format mermaid").output
    for line in [
      "    \"class\" {", "        INTEGER _pk PK \"pk, not null\"",
      "    \"50\u{FF05}\u{FF3C}x\" {", "    \"(no name)\" {",
    ] {
      #expect(diagram.contains(line + "\n"), "\(diagram)")
    }
    #expect(try transcript.run("migrator diagram --format dot").output.contains("<b> </b>"))
  }
}
