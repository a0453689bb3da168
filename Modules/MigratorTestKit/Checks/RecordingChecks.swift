internal import Migrator

extension BackendContract {
  static let recordingChecks: [BackendCheck] = [
    .onRecorder(
      180, "A table is recorded in lower case when a statement that changes its rows or its definition is prepared."
    ) { connection, recorder in
      for sql in ["INSERT INTO Author VALUES (5, 5)", "UPDATE AUTHOR SET x = 2", "DELETE FROM author"] {
        try recorder.expect(["author"], by: sql, on: connection)
      }
      for sql in [
        "CREATE TABLE author2(x)", "ALTER TABLE log ADD COLUMN y", "DROP TABLE log", "CREATE UNIQUE INDEX i ON log(x)",
        "ALTER TABLE log RENAME TO log2", "CREATE TABLE log3 AS SELECT * FROM log",
      ] {
        let table = sql.contains("author2") ? "author2" : sql.contains("log3") ? "log3" : "log"
        try recorder.expect([table], by: sql, on: connection)
      }
    },
    .onRecorder(181, "Changes by triggers, by foreign key actions and through a view are recorded.") {
      connection, recorder in
      try recorder.expect(["author", "log"], by: "INSERT INTO author VALUES (5, 5)", on: connection)
      try recorder.expect(["author", "book"], by: "DELETE FROM author WHERE id = 1", on: connection)
      try recorder.expect(["author"], by: "DELETE FROM authors", on: connection)
    },
    .onRecorder(185, "Starting again clears the record, and stopping ends it.") { connection, recorder in
      recorder.start(isContinued: false)
      try connection.run("INSERT INTO author VALUES (5, 5)")
      recorder.start(isContinued: false)
      try expect("the tables after starting again", recorder.changes.tables, is: [])
      try connection.run("INSERT INTO log VALUES (1)")
      recorder.stop()
      let changes = recorder.changes
      try connection.run("INSERT INTO author VALUES (6, 6)")
      try expect("the changes after stopping", recorder.changes, is: changes)
      try expect(changes.tables.contains("log") || changes.isIncomplete, "the tables are \(changes.tables)")
    },
    .onRecorder(186, "Starting and ending a recording do not affect statements.") { connection, recorder in
      recorder.start(isContinued: false)
      try connection.run(
        "INSERT INTO author VALUES (5, 5); CREATE TABLE a(x); DELETE FROM author WHERE id = 1; DROP TABLE a")
      try expect("the authors", connection.integers("SELECT id FROM author ORDER BY id"), is: [2, 5])
      try expect("the number of books", connection.count("book"), is: 1)
      try expect("the number of entries", connection.count("log"), is: 1)
      // This holds for each statement prepared while the query runs; an engine with this fault ends the query at the
      // second table.
      let query = try connection.statement("SELECT id FROM author UNION ALL SELECT 7 FROM log")
      recorder.start(isContinued: true)
      try connection.run("INSERT INTO log VALUES (2)")
      recorder.stop()
      var found: [Int64] = []
      while try query.step() {
        found.append(query.integer(at: 0))
        try expect("the number of entries", connection.count("log"), is: 2)
      }
      try expect("the rows", found, is: [2, 5, 7, 7])
    },
    .onRecorder(187, "Tables that no statement changed are not recorded, unless the record is incomplete.") {
      connection, recorder in
      recorder.start(isContinued: false)
      try connection.run("INSERT INTO log SELECT x FROM author")
      recorder.stop()
      let changes = recorder.changes
      try expect(changes.isIncomplete || !changes.tables.contains("book"), "the tables are \(changes.tables)")
    },
    .onRecorder(
      188, "Added objects are returned in order if nothing else changed; after any other change, the result is nil."
    ) {
      connection, recorder in
      try connection.begin(.immediate)
      let steps: [(sql: String, added: [String]?)] = [
        ("INSERT INTO author VALUES (5, 5)", []),
        ("CREATE TABLE z(x UNIQUE); CREATE INDEX a ON z(x); CREATE VIEW v AS SELECT 1", ["z", "a", "v"]),
        ("SAVEPOINT s; CREATE TABLE gone(x); ROLLBACK TO s; RELEASE s; CREATE TABLE b(x)", ["b"]),
        ("CREATE TABLE e(x)", ["e"]), ("CREATE TABLE f(x); CREATE UNIQUE INDEX g ON f(x)", ["f", "g"]),
        ("SAVEPOINT s; CREATE TABLE h(x); RELEASE s", ["h"]), ("CREATE TABLE IF NOT EXISTS h(x)", []),
        ("DROP TABLE b; CREATE TABLE c(x)", nil), ("CREATE TABLE d(x)", ["d"]),
        ("ALTER TABLE d ADD COLUMN y", nil), ("DROP VIEW v", nil),
        ("CREATE TRIGGER w AFTER DELETE ON z BEGIN SELECT 1; END", ["w"]),
      ]
      for (number, step) in steps.enumerated() {
        recorder.start(isContinued: number > 0)
        let late = try connection.statement("CREATE VIEW late\(number) AS SELECT 1")
        let early = try recorder.addedObjects()
        try expect(early?.isEmpty ?? true, "before `\(step.sql)` \(early ?? []) are reported")
        while try late.step() {}
        let view = try recorder.addedObjects()
        try expect(view == nil || view?.map(\.name) == ["late\(number)"], "of a view, \(view ?? []) are reported")
        try connection.run(step.sql)
        recorder.stop()
        let added = try recorder.addedObjects()?.map(\.name)
        // An engine need not report added objects, but those that it reports must be correct.
        try expect(added == nil || added == step.added, "after `\(step.sql)` \(added ?? []) are reported")
      }
      try connection.rollback()
    },
    .onRecorder(189, "A statement that was prepared before recording started is recorded when it runs.") {
      connection, recorder in
      try connection.beginSavepoint("s")
      let early = try connection.statement("DELETE FROM book")
      recorder.start(isContinued: false)
      let earlier = try connection.statement("INSERT INTO author VALUES (5, 5)")
      recorder.stop()
      let between = try connection.statement("INSERT INTO log VALUES (7)")
      recorder.start(isContinued: true)
      for (statement, table) in [(early, "book"), (between, "log"), (earlier, "author")] {
        while try statement.step() {}
        let changes = recorder.changes
        try expect(
          changes.isIncomplete || changes.tables.contains(table),
          "of \(table), \(changes.tables.sorted()) are recorded")
      }
      recorder.stop()
      try connection.rollbackSavepoint("s")
    },
  ]
}

