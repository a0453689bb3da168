import Foundation
import Migrator
import SQLMigrations
import SQLSyntax
import TestEngines
import Testing

@Suite("Problems of migration folders")
struct FolderProblemTests {
  private let sql = "CREATE TABLE a(b);"

  @Test("A missing folder and a file in its place are problems")
  func noFolder() throws {
    let fixture = try FolderFixture(["a.sql": sql])

    let missing = try #require(throws: MigrationFolderError.self) { try MigrationFolder.read(fixture.path + "/none") }
    let file = try #require(throws: MigrationFolderError.self) { try MigrationFolder.read(fixture.path + "/a.sql") }

    #expect(missing.problems.map(\.kind) == [.missingFolder])
    #expect(file.problems.map(\.kind) == [.notAFolder])
  }

  @Test(
    "The problem of a folder without migrations says which files count",
    arguments: [
      [:], ["README.md": ""], ["1_a.down.sql": "DROP TABLE a"], [".a.sql": ""],
    ])
  func empty(files: [String: String]) throws {
    let problems = try FolderFixture(files).problems()

    #expect(problems.map(\.kind) == [.noMigrations])
    #expect(problems.first?.description.contains("*.sql") == true)
  }

  @Test("A folder with the name of an SQL file is not skipped")
  func folderInPlaceOfFile() throws {
    #expect(try FolderFixture(["1_a.sql/readme": "", "2_b.sql": sql]).findings() == [.init("1_a.sql", .missingUpFile)])
    #expect(try FolderFixture(["1_a.sql/up.sql": sql]).read().files.map(\.identifier) == ["1_a.sql"])
  }

  @Test("A broken link is an unreadable file")
  func brokenLink() throws {
    let fixture = try FolderFixture([:])
    try FileManager.default.createSymbolicLink(atPath: fixture.path + "/1_a.sql", withDestinationPath: "gone")

    #expect(fixture.findings() == [.init("1_a.sql", .unreadable(.missing))])
  }

  @Test("A file without permission cannot be read", .enabled(if: getuid() != 0))
  func noPermission() throws {
    let fixture = try FolderFixture(["1_a.sql": sql])
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: fixture.path + "/1_a.sql")

