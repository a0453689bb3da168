import Migrator
import TestEngines
import Testing

@Suite("The tool with two folders on one database")
struct LedgerTests {
  @Test("--ledger separates them, and rebuilding one does not erase the other")
  func twoFolders() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("CREATE TABLE cache (url TEXT);\n", to: "sdk/0001_authors.sql")
    let sdk = "--migrations sdk --ledger sdk_history"
    try transcript.run("migrator rebuild")
    try transcript.run("migrator status --check \(sdk)")
    try transcript.run("migrator rebuild \(sdk)")
    try transcript.run("migrator status --check \(sdk)")
    try transcript.run("migrator status --check")
    try transcript.run("MIGRATOR_LEDGER=sdk_history migrator verify --migrations sdk")
    try transcript.run("migrator dump | grep -c history")
    try transcript.run("migrator rebuild")
    try transcript.write("CREATE TABLE cache (url TEXT PRIMARY KEY);\n", to: "sdk/0001_authors.sql")
    try transcript.run("migrator rebuild --yes \(sdk)")
    try transcript.run("migrator rebuild --yes --force-foreign \(sdk)")
    try transcript.run("migrator migrate --ledger SQLite_x")
    try transcript.run("MIGRATOR_LEDGER=sqlite_x migrator status")
    try transcript.expect(golden: "ledger")
  }

  @Test("A table with another definition in place of the ledger is reported, with the option that names another table")
  func damaged() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.execute("CREATE TABLE migrator_history (a)")
    for command in ["status", "migrate", "plan", "verify", "check", "rebuild --yes", "erase --yes", "baseline"] {
      let outcome = try transcript.run("migrator \(command)")
      #expect(outcome.exitCode == 3, "\(command)")
      #expect(outcome.errors.contains("--ledger"), "\(command): \(outcome.errors)")
    }
    #expect(try transcript.run("migrator status --ledger other").exitCode == 0)
  }

  @Test(
    "A pending file that changes the ledger is refused, unless a comment allows it",
    arguments: ["DELETE FROM migrator_history;", "UPDATE \"Migrator_History\" SET position = 7;"])
  func changed(statement: String) throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    #expect(try transcript.run("migrator rebuild --yes").exitCode == 0)
    try transcript.write("CREATE TABLE a (b);\n\(statement)\n", to: "migrations/0003_forget.sql")
    for command in ["migrate", "plan", "rebuild --yes", "rebuild --yes --force", "migrate --databases '*.sqlite'"] {
      let outcome = try transcript.run("migrator \(command)")
      #expect(outcome.exitCode == (command.contains("databases") ? 4 : 5), "\(command): \(outcome)")
      #expect(outcome.errors.contains("0003_forget changes \"migrator_history\""), "\(command): \(outcome.errors)")
      #expect(
        outcome.errors.contains("migrations/0003_forget.sql:2:1") || command.contains("databases"), "\(outcome.errors)")
      #expect(try transcript.run("migrator status").output.contains("2 applied, 1 pending"), "\(command)")
    }
    #expect(try transcript.run("migrator migrate --to 0002_books").exitCode == 0)
    try transcript.write(
      "CREATE TABLE a (b);\n-- migrator: allow ledger-change a test\n\(statement)\n", to: "migrations/0003_forget.sql")
    #expect(try transcript.run("migrator plan").exitCode == 0)
    #expect(try transcript.run("migrator migrate").exitCode == 0)
    #expect(try transcript.run("migrator migrate --ledger other --database b.sqlite").exitCode == 4)
  }

  @Test("A table with the ledger's name is refused with advice about the name, also before the first migration")
  func taken() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("CREATE TABLE migrator_history (x);\n", to: "migrations/2_history.sql")
    let first = try transcript.run("migrator migrate")
    try transcript.write("CREATE TABLE a (b);\n", to: "migrations/1_a.sql")
    for outcome in [first, try transcript.run("migrator migrate")] {
      #expect(outcome.exitCode == 4 && outcome.errors.contains("choose another name for the table"), "\(outcome)")
    }
  }

  @Test("A text or a comment with the ledger's name is no change of it")
  func named() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write(
      "-- not in migrator_history\nCREATE TABLE a (b);\nINSERT INTO a VALUES ('migrator_history');\n"
        + "INSERT INTO a SELECT count(*) FROM migrator_history;\n", to: "migrations/1_a.sql")
    #expect(try transcript.run("migrator migrate").exitCode == 0)
  }

  @Test("Files of an older folder that newer files merged count as merged, and do not run again")
  func mergedByNewer() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("CREATE TABLE a (x);\n", to: "old/1_a.sql")
    try transcript.write("CREATE TABLE b (x);\n", to: "old/2_b.sql")
    try transcript.write(
      "-- migrator: merges 1_a 2_b\nCREATE TABLE a (x);\nCREATE TABLE b (x);\n", to: "new/3_all.sql")
    #expect(try transcript.run("migrator migrate --migrations old").exitCode == 0)
    #expect(try transcript.run("migrator migrate --migrations new").exitCode == 0)
    let status = try transcript.run("migrator status --migrations old")
    #expect(status.output.contains("2 merged, 1 unknown"), "\(status.output)")
    let again = try transcript.run("migrator migrate --migrations old")
    #expect(again.exitCode == 0 && again.output.contains("Nothing to do"), "\(again.output) \(again.errors)")
  }

  @Test("\"Nothing to do\" counts the migrations in the folder")
  func removed() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator migrate --quiet; rm migrations/0002_books.sql")
    let again = try transcript.run("migrator migrate")
    #expect(again.output == "Nothing to do: the migration is applied\n")
    #expect(
      try transcript.run("migrator plan").output.contains("app.sqlite has 1 applied migration, and none is pending"))
  }

  @Test("A merged file stays merged after the merging file loses its directive")
  func mergedBeside() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("-- migrator: merges 8_a\nCREATE TABLE a (x);\n", to: "migrations/3_all.sql")
    #expect(try transcript.run("migrator migrate").exitCode == 0)
    try transcript.write("CREATE TABLE a (x);\n", to: "migrations/3_all.sql")
    try transcript.write("CREATE TABLE a (x);\n", to: "migrations/8_a.sql")
    let status = try transcript.run("migrator status")
    #expect(status.output.contains("1 applied, 1 merged"), "\(status.output)")
    let again = try transcript.run("migrator migrate")
    #expect(again.exitCode == 0 && again.output.contains("Nothing to do"), "\(again.output) \(again.errors)")
  }

  @Test("The failure of a file that merges an unfinished migration says which file to restore")
  func mergedHalfDone() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write(
      "-- migrator: no-transaction\nCREATE TABLE a (x);\nCREATE TABLE a (x);\n", to: "migrations/1_a.sql")
    #expect(try transcript.run("migrator migrate").exitCode == 4)
    try transcript.write("-- migrator: merges 1_a\nCREATE TABLE a (x);\n", to: "migrations/2_all.sql")
    let merged = try transcript.run("rm migrations/1_a.sql; migrator migrate")
    #expect(merged.exitCode == 4)
    #expect(merged.errors.contains("it merges 1_a, which started but did not finish"), "\(merged.errors)")
    #expect(merged.errors.contains("next: Restore 1_a in place of"), "\(merged.errors)")
  }
}