extension BackendCheck {
  fileprivate static func onRecorder(
    _ number: Int, _ sentence: String,
    _ body: @escaping @Sendable (any DatabaseConnection, any ChangeRecorder) throws -> Void
  ) -> BackendCheck {
    let tables = """
      CREATE TABLE Author(id INTEGER PRIMARY KEY, x); CREATE TABLE log(x);
      CREATE TABLE book(authorId REFERENCES author ON DELETE CASCADE);
      INSERT INTO author VALUES (1, 1), (2, 2); INSERT INTO book VALUES (1), (2);
      CREATE TRIGGER t AFTER INSERT ON author BEGIN INSERT INTO log VALUES (NEW.x); END;
      CREATE VIEW authors AS SELECT id FROM author;
      CREATE TRIGGER u INSTEAD OF DELETE ON authors BEGIN DELETE FROM author WHERE id = OLD.id; END
      """
    return .onConnection(number, sentence, filledBy: tables) { connection in
      let recorder = try require(
        connection.changeRecorder, orSkip: "the engine cannot report which tables statements change")
      try body(connection, recorder)
    }
  }
}

extension ChangeRecorder {
  /// Prepares a statement without running it, and checks the recorded tables.
  fileprivate func expect(_ tables: Set<String>, by sql: String, on connection: any DatabaseConnection) throws {
    start(isContinued: false)
    let statement = try connection.statement(sql)
    let changes = changes
    try MigratorTestKit.expect(
      changes.isIncomplete || changes.tables.isSuperset(of: tables),
      "of \(tables.sorted()), \(changes.tables.sorted()) are recorded for `\(sql)`")
    statement.reset()
    stop()
  }
}
