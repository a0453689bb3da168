import DqliteBackend
import DqliteWire
import Foundation
import Migrator
import TestCluster
import TestEngines
import Testing

/// The answers of the node are determined here, so that each loss happens at a chosen statement.
@Suite("Connections to a node with chosen answers")
struct ScriptedSessionTests {
  /// The statements that a node has received, with the number of their connection, and its next answers.
  private struct State {
    var log: [(sql: String, connection: Int)] = []
    var answers: [String: ScriptedNode.Answer] = [:]
  }

  private let node: ScriptedNode
  private let state: Lock<State>

  init() throws {
    let state = Lock(State())
    self.state = state
    node = try ScriptedNode { sql, connection in
      state.withLock { state in
        state.log.append((sql, connection))
        return state.answers.removeValue(forKey: sql)
      }
    }
  }

  private func openQueue() throws -> DatabaseQueue {
    try DatabaseQueue(Dqlite(addresses: [node.address], database: "app"))
  }

  /// Makes the node give one answer to a statement.
  private func answer(_ sql: String, _ answer: ScriptedNode.Answer) { state.withLock { $0.answers[sql] = answer } }

  /// The statements received on a connection.
  private func statements(_ connection: Int) -> [String] {
    state.withLock { state in state.log.filter { $0.connection == connection }.map(\.sql) }
  }

  @Test("After a commit whose outcome is unknown, nothing runs on its connection", arguments: [4, 10, 13])
  func failedCommit(code: Int) throws {
    let queue = try openQueue()
    answer("COMMIT", .failure(code, "failed"))
    let error = #expect(throws: DatabaseError.self) {
      try queue.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    #expect(error?.condition == .outcomeUnknown)
    let count = statements(1).count
    try queue.read { db in _ = try Int.fetchOne(db, sql: "SELECT a FROM t") }
    #expect(statements(1).count == count)
    #expect(statements(2).contains("BEGIN DEFERRED"))
  }

