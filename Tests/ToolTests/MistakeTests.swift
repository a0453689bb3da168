import Migrator
import TestEngines
import Testing

@Suite("Mistakes of beginners")
struct MistakeTests {
  @Test("A command in the wrong folder suggests where the migrations are")
  func wrongFolder() throws {
    let transcript = try Transcript.withSamples()
    try transcript.run("cd migrations && migrator status --database ../app.sqlite")
    try transcript.run("mkdir below && cd below && migrator migrate --database sqlite:../app.sqlite")
    try transcript.run("cd below && migrator lint")
    try transcript.run("cd below && migrator lint --migrations elsewhere")
    try transcript.run("cd below && mkdir migrations && cd migrations && migrator check --json")
    #expect(!(try transcript.folder.names().contains("app.sqlite")))
    try transcript.expect(golden: "wrong-folder")
  }

  @Test(
    "A wrong command line is answered with the right one",
    arguments: [
      ("statu", "Did you mean `migrator status`?"), ("stat", "Did you mean `migrator status`?"),
      ("-v", "Did you mean --version?"), ("-V", "Did you mean --version?"),
      ("migrate --databases '*.db' --max-failures -1", "Give a number of at least 0."),
      ("dump --shard 1/2", "`status`, `plan`, `migrate` and `verify` have it."),
      ("diagram --output d.PNG", "Write an .svg, .dot or .md file: --format is svg, dot or mermaid."),
    ])
  func usage(line: String, remedy: String) throws {
    let transcript = try Transcript.withSamples()
    let outcome = try transcript.run("migrator \(line)")
    #expect(outcome.exitCode == 2)
    #expect(outcome.errors.contains("next: \(remedy)"), "\(outcome.errors)")
    #expect(try transcript.folder.names() == ["migrations"])
  }

