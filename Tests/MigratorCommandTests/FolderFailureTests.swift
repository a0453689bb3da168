import SQLMigrations
import Testing

@testable import MigratorCommand

@Suite("Failures of migration folders")
struct FolderFailureTests {
  @Test(
    "A folder without migrations comes with the command that creates one",
    arguments: [MigrationProblem.Kind.missingFolder, .noMigrations])
  func command(kind: MigrationProblem.Kind) throws {
    let problem = MigrationProblem(kind, path: "/app/my scripts")
    let remedy = try #require(FailureReport.problem(problem, toolName: "shop").remedy)
    #expect(remedy.contains("`shop new NAME --migrations '/app/my scripts'`"))
  }
}