  @Test("Only settings of the main schema are made again on the next connection")
  func settings() throws {
    let queue = try openQueue()
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA m.cache_size = 10; PRAGMA main.cache_size = 20; PRAGMA temp.cache_size = 30; PRAGMA secure_delete = 1
          """)
      answer("PRAGMA recursive_triggers = ON", .close)
      try db.execute(sql: "PRAGMA recursive_triggers = ON")
      // The connection is made again by the next statement at the latest.
      _ = try Int.fetchOne(db, sql: "SELECT 1")
    }
    let made = statements(2).joined(separator: "; ")
    #expect(made.contains("PRAGMA main.cache_size = 20") && made.contains("PRAGMA recursive_triggers = ON"), "\(made)")
    #expect(statements(2).contains("PRAGMA secure_delete = 1"), "\(made)")
    #expect(!made.contains("= 10") && !made.contains("= 30"), "\(made)")
  }

  @Test("A setting with a comment that does not end leaves the other settings of the next connection in effect")
  func commentedSetting() throws {
    let queue = try openQueue()
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA cache_size = 10 /* note")
      try db.execute(sql: "PRAGMA recursive_triggers = 1 -- note")
      answer("PRAGMA secure_delete = 1", .close)
      try db.execute(sql: "PRAGMA secure_delete = 1")
      _ = try Int.fetchOne(db, sql: "SELECT 1")
    }
    let made = statements(2).joined(separator: "; ")
    #expect(made.contains("PRAGMA cache_size = 10") && made.contains("PRAGMA recursive_triggers = 1"), "\(made)")
    #expect(!made.contains("note"), "\(made)")
  }

  /// Makes the node refuse to explain statements that write, as nodes of dqlite 1.18 do.
  private func refuseToExplain(_ statements: String...) {
    let refusal = ScriptedNode.Answer.failure(100, "rows yielded when none expected for EXEC request")
    for sql in statements { answer("EXPLAIN \(sql)", refusal) }
  }

  @Test("A statement that the node does not explain runs, and may have changed anything")
  func unexplained() throws {
    let (create, insert) = ("CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    refuseToExplain(create, insert)
    try openQueue().writeWithoutTransaction { db in
      let recorder = try #require(db.connection.changeRecorder)
      recorder.start(isContinued: false)
      try db.execute(sql: "BEGIN; \(create); \(insert)")
      #expect(db.isInsideTransaction)
      #expect(recorder.changes.isIncomplete)
      #expect(try recorder.addedObjects() == nil)
      recorder.stop()
      try db.execute(sql: "COMMIT")
    }
    let sent = statements(1)
    #expect(sent.contains(create) && sent.contains(insert))
    // The errors of EXPLAIN did not end the transaction, and the node is not asked whether they did.
    #expect(!sent.contains("BEGIN; ROLLBACK"))
  }

  @Test(
    "A statement that the node does not explain is not sent if it returns rows",
    arguments: [
      "INSERT INTO t VALUES (1) RETURNING a", "UPDATE t SET a = 1 /* x */ Returning *", "DELETE FROM t\nRETURNING 1",
      "WITH x AS (SELECT 1) REPLACE INTO t SELECT * FROM x RETURNING a",
    ])
  func unexplainedReturning(sql: String) throws {
    refuseToExplain(sql)
    let error = #expect(throws: DatabaseError.self) {
      try openQueue().writeWithoutTransaction { db in try db.execute(sql: sql) }
    }
    #expect(error?.condition == .unsupported)
    #expect(!statements(1).contains(sql))
  }

  @Test("The word RETURNING in a text or a name returns no rows")
  func unexplainedText() throws {
    let sql = #"INSERT INTO t ("returning") VALUES (/* returning */ 'returning')"#
    refuseToExplain(sql)
    try openQueue().writeWithoutTransaction { db in try db.execute(sql: sql) }
    #expect(statements(1).contains(sql))
  }

  @Test("While writable_schema is on, a statement that the node does not explain is checked before it commits")
  func unexplainedSchemaEditing() throws {
    let sql = "UPDATE t SET a = 1"
    refuseToExplain(sql)
    try openQueue().writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA writable_schema = ON; \(sql)")
      #expect(!db.isInsideTransaction)
      let reset = "PRAGMA writable_schema = RESET"
      let sent = statements(1).filter { ["BEGIN IMMEDIATE", sql, reset, "COMMIT", "ROLLBACK"].contains($0) }
      #expect(sent == ["BEGIN IMMEDIATE", sql, reset, "COMMIT"])

      refuseToExplain(sql)
      answer(reset, .failure(11, "malformed database schema"))
      answer("BEGIN; ROLLBACK", .failure(1, "cannot start a transaction within a transaction"))
      #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
      #expect(!db.isInsideTransaction)
      #expect(statements(1).last == "ROLLBACK")
    }
  }

  @Test("An EXPLAIN that the node refuses is not a fault of the statement")
  func refusedExplain() throws {
    refuseToExplain("DELETE FROM t")
    let error = #expect(throws: DatabaseError.self) {
      try openQueue().writeWithoutTransaction { db in try db.execute(sql: "EXPLAIN DELETE FROM t") }
    }
    #expect(error?.condition == .unsupported)
    #expect(error?.message.contains("does not explain statements that write") == true)
  }

  @Test("A failed setting is not reported as a missing leader")
  func failedSetting() throws {
    let refusing = try ScriptedNode { sql, _ in sql.hasPrefix("PRAGMA") ? .failure(1, "no such setting") : nil }
    let error = #expect(throws: DatabaseError.self) {
      try DatabaseQueue(Dqlite(addresses: [refusing.address], database: "app"))
    }
    #expect(error?.condition == .statement)
    #expect(error?.message == "no such setting")
  }

  @Test(
    "Only a statement that ends or begins a transaction ends a lost one",
    arguments: ["EXPLAIN ROLLBACK", "EXPLAIN BEGIN", "ROLLBACK TRANSACTION t TO s", "SELECT 1"])
  func lostTransaction(sql: String) throws {
    try openQueue().writeWithoutTransaction { db in
      answer("INSERT INTO t VALUES (1)", .close)
      for sql in ["BEGIN; INSERT INTO t VALUES (1)", sql, "INSERT INTO t VALUES (2)"] {
        let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
        #expect(error?.condition == .connectionLost)
      }
      try db.execute(sql: "ROLLBACK")
      #expect(!db.isInsideTransaction)
    }
    #expect(state.withLock { state in !state.log.contains { $0.sql.hasSuffix("VALUES (2)") } })
  }

  @Test("ROLLBACK TO with the name of a transaction leaves the transaction open")
  func rollbackTo() throws {
    try openQueue().writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN; SAVEPOINT s; ROLLBACK TRANSACTION t TO s")
      #expect(db.isInsideTransaction)
      try db.execute(sql: "ROLLBACK")
    }
  }

  @Test("If the only given address is lost, the session finds the leader among the others")
  func otherAddress() throws {
    let other = try ScriptedNode()
    let addresses = [node.address, other.address]
    node.name(leader: node.address, voters: addresses)
    other.name(leader: node.address, voters: addresses)
    let queue = try openQueue()
    _ = try queue.read { db in try Int.fetchOne(db, sql: "SELECT 1") }
    node.stop()
    answer("BEGIN DEFERRED", .close)
    let count = state.withLock { $0.log.count }
    other.name(leader: other.address, voters: [other.address])
    _ = try queue.read { db in try Int.fetchOne(db, sql: "SELECT 1") }
    #expect(state.withLock { $0.log.count } == count + 1)
  }

  @Test("Numbers out of range are never a crash", arguments: 1...40 as ClosedRange<UInt64>)
  func numbers(seed: UInt64) throws {
    let generator = Lock(SeededGenerator(seed: seed))
    @Sendable func number() -> Int64 {
      generator.withLock { generator in
        [.min, .max, -1, 0, 1, 2, .random(in: .min ... .max, using: &generator)].randomElement(using: &generator) ?? 0
      }
    }
    let strange = try ScriptedNode { sql, _ in
      if sql.contains("sqlite_version()") {
        let version = (0..<6).map { _ in "\(number())" }.joined(separator: ".")
        return .rows(["v", "f4", "f5"], [[.text(version), .integer(number()), .integer(number())]])
      }
      if sql.hasPrefix("EXPLAIN") {
        let names = ["ResultRow", "Transaction", "SetCookie", "OpenWrite"]
        return .rows(
          ["addr", "opcode", "p1", "p2", "p3"],
          names.map { [.integer(0), .text($0), .integer(number()), .integer(number()), .integer(number())] })
      }
      return sql.hasPrefix("SELECT") || sql.hasPrefix("PRAGMA main") || sql.hasPrefix("WITH")
        ? .rows(["a"], [[.integer(number())], [.real(.nan)]]) : nil
    }
    // Any outcome but a trap is correct.
    guard let queue = try? DatabaseQueue(Dqlite(addresses: [strange.address], database: "app")) else { return }
    for _ in 1...5 {
      _ = try? queue.read { db in try Int.fetchOne(db, sql: "SELECT a FROM t") }
      _ = try? queue.write { db in
        try db.execute(sql: "UPDATE t SET a = 1")
        return (db.totalChangesCount, try db.connection.dataVersion(), try db.connection.schemaVersion())
      }
    }
  }
}
