import Foundation
import TestEngines
import Testing

/// `Tests/SampleApp`, built as an outside package: an app whose migrations are Swift code, and its tool.
@Suite("The tool of an app")
struct SampleAppTests {
  @Test(
    "Two lines give an app every command, on plain and encrypted databases",
    .disabled(if: Sanitizer.isPresent, "an outside package is not built with the sanitizer"))
  func commands() throws {
    let app = try Self.build()
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

  /// Builds the app.
  ///
  /// - Returns: The folder of the program.
  private static func build() throws -> String {
    let folder = try TemporaryFolder.forThisRun()
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Tools/checks/sample-app").path
    let bin = ToolProcess.executable.deletingLastPathComponent().path
    let variables = ProcessInfo.processInfo.environment
    // One pipe for both: a linker's complaints are longer than a pipe that is read second.
    let outcome = try ToolProcess(folder: folder, variables: variables).shell("'\(script)' '\(bin)' '\(folder)' 2>&1")
    try #require(outcome.exitCode == 0, "\(outcome.output)")
    return folder
  }
}
