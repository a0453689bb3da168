import Foundation
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("Output of the tool")
struct OutputTests {
  @Test("A note that is the same for several files is printed once")
  func equalNotes() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    for number in 1...2 {
      try transcript.write(
        "PRAGMA foreign_keys = OFF;\nCREATE TABLE t\(number) (x);\n", to: "migrations/\(number)_t.sql")
    }
    let outcome = try transcript.run("migrator migrate")
    #expect(outcome.output.components(separatedBy: "PRAGMA foreign_keys = OFF is not run").count == 2, "\(outcome)")
  }

  @Test("Output that cannot be written is an error", arguments: ["status", "status --json", "migrate", "help"])
  func fullDevice(command: String) throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    let outcome = try transcript.run("migrator \(command) >/dev/full")
    #expect(outcome.exitCode == 2)
    #expect(outcome.errors.contains("the output cannot be written to standard output"), "\(outcome.errors)")
    #expect(try transcript.run("migrator \(command) | true").errors == "")
  }

  @Test("A configuration file also decides on the form of an error")
  func configuredErrors() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("{\"json\": true}", to: "migrator.json")
    let failed = try transcript.run("migrator status")
    #expect(failed.exitCode == 2 && failed.output.contains("\"error\" : {"), "\(failed)")
    #expect(failed.output.contains("\"command\" : \"status\""), "\(failed.output)")
    #expect(failed.output == (try transcript.run("migrator status --json").output))
    try transcript.write("{\"no-color\": true}", to: "plain.json")
    let arguments = ["status", "--migrations", "nowhere", "--config", transcript.folder.file("plain.json")]
    let tool = MigratorTool(backends: [ToolBackend(name: "sqlite") { TestEngine.sqlite.backend(path: $0.path) }])
    let terminal = Terminal()
    #expect(tool.run(arguments: arguments, environment: terminal.environment(variables: [:])) == 2)
    #expect(terminal.text.contains("error: ") && !terminal.text.contains("\u{1B}["), "\(terminal.text)")
  }

  @Test("Control characters in names are escaped")
  func names() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("CREATE TABLE \"a\u{1B}[2Jb\" (c);\n", to: "migrations/1_a.sql")
    try transcript.write("CREATE TABLE b (c);\n", to: "migrations/2_\u{1B}]0;title\u{7}.sql")
    let commands = [
      "status", "plan", "check --quiet", "migrate", "status", "rebuild --force", "erase --yes", "migrate --to x\u{1B}c",
    ]
    for command in commands {
      let outcome = try transcript.run("migrator \(command)")
      #expect(!(outcome.output + outcome.errors).contains { $0 == "\u{1B}" || $0 == "\u{7}" }, "\(command)")
    }
    #expect("a\u{1B}[31mb\u{202E}".harmless() == "a\\u{1B}[31mb\\u{202E}")
    #expect("\u{1B}[31mb\u{1B}[0m\u{1B}[5m".harmless(keepsColors: true) == "\u{1B}[31mb\u{1B}[0m\\u{1B}[5m")
    #expect("a\tb\nc".oneLine == "a\\tb\\nc")
  }

  @Test("On a terminal, names cannot add colors; a pipe gets the unchanged result")
  func colors() throws {
    let transcript = try Transcript()
    try transcript.write("CREATE TABLE \"a\u{1B}[31mb\" (c);\n", to: "migrations/2_\u{1B}[31mx.sql")
    let tool = MigratorTool(backends: [ToolBackend(name: "sqlite") { TestEngine.sqlite.backend(path: $0.path) }])
    let database = ["--database", transcript.folder.file("app.sqlite")]
    for command in [["dump"], ["diagram"], ["plan"] + database, ["migrate"] + database, ["status"] + database] {
      let terminal = Terminal()
      let arguments = command + ["--migrations", transcript.folder.file("migrations")]
      #expect(tool.run(arguments: arguments, environment: terminal.environment(variables: [:])) == 0)
      #expect(terminal.text.contains("u{1B}[31m"), "\(terminal.text)")
      #expect(!terminal.text.contains("\u{1B}[31m"), "\(terminal.text)")
    }
    #expect(try transcript.run("migrator dump").output.contains("\u{1B}[31m"))
  }
}
