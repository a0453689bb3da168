internal import Migrator

extension BackendContract {
  static let errorChecks: [BackendCheck] = [
    .onConnection(
      220, "An error reports the violated constraint, and as typeMismatch a value that an integer key cannot hold."
    ) { connection in
      try connection.run(
        """
        CREATE TABLE a(id TEXT PRIMARY KEY, u UNIQUE, n DEFAULT 1 NOT NULL, c CHECK (c > 0), f REFERENCES a);
        CREATE TRIGGER t BEFORE DELETE ON a BEGIN SELECT RAISE(ABORT, 'kept'); END;
        INSERT INTO a(id, u, c) VALUES ('k', 1, 1);
        CREATE TABLE b(id INTEGER PRIMARY KEY)
        """)
      let samples: [(DatabaseError.Constraint, String)] = [
        (.primaryKey, "INSERT INTO a(id) VALUES ('k')"), (.unique, "INSERT INTO a(u) VALUES (1)"),
        (.notNull, "INSERT INTO a(n) VALUES (NULL)"), (.check, "INSERT INTO a(c) VALUES (0)"),
        (.foreignKey, "INSERT INTO a(f) VALUES ('missing')"), (.trigger, "DELETE FROM a"),
        (.rowID, "INSERT INTO a(rowid) VALUES (1)"),
      ]
      for (constraint, sql) in samples {
        try connection.expectError(.constraint(constraint), running: sql)
      }
      try connection.expectError(.typeMismatch, running: "INSERT INTO b VALUES ('x')")
      guard connection.engine.abilities.contains(.strictTables) else { return }
      try connection.run("CREATE TABLE c(x INTEGER) STRICT")
      try connection.expectError(.constraint(.dataType), running: "INSERT INTO c VALUES ('x')")
    },
    .onConnection(223, "An error contains its engine, only its own statement, and a reason.") { connection in
      try connection.run("CREATE TABLE a(x UNIQUE); INSERT INTO a VALUES (1)")
      let sql = "INSERT INTO a VALUES (1)"
      let error = try connection.expectError(running: "SELECT 1; \(sql); SELECT 2")
      try expect("engine", error.engine, is: connection.engine.name)
      try expect("sql", error.sql, is: sql)
      try expect(!error.message.isEmpty && !error.message.hasSuffix("."), "the message is \"\(error.message)\"")
    },
    .onConnection(224, "No bound value appears in an error.") { connection in
      try connection.run("CREATE TABLE a(x UNIQUE CHECK (x <> 'secret two'))")
      try connection.run("INSERT INTO a VALUES (?)", [.text("secret one")])
      for value in ["secret one", "secret two"] {
        let error = try expectError(from: "INSERT") { try connection.run("INSERT INTO a VALUES (?)", [.text(value)]) }
        try expect("arguments", error.arguments, is: [])
        // The definition of the table contains the second value, and engines may quote it.
        if value == "secret one" { try expect(!"\(error)".contains(value), "it appears in: \(error)") }
      }
    },
    .onConnection(225, "A statement error leaves the transaction open, with its earlier changes.") {
      connection in
      try connection.run("CREATE TABLE a(x UNIQUE)")
      try connection.begin(.immediate)
      try connection.run("INSERT INTO a VALUES (1)")
      try connection.expectError(running: "INSERT INTO a VALUES (1)")
      try connection.expectError(running: "SELEKT")
      try expect("isInsideTransaction", connection.isInsideTransaction, is: true)
      try connection.commit()
      try expect("the number of rows", connection.count("a"), is: 1)
    },
  ]
}
