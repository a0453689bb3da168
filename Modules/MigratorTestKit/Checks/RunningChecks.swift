internal import Migrator

extension BackendContract {
  static let runningChecks: [BackendCheck] = [
    .onConnection(50, "A statement returns its rows one by one and can run again after a reset.") { connection in
      let statement = try connection.statement("SELECT 1 UNION ALL SELECT 2")
      for _ in 1...2 {
        var seen: [Int64] = []
        while try statement.step() { seen.append(statement.integer(at: 0)) }
        try expect("the rows", seen, is: [1, 2])
        statement.reset()
      }
      _ = try statement.step()
      statement.reset()
      try expect("step() after a reset in the middle", statement.step(), is: true)
      try expect("the first row", statement.integer(at: 0), is: 1)
    },
    .onConnection(51, "Bound values survive a reset; a parameter that was never set is NULL.") { connection in
      let statement = try connection.statement("SELECT ?, ?")
      try statement.bind(.integer(1), at: 0)
      try statement.bind(.text("two"), at: 1)
      for _ in 1...2 {
        _ = try statement.step()
        try expect("the values", statement.row, is: [.integer(1), .text("two")])
        statement.reset()
      }
      let other = try connection.statement("SELECT ?, ?")
      try other.bind(.integer(1), at: 1)
      _ = try other.step()
      try expect("the values", other.row, is: [.null, .integer(1)])
    },
    .onTwoConnections(53, "A reset releases the read lock.", .impatient.journal(.delete)) {
      reader, writer in
      try writer.run("CREATE TABLE a(x); INSERT INTO a VALUES (1), (2)")
      let select = try reader.statement("SELECT x FROM a")
      _ = try select.step()
      select.reset()
      try writer.run("INSERT INTO a VALUES (3)")
    },
    .onConnection(54, "Several statements of one connection can be stepping through their rows.") { connection in
      try connection.run("CREATE TABLE a(x); INSERT INTO a VALUES (1), (2), (3)")
      let outer = try connection.statement("SELECT x FROM a ORDER BY x")
      var pairs = 0
      while try outer.step() {
        let inner = try connection.statement("SELECT x FROM a")
        while try inner.step() { pairs += 1 }
        try expect(pairs < 10, "a statement restarts in the middle of its rows")
      }
      try expect("the number of pairs", pairs, is: 9)
    },
    .onConnection(55, "lastInsertedRowID is zero at first, and then the rowid of the most recently inserted row.") {
      connection in
      try expect("lastInsertedRowID", connection.lastInsertedRowID, is: 0)
      try connection.run("CREATE TABLE a(id INTEGER PRIMARY KEY); INSERT INTO a VALUES (42)")
      try expect("lastInsertedRowID", connection.lastInsertedRowID, is: 42)
      try connection.run("INSERT INTO a VALUES (\(Int64.max))")
      try expect("lastInsertedRowID", connection.lastInsertedRowID, is: .max)
    },
    .onConnection(56, "changesCount excludes changes by triggers, totalChangesCount includes them.") { connection in
      try connection.run(
        """
        CREATE TABLE a(x); CREATE TABLE b(x);
        CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b VALUES (NEW.x); INSERT INTO b VALUES (NEW.x); END
        """)
      let before = connection.totalChangesCount
      try connection.run("INSERT INTO a VALUES (1), (2), (3)")
      try expect("changesCount", connection.changesCount, is: 3)
      try expect("the growth of totalChangesCount", connection.totalChangesCount - before, is: 9)
      try connection.run("UPDATE a SET x = 0 WHERE x = 1")
      try expect("changesCount", connection.changesCount, is: 1)
    },
    .onConnection(57, "A failed statement has no effect, and can run again.") { connection in
      try connection.run("CREATE TABLE a(x UNIQUE); INSERT INTO a VALUES (3)")
      let insert = try connection.statement("INSERT INTO a VALUES (1), (2), (?)")
      try insert.bind(.integer(3), at: 0)
      try expectError(.constraint(.unique), from: "INSERT") { _ = try insert.step() }
      insert.reset()
      try expect("the number of rows", connection.count("a"), is: 1)
      try insert.bind(.integer(4), at: 0)
      _ = try insert.step()
      insert.reset()
      try expect("the number of rows", connection.count("a"), is: 4)
    },
    .onTwoConnections(
      58, "A statement runs even if another connection has changed the schema since it was prepared."
    ) { first, second in
      try first.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
      let select = try first.statement("SELECT x FROM a")
      _ = try select.step()
      select.reset()
      try second.run("ALTER TABLE a ADD COLUMN y; CREATE TABLE b(x); UPDATE a SET x = 2")
      try expect("step()", select.step(), is: true)
      try expect("the value", select.integer(at: 0), is: 2)
    },
  ]

  static let settingChecks: [BackendCheck] = [
    .onDatabase(75, "The user version and the application ID are stored in the database, independently of each other.")
    {
      database in
      for (version, identifier) in [(Int32(7), Int32(0x6d69_6772)), (.min, .max), (.max, -1)] {
        try database.withConnection { connection in
          try connection.setUserVersion(version)
          try connection.setApplicationID(identifier)
        }
        try database.withConnection { connection in
          try expect("userVersion", connection.userVersion(), is: version)
          try expect("applicationID", connection.applicationID(), is: identifier)
        }
      }
    },
    .onConnection(76, "The user version and the application ID roll back with their transaction.") {
      connection in
      try connection.setUserVersion(1)
      try connection.setApplicationID(2)
      try connection.begin(.immediate)
      try connection.setUserVersion(3)
      try connection.setApplicationID(4)
      try expect("isInsideTransaction", connection.isInsideTransaction, is: true)
      try connection.rollback()
      try expect("userVersion", connection.userVersion(), is: 1)
      try expect("applicationID", connection.applicationID(), is: 2)
    },
  ]
}
