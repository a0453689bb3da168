import DqliteBackend
import Foundation
import Migrator
import TestCluster
import Testing

@Suite("Connections whose leader is lost")
struct SessionTests {
  private let cluster: TestCluster
  private let queue: DatabaseQueue

  init() async throws {
    cluster = try await TestCluster()
    queue = try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: "app"))
    try await queue.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
  }

  private func count(_ queue: DatabaseQueue) throws -> Int {
    try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM t") ?? 0 }
  }

  /// The code of the articles: the addresses are examples.
  private func migrate(_ migrator: DatabaseMigrator) throws {
    // sample
    let dbQueue = try DatabaseQueue(Dqlite(addresses: ["10.0.0.1:9001", "10.0.0.2:9001"], database: "app"))
    try migrator.migrate(dbQueue)
    // end of sample
  }

  private func expectLoss(_ db: Database, _ sql: String) throws {
    let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
    #expect(error?.condition == .connectionLost)
    #expect(db.isInsideTransaction)
  }

  @Test("After a transaction was lost, none of its remaining statements run, and the next access works")
  func lostTransaction() throws {
    let error = #expect(throws: DatabaseError.self) {
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
        try cluster.leader().kill()
        // The caller ignores the loss, and neither rolls back nor begins.
        for _ in 1...3 {
          try expectLoss(db, "INSERT INTO t VALUES (2)")
        }
      }
    }
    #expect(error?.message.contains("left a transaction open") == true)
    #expect(try count(queue) == 0)
    try queue.write { db in try db.execute(sql: "INSERT INTO t VALUES (3)") }
    #expect(try count(queue) == 1)
  }

  @Test("A COMMIT after the loss fails, and a new transaction can begin")
  func commitAfterLoss() throws {
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
      try cluster.leader().kill()
      try expectLoss(db, "INSERT INTO t VALUES (2)")
      try expectLoss(db, "COMMIT")
      try db.execute(sql: "ROLLBACK; BEGIN IMMEDIATE; INSERT INTO t VALUES (3); COMMIT")
    }
    #expect(try count(queue) == 1)
  }

  @Test("A loss that is noticed between two statements leaves a transaction to roll back")
  func lossBetweenStatements() throws {
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
      // After an error, only the node knows whether the transaction is open.
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO missing VALUES (1)") }
      try cluster.leader().kill()
      #expect(db.isInsideTransaction)
      try db.execute(sql: "ROLLBACK; BEGIN IMMEDIATE; INSERT INTO t VALUES (3); COMMIT")
    }
    #expect(try count(queue) == 1)
  }

  @Test("A statement that is lost after a savepoint was released may have had an effect")
  func lostAfterRelease() throws {
    let requests = Lock(-1)
    var backend = Dqlite(addresses: cluster.addresses, database: "app")
    backend.willSend = { [cluster] address, _ in
      let isInsert = requests.withLock { count in
        // The count stays below zero after the chosen request.
        if count >= 0 { count -= 1 }
        return count == 0
      }
      if isInsert { cluster.node(at: address)?.kill() }
    }
    try DatabaseQueue(backend).writeWithoutTransaction { db in
      let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (1)")
      try db.execute(sql: "SAVEPOINT s; RELEASE s")
      // The first request asks whether a transaction is open.
      requests.withLock { $0 = 2 }
      let error = #expect(throws: DatabaseError.self) { try statement.execute() }
      #expect(error?.condition == .outcomeUnknown)
    }
  }

  @Test("Settings are made again on the connection to the next leader, whose data version differs")
  func settings() throws {
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA recursive_triggers = ON; PRAGMA foreign_keys = OFF")
      let version = try db.connection.dataVersion()
      try cluster.leader().kill()
      #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
      #expect(try Int.fetchOne(db, sql: "PRAGMA recursive_triggers") == 1)
      #expect(try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 0)
      #expect(try Int.fetchOne(db, sql: "PRAGMA cache_spill") == 0)
      #expect(try db.connection.dataVersion() != version)
    }
  }

  @Test("A connection for reading remains one after the leader was lost")
  func readOnly() throws {
    var configuration = Configuration()
    configuration.readonly = true
    let reader = try DatabaseQueue(
      Dqlite(addresses: cluster.addresses, database: "app"), configuration: configuration)
    try cluster.leader().kill()
    #expect(try count(reader) == 0)
    for sql in ["PRAGMA query_only = OFF", "INSERT INTO t VALUES (1)"] {
      let error = #expect(throws: DatabaseError.self) {
        try reader.writeWithoutTransaction { db in try db.execute(sql: sql) }
      }
      #expect(error?.condition == .readOnly, "\(sql)")
    }
    #expect(try count(reader) == 0)
  }

  /// The normal suite makes one trial; MIGRATOR_SOAK=1 makes 25.
  private static let trials = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] == nil ? 1 : 25

  @Test("The answer of a deposed leader that stood still is not believed", arguments: 1...trials)
  func deposed(trial: Int) throws {
    let asked = Lock<Set<String>>([])
    var backend = Dqlite(addresses: cluster.addresses, database: "app")
    backend.willSend = { address, _ in asked.withLock { _ = $0.insert(address) } }
    let queue = try DatabaseQueue(backend)
    #expect(try count(queue) == 0)
    let old = try cluster.leader()
    try depose(old)
    asked.withLock { $0 = [] }
    #expect(try count(queue) == 1)
    #expect(asked.withLock { $0.contains(old.address) })
  }

  /// Stops a leader until the others have elected another one, and a row is inserted there.
  private func depose(_ old: TestNode) throws {
    old.halt()
    let other = try DatabaseQueue(
      Dqlite(addresses: cluster.addresses.filter { $0 != old.address }, database: "app"))
    try other.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
    old.signal(SIGCONT)
  }

  @Test("A transaction whose leader stood still after its beginning reads no outdated rows", arguments: 1...trials)
  func deposedInTransaction(trial: Int) throws {
    let old = try cluster.leader()
    let error = #expect(throws: DatabaseError.self) {
      try queue.read { db in
        #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
        try depose(old)
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
      }
    }
    #expect(error?.condition == .connectionLost)
    #expect(try count(queue) == 1)
  }

  @Test("Rows of a lost connection do not end the next transaction")
  func staleRows() throws {
    try queue.writeWithoutTransaction { db in
      let query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000) SELECT i FROM n"
      let rows = try Int.fetchCursor(db, sql: query)
      #expect(try rows.next() == 1)
      try cluster.leader().kill()
      try db.execute(sql: "BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
      #expect(throws: DatabaseError.self) { while try rows.next() != nil {} }
      try db.execute(sql: "COMMIT")
    }
    #expect(try count(queue) == 1)
  }

  @Test("The names of columns are those of the rows, although another connection has recreated the table")
  func otherColumns() throws {
    try queue.write { db in try db.execute(sql: "CREATE TABLE u (a, b); INSERT INTO u VALUES (1, 2)") }
    let other = try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: "app"))
    func read(_ db: Database) throws -> [String: Int] {
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM u"))
      return try ["a": row["a"], "b": row["b"]]
    }
    try queue.writeWithoutTransaction { db in
      #expect(try read(db) == ["a": 1, "b": 2])
      try other.write { db in
        try db.execute(sql: "DROP TABLE u; CREATE TABLE u (b, a); INSERT INTO u VALUES (2, 1)")
      }
      #expect(try read(db) == ["a": 1, "b": 2])
    }
    try other.write { db in
      try db.execute(sql: "DROP TABLE u; CREATE TABLE u (a, b); INSERT INTO u VALUES (1, 2)")
    }
    #expect(try queue.write { db in try read(db) } == ["a": 1, "b": 2])
  }

  @Test("Without more than half of the nodes, a read fails in the end")
  func minority() throws {
    let leader = try cluster.leader()
    for node in cluster.nodes where node.address != leader.address { node.halt() }
    let deadline = ContinuousClock.now + TestCluster.patience
    let error = #expect(throws: DatabaseError.self) { while .now < deadline { _ = try count(queue) } }
    #expect(error?.condition == .connectionLost || error?.condition == .cannotOpen)
  }
}
