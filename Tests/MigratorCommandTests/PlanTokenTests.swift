import Foundation
import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("Tokens: what was looked at is what is done")
struct PlanTokenTests {
  private static let files = ["0001_a.sql": "CREATE TABLE a (x);\nINSERT INTO a VALUES (1);\n"]

  private func trial(_ engine: TestEngine = .sqlite, migrated: Bool = true) throws -> ToolTrial {
    let trial = try ToolTrial(engine, Self.files)
    if migrated { #expect(trial.run("migrate").exitCode == 0) }
    try trial.write("CREATE TABLE b (y);\n", to: "0002_b.sql")
    return trial
  }

  private func token(_ trial: ToolTrial, _ arguments: String = "plan") throws -> String {
    let outcome = trial.run(arguments + " --json")
    return try #require(try outcome.json()["token"] as? String, "\(outcome)")
  }

  /// Writes a configuration with the environments `staging` and `production`, of which the latter requires a token.
  private func configuration(_ trial: ToolTrial) throws -> String {
    let path = trial.migrations + "/../migrator.json"
    let production = #"{"database": "\#(trial.database)", "confirm": "plan"}"#
    let text =
      #"{"migrations": "migrations", "environments": {"staging": {"database": "\#(trial.database)2"}, "#
      + #""production": \#(production)}}"#
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("the plan of a database, new or not, is applied once", arguments: TestEngine.allCases, [true, false])
  func once(engine: TestEngine, migrated: Bool) throws {
    let trial = try trial(engine, migrated: migrated)
    let plan = trial.run("plan")
    let token = try token(trial)
    #expect(plan.text.contains("To apply exactly this: `migrator migrate"), "\(plan)")
    #expect(plan.text.contains("--plan \(token)"))
    #expect(trial.run("migrate --dry-run").text.contains("--plan \(token)"))
    if migrated { try trial.use { try $0.write { try $0.execute(sql: "INSERT INTO a VALUES (2)") } } }
    #expect(trial.run("migrate --plan \(token)").exitCode == 0)
    let again = trial.run("migrate --plan \(token)")
    #expect(again.exitCode == 5, "\(again)")
    #expect(again.text.contains("migrations were applied, or the schema was changed"), "\(again)")
    #expect(again.output.isEmpty, "\(again)")
    #expect(try trial.run("plan --json").json()["token"] == nil)
  }

  @Test(
    "a token is worth nothing for another state, and nothing is changed",
    arguments: ["edit", "comment", "new file", "schema", "target", "restored", "moved", "typed"])
  func otherState(change: String) throws {
    let trial = try trial()
    var token = try token(trial)
    var arguments = ""
    let file = URL(fileURLWithPath: trial.database)
    switch change {
    case "edit": try trial.write("CREATE TABLE b (y, z);\n", to: "0002_b.sql")
    case "comment": try trial.write("-- migrator: foreign-keys immediate\nCREATE TABLE b (y);\n", to: "0002_b.sql")
    case "new file": try trial.write("CREATE TABLE c (y);\n", to: "0003_c.sql")
    case "schema": try trial.use { try $0.write { try $0.execute(sql: "CREATE INDEX i ON a (x)") } }
    case "target": arguments = " --to 0002_b"
    case "restored":
      let bytes = try Data(contentsOf: file)
      try FileManager.default.moveItem(atPath: trial.database, toPath: trial.database + ".old")
      try bytes.write(to: file)
    case "moved":
      try FileManager.default.moveItem(atPath: trial.database, toPath: trial.database + ".old")
      try FileManager.default.createSymbolicLink(atPath: trial.database, withDestinationPath: trial.database + ".old")
    default: token = String(token.reversed())
    }
    let before = try trial.rows()
    let outcome = trial.run("migrate\(arguments) --yes --plan \(token)")
    #expect(outcome.exitCode == 5 && outcome.text.contains("error: the token does not match"), "\(outcome)")
    #expect(outcome.text.contains("next: Nothing was changed. Run `migrator plan\(arguments) --"), "\(outcome)")
    #expect(try trial.rows() == before)
    #expect(trial.run("status").text.contains("pending 0002_b"))
  }

  @Test(
    "an environment that requires the token is not migrated without it, not even with --yes",
    arguments: TestEngine.allCases)
  func required(engine: TestEngine) throws {
    let trial = try trial(engine)
    let file = try configuration(trial)
    func run(_ arguments: String) -> ToolTrial.Outcome {
      trial.run("\(arguments) --config \(file)", usesDatabase: false)
    }
    for command in ["migrate", "migrate --yes", "rebuild --yes", "watch --yes"] {
      let outcome = run("\(command) --env production")
      #expect(outcome.exitCode == 5, "\(outcome)")
      #expect(outcome.text.contains("is set for the environment production"), "\(outcome)")
      let next = command == "watch --yes" ? "Watch a database of another environment" : "Run `migrator plan "
      #expect(outcome.text.contains("next: \(next)"), "\(outcome)")
    }
    let bypass = trial.run("migrate --yes --config \(file)")
    #expect(bypass.exitCode == 5 && bypass.text.contains("next: Add --env production."), "\(bypass)")
    let plan = run("plan --env production --json")
    let token = try #require(try plan.json()["token"] as? String, "\(plan)")
    for arguments in ["--env staging", ""] {
      let other = run("migrate \(arguments) --plan \(token) --database \(trial.database)")
      #expect(other.exitCode == 5, "\(other)")
    }
    #expect(run("migrate --env production --plan \(token)").exitCode == 0)
    // Nothing is pending, so there is nothing to look at.
    #expect(run("migrate --env production").exitCode == 0)
    #expect(run("migrate --env staging").exitCode == 0)
  }

  @Test("the list of what erase and rebuild would remove ends with a token", arguments: ["erase", "rebuild --force"])
  func losses(command: String) throws {
    let trial = try ToolTrial(.sqlite, Self.files)
    #expect(trial.run("rebuild").exitCode == 0)
    let preview = trial.run(command + " --json")
    #expect(preview.exitCode == 5)
    let error = try #require(try preview.json()["error"] as? [String: Any])
    let token = try #require(error["token"] as? String, "\(preview)")
    #expect(preview.errors.contains("--plan \(token)"))
    #expect((error["next"] as? String).map { !$0.contains(token) } ?? true, "an agent would erase by following it")
    // The rows do not count, but everything else does.
    try trial.use { try $0.write { try $0.execute(sql: "INSERT INTO a VALUES (2)") } }
    #expect(trial.run("migrate --plan \(token)").exitCode == 5)
    try trial.use { try $0.write { try $0.execute(sql: "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)") } }
    let before = try trial.rows()
    let refused = trial.run("\(command) --yes --plan \(token)")
    #expect(refused.exitCode == 5 && refused.text.contains("the schema was changed"), "\(refused)")
    #expect(try trial.rows() == before)
    try trial.use { try $0.write { try $0.execute(sql: "DROP TABLE mine") } }
    #expect(trial.run("\(command) --plan \(token)").exitCode == 0)
    #expect(try trial.rows() == (command == "erase" ? [:] : ["a": ["[x:1]"]]))
    #expect(trial.run("\(command) --plan \(token)").exitCode == 5)
  }

  @Test("an environment that requires the token is not erased by --yes")
  func requiredErasure() throws {
    let trial = try trial()
    let file = try configuration(trial)
    let erase = "erase --force-foreign --env production --config \(file)"
    let refused = trial.run(erase + " --yes --json", usesDatabase: false)
    #expect(refused.exitCode == 5, "\(refused)")
    let token = try #require((try refused.json()["error"] as? [String: Any])?["token"] as? String)
    #expect(try trial.rows() == ["a": ["[x:1]"]])
    #expect(trial.run("\(erase) --plan \(token)", usesDatabase: false).exitCode == 0)
    #expect(try trial.rows() == [:])
  }

  @Test(
    "however an environment names its databases, and whichever option names one of them, they are not changed without --env",
    arguments: [#""database": "app.sqlite""#, #""databases": ["*pp.sqlite"]"#, #""databases-from": "list""#])
  func guarded(setting: String) throws {
    let trial = try trial()
    let folder = trial.migrations + "/.."
    func write(_ text: String, to name: String) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    let environments = #"{"production": {\#(setting), "confirm": "plan"}, "staging": {"verbose": true}}"#
    try write(#"{"database": "dev.sqlite", "environments": \#(environments)}"#, to: "migrator.json")
    try write("\(trial.database)\n", to: "list")
    try write("\(folder)/dev.sqlite\nsqlite:\(trial.database)\n", to: "both")
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: trial.database)
    func run(_ arguments: String) -> ToolTrial.Outcome {
      trial.run("\(arguments) --config \(folder)/migrator.json", usesDatabase: false)
    }
    #expect(run("migrate --to 0001_a").exitCode == 0, "the general database is not that of production")
    let before = try trial.rows()
    for command in [
      "migrate --databases \(folder)/*.sqlite", "migrate --databases-from \(folder)/both --env staging",
      "migrate --databases \(folder)/lin?", "migrate --yes --database \(folder)/link",
      "rebuild --force --yes --database \(trial.database)", "erase --force-foreign --yes --database \(trial.database)",
    ] {
      let outcome = run(command)
      #expect(outcome.exitCode == 5 && outcome.text.contains("next: Add --env production."), "\(command): \(outcome)")
    }
    #expect(try trial.rows() == before)
    #expect(run("status").text.contains("pending 0002_b"), "a fleet with a guarded database is not begun")
    #expect(run("status --databases \(folder)/*.sqlite").exitCode == 0)
    #expect(run("migrate --databases \(folder)/dev*").exitCode == 0)
    #expect(run("migrate --env production").text.contains("needs the token of a plan"))
    let plan = run("plan --env production")
    let token = try #require(plan.text.firstMatch(of: /--plan ([0-9a-f-]+)/)?.output.1, "\(plan)")
    let done = run("migrate --env production --plan \(token)")
    #expect(done.exitCode == 0, "\(done)")
    #expect(try trial.rows().keys.sorted() == ["a", "b"])
  }

  @Test("a fleet has one token, for all its databases in any order")
  func fleet() throws {
    let trial = try trial()
    let folder = trial.migrations + "/../tenants"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let list = folder + "/list"
    let addresses = ["a", "b", "c"].map { "\(folder)/\($0).db" }
    func write(_ addresses: [String]) throws {
      try Data(addresses.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: list))
    }
    try write(addresses)
    func run(_ arguments: String) -> ToolTrial.Outcome {
      trial.run("\(arguments) --databases-from \(list)", usesDatabase: false)
    }
    #expect(run("migrate --to 0001_a").exitCode == 0)
    let plan = run("plan")
    let token = try #require(plan.output.firstMatch(of: /--plan ([0-9a-f-]+)/)?.output.1, "\(plan)")
    try write(Array(addresses.dropLast()))
    #expect(run("migrate --plan \(token)").exitCode == 5)
    try write(addresses.reversed())
    try trial.write("CREATE TABLE b (y, z);\n", to: "0002_b.sql")
    let edited = run("migrate --plan \(token)")
    #expect(edited.exitCode == 5 && edited.text.contains("a migration was added, removed or edited"), "\(edited)")
    try trial.write("CREATE TABLE b (y);\n", to: "0002_b.sql")
    #expect(run("migrate --confirm plan").exitCode == 5)
    let done = run("migrate --confirm plan --plan \(token)")
    #expect(done.exitCode == 0 && done.text.contains("3 migrated"), "\(done)")
    #expect(run("migrate --plan \(token)").exitCode == 5)
    #expect(run("migrate --confirm plan").exitCode == 0)
    #expect(!run("plan").output.contains("--plan"))
  }
}