    #expect(fixture.findings() == [.init("1_a.sql", .unreadable(.noPermission))])
  }

  @Test("A file of any size is a problem, not a lack of memory")
  func tooLarge() throws {
    let fixture = try FolderFixture(["1_a.sql": sql, "2_b.sql": sql])
    // The file is sparse, and takes no space on the disk.
    #expect(truncate(fixture.path + "/2_b.sql", 100 << 30) == 0)

    let problem = try #require(fixture.problems().first)

    #expect(
      fixture.findings() == [
        .init("2_b.sql", .unreadable(.tooLarge(sizeInBytes: 100 << 30, limitInBytes: ScriptFile.largestSize)))
      ])
    #expect(
      problem.description.hasSuffix(
        """
        2_b.sql: cannot be read
          why: it has 107374182400 bytes, and a file can have at most 1000000000 bytes
          do:  split it into several migrations, or load its rows with another program; if it is not SQL, move it out of the folder
        """))
  }

  #if os(Linux)
    @Test("A file that turns out to be too large while it is read is a problem")
    func growing() throws {
      // The system reports the size zero for this file.
      let problem = try #require(throws: MigrationProblem.self) {
        try ScriptFile.text(at: "/proc/self/stat", limit: 8)
      }

      guard case .unreadable(.tooLarge(let size, 8)) = problem.kind else {
        Issue.record("\(problem)")
        return
      }
      #expect(size > 8)
    }
  #endif

  @Test("Invalid UTF-8 is reported with its position")
  func notUTF8() throws {
    let fixture = try FolderFixture([:])
    try fixture.write(Data("SELECT 1;\nSELECT '".utf8) + [0xE9] + Data("'".utf8), to: "1_a.sql")
    try fixture.write(Data([0xFF, 0xFE, 0x53, 0x00]), to: "2_b.sql")

    #expect(fixture.findings() == [.init("1_a.sql:2:9", .notUTF8(offset: 18)), .init("2_b.sql", .utf16)])
  }

  @Test("The problem of a duplicate identifier names both files")
  func duplicateIdentifiers() throws {
    let fixture = try FolderFixture(["1_a.sql": sql, "1_a.up.sql": sql, "2_b.SQL": sql, "2_b/up.sql": sql])

    #expect(
      fixture.findings() == [
        .init("1_a.up.sql", .duplicateIdentifier("1_a", other: fixture.path + "/1_a.sql")),
        .init("2_b/up.sql", .duplicateIdentifier("2_b", other: fixture.path + "/2_b.SQL")),
      ])
  }

  @Test(
    "A duplicate number is refused where the layout's tools refuse it",
    arguments: [
      ("1_a.up.sql", "01_b.up.sql", "1"), ("V1.0__a.sql", "V1__b.sql", "1"), ("1_a/up.sql", "1_b/up.sql", "1"),
      ("1_a.sql", "1_b.up.sql", "1"),
    ])
  func duplicateVersions(first: String, second: String, version: String) throws {
    let fixture = try FolderFixture([first: sql, second: sql])
    let names = [first, second].sorted()

    #expect(
      fixture.findings() == [.init(names[1], .duplicateVersion(version, other: "\(fixture.path)/\(names[0])"))])
  }

  @Test("A duplicate number in goose's files is refused")
  func duplicateGooseVersions() throws {
    let fixture = try FolderFixture(["1_a.sql": "-- +goose Up\n", "1_b.sql": "-- +goose Up\n"])

    #expect(fixture.findings().map(\.place) == ["1_b.sql"])
  }

  @Test("All problems of all files are reported at once, in order")
  func allProblems() throws {
    let fixture = try FolderFixture([
      "1_a.sql": "SELECT 1;\n'", "2_b.sql": "-- migrator: nonsense\nCOMMIT;\nSELECT 1", "R__c.sql": sql,
    ])

    #expect(
      fixture.findings() == [
        .init("1_a.sql:2:1", .brokenSQL(.unterminatedString)), .init("2_b.sql:1:1", .unknownDirective("nonsense")),
        .init("2_b.sql:2:1", .transactionControl("COMMIT")), .init("R__c.sql", .repeatableMigration),
      ])
  }

  @Test("A comment that is never closed is refused, since it would swallow the following statements")
  func unclosedComment() throws {
    let fixture = try FolderFixture([
      "1_a.sql": "CREATE TABLE a(x);\n/* a note\nCREATE TABLE b(x);\n", "2_b.sql": "/* never closed",
      "3_c.sql": "-- migrate:up\nSELECT 1; /* a note\n-- migrate:down\nSELECT 2;\n",
      "4_d.sql": "SELECT '/*', \"/*\" -- /*",
      "5_e.sql": "-- migrate:up\nSELECT 1;\n-- migrate:down\n/* not read\n",
    ])

    #expect(
      fixture.findings()
        == ["1_a.sql:2:1", "2_b.sql:1:1", "3_c.sql:2:11"].map {
          .init($0, .brokenSQL(.unterminatedComment))
        })
  }

  @Test("The text of an error contains the problem, the position, the reason and the remedy")
  func description() throws {
    let fixture = try FolderFixture(["1_a.sql": "SELECT 1;\nVACUUM;", "2_b.sql": "-- migrator: fk off"])

    let error = try #require(throws: MigrationFolderError.self) { try fixture.read() }

    #expect(
      error.description == """
        2 problems in \(fixture.path); nothing was run
        \(fixture.path)/1_a.sql:2:1: VACUUM inside a transaction
          why: SQLite refuses or ignores it inside a transaction
          do:  move it into a separate migration, outside any BEGIN and COMMIT, and add the line \
        `-- migrator: no-transaction` to that migration
        \(fixture.path)/2_b.sql:1:1: unknown directive "fk"
          why: ignoring a directive could change what the migration does
          do:  use one of: `-- migrator: foreign-keys immediate|deferred`, `-- migrator: merges IDENTIFIER ...`, \
        `-- migrator: no-transaction`, `-- migrator: allow RULE REASON`, `-- migrator: allow-file RULE REASON`, \
        `-- migrator: violations-until IDENTIFIER REASON`, `-- migrator: whole-file`, `-- migrator: not-a-copy`
        """)
  }
}
