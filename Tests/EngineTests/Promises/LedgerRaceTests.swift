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

  @Test(
    "a run plans again nine times if another connection erases what it has committed, and then throws an error",
    arguments: TestTier.pairs(TestEngine.allCases, [9, 10]))
  func erasedRepeatedly(engine: TestEngine, erasures: Int) throws {
    let next: [(inout DatabaseMigrator, @escaping @Sendable (Database) throws -> Void) -> Void] = [
      { $0.registerMigration("b", migrate: $1) },
      { $0.registerMigration("b", foreignKeyChecks: .immediate, migrate: $1) },
      { $0.registerUnwrappedMigration("b", migrate: $1) },
      { migrator, work in
        migrator.registerBatchedMigration("b") { db, _ in
          try work(db)
          return .done
        }
      },
    ]
    for register in next {
      let path = try engine.temporaryPath()
      let (queue, rival) = (try engine.queue(path: path), try engine.queue(path: path))
      var migrator = DatabaseMigrator()
      migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE t (a)") }
      register(&migrator) { db in try db.execute(sql: "CREATE TABLE u (a)") }
      var plans: [[String]] = []
      var error: MigrationError?
      do {
        try migrator.run(queue) { event in
          if case .planned(let identifiers) = event { plans.append(identifiers) }
          // The tables show whether this succeeded.
          if case .committed("a", _, _, _) = event, plans.count <= erasures { try? rival.erase() }
        }
      } catch let caught as MigrationError {
        error = caught
      }
      #expect(plans == Array(repeating: ["a", "b"], count: 10))
      let tables = try queue.read { db in try ["t", "u"].filter { try db.tableExists($0) } }
      guard erasures == 10 else {
        #expect(error == nil && tables == ["t", "u"])
        continue
      }
      #expect(tables.isEmpty)
      guard case .historyLost(let applied)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(applied == Array(repeating: "a", count: 10))
    }
  }
}
