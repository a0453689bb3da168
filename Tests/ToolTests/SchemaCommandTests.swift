import Migrator
import TestEngines
import Testing

@Suite("The commands dump, diff and check")
struct SchemaCommandTests {
  @Test("A dump can be loaded, is the same for equal schemas, and overwrites only dumps")
  func dump() throws {
    let transcript = try Transcript()
    try transcript.run("migrator dump")
    try transcript.writeSamples()
    try transcript.run("migrator dump")
    try transcript.run("migrator migrate --quiet --database app.sqlite")
    try transcript.run("migrator dump --database app.sqlite --output schema.sql")
    try transcript.run("migrator dump --from migrations --output schema.sql")
    try transcript.run("migrator dump --from schema.sql --quiet | diff - schema.sql && echo same")
    try transcript.write(SampleMigrations.prices, to: "migrations/0003_prices.sql")
    try transcript.run("migrator dump --output schema.sql --json | head -5")
    try transcript.run("cp migrations/0001_authors.sql mine.sql; migrator dump --output mine.sql")
    try transcript.run("migrator dump --output mine.sql --yes --quiet; head -1 mine.sql")
    try transcript.run("migrator dump --database none.sqlite --from database")
    try transcript.run("migrator dump --output nowhere/schema.sql")
    try transcript.write("CREATE TABEL y (b);\n", to: "migrations/0004_wrong.sql")
    try transcript.run("migrator dump")
    try transcript.write("no database", to: "text.sqlite")
    try transcript.run("migrator dump --database text.sqlite --backend sqlite")
    try transcript.expect(golden: "dump")
  }

  @Test("A difference is listed by object, with a migration that removes it")
  func diff() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator diff")
    try transcript.run("migrator migrate --quiet")
    try transcript.run("migrator diff --check")
    try transcript.run("migrator diff --json")
    try transcript.execute(
      "ALTER TABLE book ADD COLUMN note TEXT; DROP INDEX book_on_author; CREATE VIEW v AS SELECT 1 AS one;")
    try transcript.run("migrator diff")
    try transcript.run("migrator diff --check --quiet")
    try transcript.run("migrator diff --suggest")
    try transcript.run("migrator diff --suggest --json --check")
    try transcript.run("migrator dump --output schema.sql --quiet; migrator diff schema.sql")
    try transcript.run("cp app.sqlite copy.sqlite; migrator diff copy.sqlite")
    try transcript.run("migrator diff --from migrations copy.sqlite --check")
    try transcript.run("migrator diff nowhere.sqlite")
    try transcript.run("migrator diff a b")
    try transcript.run("env -u MIGRATOR_DATABASE migrator diff")
    try transcript.expect(golden: "diff")
  }

  @Test("A suggested migration retains the data of renamed tables and columns")
  func renames() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.execute(
      "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE player (id INTEGER PRIMARY KEY, nick TEXT)")
    try transcript.execute("INSERT INTO team VALUES (1, 'Reds'); INSERT INTO player VALUES (1, 'Arthur')")
    try transcript.write(
      "CREATE TABLE guild (id INTEGER PRIMARY KEY, name TEXT);\nCREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);\n",
      to: "wanted.sql")
    try transcript.run("migrator diff wanted.sql --suggest | grep LOST")
    try transcript.run("migrator diff wanted.sql --suggest --rename team=guild --rename player.nick=name")
    try transcript.run("migrator diff wanted.sql --suggest --rename team=guild --rename player.nick=name --json")
    try transcript.run("migrator diff wanted.sql --suggest --rename team=squad")
    try transcript.run("migrator diff wanted.sql --suggest --rename player.nick=title")
    try transcript.run("migrator diff wanted.sql --suggest --rename team")
    try transcript.run("migrator diff wanted.sql --rename team=guild")
    try transcript.expect(golden: "diff-rename")
  }

  @Test("A schema file that is not a dump fails the check, with the reason and a working remedy")
  func foreignSchemaFile() throws {
    let transcript = try Transcript.withSamples()
    try transcript.run(#"printf '\377\001' >binary.sql; : >empty.sql; echo "CREATE TABLE mine (x);" >mine.sql"#)
    try transcript.write("CREATE TABLE author (id INTEGER PRIMARY KEY);\n", to: "other.sql")
    for file in ["binary.sql", "migrations", "mine.sql", "other.sql", "empty.sql"] {
      let outcome = try transcript.run("migrator check --schema \(file)")
      #expect(outcome.exitCode == 1, "\(file): \(outcome.errors)")
    }
    try transcript.expect(golden: "check-schema")
  }

  @Test("A schema file that is spelled differently passes the check")
  func spelling() throws {
    let transcript = try Transcript()
    try transcript.write("CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);\n", to: "migrations/1_author.sql")
    try transcript.write("create table  \"author\" (\n  id INTEGER PRIMARY KEY,\n  name TEXT\n);\n", to: "schema.sql")
    let outcome = try transcript.run("migrator check --schema schema.sql")
    #expect(outcome.exitCode == 0, "\(outcome)")
    let other = "CREATE TABLE author (id INTEGER PRIMARY KEY, name);\n"
    try transcript.write(other, to: "schema.sql")
    #expect(try transcript.run("migrator check --schema schema.sql").exitCode == 1)
  }

  @Test("The failure of a script does not call it a migration")
  func failingScript() throws {
    let transcript = try Transcript()
    try transcript.write("CREATE TABEL x (a);\n", to: "wrong.sql")
    for command in ["diff --from wrong.sql", "dump --from wrong.sql", "diagram --from wrong.sql"] {
      let outcome = try transcript.run("migrator \(command)")
      #expect(outcome.exitCode == 4, "\(command)")
      #expect(
        outcome.errors.contains("next: Correct the file, and run `migrator \(command)` again."),
        "\(command): \(outcome.errors)")
    }
  }

  @Test("A check reports all failures, each one once")
  func check() throws {
    let transcript = try Transcript()
    try transcript.run("migrator check")
    try transcript.writeSamples()
    try transcript.run("migrator check")
    try transcript.run("migrator dump --output schema.sql --quiet; migrator check --schema schema.sql --json")
    try transcript.run("migrator migrate --quiet --database app.sqlite")
    try transcript.run("migrator check --database app.sqlite --schema schema.sql")
    try transcript.write(SampleMigrations.authors + "SELECT 1;\n", to: "migrations/0001_authors.sql")
    try transcript.write("CREATE TABLE early (id INTEGER PRIMARY KEY);\n", to: "migrations/0001_early.sql")
    try transcript.write("DELETE FROM book;\n", to: "migrations/0003_delete.sql")
    try transcript.run("migrator check --database app.sqlite --schema schema.sql")
    try transcript.run("migrator check --schema missing.sql")
    try transcript.run("migrator check --quiet")
    try transcript.run("migrator check --quiet --json | head -8")
    try transcript.write("CREATE TABEL y (b);\n", to: "migrations/0004_wrong.sql")
    try transcript.run("migrator check")
    try transcript.write("SELECT 'x", to: "migrations/0005_open.sql")
    try transcript.run("migrator check")
    #expect(try transcript.folder.names() == ["app.sqlite", "migrations", "schema.sql"])
    try transcript.expect(golden: "check")
  }
}