  @Test("A line break in the name of a database is escaped")
  func lineBreak() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "a\nb.db"])
    for command in [
      "status", "plan", "migrate --to 0001_authors", "status", "plan", "verify", "encrypt",
      "erase --yes --force-foreign",
    ] {
      let outcome = try transcript.run("migrator \(command)")
      let text = outcome.output + outcome.errors
      #expect(text.contains("a\\nb.db"), "\(command): \(text)")
      #expect(!text.contains("a\nb.db"), "\(command): \(text)")
    }
  }

  @Test("A database with tables from before its migrations gets a separate remedy")
  func olderSchema() throws {
    let transcript = try Transcript.withSamples()
    try transcript.run("migrator migrate --database app.sqlite --ledger by_hand --quiet")
    for command in ["migrate", "plan", "migrate --json"] {
      try transcript.run("migrator \(command) --database app.sqlite")
    }
    // A mistake in the file itself.
    try transcript.write("CREATE TABLE a (b);\nCREATE TABLE a (b);\n", to: "twice/1_a.sql")
    try transcript.run("migrator lint --migrations twice")
    // Messages use the original spelling of names.
    try transcript.write("CREATE INDEX Author_On_Name ON author(name);\n", to: "migrations/0003_Index.sql")
    try transcript.run("migrator baseline --database app.sqlite")
    try transcript.run("migrator baseline --database app.sqlite --to 0002_books")
    try transcript.expect(golden: "older-schema")
  }

  @Test("The second failure of a half-done migration without a transaction does not suggest a baseline")
  func halfDone() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write(
      "-- migrator: no-transaction\nCREATE TABLE a (b);\nINSERT INTO nowhere VALUES (1);\n", to: "migrations/1_a.sql")
    try transcript.write("CREATE TABLE c (d);\n", to: "migrations/2_c.sql")
    try transcript.run("migrator migrate")
    try transcript.run("migrator migrate")
    try transcript.run("migrator status")
    try transcript.run("migrator status --json")
    try transcript.expect(golden: "half-done")
  }

  @Test("A missing database on the command line is an error, and an empty file is not reported as missing")
  func missingDatabase() throws {
    let transcript = try Transcript.withSamples()
    let commands = ["check", "dump", "diagram", "lint", "diff", "verify"]
    for command in commands {
      #expect(try transcript.run("migrator \(command) --database missing.db").exitCode == 3)
    }
    try transcript.run("migrator lint --database missing.db --json")
    for command in commands.prefix(4) {
      // A variable may name a database that is created later.
      let outcome = try transcript.run("MIGRATOR_DATABASE=missing.db migrator \(command) >/dev/null")
      #expect(outcome.exitCode == 0)
    }
    try transcript.run("touch zero.db")
    for command in ["status", "diff", "verify", "baseline", "adopt", "lint", "check", "dump", "diagram", "plan"] {
      try transcript.run("migrator \(command) --database zero.db")
    }
    try transcript.expect(golden: "missing-database")
  }

  @Test("An empty file is an error like a missing one, on both sides of a diff")
  func emptyDatabase() throws {
    let transcript = try Transcript.withSamples()
    try transcript.run("touch zero.db; migrator migrate --quiet --database app.db")
    for line in [
      "check --database zero.db", "dump --database zero.db", "diff zero.db --database app.db",
      "diff --from zero.db --database app.db", "diff --from app.db zero.db", "dump --from zero.db",
      "diagram --from zero.db",
    ] {
      let outcome = try transcript.run("migrator \(line)")
      #expect(outcome.exitCode == 3, "\(line)")
      #expect(
        outcome.errors.contains("error: zero.db is an empty file, not a database\n"), "\(line): \(outcome.errors)")
    }
    for command in ["check", "dump", "diagram", "lint"] {
      // A variable may name a file that is filled later.
      #expect(try transcript.run("MIGRATOR_DATABASE=zero.db migrator \(command)").exitCode == 0, "\(command)")
    }
    let check = try transcript.run("MIGRATOR_DATABASE=zero.db migrator check").output
    #expect(check.contains("skipped  edited files   zero.db is an empty file, not a database\n"), "\(check)")
    for command in ["plan", "status", "migrate", "rebuild --yes"] {
      let outcome = try transcript.run(": >zero.db; migrator \(command) --database zero.db")
      #expect(outcome.exitCode == 0, "\(command): \(outcome.errors)")
    }
  }

  @Test("A missing folder is reported before a migration runs, and no failing command is suggested")
  func missingFolder() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "none/app.db"])
    let migrate = try transcript.run("migrator migrate")
    #expect(migrate.exitCode == 3)
    for command in ["plan", "plan --no-rehearsal", "migrate --dry-run", "status", "status --check"] {
      let outcome = try transcript.run("migrator \(command)")
      #expect(outcome.exitCode == 3, "\(command)")
      #expect(outcome.errors == migrate.errors, "\(command)")
      #expect(outcome.output.isEmpty, "\(command): \(outcome.output)")
    }
    #expect(try transcript.run("migrator plan --backend sqlcipher").exitCode == 3)
    #expect(try transcript.folder.names() == ["migrations"])
  }

  @Test("A suggested command can be typed unchanged")
  func suggestions() throws {
    let transcript = try Transcript()
    let folder = try transcript.run("migrator migrate --database app.db --migrations 'the first'")
    #expect(folder.errors.contains("next: Create it with `migrator new NAME --migrations 'the first'`"))
    try transcript.run("migrator new authors --migrations 'the first' >/dev/null")
    let check = try transcript.run("migrator check --migrations 'the first' --schema 'the schema.sql'")
    #expect(
      check.output.contains(
        "create it with `migrator dump --from migrations --migrations 'the first' --output 'the schema.sql'`"))
    let database = try transcript.run("migrator migrate --database 'no where/app.db' --migrations 'the first'")
    #expect(database.errors.contains("next: Create it with `mkdir -p 'no where'`"), "\(database.errors)")
    let long = try transcript.run("migrator new \(String(repeating: "x", count: 300)) --migrations 'the first'")
    #expect(long.exitCode == 2)
    #expect(long.errors.contains("next: Check the name and the permissions of the folder"), "\(long.errors)")
  }

  @Test("A suggested command names the database and the folder that the user has typed, and no others")
  func completedCommands() throws {
    let transcript = try Transcript.withSamples()
    let typed = "--database 'my app.db' --migrations migrations"
    #expect(try transcript.run("migrator migrate \(typed)").exitCode == 0)
    try transcript.write("CREATE TABLE author (id INTEGER PRIMARY KEY);\n", to: "migrations/0001_authors.sql")
    let edited = try transcript.run("migrator status \(typed)")
    #expect(edited.errors.contains("with `migrator rebuild \(typed)`"), "\(edited.errors)")
    let verified = try transcript.run("migrator verify \(typed)")
    #expect(verified.output.contains("history: `migrator status \(typed)` explains"), "\(verified.output)")
    let checked = try transcript.run("migrator check \(typed)")
    #expect(checked.output.contains("`migrator status \(typed)` explains"), "\(checked.output)")
    try transcript.run("sqlite3 'my app.db' 'CREATE TABLE c (x)'")
    try transcript.write("CREATE TABLE c (x);\n", to: "migrations/0003_c.sql")
    for fleet in [typed, "--databases 'my *.db' --migrations migrations --jobs 1"] {
      let failed = try transcript.run("migrator migrate \(fleet)")
      #expect(failed.errors.contains(": `migrator baseline --to 0003_c \(typed)` compares"), "\(failed.errors)")
    }
    let again = try transcript.run("migrator migrate --to 0003_c --one-transaction \(typed)")
    #expect(
      again.errors.contains("run `migrator migrate --to 0003_c --one-transaction \(typed)` again."), "\(again.errors)")
    let piped = try transcript.run("echo 'my app.db' | migrator migrate --databases-from -")
    #expect(piped.errors.contains("`migrator baseline --to 0003_c --database 'my app.db'`"), "\(piped.errors)")
  }

  @Test("After a trial on a scratch database, no change has to be undone")
  func triedOnScratch() throws {
    let transcript = try Transcript()
    let text = "-- migrator: no-transaction\nCREATE TABLE a (x);\nINSERT INTO b VALUES (1);\n"
    try transcript.write(text, to: "migrations/1_a.sql")
    for command in ["dump", "diagram", "diff --from migrations", "plan --database new.db"] {
      let tried = try transcript.run("migrator \(command)")
      #expect(tried.exitCode == 4 && !tried.errors.contains("Undo"), "\(command): \(tried.errors)")
    }
    #expect(try transcript.run("migrator migrate --database new.db").errors.contains("Undo their changes"))
  }

  @Test("An applied file that is renamed does not run again")
  func renamed() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("INSERT INTO author (name) VALUES ('Joanna');\n", to: "migrations/0003_joanna.sql")
    try transcript.run("migrator migrate --quiet")
    try transcript.run("mv migrations/0003_joanna.sql migrations/0003_more_authors.sql; migrator status")
    for command in ["migrate", "plan", "plan --json", "migrate --json", "status --check", "check"] {
      try transcript.run("migrator \(command)")
    }
    try transcript.run("migrator migrate --to 0002_books")
    try transcript.run("mv migrations/0001_authors.sql migrations/0001_author.sql; migrator migrate")
    try transcript.run("migrator migrate --allow-out-of-order")
    for options in ["", " --to 0001_author", " --allow-out-of-order"] {
      let plan = try transcript.run("migrator plan\(options)")
      let migrate = try transcript.run("migrator migrate\(options)")
      #expect(plan.exitCode == migrate.exitCode && plan.errors == migrate.errors, "\(options): \(plan.errors)")
    }
    // A renamed and edited file cannot be recognized, and counts as another migration.
    try transcript.run("mv migrations/0001_author.sql migrations/0001_authors.sql; migrator migrate")
    try transcript.write("INSERT INTO author (name) VALUES ('Angélica');\n", to: "migrations/0003_more_authors.sql")
    try transcript.run("migrator migrate")
    try transcript.expect(golden: "renamed")
  }

  @Test("Two databases as operands, and a text file as the database")
  func databases() throws {
    let transcript = try Transcript.withSamples()
    try transcript.run("migrator diff one.sqlite other.sqlite")
    try transcript.run("migrator status")
    try transcript.run("touch one.sqlite && migrator status")
    try transcript.run("touch other.sqlite && migrator status; migrator verify; migrator dump --from database")
    try transcript.run("migrator status --database migrations/0001_authors.sql")
    try transcript.run("migrator status --database migrations/0001_authors.sql --json")
    try transcript.run("migrator status --database migrations/0001_authors.sql --backend sqlcipher")
    try transcript.expect(golden: "wrong-database")
  }
}
