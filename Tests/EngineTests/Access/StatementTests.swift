import Migrator
import TestEngines
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Access: statements, values, rows")
struct StatementTests {
  private enum Color: String, DatabaseValueConvertible { case red, green }

  @Test("values of each type are read back unchanged", arguments: TestEngine.allCases)
  func roundTrip(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    let date = Date(timeIntervalSince1970: 1_700_000_000.125)
    let uuid = UUID()
    let bytes = Data([0, 1, 0, 255])
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t (i, d, b, s, n, o, u, x, c)")
      try db.execute(
        sql: "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [Int64.min, 0.1, true, "nul \0 and é", nil, bytes, uuid, date, Color.green])
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
      #expect(try row["i"] == Int64.min)
      #expect(try row["d"] == 0.1)
      #expect(try row["B"] == true)
      #expect(try row["s"] == "nul \0 and é")
      #expect(try row["n"] == nil as String?)
      #expect(try row["o"] == bytes)
      #expect(try row["u"] == uuid)
      #expect(try row["x"] == date)
      #expect(try row["c"] == Color.green)
      #expect(try String.fetchOne(db, sql: "SELECT x FROM t") == "2023-11-14 22:13:20.125")
      #expect(try Data.fetchOne(db, sql: "SELECT x''") == Data())
      #expect(try Data.fetchOne(db, sql: "SELECT NULL") == nil)
    }
  }

