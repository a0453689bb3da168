import Foundation
import TestEngines
import Testing

@Suite("Status of many files")
struct ManyFilesTests {
  private func transcript() throws -> Transcript {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    for number in 101...160 {
      try transcript.write("CREATE TABLE t\(number) (id INTEGER PRIMARY KEY);\n", to: "migrations/\(number)_t.sql")
    }
    return transcript
  }

  @Test("Each file is compared with its ledger entry")
  func compared() throws {
    let transcript = try transcript()
    #expect(try transcript.run("migrator status").output.hasSuffix("\n60 pending\n"))
    try transcript.run("migrator migrate --quiet")
    #expect(try transcript.run("migrator status --check").output.hasSuffix("\n60 applied\n"))
    try transcript.write("CREATE TABLE t107 (id INTEGER PRIMARY KEY, a);\n", to: "migrations/107_t.sql")
    try transcript.write("CREATE TABLE t161 (id INTEGER PRIMARY KEY);\n", to: "migrations/161_t.sql")
    try transcript.run("rm migrations/130_t.sql")
    let changed = try transcript.run("migrator status --check")
    #expect(changed.output.hasSuffix("\n58 applied, 1 edited, 1 pending, 1 unknown\n"))
    #expect(changed.exitCode == 1)
  }

  @Test(
    "Any path to the folder reads the same files",
    arguments: ["./migrations", "migrations/", "migrations//", "link", "inner/../migrations", "$PWD/migrations"])
  func naming(folder: String) throws {
    let transcript = try transcript()
    // Follows links: one to the folder, and one to a file outside it.
    try transcript.run("ln -s migrations link; mv migrations/110_t.sql outside.sql")
    try transcript.run("ln -s ../outside.sql migrations/110_t.sql; mkdir inner")
    try transcript.run("migrator migrate --quiet")
    #expect(try transcript.run("migrator status --check --migrations \(folder)").output.hasSuffix("\n60 applied\n"))
    try transcript.run("rm outside.sql")
    let dangling = try transcript.run("migrator status --migrations \(folder)")
    #expect(dangling.exitCode == 2)
    #expect(dangling.errors.contains("/110_t.sql"))
  }

  @Test("Problems with files and with the database are reported")
  func failing() throws {
    let transcript = try transcript()
    try transcript.run("migrator migrate --quiet")
    try transcript.run(#"printf 'CREATE TABLE x (a); -- \377\n' >migrations/120_t.sql"#)
    let unreadable = try transcript.run("migrator status")
    #expect(unreadable.exitCode == 2)
    #expect(unreadable.errors.contains("migrations/120_t.sql"))
    try transcript.run("rm migrations/120_t.sql")
    try transcript.run("printf 'this is no database, but text that is long enough to be taken for one' >app.sqlite")
    #expect(try transcript.run("migrator status --backend sqlite").exitCode == 3)
    #expect(try transcript.run("migrator status --migrations none").exitCode == 2)
  }
}
