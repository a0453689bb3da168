internal import Migrator

extension BackendContract {
  static let transactionChecks: [BackendCheck] = [
    .onConnection(80, "isInsideTransaction is true from begin to commit or rollback, for each kind of transaction.") {
      connection in
      for kind in [TransactionKind.deferred, .immediate, .exclusive] {
        for commits in [true, false] {
          try connection.begin(kind)
          try expect("isInsideTransaction after begin", connection.isInsideTransaction, is: true)
          if commits { try connection.commit() } else { try connection.rollback() }
          try expect("isInsideTransaction at the end", connection.isInsideTransaction, is: false)
        }
      }
    },
    .onTwoConnections(
      81, "A commit makes rows and schema permanent, for other connections too; a rollback undoes them."
    ) { first, second in
      try first.begin(.immediate)
      try first.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
      try first.commit()
      try expect("the rows", second.integers("SELECT x FROM a"), is: [1])
      try first.begin(.immediate)
      try first.run("INSERT INTO a VALUES (2); CREATE TABLE b(x); DELETE FROM a WHERE x = 1")
      try first.rollback()
      try expect("the rows", first.integers("SELECT x FROM a"), is: [1])
      try expect("the tables", first.names(), is: ["a"])
    },
    .onConnection(83, "A rollback without a transaction does nothing.") { connection in
      try connection.rollback()
      try connection.run("CREATE TABLE a(x)")
      try connection.rollback()
      try expect("the tables", connection.names(), is: ["a"])
    },
    .onConnection(84, "A second begin fails, and the open transaction continues; a commit without one fails.") {
      connection in
      try connection.begin(.immediate)
      try connection.run("CREATE TABLE a(x)")
      try expectError(from: "the second begin") { try connection.begin(.deferred) }
      try expect("isInsideTransaction", connection.isInsideTransaction, is: true)
      try connection.commit()
      try expect("the tables", connection.names(), is: ["a"])
      try expectError(from: "commit") { try connection.commit() }
    },
    .onConnection(86, "isInsideTransaction follows statements that begin or end a transaction.") { connection in
      try connection.run("CREATE TABLE a(x UNIQUE); INSERT INTO a VALUES (1)")
      try connection.run("BEGIN")
      try expect("isInsideTransaction after BEGIN", connection.isInsideTransaction, is: true)
      try connection.run("COMMIT")
      try expect("isInsideTransaction after COMMIT", connection.isInsideTransaction, is: false)
      try connection.begin(.immediate)
      try connection.expectError(.constraint(.unique), running: "INSERT OR ROLLBACK INTO a VALUES (1)")
      try expect("isInsideTransaction after OR ROLLBACK", connection.isInsideTransaction, is: false)
    },
    .onConnection(87, "A commit that fails for a deferred foreign key can be retried or rolled back.") {
      connection in
      try connection.run(
        """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(parentId REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
        """)
      try connection.begin(.immediate)
      try connection.run("INSERT INTO child VALUES (1)")
      try expectError(.constraint(.foreignKey), from: "commit") { try connection.commit() }
      if connection.isInsideTransaction {
        try connection.run("INSERT INTO parent VALUES (1)")
        try connection.commit()
        try expect("the number of rows", connection.count("child"), is: 1)
      } else {
        try connection.rollback()
        try expect("the number of rows", connection.count("child"), is: 0)
      }
    },
  ]

  static let concurrencyChecks: [BackendCheck] = [
    .onTwoConnections(90, "Of two immediate transactions, the second fails as busy and is not open afterwards.") {
      first, second in
      try first.begin(.immediate)
      try expectError(.busy, from: "the second begin") { try second.begin(.immediate) }
      try expect("isInsideTransaction", second.isInsideTransaction, is: false)
      try first.commit()
      try second.begin(.immediate)
      try second.rollback()
    },
    .onTwoConnections(
      91, "Other connections do not see uncommitted changes, and can read during an immediate transaction."
    ) { first, second in
      try first.run("CREATE TABLE a(x)")
      try first.begin(.immediate)
      try first.run("INSERT INTO a VALUES (1)")
      try expect("the number of rows that the other connection sees", second.count("a"), is: 0)
      try first.rollback()
    },
    .onTwoConnections(
      92, "A deferred transaction takes no lock until its first statement.", .impatient.journal(.delete)
    ) {
      first, second in
      try first.begin(.deferred)
      try second.begin(.exclusive)
      try second.run("CREATE TABLE a(x)")
      try second.commit()
      try expect("the tables that it sees then", first.names(), is: ["a"])
      try first.commit()
    },
    .onTwoConnections(93, "An exclusive transaction blocks other writers.") { first, second in
      try first.run("CREATE TABLE a(x)")
      // A connection that cannot read may not know of a table that it has not seen yet.
      _ = try second.count("a")
      try first.begin(.exclusive)
      try expectError(.busy, from: "begin") { try second.begin(.immediate) }
      try second.expectError(.busy, running: "INSERT INTO a VALUES (1)")
      try first.rollback()
      try second.run("INSERT INTO a VALUES (1)")
    },
    .onTwoConnections(
      94, "A commit that fails as busy leaves the transaction open, and can succeed later.", .impatient.journal(.delete)
    ) { writer, reader in
      try writer.run("CREATE TABLE a(x); INSERT INTO a VALUES (1), (2)")
      let select = try reader.statement("SELECT x FROM a")
      _ = try select.step()
      try writer.begin(.immediate)
      try writer.run("INSERT INTO a VALUES (3)")
      do {
        try writer.commit()
      } catch let error as DatabaseError where error.condition == .busy {
        try expect("isInsideTransaction", writer.isInsideTransaction, is: true)
        select.reset()
        try writer.commit()
      }
      select.reset()
      try expect("the number of rows", reader.count("a"), is: 3)
    },
    .onTwoConnections(
      95, "A transaction that read before another connection wrote cannot write: it fails as stale or busy.",
      .impatient.journal(.wal)
    ) { first, second in
      try first.run("CREATE TABLE a(x)")
      try first.begin(.deferred)
      _ = try first.count("a")
      try second.run("INSERT INTO a VALUES (1)")
      try first.expectError(.stale, .busy, running: "INSERT INTO a VALUES (2)")
      try first.rollback()
      try expect("the rows", second.integers("SELECT x FROM a"), is: [1])
    },
    .onTwoConnections(
      96, "The data version changes when another connection commits, and not with the connection's own changes."
    ) { first, second in
      try first.run("CREATE TABLE a(x)")
      let start = try require(first.dataVersion(), orSkip: "the engine has no data version")
      try first.run("INSERT INTO a VALUES (1); CREATE TABLE b(x)")
      try expect("the version after its own changes", first.dataVersion(), is: start)
      try second.run("INSERT INTO a VALUES (2)")
      try first.begin(.immediate)
      let version = try first.dataVersion()
      try expect(version != start, "after another connection's commit, the version is still \(start)")
      try first.run("INSERT INTO a VALUES (3)")
      try first.commit()
      try expect("the version after its own commit", first.dataVersion(), is: version)
    },
  ]
}