  @Test(
    "texts that differ only in the form of a Unicode character are different statements",
    arguments: TestEngine.allCases)
  func equivalentTexts(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t (a)")
      for form in ["\u{e9}", "e\u{301}"] {
        #expect(try Data.fetchOne(db, sql: "SELECT CAST('\(form)' AS BLOB)") == Data(form.utf8))
        try db.execute(sql: "INSERT INTO t VALUES ('\(form)')")
      }
      #expect(try Int.fetchAll(db, sql: "SELECT length(a) FROM t") == [1, 2])
    }
  }

  @Test("reading a value as another type is an error that shows no value", arguments: TestEngine.allCases)
  func conversion(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.read { db in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT 'secret' AS a, NULL AS b, 300 AS c"))
      for read in [
        { _ = try row["a"] as Int }, { _ = try row["b"] as Int }, { _ = try row["c"] as Int8 },
      ] {
        let error = #expect(throws: DatabaseError.self) { try read() }
        #expect(error?.condition == .conversion)
        #expect(error.map(String.init(describing:))?.contains("secret") == false)
      }
      let missing = #expect(throws: DatabaseError.self) { _ = try row["z"] as Int }
      #expect(missing?.condition == .notFound)
      #expect(throws: DatabaseError.self) { try Int.fetchAll(db, sql: "SELECT NULL") }
      #expect(try Int?.fetchAll(db, sql: "SELECT 1 UNION ALL SELECT NULL") == [1, nil])
    }
  }

  @Test("arguments are passed by position, by name, and across statements", arguments: TestEngine.allCases)
  func arguments(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: "CREATE TABLE t (a, b); INSERT INTO t VALUES (?, ?); INSERT INTO t VALUES (?, ?)",
        arguments: [1, 2, 3, 4])
      #expect(try Int.fetchAll(db, sql: "SELECT a + b FROM t ORDER BY rowid") == [3, 7])
      #expect(try Int.fetchOne(db, sql: "SELECT b FROM t WHERE a = :a", arguments: ["a": 3]) == 4)
      #expect(try Int.fetchOne(db, sql: "SELECT $x - @y", arguments: ["x": 5, "y": 2]) == 3)
      let name = "O'Brien"
      try db.execute(literal: "INSERT INTO t VALUES (\(name), \(nil as Int?))")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE a = 'O''Brien' AND b IS NULL") == 1)
      for wrong in [[], [1], [1, 2, 3]] as [StatementArguments] {
        let error = #expect(throws: DatabaseError.self) {
          try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: wrong)
        }
        #expect(error?.condition == .misuse)
      }
      #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT :a", arguments: ["b": 1]) }
      #expect(throws: DatabaseError.self) { try db.makeStatement(sql: "SELECT 1; SELECT 2") }
      #expect(throws: DatabaseError.self) { try db.makeStatement(sql: " -- nothing") }
      #expect(try db.makeStatement(sql: "SELECT 1 ; -- done").columnNames == ["1"])
    }
  }

  @Test("the same statement may run in two cursors at once", arguments: TestEngine.allCases)
  func nestedCursors(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.read { db in
      let sql = "SELECT 1 UNION ALL SELECT 2"
      let outer = try Int.fetchCursor(db, sql: sql)
      var pairs: [String] = []
      while let one = try outer.next() {
        let inner = try Int.fetchCursor(db, sql: sql)
        while let two = try inner.next() { pairs.append("\(one)\(two)") }
      }
      #expect(pairs == ["11", "12", "21", "22"])
      let statement = try db.makeStatement(sql: sql)
      let running = try Row.fetchCursor(statement)
      _ = try running.next()
      #expect(throws: DatabaseError.self) { try statement.execute() }
    }
  }

  @Test(
    "a cursor keeps one row in memory, not all",
    .disabled(if: Sanitizer.isPresent, "a sanitizer uses additional memory"), arguments: TestEngine.allCases)
  func memory(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.read { db in
      let rows = try Row.fetchCursor(
        db,
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
          SELECT i, zeroblob(1000000) FROM n
          """)
      let before = try residentBytes()
      var total = 0
      var peak = before
      while let row = try rows.next() {
        let data: Data = try row[1]
        total += data.count
        peak = max(peak, try residentBytes())
      }
      #expect(total == 200_000_000)
      #expect(peak - before < 100_000_000)
    }
  }

  @Test("errors show bound values only if the configuration allows it", arguments: TestEngine.allCases)
  func privateArguments(engine: TestEngine) throws {
    for isPublic in [false, true] {
      var configuration = Configuration()
      configuration.publicStatementArguments = isPublic
      let dbQueue = try engine.temporaryQueue(configuration)
      try dbQueue.write { db in
        try db.execute(sql: "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES ('secret')")
        let error = #expect(throws: DatabaseError.self) {
          try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["secret"])
        }
        #expect(error?.condition == .constraint(.unique))
        #expect(error.map(String.init(describing:))?.contains("secret") == isPublic)
      }
    }
  }

  /// The memory of this process that is in use now (https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html).
  private func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
  }

  @Test("a reused query has the current columns of its table", arguments: TestEngine.allCases)
  func changedColumns(engine: TestEngine) throws {
    let path = try engine.temporaryPath()
    let (one, other) = (try DatabaseQueue(engine.backend(path: path)), try DatabaseQueue(engine.backend(path: path)))
    try one.write { db in try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)") }
    let read = { try other.read { db in try Row.fetchAll(db, sql: "SELECT * FROM t").map(\.description) } }
    #expect(try read() == ["[a:1 b:2]"])
    for (change, expected) in [
      ("ALTER TABLE t ADD COLUMN c", "[a:1 b:2 c:NULL]"),
      ("DROP TABLE t; CREATE TABLE t(a); INSERT INTO t VALUES (3)", "[a:3]"),
      ("DROP TABLE t; CREATE TABLE t(z); INSERT INTO t VALUES (4)", "[z:4]"),
    ] {
      try one.write { db in try db.execute(sql: change) }
      #expect(try read() == [expected])
    }
  }

  @Test(
    "reading a missing column throws, since the file determines the columns",
    arguments: TestEngine.allCases)
  func missingColumn(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t(a, b, c); INSERT INTO t VALUES (1, 2, NULL)")
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
      for index in [3, 7, -1, Int.max, Int.min] {
        let error = #expect(throws: DatabaseError.self) { let _: Int = try row[index] }
        #expect(error?.condition == .notFound)
        #expect(error?.message == "the row has no column \(index)")
        #expect(error?.remedy == "The row has 3, numbered from 0: a, b, c.")
        #expect(throws: DatabaseError.self) { let _: Int? = try row[index] }
        #expect(throws: DatabaseError.self) { let _: String = try row[index] }
        #expect(throws: DatabaseError.self) { let _: DatabaseValue = try row[index] }
      }
      #expect(try row[2] as Int? == nil)
    }
  }

  @Test("strings of every length are read back unchanged", arguments: TestEngine.allCases)
  func textLengths(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.read { db in
      for count in 0...40 {
        for letter in ["a", "é", "€", "\u{1F600}", "\u{0}"] {
          let text = String(repeating: "x", count: count) + letter + String(repeating: "y", count: count)
          let row = try #require(try Row.fetchOne(db, sql: "SELECT ?", arguments: [text]))
          let read: String = try row[0]
          #expect(Array(read.utf8) == Array(text.utf8))
        }
        let broken = [UInt8](repeating: 0x61, count: count) + [0xff]
        let read = try String.fetchOne(db, sql: "SELECT CAST(? AS TEXT)", arguments: [Data(broken)])
        #expect(read == String(decoding: broken, as: UTF8.self))
      }
    }
  }
}
