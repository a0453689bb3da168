import Foundation
import MigratorCommand
import TestEngines
import Testing

@Suite("Findings as SARIF and as annotations of GitHub workflows")
struct AnnotationTests {
  private func transcript(variables: [String: String] = [:]) throws -> Transcript {
    let transcript = try Transcript.withSamples(variables: variables)
    try transcript.write(
      "-- Ünïcode\nDELETE FROM book; -- migrator: allow destructive a cache\n  DROP TABLE author;\n",
      to: "migrations/0003_100%, a:b.sql")
    return transcript
  }

  @Test("SARIF has the version, the rules, and a result with a place for each finding", arguments: ["lint", "check"])
  func sarif(command: String) throws {
    let transcript = try transcript()
    let outcome = try transcript.run("migrator \(command) --format sarif")
    #expect(outcome.exitCode == 1 && outcome.errors.isEmpty, "\(outcome.errors)")
    let report = try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(report["version"] as? String == "2.1.0")
    #expect(report["$schema"] as? String == "https://json.schemastore.org/sarif-2.1.0.json")
    let runs = try #require(report["runs"] as? [[String: Any]])
    let run = try #require(runs.first)
    #expect(runs.count == 1 && run["columnKind"] as? String == "unicodeCodePoints")
    let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
    #expect(driver["name"] as? String == "migrator" && driver["version"] as? String == MigratorTool.packageVersion)
    let rules = try #require(driver["rules"] as? [[String: Any]])
    let names = rules.compactMap { $0["id"] as? String }
    #expect(names.count == rules.count && Set(names).count == names.count && names.contains("destructive"))
    #expect(rules.allSatisfy { ($0["shortDescription"] as? [String: Any])?["text"] is String })
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.contains { $0["suppressions"] == nil })
    for result in results {
      #expect(names.contains(result["ruleId"] as? String ?? ""), "\(result)")
      #expect(result["level"] as? String == "error")
      let text = try #require((result["message"] as? [String: Any])?["text"] as? String)
      #expect(!text.isEmpty)
      let locations = try #require(result["locations"] as? [[String: Any]])
      let location = try #require(locations.first?["physicalLocation"] as? [String: Any])
      let uri = try #require((location["artifactLocation"] as? [String: Any])?["uri"] as? String)
      #expect(URL(string: uri)?.path.hasPrefix("migrations/") ?? false, "\(uri)")
      if let region = location["region"] as? [String: Any] {
        #expect((region["startLine"] as? Int ?? 0) > 0 && (region["startColumn"] as? Int ?? 0) > 0)
      }
    }
    let allowed = results.filter { $0["suppressions"] != nil }
    let reasons = allowed.flatMap { $0["suppressions"] as? [[String: String]] ?? [] }
    #expect(reasons == [["kind": "inSource", "justification": "a cache"]])
    let dropped = try #require(
      results.first { ($0["ruleId"] as? String) == "destructive" && $0["suppressions"] == nil })
    let location = (dropped["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
    #expect(
      (location?["artifactLocation"] as? [String: Any])?["uri"] as? String == "migrations/0003_100%25,%20a:b.sql")
    #expect((location?["region"] as? [String: Int]) == ["startLine": 3, "startColumn": 3])
  }

  @Test("Annotations escape the characters with a meaning, and name paths relative to the repository")
  func github() throws {
    let transcript = try transcript()
    for command in ["lint", "check"] {
      let outcome = try transcript.run("migrator \(command) --format github")
      #expect(outcome.exitCode == 1 && outcome.errors.isEmpty)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.dropLast().allSatisfy { $0.hasPrefix("::error ") }, "\(lines)")
      #expect(!(lines.last ?? "::").contains("::"))
      #expect(
        lines.contains {
          $0.hasPrefix("::error file=migrations/0003_100%25%2C a%3Ab.sql,line=3,col=3,title=destructive::")
        }, "\(lines)")
    }
    try transcript.run("mkdir -p sub/deep && mv migrations sub/migrations")
    let nested = try transcript.run(
      "root=$PWD; cd sub/deep && GITHUB_WORKSPACE=$root migrator lint --migrations ../migrations --format github")
    #expect(nested.output.contains("::error file=sub/migrations/0003_100%25"), "\(nested.output)")
    try transcript.write("CREATE TABEL x (a);\nSELECT 'open", to: "sub/migrations/0004_x.sql")
    let broken = try transcript.run("cd sub && migrator check --format github")
    #expect(broken.exitCode == 1 && broken.output.hasPrefix("::error file=migrations/0004_x.sql,line=2,col=8,title="))
    let both = try transcript.run("cd sub && migrator lint --format sarif --json")
    #expect(both.exitCode == 2 && both.errors.contains("--json and --format sarif contradict each other"))
    #expect(try transcript.run("migrator --format svg lint").exitCode == 2)
    #expect(try transcript.run("cd sub && migrator --format github lint").output.contains("::error "))
  }

  @Test("A difference of schemas is one annotation of several lines, at the last file")
  func difference() throws {
    let transcript = try Transcript.withSamples()
    try transcript.run("migrator dump --from migrations --output schema.sql")
    try transcript.write("CREATE TABLE late (a);\n", to: "migrations/0003_late.sql")
    let outcome = try transcript.run("migrator check --schema schema.sql --format github")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 2, "\(lines)")
    #expect(
      lines.first?.hasPrefix("::error file=migrations/0003_late.sql,title=check-schema-file::schema.sql is out")
        ?? false)
    #expect(lines.first?.contains("%0A+ table late") ?? false, "\(lines)")
    #expect(try transcript.run("migrator lint --format github").output.hasPrefix("No findings in 3 migrations"))
  }

  @Test("The sample workflow of the article passes on a clean folder, and fails on a bad one")
  func workflow() throws {
    let article = try String(
      contentsOfFile: "\(BuiltEngines.packageRoot)/Modules/MigratorCommand/MigratorCommand.docc/UsingTheTool.md",
      encoding: .utf8)
    let sample = try #require(article.firstMatch(of: /(?s)```yaml\n(.*?)```/)).output.1
    // The steps besides the installation, which Tools/checks/package tries.
    let steps = sample.matches(of: /(?m)^ +run: (migrator .*)$/).map { String($0.output.1) }
    #expect(steps.count == 2, "\(steps)")
    let transcript = try Transcript.withSamples(variables: ["GITHUB_WORKSPACE": "."])
    #expect(try transcript.run("migrator dump --from migrations --output schema.sql").exitCode == 0)
    for step in steps { #expect(try transcript.run(step).exitCode == 0, "\(step)") }
    #expect(try transcript.folder.names().contains("migrator.sarif"))
    try transcript.write("DROP TABLE author;\n", to: "migrations/0003_drop.sql")
    let outcomes = try steps.map { try transcript.run($0) }
    #expect(outcomes.map(\.exitCode) == [1, 1])
    #expect(outcomes.contains { $0.output.contains("::error file=migrations/0003_drop.sql,line=1,col=1") })
  }
}
