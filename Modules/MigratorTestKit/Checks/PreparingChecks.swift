internal import Migrator

extension BackendContract {
  static let preparingChecks: [BackendCheck] = [
    .onConnection(40, "The statements of a script are found one after another, at offsets in UTF-8 bytes.") {
      connection in
      let script = "SELECT 'é€😀';\n  -- ü; not a statement\n SELECT 2 ; /* ; */ SELECT 'a;b'"
      var offset = 0
      var found: [DatabaseValue] = []
      while true {
        let preparation = try connection.prepare(script, utf8Offset: offset)
        try expect(
          (offset...script.utf8.count).contains(preparation.endOffset),
          "offset \(preparation.endOffset) after a statement that was prepared from \(offset)")
        guard let statement = preparation.statement else { break }
        try expect(preparation.endOffset > offset, "the offset \(offset) does not advance")
        offset = preparation.endOffset
        try expect("step()", statement.step(), is: true)
        found.append(DatabaseValue(statement.value(at: 0)))
        try expect(found.count < 10, "more statements than the script has")
      }
      try expect("the values", found, is: [.text("é€😀"), .integer(2), .text("a;b")])
    },
    .onConnection(41, "If only whitespace, comments and semicolons remain, there is no statement and no error.") {
      connection in
      for script in ["", " \n\t", "-- nothing", "/* nothing */", "/* not closed", ";", " ; ;; -- nothing\n"] {
        let statement = try connection.prepare(script, utf8Offset: 0).statement
        try expect(statement == nil, "a statement was found in `\(script)`: `\(statement?.sql ?? "")`")
      }
      let script = "SELECT 1"
      try expect(connection.prepare(script, utf8Offset: script.utf8.count).statement == nil, "a statement at the end")
    },
    .onConnection(42, "A statement's text excludes the text before and after the statement.") { connection in
      let script = "-- first\n SELECT 1 ;\n/* second */ SELECT 'a;b' ; -- end"
      let first = try connection.prepare(script, utf8Offset: 0)
      let second = try connection.prepare(script, utf8Offset: first.endOffset)
      for (statement, text) in [(first.statement, "SELECT 1"), (second.statement, "SELECT 'a;b'")] {
        let sql = statement?.sql ?? "nothing"
        try expect(["", ";", " ;"].contains { sql == text + $0 }, "the text is `\(sql)`, expected `\(text)`")
      }
    },
    .onConnection(43, "Text after a NUL character in a script is never silently ignored.") { connection in
      let script = "CREATE TABLE a(x);\0 CREATE TABLE b(x)"
      do {
        try connection.run(script)
      } catch is DatabaseError {
        return
      }
      try expect("the tables", connection.names(), is: ["a", "b"])
    },
    .onConnection(44, "A statement reports whether it only reads.", filledBy: "CREATE TABLE a(x)") { connection in
      for sql in ["SELECT * FROM a", "SELECT 1"] {
        try expect("isReadOnly of \(sql)", connection.statement(sql).isReadOnly, is: true)
      }
      for sql in [
        "INSERT INTO a VALUES (1)", "UPDATE a SET x = 1", "DELETE FROM a", "CREATE TABLE b(x)", "DROP TABLE a",
      ] {
        try expect("isReadOnly of \(sql)", connection.statement(sql).isReadOnly, is: false)
      }
    },
    .onConnection(45, "A statement lists the columns of its result in order; a statement without rows has no columns.")
    {
      connection in
      let select = try connection.statement("SELECT 1 AS a, 2 AS \"b c\", 3 AS é")
      try expect("columnNames", select.columnNames, is: ["a", "b c", "é"])
      try expect("columnCount", select.columnCount, is: 3)
      let create = try connection.statement("CREATE TABLE a(x)")
      try expect("columnNames", create.columnNames, is: [])
      try expect("columnCount", create.columnCount, is: 0)
    },
    .onConnection(46, "A statement counts its parameters and names them without their prefix.") { connection in
      let statement = try connection.statement("SELECT :a, @b, $c, ?, :a")
      try expect("parameterCount", statement.parameterCount, is: 4)
      let names = (0..<statement.parameterCount).map { statement.parameterName(at: $0) }
      try expect("the names", names, is: ["a", "b", "c", nil])
      try expect("parameterCount", connection.statement("SELECT 1").parameterCount, is: 0)
    },
    .onConnection(47, "An invalid statement fails as statement, and the error contains its text.") {
      connection in
      for sql in [
        "SELEKT 1", "SELECT * FROM nowhere", "INSERT INTO", "SELECT 'not closed", "ALTER TABLE nowhere RENAME TO b",
      ] {
        let error = try expectError(.statement, from: "`\(sql)`") {
          _ = try connection.prepare("SELECT 1; " + sql, utf8Offset: 9)
        }
        try expect("the error's sql", error.sql ?? "nothing", is: sql)
      }
    },
    .onConnection(48, "The offset of an error counts from the start of its statement, in UTF-8 bytes.") { connection in
      let script = "SELECT 'é';\n -- ü\n SELECT 'é€', 1 FORM nowhere WHERE 1; SELECT 3"
      let start = try connection.prepare(script, utf8Offset: 0).endOffset
      let error = try expectError(.statement, from: "prepare") { _ = try connection.prepare(script, utf8Offset: start) }
      guard let offset = error.utf8Offset else {
        try expect(
          !connection.engine.abilities.contains(.errorOffsets),
          "the engine reports error offsets, but this error has none"
        )
        throw BackendCheckSkipped("the engine does not report error offsets")
      }
      let rest = String(decoding: (error.sql ?? "").utf8.dropFirst(offset), as: UTF8.self)
      // Engines differ in which of the two words they report.
      try expect(["FORM nowhere", "nowhere WHERE"].contains { rest.hasPrefix($0) }, "the offset is before `\(rest)`")
    },
  ]
}
