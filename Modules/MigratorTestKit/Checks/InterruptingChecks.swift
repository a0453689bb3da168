internal import Dispatch
internal import Migrator

extension BackendContract {
  static let interruptingChecks: [BackendCheck] = [
    .onInterrupter(
      190, "An interrupted query or write soon fails as interrupted; the connection stays usable and can roll back."
    ) { connection, interrupter in
      try expectInterruption(interrupter) { _ = try connection.rows(longQuery) }
      try expect("the answer afterwards", connection.integers("SELECT 1"), is: [1])
      try connection.run("CREATE TABLE a(x)")
      try connection.begin(.immediate)
      try connection.run("INSERT INTO a VALUES (1)")
      try expectInterruption(interrupter) { try connection.run("INSERT INTO a \(longQuery)") }
      try connection.rollback()
      try expect("isInsideTransaction", connection.isInsideTransaction, is: false)
      try expect("the number of rows", connection.count("a"), is: 0)
    },
    .onInterrupter(191, "Interrupting while nothing runs has no effect on later statements.") {
      connection, interrupter in
      interrupter.interrupt()
      try connection.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
      try connection.begin(.immediate)
      interrupter.interrupt()
      try connection.run("INSERT INTO a VALUES (2)")
      try connection.commit()
      try expect("the number of rows", connection.count("a"), is: 2)
    },
    .onDatabase(192, "Interrupting after the connection was closed does nothing.") { database in
      let connection = try database.connect(ConnectionOptions())
      let interrupter = connection.interrupter
      try connection.close()
      try require(interrupter, orSkip: "the engine cannot be interrupted").interrupt()
    },
    .onTwoConnections(
      194, "Interrupting ends a wait for another connection's lock.", ConnectionOptions(busyTimeout: .seconds(10))
    ) { first, second in
      let interrupter = try interrupter(of: second)
      try first.begin(.immediate)
      let duration = try ContinuousClock().measure {
        try expectInterruption(interrupter) { try second.begin(.immediate) }
      }
      try expect(duration < .seconds(5), "it failed after \(duration)")
      try expect("isInsideTransaction", second.isInsideTransaction, is: false)
    },
    .onConnection(195, "A reporter reports while a statement runs, and no longer after it was stopped.") { connection in
      let reporter = try require(connection.runningReporter, orSkip: "the engine cannot report")
      let query =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT max(i) FROM n"
      var count = 0
      reporter.start { count += 1 }
      try expect("the number", connection.integers(query), is: [100_000])
      reporter.stop()
      try expect(count > 0, "nothing was reported")
      let reported = count
      try expect("the number", connection.integers(query), is: [100_000])
      try expect("the number of reports", count, is: reported)
    },
  ]

  /// A query that runs for many seconds and then ends.
  private static let longQuery = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 15000000) SELECT max(i) FROM n
    """

  static func interrupter(of connection: any DatabaseConnection) throws -> any ConnectionInterrupter {
    try require(connection.interrupter, orSkip: "the engine cannot be interrupted")
  }

  /// Runs `body`, and interrupts it from another thread, repeatedly until it has ended.
  private static func expectInterruption(_ interrupter: any ConnectionInterrupter, _ body: () throws -> Void) throws {
    let hasEnded = DispatchSemaphore(value: 0)
    let other = BackgroundWork(after: .milliseconds(50)) {
      while hasEnded.wait(timeout: .now() + .milliseconds(1)) == .timedOut { interrupter.interrupt() }
    }
    defer {
      hasEnded.signal()
      other.wait()
    }
    try expectError(.interrupted, from: "the interrupted call", body)
  }
}

extension BackendCheck {
  fileprivate static func onInterrupter(
    _ number: Int, _ sentence: String,
    _ body: @escaping @Sendable (any DatabaseConnection, any ConnectionInterrupter) throws -> Void
  ) -> BackendCheck {
    .onConnection(number, sentence) { try body($0, BackendContract.interrupter(of: $0)) }
  }
}
