import Foundation
import SQLMigrations
import SQLSyntax
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("Parts of the tool")
struct PartTests {
  @Test("A suggestion is a close match, and there is none without a close match")
  func suggestions() {
    let options = ["--database", "--dry-run", "--json"]
    #expect(Suggestion.nearest(to: "--databse", among: options) == "--database")
    #expect(Suggestion.nearest(to: "--dryrun", among: options) == "--dry-run")
    #expect(Suggestion.nearest(to: "--xyz", among: options) == nil)
    #expect(Suggestion.distance(from: "stauts", to: "status") == 1)
  }

  @Test("A title becomes a file name")
  func slugs() {
    #expect(NextMigrationFile.slug("  Create the `Authors` table!") == "create_the_authors_table")
    #expect(NextMigrationFile.slug("Änderung 2") == "änderung_2")
    #expect(NextMigrationFile.slug("../../etc") == "etc")
    #expect(NextMigrationFile.slug("!?") == "")
  }

  @Test(
    "Durations have at most three digits, even when rounding reaches the next unit",
    arguments: [
      (.microseconds(4), "0.00 ms"), (.microseconds(420), "0.42 ms"), (.microseconds(994), "0.99 ms"),
      (.microseconds(996), "1.0 ms"), (.microseconds(3140), "3.1 ms"), (.microseconds(9940), "9.9 ms"),
      (.microseconds(9990), "10 ms"), (.milliseconds(17), "17 ms"), (.microseconds(999_400), "999 ms"),
      (.microseconds(999_600), "1.0 s"), (.milliseconds(3140), "3.1 s"), (.milliseconds(9960), "10 s"),
      (.seconds(59), "59 s"), (.milliseconds(59_970), "1 min 00 s"), (.milliseconds(60_400), "1 min 00 s"),
      (.milliseconds(119_700), "2 min 00 s"), (.seconds(125), "2 min 05 s"), (.seconds(3600), "60 min 00 s"),
    ] as [(Duration, String)])
  func durations(duration: Duration, expected: String) { #expect(duration.shortText == expected) }

  @Test("Hexadecimal digits are pairs of digits and nothing else")
  func hexadecimal() {
    #expect(Hexadecimal.decode(Array("00fFa1".utf8)) == [0x00, 0xFF, 0xA1])
    for text in ["0", "0g", " 00", "x'00'"] { #expect(Hexadecimal.decode(Array(text.utf8)) == nil) }
  }

  @Test("A database is given by its path, optionally with its backend")
  func addresses() throws {
    let names = ["sqlite", "sqlcipher"]
    let texts: [(String, String, String?)] = [
      ("a.db", "a.db", nil), ("sqlite:a.db", "a.db", "sqlite"), ("sqlcipher:///a.db", "/a.db", "sqlcipher"),
      ("sqlite://a.db", "a.db", "sqlite"), ("./sqlite:a.db", "./sqlite:a.db", nil), ("SQLite:a.db", "a.db", "sqlite"),
      ("sqlite:a.db?mode=rwc", "a.db", "sqlite"), ("sqlite:///a.db?cache=shared&mode=ro", "/a.db", "sqlite"),
      ("./a:b", "./a:b", nil), ("a b:c", "a b:c", nil), ("folder/a:b", "folder/a:b", nil), (":a", ":a", nil),
    ]
    for (text, path, name) in texts {
      let address = try DatabaseAddress(text, backendNames: names)
      #expect(address.path == path)
      #expect(address.backendName == name)
    }
  }

  @Test(
    "An address that no backend understands is not the name of a new file",
    arguments: [
      "postgres://me:secret@host/x", "MySQL:secret", "libsql:secret", "file:a.db", "sqlite::memory:", "sqlite:",
    ])
  func unknownAddresses(text: String) {
    let failure = #expect(throws: ToolFailure.self) { try DatabaseAddress(text, backendNames: ["sqlite", "dqlite"]) }
    #expect(failure?.exitCode == .usage)
    #expect(failure?.what.contains("secret") == false)
    guard text.contains("secret") else { return }
    #expect(failure?.what == "\(text.prefix { $0 != ":" }.lowercased()): is not supported")
    #expect(failure?.remedy?.contains("use one of: sqlite:, dqlite:.") == true)
  }

  @Test("A file whose name looks like an address is a database")
  func addressesOfFiles() throws {
    let folder = try TemporaryFolder()
    for name in ["mysql:a.db", "a.db?mode=rwc"] {
      let path = folder.file(name)
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      #expect(try DatabaseAddress("sqlite:" + path, backendNames: ["sqlite"]).path == path)
    }
    #expect(
      try DatabaseAddress("sqlite:" + folder.file("b.db?mode=rwc"), backendNames: ["sqlite"]).path
        == folder.file("b.db"))
  }
}
