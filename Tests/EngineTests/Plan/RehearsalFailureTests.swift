import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("A rehearsal in which a call to the engine fails")
struct RehearsalFailureTests {
  private static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      try db.execute(sql: "CREATE TABLE a (x, y); CREATE TABLE b (x); CREATE VIEW v AS SELECT x FROM a")
      try db.execute(
        sql: "CREATE VIRTUAL TABLE f USING fts4(x); CREATE VIEW w AS SELECT q.x FROM (SELECT x FROM a) AS q")
      try db.execute(sql: "INSERT INTO a VALUES (1, 1); INSERT INTO a VALUES (2, NULL); INSERT INTO b VALUES (1)")
    }
    migrator.registerMigration("2") { db in try db.execute(sql: "DELETE FROM a WHERE x = 2") }
    migrator.registerMigration("3") { db in
      try db.execute(sql: "CREATE TABLE n (x); INSERT INTO n SELECT x FROM b; DROP TABLE b; ALTER TABLE n RENAME TO b")
    }
    migrator.registerMigration("4") { db in
      try db.drop(view: "v")
      try db.alter(table: "a") { t in
        t.rename(column: "y", to: "z")
        t.addCheck(sql: "z IS NULL OR z > 0")
      }
      try db.alter(table: "a") { t in t.rename(column: "x", to: "y") }
      try db.execute(sql: "DELETE FROM b")
    }
    return migrator
  }()

  @Test(
    "throws, reports a failed migration, or is the same as without a failure",
    arguments: TestTier.pairs(
      TestEngine.allCases, [(DatabaseError.Condition.outOfMemory, "out of memory"), (.inputOutput, "disk I/O error")]))
  func anyCall(engine: TestEngine, failure: (condition: DatabaseError.Condition, message: String)) throws {
    let error = DatabaseError(failure.condition, engine: "test", message: failure.message)
    /// Returns the effects of the migrations; nil if the rehearsal reports the failure.
    func effects(failingCall number: Int, _ calls: inout Range<Int>) throws -> String? {
      let failing = FailingBackend(engine.inMemoryBackend, failingCall: number, with: error)
      let dbQueue = try DatabaseQueue(failing)
      try Self.migrator.migrate(dbQueue, upTo: "1")
      let start = failing.callCount + 1
      let result = Result { try dbQueue.read { db in try Self.migrator.rehearse(db, copying: .allRows) } }
      calls = start..<failing.callCount + 1
      switch result {
      case .success(let rehearsal) where rehearsal.failure == nil:
        let shrunk = rehearsal.rowLosses.map { "\($0.migration) \($0.table) \($0.before ?? 0) \($0.after ?? 0)" }
        return "\(rehearsal.plan.refusals) \(shrunk) \(rehearsal.destructiveStatements) \(rehearsal.rowCounts) "
          + "\(rehearsal.gaps) \(rehearsal.warnings)"
      case .success(let rehearsal):
        let text = rehearsal.failure.map { "\($0.underlying)" } ?? ""
        #expect(text.contains(failure.message), "call \(number)")
      case .failure(let thrown):
        let text = "\(thrown)"
        #expect(text.contains(failure.message), "call \(number): \(text)")
      }
      return nil
    }
    var calls = 0..<0
    let expected = try #require(try effects(failingCall: .max, &calls))
    #expect(expected.contains("2 a 2 1"), "\(expected)")
    #expect(calls.count > 300)
    var (reported, count) = (0, 0)
    for number in stride(from: calls.lowerBound, to: calls.upperBound, by: TestTier.pick(23, full: 5, soak: 1)) {
      count += 1
      var ignored = 0..<0
      if let found = try effects(failingCall: number, &ignored) {
        #expect(found == expected, "call \(number)")
      } else {
        reported += 1
      }
    }
    #expect(reported > count / 2)
  }
}
