internal import Migrator
internal import SQLSyntax

extension BackendContract {
  /// A script that creates rows whose parent rows are missing, and a foreign key whose parent table is missing.
  private static let orphans = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY); INSERT INTO parent VALUES (1);
    CREATE TABLE child(id INTEGER PRIMARY KEY, parentId REFERENCES parent);
    INSERT INTO child VALUES (7, 99), (8, 1), (9, 98);
    CREATE TABLE other(x REFERENCES nowhere); INSERT INTO other(rowid, x) VALUES (3, 1)
    """

  static let foreignKeyChecks: [BackendCheck] = [
    .onTwoConnections(110, "The enforcement of foreign keys is the last one set, on this connection only.") {
      first, second in
      for enforced in [false, true, true, false] {
        try first.setEnforcesForeignKeys(enforced)
        try expect("enforcesForeignKeys", first.enforcesForeignKeys(), is: enforced)
        try expect("the other connection's", second.enforcesForeignKeys(), is: true)
      }
    },
    .onConnection(
      111, "Foreign keys, while enforced, reject orphans and cascade deletions; otherwise neither, even on DROP TABLE."
    ) { connection in
      try connection.run(family)
      try connection.expectError(.constraint(.foreignKey), running: "INSERT INTO child VALUES (1, 99)")
      try connection.run("INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1, 1); DELETE FROM parent")
      try expect("the number of rows after a deletion", connection.count("child"), is: 0)
      try connection.setEnforcesForeignKeys(false)
      try connection.run("INSERT INTO child VALUES (1, 99)")
      try connection.run("INSERT INTO parent VALUES (1); INSERT INTO child VALUES (2, 1)")
      try connection.begin(.immediate)
      try connection.run("DROP TABLE parent")
      try connection.commit()
      try expect("the number of rows after the table was dropped", connection.count("child"), is: 2)
    },
    .onConnection(
      114, "Switching the enforcement inside a transaction fails or takes effect immediately; it is never ignored."
    ) { connection in
      try connection.run(family)
      for enforced in [false, true] {
        try connection.setEnforcesForeignKeys(!enforced)
        try connection.begin(.immediate)
        var isRefused = false
        do {
          try connection.setEnforcesForeignKeys(enforced)
        } catch is DatabaseError {
          isRefused = true
        }
        try expect("enforcesForeignKeys", connection.enforcesForeignKeys(), is: isRefused ? !enforced : enforced)
        try expect("isInsideTransaction", connection.isInsideTransaction, is: true)
        try connection.rollback()
      }
    },
    .onConnection(
      115, "The foreign keys of a table are returned by number, with table and columns in key order; there may be none."
    ) {
      connection in
      try connection.run(
        """
        CREATE TABLE parent(a, b, PRIMARY KEY(b, a));
        CREATE TABLE child(x REFERENCES other(z), y, z REFERENCES parent, FOREIGN KEY (y, x) REFERENCES Parent(b, a))
        """)
      let keys = try connection.foreignKeys(on: "child")
      try expect("the numbers", keys.map(\.id), is: Array(keys.map(\.id).sorted()))
      let found = Set(keys.map { [$0.destinationTable] + $0.originColumns + ["to"] + $0.destinationColumns })
      try expect(
        "the keys", found,
        is: [["other", "x", "to", "z"], ["parent", "z", "to"], ["Parent", "y", "x", "to", "b", "a"]])
      try expect("the keys", connection.foreignKeys(on: "parent"), is: [])
      try expect("the keys", connection.foreignKeys(on: "nowhere"), is: [])
    },
  ]

  static let violationChecks: [BackendCheck] = [
    .onConnection(
      120, "Violations are found in all tables or one, uncommitted ones too, with rowid, parent table and key number.",
      .withoutForeignKeys, filledBy: orphans
    ) { connection in
      let expected: Set<ForeignKeyViolation> = [
        ForeignKeyViolation(originTable: "child", originRowID: 7, destinationTable: "parent", foreignKeyId: 0),
        ForeignKeyViolation(originTable: "child", originRowID: 9, destinationTable: "parent", foreignKeyId: 0),
        ForeignKeyViolation(originTable: "other", originRowID: 3, destinationTable: "nowhere", foreignKeyId: 0),
      ]
      let found = try connection.violations()
      try expect("the violations", Set(found), is: expected)
      try expect("the number of violations", found.count, is: expected.count)
      try expect("the rows", connection.violations(in: "other").map(\.originRowID), is: [3])
      try expect("the rows", connection.violations(in: "CHILD").map(\.originRowID), is: [7, 9])
      try expect("the rows", connection.violations(in: "parent").map(\.originRowID), is: [])
      try connection.begin(.immediate)
      try connection.run("INSERT INTO child VALUES (5, 97)")
      try expect("the uncommitted rows", Set(connection.violations().map(\.originRowID)), is: [3, 5, 7, 9])
      try connection.run("INSERT INTO parent VALUES (97)")
      try expect("the uncommitted rows", Set(connection.violations().map(\.originRowID)), is: [3, 7, 9])
      try connection.commit()
    },
    .onConnection(122, "A row with NULL in its key, or with an existing parent, violates nothing.") { connection in
      try connection.run(family + "; INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1, 1), (2, NULL)")
      try expect("the violations", connection.violations(), is: [])
    },
    .onConnection(123, "A violation in a WITHOUT ROWID table has no rowid.", .withoutForeignKeys) { connection in
      try connection.run(
        """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(k TEXT PRIMARY KEY, parentId REFERENCES parent) WITHOUT ROWID;
        INSERT INTO child VALUES ('a', 1), ('b', 2)
        """)
      let found = try connection.violations(in: "child")
      try expect("the rowids", found.map(\.originRowID), is: [nil, nil])
    },
    .onConnection(
      124, "The number of a violated key matches its number among the table's foreign keys.", .withoutForeignKeys
    ) { connection in
      try connection.run(
        """
        CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY);
        CREATE TABLE child(x REFERENCES a, y REFERENCES b);
        INSERT INTO a VALUES (1); INSERT INTO b VALUES (2); INSERT INTO child VALUES (1, 99), (98, 2)
        """)
      let keys = try connection.foreignKeys(on: "child")
      let columns = try connection.violations().map { violation in
        keys.first { $0.id == violation.foreignKeyId }?.originColumns ?? []
      }
      try expect("the violated columns", Set(columns), is: [["x"], ["y"]])
    },
    .onConnection(
      125, "A key to columns that are not unique fails as statement, before or during the search.",
      .withoutForeignKeys
    ) { connection in
      try connection.run(
        """
        CREATE TABLE parent(id INTEGER PRIMARY KEY, x); INSERT INTO parent VALUES (1, 1);
        CREATE TABLE child(y REFERENCES parent(x)); INSERT INTO child VALUES (1)
        """)
      try expectError(.statement, from: "foreignKeyViolations") { _ = try connection.violations(in: "child") }
      try expectError(.statement, from: "foreignKeyViolations") { _ = try connection.violations() }
    },
    .onConnection(127, "Tables with unusual names are checked like others.", .withoutForeignKeys) { connection in
      for name in unusualNames {
        let table = name.quotedIdentifier
        try connection.run("CREATE TABLE \(table)(x REFERENCES nowhere); INSERT INTO \(table) VALUES (1)")
        try expect("the keys of \(name)", connection.foreignKeys(on: name).map(\.originColumns), is: [["x"]])
        try expect("the violations of \(name)", connection.violations(in: name).map(\.originTable), is: [name])
      }
    },
  ]

  /// Names that must be quoted in SQL.
  ///
  /// A quote and a following combining mark are a single `Character`, but two scalars; the engine recognizes the quote.
  static let unusualNames = [
    "two words", "O'Brien", "a\"b", "select", "é€", "a;b", "[x]", "a.b", "--", "x\"\u{301}; DROP TABLE parent; --",
    "x'\u{301}--", "\u{1}\u{1B}\r\n\u{301}", "🙂\"\u{FE0F}",
  ]

  private static let family = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY);
    CREATE TABLE child(id INTEGER PRIMARY KEY, parentId REFERENCES parent ON DELETE CASCADE)
    """
}
