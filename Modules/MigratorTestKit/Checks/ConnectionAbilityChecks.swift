internal import Foundation
internal import Migrator

extension BackendContract {
  static let extendingChecks: [BackendCheck] = [
    .onConnection(196, "An added collation orders rows, and an added function is called with its arguments.") {
      connection in
      let extender = try require(
        connection.extender, orSkip: "the engine cannot call the application, or the connection is lent")
      try extender.add(
        DatabaseCollation("backwards") { one, other in
          one < other ? .orderedDescending : one == other ? .orderedSame : .orderedAscending
        })
      try connection.run("CREATE TABLE a(x TEXT COLLATE backwards); INSERT INTO a VALUES ('1'), ('3'), ('2')")
      try expect(
        "the order", connection.rows("SELECT x FROM a ORDER BY x"), is: ["3", "2", "1"].map { [.text($0)] })
      try extender.add(DatabaseFunction("joined") { values in values.map { "\($0)" }.joined(separator: ", ") })
      try expect(
        "the result", connection.rows("SELECT joined(1, 'a', NULL)"),
        is: [[.text([DatabaseValue.integer(1), .text("a"), .null].map { "\($0)" }.joined(separator: ", "))]])
    }
  ]

  static let stateKeepingChecks: [BackendCheck] = [
    .onConnection(217, "Restoring a state undoes changed settings, temporary objects and attached databases.") {
      connection in
      let keeper = try keeper(of: connection)
      try connection.run("CREATE TEMP TABLE kept(x); INSERT INTO kept VALUES (1)")
      let state = try keeper.state()
      try change(connection)
      try expect(keeper.state() != state, "the state does not show what statements changed")
      try keeper.restore(state)
      try expect("the state", keeper.state(), is: state)
      try expect("the rows of an older temporary table", connection.integers("SELECT x FROM temp.kept"), is: [1])
    },
    .onConnection(
      218, "Restoring a state within a transaction leaves it open with its changes, and can be completed afterwards."
    ) { connection in
      let keeper = try keeper(of: connection)
      let state = try keeper.state()
      try change(connection)
      try connection.begin(.immediate)
      try connection.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
      try keeper.restore(state)
      try expect("isInsideTransaction", connection.isInsideTransaction, is: true)
      try connection.commit()
      try expect("the number of rows", connection.count("a"), is: 1)
      try keeper.restore(state)
      try expect("the state", keeper.state(), is: state)
    },
    BackendCheck(219, "A lent connection is given back as it was, without a transaction, and can be lent again.") {
      backend in
      let makeLentBackend = try require(backend.makeLentBackend, orSkip: "its connections are never lent")
      let lent = try makeLentBackend(backend.newLocation())
      let state = try lent.withConnection { connection in
        try connection.run("CREATE TABLE a(x)")
        return try keeper(of: connection).state()
      }
      let first = try lent.connect(ConnectionOptions())
      let statement = try first.statement("SELECT 1 UNION ALL SELECT 2")
      _ = try statement.step()
      try change(first)
      try first.setEnforcesForeignKeys(try !first.enforcesForeignKeys())
      let isEnforced = try !first.enforcesForeignKeys()
      try first.begin(.immediate)
      try first.run("INSERT INTO a VALUES (1)")
      try first.close()
      try lent.withConnection { connection in
        try expect("isInsideTransaction", connection.isInsideTransaction, is: false)
        try expect("the number of rows", connection.count("a"), is: 0)
        try expect("the enforcement of foreign keys", connection.enforcesForeignKeys(), is: isEnforced)
        try expect("the state", keeper(of: connection).state(), is: state)
      }
    },
  ]

  /// Changes each kind of connection state; an engine ignores a pragma that it does not know, and may attach nothing.
  private static func change(_ connection: any DatabaseConnection) throws {
    try connection.run("PRAGMA recursive_triggers = ON; PRAGMA cache_size = 77; CREATE TEMP TABLE added(x)")
    do {
      try connection.run("ATTACH ':memory:' AS other")
    } catch let error as DatabaseError where error.condition == .unsupported {}
  }

  private static func keeper(of connection: any DatabaseConnection) throws -> any ConnectionStateKeeper {
    try require(connection.stateKeeper, orSkip: "the backend cannot restore a connection's state")
  }
}
