import Foundation
import SQLMigrations
import TestEngines
import Testing

/// The tool of the plugin `EmbedSQLMigrations`; the plugin itself builds an app of `Tests/SampleApps`.
@Suite("SQL files as a Swift source")
struct EmbeddedSourceTests {
  private func embed(_ fixture: FolderFixture, to output: String) throws -> ToolProcess.Outcome {
    let tool = ToolProcess.programs.path + "/embed-sql-migrations"
    return try ToolProcess(folder: fixture.path).shell("'\(tool)' '\(fixture.path)' Sources/App/Migrations '\(output)'")
  }

  @Test(
    "The program holds each text, digest and directive as the folder does",
    .disabled(if: Sanitizer.isPresent, "the compiler runs without the sanitizer"))
  func texts() throws {
    let texts = [
      "1_plain.sql": "CREATE TABLE a (x);\n",
      "2_strange.sql": "\u{FEFF}SELECT '\\(x) \"quoted\" \\n \u{1B}\t\u{7F}\r\n é 🎵 \u{2028}';\r\n-- ends in \\",
      "3_asking.sql": "-- migrator: merges 1_x \"2 \\ y\"\n-- migrator: foreign-keys immediate\n",
      "4_free.sql": "-- migrator: no-transaction\nVACUUM",
      "4_repaired.sql": "-- migrator: violations-until 5_dbmate the rows follow\nSELECT 1",
      "5_dbmate.sql": "-- migrate:up\nSELECT 1;\n-- migrate:down\nSELECT 2;\n",
    ]
    let fixture = try FolderFixture(texts)
    let folder = try TemporaryFolder()
    let outcome = try embed(fixture, to: folder.file("Migrations.swift"))
    try #require(outcome.exitCode == 0, "\(outcome.errors)")
    let source = try String(contentsOfFile: folder.file("Migrations.swift"), encoding: .utf8)
    let program = source.replacing("import SQLMigrations\n", with: Self.stubs)
    try Data(program.utf8).write(to: URL(filePath: folder.file("main.swift")))
    let printed = try ToolProcess(folder: folder.path, variables: ProcessInfo.processInfo.environment)
      .shell("swiftc -swift-version 6 main.swift 2>&1 && ./main")
    let expected = try fixture.read().migrations.map { migration in
      let (name, directives) = (migration.path.split(separator: "/").last ?? "", migration.directives)
      return
        "\(migration.identifier) Sources/App/Migrations/\(name) \(migration.checksum) "
        + "\(directives.violationsUntil ?? "") \(directives.foreignKeyChecks) "
        + "\(directives.merges) \(directives.runsInTransaction) \(Array(migration.sql.utf8))\n"
    }
    #expect(printed.output == expected.joined())
  }

  /// Types of the names that the source uses, and a program that prints its migrations.
  private static let stubs = """
    enum Checks { case deferred, immediate }
    struct SQLMigration: Sendable {
      struct Directives {
        var foreignKeyChecks: Checks, merges: [String], runsInTransaction: Bool, violationsUntil: String?
      }
      let text: String
      init(
        identifier: String, path: String, checksum: String, directives: Directives, sql: String
      ) {
        text = "\\(identifier) \\(path) \\(checksum) \\(directives.violationsUntil ?? "") \\(directives.foreignKeyChecks) "
          + "\\(directives.merges) \\(directives.runsInTransaction) \\(Array(sql.utf8))"
      }
    }
    for migration in Migrations.all { print(migration.text) }

    """

  @Test("Every problem of every file is an error of the build, with its place, and no source is written")
  func problems() throws {
    let fixture = try FolderFixture([
      "1_a.sql": "SELECT 1;\n  VACUUM;", "2_b.sql": "-- migrator: foo", "2_c.sql.bak": "SELECT 1",
      "3_d.sql": "SELECT 1", "4_e.sql": "SELECT 1;\nCREATE TABEL x (a);", "5_f.sql": "selct 1",
      "6_g.sql": "CREATE TABLE g (a, b TEXT DEFAULT ('x');", "7_h.sql": "INSERT INTO g VALUES (1));",
      "8_i.sql": "ALTER TABEL g",
    ])
    let folder = try TemporaryFolder()
    let outcome = try embed(fixture, to: folder.file("Migrations.swift"))
    #expect(outcome.exitCode == 1)
    #expect(try folder.names() == [])
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.contains("\(fixture.path)/1_a.sql:2:3: error: VACUUM inside a transaction"))
    #expect(lines.contains { $0.hasPrefix("\(fixture.path)/1_a.sql:2:3: note: ") })
    #expect(lines.contains { $0.hasPrefix("\(fixture.path)/2_b.sql:1:1: error: ") })
    #expect(lines.contains { $0.hasPrefix("warning: \(fixture.path)/2_c.sql.bak: ") })
    #expect(lines.contains("\(fixture.path)/4_e.sql:2:1: error: `CREATE TABEL` begins no statement of SQLite"))
    #expect(lines.contains("\(fixture.path)/5_f.sql:1:1: error: `selct` begins no statement of SQLite"))
    #expect(lines.contains("\(fixture.path)/6_g.sql:1:16: error: a parenthesis is never closed"))
    #expect(lines.contains("\(fixture.path)/7_h.sql:1:25: error: a parenthesis is closed that was not opened"))
    #expect(lines.filter { $0.contains("error: ") }.count == 7)
  }

  @Test("A source that would not change is not written again, so that nothing is compiled for it")
  func unchanged() throws {
    let fixture = try FolderFixture(["1_a.sql": "-- migrate:up\nSELECT 1;\n-- migrate:down\n"])
    let folder = try TemporaryFolder()
    let path = folder.file("Migrations.swift")
    func inode() throws -> Int {
      let outcome = try embed(fixture, to: path)
      try #require(outcome.exitCode == 0, "\(outcome.errors)")
      return try #require(FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
    }
    let first = try inode()
    try fixture.write(Data("-- migrate:up\nSELECT 1;\n-- migrate:down\nSELECT 2;\n".utf8), to: "1_a.sql")
    #expect(try inode() == first)
    try fixture.write(Data("-- migrate:up\nSELECT 3;\n".utf8), to: "1_a.sql")
    #expect(try inode() != first)
  }
}
