import TestEngines
import Testing

/// The losses that `plan`, `migrate`, `lint` and `check` report about one folder.
@Suite("Losses in the tool")
struct ToolLossTests {
  private static let first = "CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, y TEXT);\n"
  private static let rebuild = """
    CREATE TABLE b (id INTEGER PRIMARY KEY, x TEXT, y TEXT);
    INSERT INTO b (id, x) SELECT id, x FROM a;
    DROP TABLE a;
    ALTER TABLE b RENAME TO a;

    """
  private static let reason = "the statement loses the values of column \"y\" of table \"a\""

  private static func transcript(_ rows: String, allowing: Bool = false) throws -> (Transcript, ToolProcess) {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    let tool = ToolProcess(folder: transcript.folder.path, variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.write(first + rows, to: "migrations/1_create.sql")
    #expect(try tool.run(["migrate"]).exitCode == 0)
    let comment = "-- migrator: allow lost-rows unused since 2.0\n"
    let script = allowing ? rebuild.replacing("DROP TABLE a", with: comment + "DROP TABLE a") : rebuild
    try transcript.write(script, to: "migrations/2_rebuild.sql")
    return (transcript, tool)
  }

  @Test("plan marks a loss, migrate warns of it, lint and check find it at the same place")
  func everywhere() throws {
    let (transcript, tool) = try Self.transcript("INSERT INTO a VALUES (1, 'x', 'y');\n")
    for command in [["plan"], ["lint"], ["check"]] {
      let outcome = try tool.run(command)
      #expect(outcome.output.contains("2_rebuild.sql:3:1"), "\(command): \(outcome.output)")
      #expect(outcome.output.contains(Self.reason), "\(command): \(outcome.output)")
    }
    // The folder exists as long as the transcript.
    defer { withExtendedLifetime(transcript) {} }
    let json = try tool.run(["plan", "--json"]).output
    #expect(json.contains("\"rule\" : \"lost-rows\""), "\(json)")
    let refused = try tool.run(["migrate", "--confirm-loss"])
    #expect(refused.exitCode == 5, "\(refused.errors)")
    let outcome = try tool.run(["migrate", "--json"])
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.contains(Self.reason), "\(outcome.errors)")
    #expect(outcome.output.contains("\"rule\" : \"lost-rows\""), "\(outcome.output)")
  }

  @Test("migrate does not warn of losses in empty tables, nor of allowed ones", arguments: [true, false])
  func silent(allowing: Bool) throws {
    let (transcript, tool) = try Self.transcript(
      allowing ? "INSERT INTO a VALUES (1, 'x', 'y');\n" : "", allowing: allowing)
    defer { withExtendedLifetime(transcript) {} }
    let outcome = try tool.run(["migrate", "--confirm-loss"])
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
  }
}
