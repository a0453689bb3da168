import TestEngines
import Testing

@Suite("Files without a statement")
struct EmptyMigrationTests {
  @Test("Applying an empty file from `new` causes a warning first, unless a comment allows it")
  func warned() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator migrate --quiet")
    try transcript.write("-- add prices\n", to: "migrations/0003_add_prices.sql")
    try transcript.run("migrator status --quiet")
    try transcript.run("migrator lint")
    try transcript.write(
      "-- migrator: allow empty-migration its number is taken elsewhere\n", to: "migrations/0004_none.sql")
    try transcript.run("migrator migrate")
    try transcript.run("migrator status")
    try transcript.expect(golden: "empty-migration")
  }

  @Test("A plan warns of an empty file only if it would apply it")
  func beyondTarget() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("-- add prices\n", to: "migrations/0003_add_prices.sql")
    for (command, warns) in [("plan --to 0002_books", false), ("plan --to 0003_add_prices", true), ("plan", true)] {
      let outcome = try transcript.run("migrator \(command)")
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(outcome.errors.contains("contains no statements") == warns, "\(command): \(outcome.errors)")
    }
  }

  @Test("Status reads every file that differs from its applied version")
  func broken() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator migrate --quiet")
    try transcript.write("CREATE TABLE 'price (id);\n", to: "migrations/0003_prices.sql")
    #expect(try transcript.run("migrator status").exitCode == 2)
    try transcript.write("CREATE TABLE price (id);\n", to: "migrations/0003_prices.sql")
    #expect(try transcript.run("migrator status --check --quiet").exitCode == 1)
    try transcript.write("CREATE TABLE 'author (id);\n", to: "migrations/0001_authors.sql")
    #expect(try transcript.run("migrator status").exitCode == 2)
  }

  @Test("A migration that a pending one merges is not reported as unknown")
  func merged() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("CREATE TABLE a (id INTEGER PRIMARY KEY);\n", to: "migrations/0001_a.sql")
    try transcript.write("CREATE TABLE b (id INTEGER PRIMARY KEY);\n", to: "migrations/0002_b.sql")
    try transcript.run("migrator migrate --quiet")
    try transcript.run("rm migrations/0001_a.sql")
    #expect(try transcript.run("migrator status --json").output.contains("\"unknown\" : 1"))
    try transcript.write(
      "-- migrator: merges 0001_a\nCREATE TABLE a (id INTEGER PRIMARY KEY);\n", to: "migrations/0003_c.sql")
    #expect(try transcript.run("migrator status --json").output.contains("\"merged\" : 1"))
  }
}
