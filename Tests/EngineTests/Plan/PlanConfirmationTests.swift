import Foundation
import Migrator
import SQLMigrations
import TestEngines
import Testing

@Suite("A run is bound to the plan that was reviewed")
struct PlanConfirmationTests {
  private func migrator(_ texts: String...) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigrations(
      texts.enumerated().map { SQLMigration(identifier: "\($0)", path: "\($0).sql", checksum: $1, sql: $1) })
    return migrator
  }

  private let first = "CREATE TABLE a (x);"
  private let second = "CREATE TABLE b (y);"

  /// Expects that a run is refused because of the given parts, and changes nothing.
  private func expectRefusal(
    _ parts: [MigrationError.PlanPart], of plan: MigrationPlan, by migrator: DatabaseMigrator, on queue: DatabaseQueue,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let state = { try queue.read { db in (try migrator.appliedIdentifiers(db), try db.schema().objects) } }
    let before = try state()
    let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
      try migrator.migrate(queue, confirming: plan)
    }
    guard case .planChanged(let changed)? = error else {
      Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
      return
    }
    #expect(changed == parts, sourceLocation: sourceLocation)
    let after = try state()
    #expect(before == after, sourceLocation: sourceLocation)
  }

  @Test(
    "an unchanged state is migrated, whatever the rows are, and the plan cannot be used again",
    arguments: TestEngine.allCases)
  func unchanged(engine: TestEngine) throws {
    let queue = try engine.temporaryQueue()
    try migrator(first).migrate(queue)
    let newer = migrator(first, second)
    let plan = try queue.read { try newer.plan($0) }
    try queue.write { try $0.execute(sql: "INSERT INTO a VALUES (1)") }
    try newer.migrate(queue, confirming: plan)
    #expect(try queue.read { try newer.hasCompletedMigrations($0) })
    try expectRefusal([.history], of: plan, by: newer, on: queue)
  }

  @Test("a new database can be planned and migrated, up to the target of the plan", arguments: TestEngine.allCases)
  func newDatabase(engine: TestEngine) async throws {
    let queue = try engine.temporaryQueue()
    let migrator = migrator(first, second)
    let plan = try await queue.read { db in try migrator.plan(db, upTo: "0") }
    try await migrator.migrate(queue, confirming: plan)
    #expect(try await queue.read { db in try migrator.appliedMigrations(db) } == ["0"])
    await #expect(throws: MigrationError.self) { try await migrator.migrate(queue, confirming: plan) }
  }

  @Test("a plan is worth nothing for another state", arguments: TestEngine.allCases)
  func otherStates(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.db")
    let queue = try engine.queue(path: path)
    let newer = migrator(first, second)
    try migrator(first).migrate(queue)
    let plan = try queue.read { try newer.plan($0) }
    // A copy, at another path and then in place of the file, has the same ledger and schema.
    try queue.close()
    try FileManager.default.copyItem(atPath: path, toPath: folder.file("b.db"))
    let copy = try engine.queue(path: folder.file("b.db"))
    try expectRefusal([.database], of: plan, by: newer, on: copy)
    try copy.close()
    #expect(rename(folder.file("b.db"), path) == 0)
    let replaced = try engine.queue(path: path)
    try expectRefusal([.database], of: plan, by: newer, on: replaced)
    let current = try replaced.read { try newer.plan($0) }
    try expectRefusal([.migrations], of: current, by: migrator(first, second + " "), on: replaced)
    try expectRefusal([.migrations], of: current, by: migrator(first, second, second), on: replaced)
    var grouped = newer
    grouped.commits = .allOrNothing
    try expectRefusal([.settings], of: current, by: grouped, on: replaced)
    let policies: [(inout DatabaseMigrator) -> Void] = [
      { $0.erasure = .silent }, { $0.erasure = .keepingRows(renames: ["a": "c"]) }, { $0.unknownMigrations = .refuse },
      { $0.outOfOrder = .refuse }, { $0.editedMigrations = .refuse }, { $0.backup = .beforeMigrating(keep: 2) },
    ]
    for change in policies {
      var other = newer
      change(&other)
      try expectRefusal([.settings], of: current, by: other, on: replaced)
    }
    try replaced.write { try $0.execute(sql: "CREATE INDEX i ON a (x)") }
    try expectRefusal([.history], of: current, by: newer, on: replaced)
    let again = try replaced.read { try newer.plan($0) }
    try newer.migrate(replaced, upTo: "1")
    try expectRefusal([.history], of: again, by: newer, on: replaced)
  }

  @Test(
    "the plan of a run that would be refused confirms nothing, even once the cause is gone",
    arguments: TestEngine.allCases)
  func refused(engine: TestEngine) throws {
    let queue = try engine.temporaryQueue()
    var migrator = migrator(first)
    try migrator.migrate(queue)
    migrator.unknownMigrations = .refuse
    try queue.write { db in
      try db.execute(
        sql: "INSERT INTO migrator_history (identifier, position, applied_at, duration) VALUES ('x', 1, '', 0)")
    }
    let plan = try queue.read { try migrator.plan($0) }
    #expect(plan.refusals.count == 1)
    try queue.write { try $0.execute(sql: "DELETE FROM migrator_history WHERE identifier = 'x'") }
    #expect(throws: MigrationError.self) { try migrator.migrate(queue, confirming: plan) }
  }

  @Test("a change between the first look and the lock is found under the lock", arguments: TestEngine.allCases)
  func race(engine: TestEngine) throws {
    let path = try engine.temporaryPath()
    let (queue, other) = (try engine.queue(path: path), try engine.queue(path: path))
    let newer = migrator(first, second)
    try migrator(first).migrate(queue)
    let token = try #require(try queue.read { try newer.plan($0) }.token)
    let interfere = { (event: MigrationEvent) in
      guard case .planned = event else { return }
      // The rival's table shows whether this succeeded.
      try? other.write { try $0.execute(sql: "CREATE TABLE rival (z)") }
    }
    let error = #expect(throws: MigrationError.self) {
      try newer.run(
        queue, events: interfere, confirming: { db in try newer.planToken(db).require(token.text) })
    }
    #expect(try queue.read { try $0.tableExists("rival") })
    guard case .planChanged([.history])? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try queue.read { try newer.appliedMigrations($0) } == ["0"])
  }

  @Test("an erasure is confirmed before it erases", arguments: TestEngine.allCases)
  func erasure(engine: TestEngine) throws {
    let queue = try engine.temporaryQueue()
    try migrator(first).migrate(queue)
    var edited = migrator("CREATE TABLE a (x, y);")
    (edited.eraseDatabaseOnSchemaChange, edited.erasure) = (true, .silent)
    let plan = try queue.read { try edited.plan($0) }
    #expect(plan.erasure != nil)
    var harmless = edited
    harmless.eraseDatabaseOnSchemaChange = false
    try expectRefusal([.settings], of: plan, by: harmless, on: queue)
    try edited.migrate(queue, confirming: plan)
    #expect(try queue.read { try $0.columns(in: "a").count } == 2)
    try expectRefusal([.history], of: plan, by: edited, on: queue)
  }

  @Test("a run that records what it adopts does not find its own entries changed", arguments: TestEngine.allCases)
  func adoption(engine: TestEngine) throws {
    let sample = HistorySample.grdb
    let adopted = sample.names[1]
    for erases in [false, true] {
      let queue = try engine.temporaryQueue()
      try sample.install(queue)
      var migrator = sample.migrator
      migrator.eraseDatabaseOnSchemaChange = erases
      for target in [adopted, adopted, nil] {
        let plan = try queue.read { try migrator.plan($0, upTo: target) }
        #expect(plan.entries.isEmpty == (target != nil))
        try migrator.migrate(queue, confirming: plan)
      }
      #expect(try queue.read { try migrator.hasCompletedMigrations($0) })
    }
  }

  @Test("Thousands of changed tokens are refused, and so is any other text")
  func mutations() throws {
    let queue = try TestEngine.sqlite.temporaryQueue()
    let token = try #require(try queue.read { try migrator(first).plan($0) }.token)
    #expect(throws: Never.self) { try token.require(token.text) }
    #expect(token.text.wholeMatch(of: /[0-9a-f]{16}-[0-9a-f]{12}/) != nil)
    var generator = SeededGenerator(seed: 40)
    let characters = Array("0123456789abcdef-ABCDEF xyz\u{0}é")
    for _ in 1...TestTier.pick(2_000, full: 10_000) {
      var text = Array(token.text)
      for _ in 0...Int.random(in: 0...2, using: &generator) {
        let index = text.indices.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0...4, using: &generator) {
        case 0: text.remove(at: index)
        case 1: text.insert(characters.randomElement(using: &generator) ?? "0", at: index)
        case 2: text.swapAt(index, text.indices.randomElement(using: &generator) ?? 0)
        default: text[index] = characters.randomElement(using: &generator) ?? "0"
        }
      }
      guard String(text) != token.text else { continue }
      #expect(throws: MigrationError.self, "\(String(text))") { try token.require(String(text)) }
    }
    for text in ["", "-", token.text + "\n", token.text.uppercased() + " "] {
      #expect(throws: MigrationError.self) { try token.require(text) }
    }
  }
}
