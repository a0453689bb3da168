internal import Migrator

extension BackendContract {
  static let savepointChecks: [BackendCheck] = [
    .onConnection(
      100, "A released savepoint keeps its changes; one that is rolled back undoes and ends exactly what it began.",
      filledBy: "CREATE TABLE a(x)"
    ) { connection in
      try connection.begin(.immediate)
      try connection.beginSavepoint("s")
      try connection.run("INSERT INTO a VALUES (1)")
      try connection.releaseSavepoint("s")
      try connection.beginSavepoint("s")
      try connection.run("INSERT INTO a VALUES (2); CREATE TABLE b(x)")
      try connection.rollbackSavepoint("s")
      try expect("isInsideTransaction", connection.isInsideTransaction, is: true)
      try expectError(from: "releasing it again") { try connection.releaseSavepoint("s") }
      try connection.commit()
      try expect("the rows", connection.integers("SELECT x FROM a"), is: [1])
      try expect("the tables", connection.names(), is: ["a"])
      try connection.beginSavepoint("s")
      try connection.run("INSERT INTO a VALUES (2)")
      try connection.rollbackSavepoint("s")
      try expect("isInsideTransaction", connection.isInsideTransaction, is: false)
      try expect("the number of rows", connection.count("a"), is: 1)
    },
    .onConnection(102, "Among savepoints with the same name, the newest is used.", filledBy: "CREATE TABLE a(x)") {
      connection in
      try connection.beginSavepoint("s")
      try connection.run("INSERT INTO a VALUES (1)")
      try connection.beginSavepoint("s")
      try connection.run("INSERT INTO a VALUES (2)")
      try connection.rollbackSavepoint("s")
      try connection.releaseSavepoint("s")
      try expect("isInsideTransaction", connection.isInsideTransaction, is: false)
      try expect("the rows", connection.integers("SELECT x FROM a"), is: [1])
    },
    .onTwoConnections(103, "Outside a transaction, a savepoint opens one, and releasing it commits.") { first, second in
      try first.run("CREATE TABLE a(x)")
      try first.beginSavepoint("s")
      try expect("isInsideTransaction", first.isInsideTransaction, is: true)
      try first.run("INSERT INTO a VALUES (1)")
      try expect("the number of rows that the other connection sees", second.count("a"), is: 0)
      try first.releaseSavepoint("s")
      try expect("isInsideTransaction", first.isInsideTransaction, is: false)
      try expect("the number of rows that the other connection sees", second.count("a"), is: 1)
    },
    .onConnection(105, "A savepoint can have any name.", filledBy: "CREATE TABLE a(x)") { connection in
      for name in ["two words", "O'Brien", "a\"b", "select", "é", "x; DROP TABLE a"] {
        try connection.beginSavepoint(name)
        try connection.run("INSERT INTO a VALUES (1)")
        try connection.rollbackSavepoint(name)
        try connection.beginSavepoint(name)
        try connection.releaseSavepoint(name)
      }
      try expect("the number of rows", connection.count("a"), is: 0)
    },
    .onConnection(106, "Releasing or rolling back a savepoint that does not exist fails and changes nothing.") {
      connection in
      try connection.run("CREATE TABLE a(x)")
      try connection.begin(.immediate)
      try connection.run("INSERT INTO a VALUES (1)")
      try expectError(from: "release") { try connection.releaseSavepoint("nowhere") }
      try expectError(from: "rollback") { try connection.rollbackSavepoint("nowhere") }
      try connection.commit()
      try expect("the number of rows", connection.count("a"), is: 1)
    },
  ]
}
