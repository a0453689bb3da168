import Foundation
import TestEngines
import Testing

@Suite("Statements that do not end")
struct EndlessStatementTests {
  private static let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

  /// A statement that adds rows, and one that may lose rows, which the commands inspect again with sample rows.
  private static let statements = [
    "INSERT INTO first \(endless)", "DELETE FROM first WHERE a > (\(endless))",
  ]

  @Test(
    "check, lint and plan end by themselves, explain which statement does not, and change nothing",
    arguments: TestTier.pairs(TestEngine.allCases, ["check", "lint", "plan"]))
  func commands(engine: TestEngine, command: String) throws {
    let trial = try ToolTrial(engine, ["1_first.sql": "CREATE TABLE first (a);\nINSERT INTO first VALUES (1);\n"])
    #expect(trial.run("migrate").exitCode == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: trial.database))
    for sql in engine == .sqlite ? Self.statements : Array(Self.statements.prefix(1)) {
      try trial.write("CREATE TABLE second (a);\n\(sql);\n", to: "2_endless.sql")
      let outcome = trial.run(command, longestStatement: .milliseconds(100))
      #expect(outcome.exitCode == (command == "plan" ? 4 : 1), "\(outcome.text)")
      #expect(
        outcome.text.contains("the statement did not end within 100 milliseconds on a scratch database"),
        "\(outcome.text)")
      #expect(outcome.text.contains("2_endless"), "\(outcome.text)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: trial.database)) == before)
      #expect(trial.run("status").output.contains("1 applied, 1 pending"))
    }
  }
}
