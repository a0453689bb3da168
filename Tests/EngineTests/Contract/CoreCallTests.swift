import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("The core's calls of a backend")
struct CoreCallTests {
  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for name in ["a", "b", "c"] {
      migrator.registerMigration(name) { db in
        try db.execute(sql: "CREATE TABLE \(name) (x); INSERT INTO \(name) VALUES (1)")
      }
    }
    return migrator
  }

  @Test("With no pending migrations, a run begins no write transaction", arguments: TestEngine.allCases)
  func nothingPending(engine: TestEngine) throws {
    let recording = RecordingBackend(try engine.temporaryBackend())
    let queue = try DatabaseQueue(recording)
    try Self.migrator.migrate(queue)
    recording.forget()
    try Self.migrator.migrate(queue)
    try queue.close()
    #expect(recording.calls.filter(\.writes) == [])
  }

  @Test(
    "Foreign keys are switched off before the first write transaction and on after the last",
    arguments: TestEngine.allCases)
  func foreignKeySwitch(engine: TestEngine) throws {
    let recording = RecordingBackend(try engine.temporaryBackend())
    let queue = try DatabaseQueue(recording)
    recording.forget()
    try Self.migrator.migrate(queue)
    try queue.close()
    // The ledger is read in a deferred transaction, which is rolled back.
    let calls = recording.calls.filter { call in
      switch call {
      case .begin(let kind): kind != .deferred
      case .commit, .setEnforcesForeignKeys: true
      default: false
      }
    }
    let transactions = Self.migrator.migrations.flatMap { _ in [BorderCall.begin(.immediate), .commit] }
    #expect(calls == [.setEnforcesForeignKeys(false)] + transactions + [.setEnforcesForeignKeys(true)])
  }
}

extension BorderCall {
  /// Whether the call may write to the database, or acquire the write lock.
  fileprivate var writes: Bool {
    switch self {
    case .step(_, let isReadOnly): !isReadOnly
    case .begin(let kind): kind != .deferred
    case .setUserVersion, .setApplicationID, .beginSavepoint, .eraseEverything, .setEnforcesForeignKeys: true
    default: false
    }
  }
}
