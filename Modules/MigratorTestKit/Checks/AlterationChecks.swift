internal import Migrator

extension BackendContract {
  /// A table `book` with an index, a foreign key, a counter and a trigger.
  fileprivate static let library = """
    CREATE TABLE author(id INTEGER PRIMARY KEY); INSERT INTO author VALUES (1);
    CREATE TABLE book(id INTEGER PRIMARY KEY AUTOINCREMENT, authorId INTEGER REFERENCES author, title TEXT);
    INSERT INTO book VALUES (10, 1, 'b'), (20, 1, 'c');
    CREATE INDEX book_on_authorId ON book(authorId);
    CREATE TABLE log(x);
    CREATE TRIGGER t AFTER INSERT ON book WHEN NEW.authorId > 0 BEGIN INSERT INTO log VALUES (NEW.title); END
    """

  static let alterationChecks: [BackendCheck] = [
    .onConnection(
      170, "The steps of an alteration are made in order; an added column is the last one, with its default."
    ) { connection in
      try connection.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
      var column = NewColumnDescription(name: "new column", type: .integer)
      column.notNull = .init()
      column.defaultValue = .value(.integer(5))
      try connection.apply(
        .alterTable(name: "a", alterations: [.addColumn(column), .addColumnSQL("z TEXT DEFAULT 'q'")]))
      try expect("the columns", connection.columns(in: "a")?.map(\.name), is: ["x", "new column", "z"])
      try expect("the row", connection.rows("SELECT * FROM a"), is: [[.integer(1), .integer(5), .text("q")]])
      try connection.alter(
        "a",
        [
          .renameColumn(name: "x", newName: "y"), .addColumn(NewColumnDescription(name: "x")),
          .renameColumn(name: "z", newName: "w"),
        ])
      try expect("the columns", connection.columns(in: "a")?.map(\.name), is: ["y", "new column", "w", "x"])
      try expect("the row", connection.rows("SELECT * FROM a"), is: [[.integer(1), .integer(5), .text("q"), .null]])
    },
    .onLibrary(171, "A renamed column keeps its values, its index and its foreign key, and is renamed in triggers.") {
      connection in
      try connection.alter("book", [.renameColumn(name: "authorId", newName: "writer")])
      try expect("the columns", connection.columns(in: "book")?.map(\.name), is: ["id", "writer", "title"])
      try expect("the values", connection.integers("SELECT writer FROM book ORDER BY id"), is: [1, 1])
      try expect("the keys", connection.foreignKeys(on: "book").map(\.originColumns), is: [["writer"]])
      try expect("the indexes", connection.names(.index), is: ["book_on_authorId"])
      try connection.run("INSERT INTO book(writer, title) VALUES (1, 'new')")
      try expect("the trigger's work", connection.rows("SELECT x FROM log"), is: [[.text("new")]])
    },
    .onLibrary(172, "A dropped column is removed with its values, and everything else stays.") { connection in
      try connection.run("ALTER TABLE book ADD COLUMN extra TEXT DEFAULT 'e'")
      try connection.alter("book", [.dropColumn(name: "extra")])
      try expect("the columns", connection.columns(in: "book")?.map(\.name), is: ["id", "authorId", "title"])
      try expect(
        "the rows", connection.rows("SELECT * FROM book ORDER BY id"),
        is: [[.integer(10), .integer(1), .text("b")], [.integer(20), .integer(1), .text("c")]])
      try connection.run("INSERT INTO book(authorId, title) VALUES (1, 'new')")
      try expect("the next number", connection.lastInsertedRowID >= 21, is: true)
    },
    .onConnection(
      173, "AUTOINCREMENT counters and the rowids of tables without a key survive an alteration.", .withoutForeignKeys
    ) { connection in
      try connection.run(
        """
        CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT, x, y); INSERT INTO a VALUES (50, 1, 2); DELETE FROM a;
        CREATE TABLE b(x, y); INSERT INTO b(rowid, x) VALUES (7, 1), (9, 2)
        """)
      for table in ["a", "b"] {
        try connection.alter(table, [.renameColumn(name: "x", newName: "z"), .dropColumn(name: "y")])
      }
      try connection.run("INSERT INTO a(z) VALUES (1)")
      try expect("the next number", connection.integers("SELECT id FROM a"), is: [51])
      try expect("the rowids", connection.integers("SELECT rowid FROM b ORDER BY z"), is: [7, 9])
    },
    .onConnection(175, "Altering an object that does not exist fails, and nothing changes.") { connection in
      try connection.run("CREATE TABLE a(x, y)")
      let before = try connection.schema()
      for (table, step) in [
        ("nowhere", TableAlterationDescription.addColumn(NewColumnDescription(name: "z"))),
        ("nowhere", .renameColumn(name: "x", newName: "z")), ("a", .renameColumn(name: "q", newName: "z")),
        ("a", .renameColumn(name: "x", newName: "y")), ("a", .dropColumn(name: "q")),
        ("nowhere", .dropColumn(name: "x")),
      ] {
        try expectError(from: "\(step) of \(table)") {
          try connection.apply(.alterTable(name: table, alterations: [step]))
        }
      }
      try expect("the schema", connection.schema(), is: before)
    },
    .onLibrary(176, "A change leaves the connection unchanged: transaction, foreign keys, no extra objects.") {
      connection in
      for enforced in [true, false] {
        try connection.setEnforcesForeignKeys(enforced)
        let names = Set(try connection.schema().objects.map(\.name))
        try connection.begin(.immediate)
        let name = enforced ? "title" : "name"
        try connection.alter("book", [.renameColumn(name: name, newName: enforced ? "name" : "title")])
        try expect("isInsideTransaction", connection.isInsideTransaction, is: true)
        try connection.commit()
        try expect("enforcesForeignKeys", connection.enforcesForeignKeys(), is: enforced)
        try expect("the objects' names", Set(connection.schema().objects.map(\.name)), is: names)
        try expect("the number of rows", connection.count("book"), is: 2)
        try connection.expectError(running: "DELETE FROM sqlite_master")
      }
    },
    .onLibrary(177, "An alteration can be rolled back, which restores everything.") { connection in
      let before = try connection.schema()
      try connection.begin(.immediate)
      try connection.alter("book", [.renameColumn(name: "title", newName: "name")])
      try connection.rollback()
      try expect("the schema", connection.schema(), is: before)
      try expect("the rows", connection.rows("SELECT title FROM book ORDER BY id"), is: [[.text("b")], [.text("c")]])
      try connection.run("INSERT INTO book(authorId, title) VALUES (1, 'new')")
    },
    .onLibrary(
      178, "A view that uses a renamed column returns the same rows, unless the change is rejected as unsupported."
    ) { connection in
      try connection.run("CREATE VIEW titles AS SELECT title, authorId FROM book")
      let before = try connection.schema()
      do {
        try connection.apply(.alterTable(name: "book", alterations: [.renameColumn(name: "title", newName: "name")]))
      } catch let error as DatabaseError where error.condition == .unsupported {
        try expect("the schema", connection.schema(), is: before)
      }
      try expect("the number of rows in the view", connection.rows("SELECT * FROM titles").count, is: 2)
    },
  ]
}

extension BackendCheck {
  /// Returns a check with a connection that does not enforce foreign keys; the database contains a table `book`.
  fileprivate static func onLibrary(
    _ number: Int, _ sentence: String, _ body: @escaping @Sendable (any DatabaseConnection) throws -> Void
  ) -> BackendCheck {
    .onConnection(number, sentence, .withoutForeignKeys, filledBy: BackendContract.library, body)
  }
}
