import TestEngines
import Testing

/// Functions that only the app has, for which `--function` provides stand-ins in rehearsals.
@Suite("Functions of the app")
struct RehearsalFunctionTests {
  @Test("lint, check and plan run migrations with a stand-in, and migrate does not")
  func standIn() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.write("CREATE TABLE t (x TEXT); INSERT INTO t VALUES ('a');\n", to: "migrations/1_first.sql")
    #expect(try transcript.run("migrator migrate --quiet").exitCode == 0)
    try transcript.write(
      "CREATE INDEX i ON t (x);\nUPDATE t SET x = BIN2B64(x) WHERE x > '';\n", to: "migrations/2_second.sql")
    for command in ["lint", "check", "plan"] {
      let failure = try transcript.run("migrator \(command)")
      #expect(failure.exitCode != 0, "\(command)")
      // `check` leaves the remedies to `lint`.
      let advice = failure.output + failure.errors
      #expect(advice.contains("--function BIN2B64/COUNT") == (command != "check"), "\(command): \(advice)")
      let outcome = try transcript.run("migrator \(command) --function BIN2B64/1")
      #expect(outcome.exitCode == 0, "\(command): \(outcome)")
    }
    #expect(try transcript.run("migrator migrate").exitCode == 4)
    for value in ["BIN2B64", "/1", "a/b", "a/-1", "a/200"] {
      #expect(try transcript.run("migrator lint --function \(value)").exitCode == 2, "\(value)")
    }
  }
}
