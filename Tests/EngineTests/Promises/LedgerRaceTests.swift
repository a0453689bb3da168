import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("The ledger is read while another connection changes it")
struct LedgerRaceTests {
  /// Erases the database through another connection right before the ledger is read, and migrates it again before
  /// anything else.
  private final class Rival: CallInterceptor, @unchecked Sendable {
    // Used only by the thread that reads.
    private var steps: [() throws -> Void] = []

    init(_ steps: [() throws -> Void]) { self.steps = steps }

    func note(_ call: BorderCall) {}

    func admit(_ call: BorderCall) throws(DatabaseError) {
      guard case .prepare(let script, _) = call, script.contains("migrator_history") || steps.count == 1 else {
        if steps.count == 1 { advance() }
        return
      }
      advance()
    }

    private func advance() {
      guard let step = steps.first else { return }
      steps.removeFirst()
      // If it has to wait for the reader, it does nothing.
      try? step()
    }
  }

  @Test(
    "a ledger remains readable while another connection erases and migrates the database",
    arguments: TestEngine.allCases)
  func erasedInBetween(engine: TestEngine) throws {
    let backend = try engine.temporaryBackend()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE t (a)") }
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    let writer = try DatabaseQueue(backend, configuration: configuration)
    try migrator.migrate(writer)
    let rival = Rival([{ try writer.erase() }, { [migrator] in try migrator.migrate(writer) }])
    let reader = try DatabaseQueue(InterceptedBackend(backend, interceptor: rival))
    let applied = try reader.writeWithoutTransaction { db in try migrator.appliedIdentifiers(db) }
    #expect(applied == ["a"] || applied.isEmpty)
  }
}
