import Foundation
import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

/// The tool of an app whose migrator refuses what the tool for SQL files allows.
@Suite("Policies of an app")
struct AppPolicyTests {
  private let folder: FolderFixture

  init() throws { folder = try FolderFixture([:]) }

  private func run(_ command: String, _ engine: TestEngine, _ identifiers: String...) -> ToolTrial.Outcome {
    var migrator = DatabaseMigrator()
    migrator.unknownMigrations = .refuse
    migrator.outOfOrder = .refuse
    for identifier in identifiers {
      migrator.registerMigration(identifier) { db in try db.execute(sql: "CREATE TABLE \(identifier) (x)") }
    }
    let backend = ToolBackend(name: "test", recognizes: { _ in true }) { location throws(DatabaseError) in
      engine.backend(path: location.path, key: .raw)
    }
    let arguments = command.split(separator: " ").map(String.init) + ["--database", folder.path + "/app.db"]
    return MigratorTool(name: "app", migrator: migrator, backends: [backend]).outcome(of: arguments)
  }

  @Test(
    "Unknown migrations are a refusal, with the same message before and instead of a run",
    arguments: TestEngine.allCases)
  func superseded(engine: TestEngine) {
    #expect(run("migrate", engine, "a", "b").exitCode == 0)
    for command in ["migrate", "migrate --dry-run", "plan"] {
      let outcome = run(command, engine, "a", "c")
      #expect(outcome.exitCode == 5, "\(command): \(outcome)")
      #expect(outcome.text.contains("has migrations that this program does not contain: b"), "\(outcome)")
      #expect(outcome.text.contains("Nothing was changed. Use the newer version of the program"), "\(outcome)")
    }
    #expect(run("status", engine, "a", "b").text.contains("2 applied"))
  }

  @Test("An option allows a migration out of order although the app refuses it", arguments: TestEngine.allCases)
  func outOfOrder(engine: TestEngine) {
    #expect(run("migrate", engine, "b").exitCode == 0)
    for command in ["migrate", "plan"] { #expect(run(command, engine, "a", "b").exitCode == 5, "\(command)") }
    #expect(run("plan --allow-out-of-order", engine, "a", "b").exitCode == 0)
    let outcome = run("migrate --allow-out-of-order", engine, "a", "b")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(run("migrate", engine, "a", "b").text.contains("Nothing to do"))
  }
}
