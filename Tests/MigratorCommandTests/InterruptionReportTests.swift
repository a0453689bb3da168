import Testing

@testable import Migrator
@testable import MigratorCommand

@Suite("Reports after Ctrl-C")
struct InterruptionReportTests {
  private func report(_ error: any Error, command: String = "migrate") -> ToolFailure {
    let interrupt = InterruptSignal()
    interrupt.arrive()
    var report = FailureReport(
      toolName: "migrator", command: command, interrupt: interrupt, migrator: DatabaseMigrator(), files: nil,
      path: "app")
    report.current = "b"
    report.applied = ["a"]
    return report.failure(error)
  }

  private func failure(_ undone: MigrationFailure.Undone) -> MigrationError {
    let error = DatabaseError(.outcomeUnknown, engine: "test", message: "the connection was lost")
    return .failed(
      MigrationFailure(identifier: "b", index: 2, count: 2, underlying: error, appliedBefore: ["a"], undone: undone))
  }

  @Test("A commit of unknown outcome is not reported as rolled back")
  func unknown() {
    let report = report(failure(.unknown))
    #expect(report.exitCode == .migrationFailed)
    #expect(report.migration == "b")
    #expect(
      report.rolledBack
        == "unknown, because the connection was lost during the commit: b is either applied or rolled back; a stays applied"
    )
  }

  @Test("Neither is that of another change")
  func change() {
    let report = report(DatabaseError(.outcomeUnknown, engine: "test", message: "the connection was lost"))
    #expect(report.what == "it is unknown whether app was changed")
    #expect(report.rolledBack == nil)
  }

  @Test("Any other failure is reported as an interruption")
  func other() {
    let report = report(failure(.everything))
    #expect(report.exitCode == .interrupted)
    #expect(report.rolledBack == "everything in b; a stays applied")
  }

  @Test("A command that changes nothing does not mention migrations", arguments: ["check", "lint", "plan"])
  func reading(command: String) {
    let report = report(CancellationError(), command: command)
    #expect(report.exitCode == .interrupted)
    #expect(report.what == "interrupted; nothing was changed")
    #expect(report.rolledBack == nil && report.remedy == nil)
  }
}
