import Migrator
import TestEngines
import Testing

@Suite("Rebuilding and erasing")
struct RebuildTests {
  @Test("Rebuild reports the reason and the loss, keeps a backup, and does nothing without a reason")
  func rebuild() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("INSERT INTO book (author, title) VALUES (1, 'The Dispossessed');\n", to: "seed.sql")
    try transcript.run("migrator rebuild --seed seed.sql")
    try transcript.run("migrator rebuild --seed seed.sql")
    let edited = SampleMigrations.books.replacing("title TEXT", with: "pages INTEGER, title TEXT")
    try transcript.write(edited, to: "migrations/0002_books.sql")
    try transcript.run("migrator rebuild")
    try transcript.run("migrator rebuild --yes --seed seed.sql")
    try transcript.run("migrator rebuild --force --yes --seed none.sql")
    try transcript.run("ln -s gone.sql link.sql; migrator rebuild --seed link.sql")
    try transcript.write("INSERT INTO book (title) VALUES ('x');\n", to: "wrong.sql")
    try transcript.run("migrator rebuild --force --yes --seed wrong.sql")
    try transcript.write("/* a note\nINSERT INTO author (name) VALUES ('x');\n", to: "open.sql")
    try transcript.run("migrator rebuild --force --yes --seed open.sql")
    try transcript.write("CREATE TABLE broken (", to: "migrations/0003_broken.sql")
    try transcript.run("migrator rebuild --force --yes")
    try transcript.write("CREATE TABLE broken (a b c d, ,);", to: "migrations/0003_broken.sql")
    try transcript.run("migrator rebuild --force --yes; rm migrations/0003_broken.sql")
    try transcript.run("rm migrations/0002_books.sql; migrator rebuild --yes")
    for _ in 1...3 { try transcript.run("migrator rebuild --force --yes --quiet") }
    // The newest three, and an older one with the row of the seed file, which the others do not have.
    #expect(try transcript.folder.names().filter { $0.hasPrefix("app.sqlite.backup-") }.count == 4)
    try transcript.expect(golden: "rebuild")
  }

  @Test("A mistake before a file that runs without a transaction is found before anything is erased")
  func rehearsal() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("-- migrator: no-transaction\nVACUUM;\n", to: "migrations/0003_vacuum.sql")
    try transcript.write("CREATE TABLE last (a);\n", to: "migrations/0004_last.sql")
    try transcript.run("migrator rebuild --quiet")
    let before = try transcript.folder.bytes(of: "app.sqlite")
    try transcript.write("CREATE TABEL book (id);\n", to: "migrations/0002_books.sql")
    let refused = try transcript.run("migrator rebuild --yes")
    #expect(refused.exitCode == 4)
    #expect(refused.errors.contains("app.sqlite was not changed"), "\(refused.errors)")
    #expect(try transcript.folder.names() == ["app.sqlite", "migrations"])
    #expect(try transcript.folder.bytes(of: "app.sqlite") == before)
    // Later files may depend on such a file, and are not rehearsed.
    try transcript.write("CREATE TABLE book (id);\n", to: "migrations/0002_books.sql")
    try transcript.write("CREATE TABEL last (a);\n", to: "migrations/0004_last.sql")
    let failed = try transcript.run("migrator rebuild --yes")
    #expect(failed.exitCode == 4)
    #expect(failed.errors.contains("the database had already been erased"), "\(failed.errors)")
  }

  @Test("Only a database that a command for development created is erased without --force-foreign")
  func mark() throws {
    for (creation, code) in [("migrate", Int32(5)), ("rebuild", 0)] {
      for erasure in ["rebuild --force --yes", "erase --yes"] {
        let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
        #expect(try transcript.run("migrator \(creation)").exitCode == 0)
        let outcome = try transcript.run("migrator \(erasure)")
        #expect(outcome.exitCode == code, "\(creation), \(erasure): \(outcome.errors)")
        #expect(try transcript.run("migrator \(erasure) --force-foreign").exitCode == 0)
      }
    }
  }

  @Test("Rebuild and erase refuse a database that the tool did not create, unless --force-foreign is given")
  func foreign() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.execute("CREATE TABLE mine (a); INSERT INTO mine VALUES (1), (2)")
    try transcript.run("migrator erase --yes")
    try transcript.run("migrator rebuild --force --yes")
    try transcript.run("migrator migrate --quiet")
    try transcript.run("migrator rebuild --force --yes")
    try transcript.run("migrator rebuild --force --yes --force-foreign")
    try transcript.run("migrator rebuild --force --yes --quiet")
    try transcript.run("migrator erase")
    try transcript.run("migrator erase --yes")
    try transcript.run("migrator erase --yes")
    try transcript.run("migrator rebuild --quiet && migrator erase --yes --quiet")
    try transcript.expect(golden: "foreign")
  }
}
