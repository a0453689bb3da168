import Foundation
import Migrator
import MigratorTestKit
import SQLCipherBackend
import SQLiteBackend
import SQLiteEngine
import TestEngines
import Testing

/// Whatever a run does on a connection that is lent, and however it ends, the connection is as it was.
///
/// The normal suite lets some of a run's calls fail; MIGRATOR_SOAK=1 each of them.
@Suite("Promise 11: a guest changes nothing")
struct GuestTests {
  private struct Failed: Error {}

  private static let isLong = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] != nil

  /// Migrations that change what they can of the connection; `failing` names the one that throws at its end.
  private func makeMigrator(failing: String? = nil) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Settings") { db in
      for (pragma, value) in [
        ("recursive_triggers", "0"), ("secure_delete", "0"), ("cell_size_check", "0"), ("automatic_index", "1"),
        ("legacy_alter_table", "0"), ("reverse_unordered_selects", "0"), ("trusted_schema", "1"), ("cache_size", "55"),
        ("journal_size_limit", "7"), ("mmap_size", "0"), ("threads", "2"),
        ("analysis_limit", "5"), ("full_column_names", "1"), ("short_column_names", "0"), ("cache_spill", "0"),
        ("read_uncommitted", "0"), ("fullfsync", "0"), ("checkpoint_fullfsync", "0"), ("defer_foreign_keys", "1"),
      ] {
        try db.execute(sql: "PRAGMA \(pragma) = \(value)")
      }
      try db.execute(sql: "CREATE TEMP TABLE notes (x); INSERT INTO notes VALUES (1)")
      if failing == "Settings" { throw Failed() }
    }
    migrator.registerMigration("Tables") { db in
      try db.create(table: "team") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text)
      }
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("team", onDelete: .cascade)
        t.column("name", .text)
      }
      try db.execute(sql: "INSERT INTO team (name) VALUES ('Red'); INSERT INTO player (teamId, name) VALUES (1, 'Ann')")
      try db.execute(sql: "PRAGMA ignore_check_constraints = 1; PRAGMA query_only = 1")
      if failing == "Tables" { throw Failed() }
    }
    migrator.registerMigration("Rebuild") { db in
      try db.alter(table: "team") { t in t.change(column: "name") { c in c.notNull() } }
      if failing == "Rebuild" { throw Failed() }
    }
    migrator.registerUnwrappedMigration("Outside") { db in
      try db.execute(sql: "PRAGMA foreign_keys = 0; PRAGMA synchronous = 2; ATTACH ':memory:' AS extra")
      try db.execute(sql: "CREATE TEMP TABLE more (x); PRAGMA cache_size = 66; PRAGMA locking_mode = exclusive")
      if failing == "Outside" { try db.execute(sql: "BEGIN") }
    }
    migrator.registerMigration("Checked at once", foreignKeyChecks: .immediate) { db in
      try db.execute(sql: "INSERT INTO player (teamId, name) VALUES (1, 'Bob')")
      if failing == "Checked at once" { throw Failed() }
    }
    return migrator
  }

  private static let made =
    "DROP TABLE IF EXISTS player\nDROP TABLE IF EXISTS team\nDROP TABLE IF EXISTS migrator_history"

  private func expectUnchanged(_ settings: GuestSettings, since before: [String: String], _ what: String) throws {
    let after = try settings.state()
    for key in before.keys.sorted() where after[key] != before[key] {
      Issue.record("\(what): \(key) was \(before[key] ?? "nil") and is \(after[key] ?? "nil")")
    }
  }

  @Test("After a success: every setting and hook", arguments: TestEngine.allCases)
  func success(engine: TestEngine) throws {
    let settings = try GuestSettings(engine, path: engine.temporaryPath())
    #expect(try settings.silentHooks() == [])
    let before = try settings.state()
    #expect(before.count > 60)
    try makeMigrator().migrate(settings.connection.borrowed())
    try expectUnchanged(settings, since: before, "success")
    #expect(try settings.silentHooks() == [])
    #expect(settings.close() == 0)
  }

  @Test("After questions, plans and erasing", arguments: TestEngine.allCases)
  func questions(engine: TestEngine) throws {
    let settings = try GuestSettings(engine, path: engine.temporaryPath())
    try settings.connection.execute("DROP TABLE app\nDROP TABLE other.app")
    var migrator = DatabaseMigrator()
    migrator.registerMigration("App") { db in
      try db.execute(sql: "CREATE TABLE app (x); INSERT INTO app (rowid) VALUES (4711)")
    }
    try migrator.migrate(settings.connection.borrowed())
    try settings.connection.execute("CREATE TABLE other.app (x)")
    let before = try settings.state()
    _ = try migrator.plan(settings.connection.borrowed())
    #expect(try migrator.schemaChanges(settings.connection.borrowed()) == [])
    try expectUnchanged(settings, since: before, "questions")
    var changed = DatabaseMigrator()
    changed.eraseDatabaseOnSchemaChange = true
    changed.registerMigration("App") { db in
      try db.execute(sql: "CREATE TABLE app (x TEXT); INSERT INTO app (rowid) VALUES (4711)")
    }
    try changed.migrate(settings.connection.borrowed())
    #expect(try settings.connection.rows("SELECT sql LIKE '%TEXT%' FROM sqlite_master WHERE name = 'app'") == ["1"])
    try expectUnchanged(settings, since: before, "erasing")
    #expect(try settings.silentHooks() == [])
  }

  @Test(
    "After a failure",
    arguments: TestTier.pairs(TestEngine.allCases, ["Settings", "Tables", "Rebuild", "Outside", "Checked at once"]))
  func failure(engine: TestEngine, identifier: String) throws {
    let settings = try GuestSettings(engine, path: engine.temporaryPath())
    let before = try settings.state()
    #expect(throws: MigrationError.self) {
      try makeMigrator(failing: identifier).migrate(settings.connection.borrowed())
    }
    try expectUnchanged(settings, since: before, identifier)
    #expect(try settings.silentHooks() == [])
    var migrator = makeMigrator()
    migrator.lockTimeout = .zero
    try migrator.migrate(settings.connection.borrowed())
    try expectUnchanged(settings, since: before, "the next run")
  }

  @Test("After a cancellation", arguments: TestEngine.allCases)
  func cancellation(engine: TestEngine) async throws {
    let settings = try GuestSettings(engine, path: engine.temporaryPath())
    let before = try settings.state()
    var migrator = makeMigrator()
    migrator.registerMigration("Canceled") { db in
      try db.execute(sql: "PRAGMA cache_size = 99; CREATE TEMP TABLE left_open (x); CREATE TABLE rolled_back (x)")
      // The run is on the thread of its task, which thus cancels itself.
      withUnsafeCurrentTask { task in task?.cancel() }
      try db.execute(sql: "INSERT INTO rolled_back VALUES (1)")
    }
    let task = Task { [migrator] in try await migrator.migrate(settings.connection.borrowed()) }
    await #expect(throws: CancellationError.self) { try await task.value }
    try expectUnchanged(settings, since: before, "cancellation")
    #expect(try settings.silentHooks() == [])
    #expect(try settings.connection.rows("SELECT name FROM sqlite_master WHERE name = 'rolled_back'") == [])
    #expect(settings.close() == 0)
  }

  /// A cause that makes the n-th call of a run fail, once.
  enum Trouble: String, CaseIterable, Sendable {
    /// The owner's authorizer denies it.
    case denial
    /// The owner's progress handler interrupts it, as cancelling does.
    case interruption
    /// The call on the border fails.
    case call
  }

  @Test(
    "After the failure of the n-th call, for many n", arguments: TestTier.pairs(TestEngine.allCases, Trouble.allCases))
  func nthCall(engine: TestEngine, trouble: Trouble) throws {
    var random = SeededGenerator.announced("the n-th call fails, \(engine), \(trouble)")
    let settings = try GuestSettings(engine, path: engine.temporaryPath())
    let total = try calls(settings, trouble)
    #expect(total > 50)
    // The first ones, the last ones, and some in between.
    let between = (0..<TestTier.pick(6, full: 24)).map { _ in Int.random(in: 1...total, using: &random) }
    let some = Set(Array(1...12) + Array((total - 11)...total) + between)
    let numbers = Self.isLong ? Array(1...total) : some.sorted()
    var failures = 0
    for number in numbers {
      try settings.connection.execute(Self.made)
      try settings.connection.execute("PRAGMA writable_schema = 0\nPRAGMA foreign_keys = 1")
      let before = try settings.state()
      do {
        try run(settings, trouble, failingCall: number)
      } catch {
        failures += 1
      }
      (settings.calls.deniedCall, settings.calls.interruptedCall) = (0, 0)
      try expectUnchanged(settings, since: before, "\(trouble) of call \(number)")
    }
    print("\(engine), \(trouble): \(failures) of \(numbers.count) runs failed, of \(total) calls")
    #expect(failures > numbers.count / 3)
    #expect(try settings.silentHooks() == [])
    var migrator = makeMigrator()
    migrator.lockTimeout = .zero
    try migrator.migrate(settings.connection.borrowed())
  }

  /// Counts the calls that a run without trouble makes.
  private func calls(_ settings: GuestSettings, _ trouble: Trouble) throws -> Int {
    (settings.calls.authorizations, settings.calls.progress) = (0, 0)
    let count = try run(settings, trouble, failingCall: 0)
    return switch trouble {
    case .denial: settings.calls.authorizations
    case .interruption: settings.calls.progress
    case .call: count
    }
  }

  @discardableResult
  private func run(_ settings: GuestSettings, _ trouble: Trouble, failingCall number: Int) throws -> Int {
    var migrator = makeMigrator()
    migrator.lockTimeout = .zero
    (settings.calls.authorizations, settings.calls.progress) = (0, 0)
    switch trouble {
    case .denial: settings.calls.deniedCall = number
    case .interruption: settings.calls.interruptedCall = number
    case .call:
      let family: EngineFamily = settings.connection.engine.isEncrypted ? .sqlCipher : .sqlite
      let backend = BorrowedBackend(settings.connection.pointer, of: family, engine: .automatic, preparingScratch: nil)
      let failing = FailingBackend(
        backend, failingCall: number, with: DatabaseError(.inputOutput, engine: "test", message: "the call failed"))
      try migrator.migrate(BorrowedDatabase(failing))
      return failing.callCount
    }
    try migrator.migrate(settings.connection.borrowed())
    return 0
  }
}
