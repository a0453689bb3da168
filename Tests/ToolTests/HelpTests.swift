import Foundation
import MigratorCommand
import TestEngines
import Testing

@Suite("The tool's help")
struct HelpTests {
  @Test("Help lists the commands, and describes each of them")
  func help() throws {
    let transcript = try Transcript(isAbbreviated: true)
    try transcript.run("migrator")
    try transcript.run("migrator help")
    for command in try names() { try transcript.run("migrator help \(command)") }
    try transcript.run("migrator migrate --help | head -1")
    try transcript.run("migrator -h | head -3")
    try transcript.run("migrator --version")
    try transcript.run("migrator --version --json")
    try transcript.run("migrator help new --json")
    try transcript.run("migrator completions fish --json | cut -c 1-80 | tail -4")
    try transcript.expect(golden: "help")
  }

  @Test("With --json, version, help and manual page are one object each")
  func json() throws {
    let transcript = try Transcript()
    let version = try object(of: transcript.run("migrator --version --json"))
    #expect(version["command"] as? String == "version")
    #expect(version["version"] as? String == MigratorTool.packageVersion)
    for line in ["", " help", " help migrate", " migrate --help", " --help", " help --man"] {
      let text = try transcript.run("migrator\(line)").output
      let help = try object(of: transcript.run("migrator\(line) --json"))
      #expect(help["command"] as? String == "help", "\(line)")
      #expect((help["text"] as? String).map { $0 + "\n" } == text, "\(line)")
      #expect(help["topic"] as? String == (line.contains("migrate") ? "migrate" : nil), "\(line)")
    }
    let commands = try object(of: transcript.run("migrator help --json"))["commands"] as? [[String: String]]
    #expect(try commands?.map(\.["name"]) == names())
    #expect(commands?.allSatisfy { !($0["summary"] ?? "").isEmpty } ?? false)
  }

  @Test("All commands print the version of the package, which has the first entry in the changelog")
  func version() throws {
    let transcript = try Transcript()
    #expect(try transcript.run("migrator --version").output == "migrator \(MigratorTool.packageVersion)\n")
    #expect(try transcript.run("migrator help --man").output.contains("\"migrator \(MigratorTool.packageVersion)\""))
    let changelog = try String(contentsOfFile: "\(BuiltEngines.packageRoot)/.github/CHANGELOG.md", encoding: .utf8)
    let entry = try #require(changelog.firstMatch(of: /(?m)^## ([0-9.]+)$/))
    #expect(entry.output.1 == MigratorTool.packageVersion)
  }

  @Test("The article about the tool describes every command and every exit code, and no others")
  func article() throws {
    let article = try String(
      contentsOfFile: "\(BuiltEngines.packageRoot)/Modules/MigratorCommand/MigratorCommand.docc/UsingTheTool.md",
      encoding: .utf8)
    let commands = article.matches(of: /(?m)^\| `([a-z-]+)[^`]*` \|/).map { String($0.output.1) }
    #expect(try commands.sorted() == names().sorted())
    let codes = article.matches(of: /(?m)^\| (\d+) \|/).map { String($0.output.1) }
    let help = try Transcript().run("migrator help").output
    let listed = try #require(help.split(separator: "Exit codes\n").last).matches(of: /(?m)^\x20+(\d+)\x20/)
    #expect(codes == listed.map { String($0.output.1) })
  }

  /// Returns the single JSON object in the output.
  private func object(of outcome: ToolProcess.Outcome) throws -> [String: Any] {
    #expect(outcome.exitCode == 0)
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any] ?? [:]
    #expect(object["format"] as? Int == 1)
    return object
  }

  /// Returns the commands that the help lists.
  private func names() throws -> [String] {
    let lines = try Transcript().run("migrator help").output.split(separator: "\n")
    let commands = lines.drop { $0 != "Commands" }.dropFirst().prefix { $0.hasPrefix("  ") }
    return commands.filter { !$0.hasPrefix("   ") }.compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  @Test("Wrong usage ends with 2, and the message suggests a correction")
  func wrongUsage() throws {
    let transcript = try Transcript.withSamples()
    let lines = [
      "migrator stauts", "migrator plam", "migrator help stauts", "migrator status --databse app.sqlite",
      "migrator status --seed x.sql", "migrator status --database", "migrator status --database --check",
      "migrator status --database a --database b", "migrator status --check=yes --database a", "migrator status extra",
      "migrator help status extra",
      "migrator status", "migrator migrate --key secret", "migrator status --backend postgres --database a",
      "migrator status --backend sqlite --database sqlcipher:a", "migrator status --database sqlite:",
      "migrator status --database :memory:", "migrator migrate --database a --key-file k --key-env K",
      "migrator migrate --database a --backend sqlite --raw-key",
      "migrator migrate --database a --cipher-page-size 1000 --key-env K",
      "migrator migrate --database a --cipher-compatibility 5", "migrator migrate --database a --kdf-iterations many",
      "migrator migrate --database a --key-fd x", "migrator --check", "migrator status --nosuch", "migrator new down",
      "migrator new", "migrator new '!?'", "migrator stauts --json",
      "migrator up", "migrator init", "migrator rollback", "migrator list", "migrator migrate app.sqlite",
    ]
    for line in lines { #expect(try transcript.run(line).exitCode == 2, "\(line)") }
    #expect(try transcript.folder.names() == ["migrations"])
    try transcript.expect(golden: "usage")
  }
}
