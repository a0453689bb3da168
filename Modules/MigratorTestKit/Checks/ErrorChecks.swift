internal import Migrator

extension BackendContract {
  /// What errors tell.
  static let errorChecks: [BackendCheck] = [
    BackendCheck(220, "A violated constraint is told by its kind.") { backend in
      try backend.withConnection { connection in
        try connection.run(
          """
          CREATE TABLE a(id TEXT PRIMARY KEY, u UNIQUE, n DEFAULT 1 NOT NULL, c CHECK (c > 0), f REFERENCES a);
          CREATE TRIGGER t BEFORE DELETE ON a BEGIN SELECT RAISE(ABORT, 'kept'); END;
          INSERT INTO a(id, u, c) VALUES ('k', 1, 1)
          """)
        let samples: [(DatabaseError.Constraint, String)] = [
          (.primaryKey, "INSERT INTO a(id) VALUES ('k')"), (.unique, "INSERT INTO a(u) VALUES (1)"),
          (.notNull, "INSERT INTO a(n) VALUES (NULL)"), (.check, "INSERT INTO a(c) VALUES (0)"),
          (.foreignKey, "INSERT INTO a(f) VALUES ('nobody')"), (.trigger, "DELETE FROM a"),
          (.rowID, "INSERT INTO a(rowid) VALUES (1)"),
        ]
        for (constraint, sql) in samples {
          try expectError(.constraint(constraint), from: "`\(sql)`") { try connection.run(sql) }
        }
      }
    },
    BackendCheck(221, "A value that is no integer in an integer key fails as typeMismatch.") { backend in
      try backend.withConnection { connection in
        try connection.run("CREATE TABLE a(id INTEGER PRIMARY KEY)")
        try expectError(.typeMismatch, from: "INSERT") { try connection.run("INSERT INTO a VALUES ('x')") }
      }
    },
    BackendCheck(222, "A value of another type in a STRICT table fails as constraint(dataType).") { backend in
      try backend.withConnection { connection in
        guard connection.engine.abilities.contains(.strictTables) else {
          throw BackendCheckSkipped("the engine has no STRICT tables")
        }
        try connection.run("CREATE TABLE a(x INTEGER) STRICT")
        try expectError(.constraint(.dataType), from: "INSERT") { try connection.run("INSERT INTO a VALUES ('x')") }
      }
    },
    BackendCheck(223, "An error names its engine, its statement alone, and a reason.") { backend in
      try backend.withConnection { connection in
        try connection.run("CREATE TABLE a(x UNIQUE); INSERT INTO a VALUES (1)")
        let sql = "INSERT INTO a VALUES (1)"
        let error = try expectError(from: "INSERT") { try connection.run("SELECT 1; \(sql); SELECT 2") }
        try expect("engine", error.engine, is: connection.engine.name)
        try expect("sql", error.sql, is: sql)
        try expect(!error.message.isEmpty && !error.message.hasSuffix("."), "the message is \"\(error.message)\"")
      }
    },
    BackendCheck(224, "No bound value shows in an error.") { backend in
      try backend.withConnection { connection in
        try connection.run("CREATE TABLE a(x UNIQUE CHECK (x <> 'secret two'))")
        try connection.run("INSERT INTO a VALUES (?)", [.text("secret one")])
        for value in ["secret one", "secret two"] {
          let error = try expectError(from: "INSERT") { try connection.run("INSERT INTO a VALUES (?)", [.text(value)]) }
          try expect("arguments", error.arguments, is: [])
          // The definition of the table holds the second value, and engines may cite it.
          if value == "secret one" { try expect(!"\(error)".contains(value), "it shows in: \(error)") }
        }
      }
    },
    BackendCheck(225, "An error of a statement leaves the transaction open, with what was done before.") { backend in
      try backend.withConnection { connection in
        try connection.run("CREATE TABLE a(x UNIQUE)")
        try connection.begin(.immediate)
        try connection.run("INSERT INTO a VALUES (1)")
        try expectError(from: "INSERT") { try connection.run("INSERT INTO a VALUES (1)") }
        try expectError(from: "a misspelt statement") { try connection.run("SELEKT") }
        try expect("isInsideTransaction", connection.isInsideTransaction, is: true)
        try connection.commit()
        try expect("the number of rows", connection.count("a"), is: 1)
      }
    },
  ]
}
