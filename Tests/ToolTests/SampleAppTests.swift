import Foundation
import TestEngines
import Testing

/// Apps that are built as outside packages: `Tests/SampleApp`, with migrations in Swift and a tool, and the README's
/// app.
@Suite("Apps in separate packages")
struct SampleAppTests {
  @Test(
    "Two lines give an app every command, on plain and encrypted databases",
    .disabled(if: Sanitizer.isPresent, "an outside package is not built with the sanitizer"))
  func commands() throws {
    let app = try Self.build("sample-app")
    let transcript = try Transcript(variables: ["PATH": "\(app):/usr/bin:/bin", "K": "correct horse"])
    for database in ["--database app.sqlite", "--database app.db --key-env K"] {
      let path = database.hasSuffix("K") ? "sqlcipher:app.db --key-env K" : "app.sqlite"
      for command in [
        "status --check --quiet", "plan --no-rehearsal", "migrate", "status", "verify --quiet", "rebuild",
        "rebuild --force --yes",
        "erase --yes", "migrate --dry-run --quiet",
      ] {
        try transcript.run("app-database \(command) --database \(path)")
      }
    }
    for command in [
      "new prices", "status --migrations x --database a", "help | head -8", "completions fish | head -2",
    ] {
      try transcript.run("app-database \(command)")
    }
    try transcript.expect(golden: "sample-app")
  }

  @Test(
    "The README's unchanged package and program create a plain and an encrypted database",
    .disabled(if: Sanitizer.isPresent, "an outside package is not built with the sanitizer"))
  func readme() throws {
    let app = try Self.build("readme-app")
    let folder = try TemporaryFolder()
    let bin = ToolProcess.executable.deletingLastPathComponent().path
    let tool = ToolProcess(folder: folder.path, variables: ["PATH": "\(app):\(bin):/usr/bin:/bin", "K": "sesame"])
    for _ in 1...2 { try #require(tool.shell("App").exitCode == 0) }
    let plain = try folder.bytes(of: "library.sqlite")
    let encrypted = try folder.bytes(of: "diary.db")
    #expect(plain.starts(with: Array("SQLite format 3\0".utf8)))
    #expect(plain.firstRange(of: Data("CREATE TABLE".utf8)) != nil)
    #expect(encrypted.firstRange(of: Data("CREATE TABLE".utf8)) == nil)
    let dump = try tool.shell("migrator dump --database library.sqlite").output
    #expect(dump.contains(#""name" TEXT NOT NULL COLLATE "NOCASE""#))
    #expect(try tool.shell("migrator dump --database diary.db --key-env K").output == dump)
  }

  /// Builds an app with a script of `Tools/checks`.
  ///
  /// - Returns: The folder of the program.
  private static func build(_ name: String) throws -> String {
    let folder = try TemporaryFolder.forThisRun()
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Tools/checks/\(name)").path
    let bin = ToolProcess.executable.deletingLastPathComponent().path
    let variables = ProcessInfo.processInfo.environment
    // One pipe for both: a linker's errors may exceed the capacity of a pipe that is read second.
    let outcome = try ToolProcess(folder: folder, variables: variables).shell("'\(script)' '\(bin)' '\(folder)' 2>&1")
    try #require(outcome.exitCode == 0, "\(outcome.output)")
    return folder
  }
}
