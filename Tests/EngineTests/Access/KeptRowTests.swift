import Migrator
import TestEngines
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Access: retained rows")
struct KeptRowTests {
  private let query = """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
    SELECT i, 'a text of more than fifteen bytes ' || i AS t, CAST('blob ' || i AS BLOB) AS b, '' AS e, NULL AS z FROM n
    """

  /// Returns whether a row has the values of a number.
  private func isRow(_ row: Row, _ number: Int) throws -> Bool {
    let (i, t, b): (Int, String, Data) = try (row["i"], row["t"], row["b"])
    let (e, z): (String, String?) = try (row["e"], row["z"])
    return i == number && t == "a text of more than fifteen bytes \(number)" && b == Data("blob \(number)".utf8)
      && e.isEmpty && z == nil
  }

  @Test("retained rows keep their values", arguments: TestEngine.allCases)
  func kept(engine: TestEngine) throws {
    try engine.inMemoryQueue().read { db in
      let all = try Row.fetchAll(db, sql: query)
      var next: [Row] = []
      var (each, every): ([Row], [Row]) = ([], [])
      let cursor = try Row.fetchCursor(db, sql: query)
      while let row = try cursor.next() { next.append(row) }
      try Row.fetchCursor(db, sql: query).forEach { each.append($0) }
      // Retains only some rows, so that others reuse their storage.
      try Row.fetchCursor(db, sql: query).forEach { if try ($0[0] as Int).isMultiple(of: 2) { every.append($0) } }
      for rows in [all, next, each] {
        #expect(try rows.enumerated().allSatisfy { try isRow($1, $0 + 1) } && rows.count == 5)
      }
      #expect(all == next)
      #expect(try isRow(every[0], 2) && isRow(every[1], 4) && every.count == 2)
    }
  }

  @Test("code that reads the rows of a cursor may advance the cursor, even to its end", arguments: TestEngine.allCases)
  func nested(engine: TestEngine) throws {
    try engine.inMemoryQueue().read { db in
      let cursor = try Row.fetchCursor(db, sql: query)
      var rows: [Row] = []
      try cursor.forEach { row in
        let second = try cursor.next()
        var third: [Row] = []
        if try (row["i"] as Int) == 3 { try cursor.forEach { third.append($0) } }
        rows += [row, second].compactMap(\.self) + third
      }
      #expect(try rows.enumerated().allSatisfy { try isRow($1, $0 + 1) } && rows.count == 5)
      #expect(try cursor.next() == nil)
    }
  }

  @Test("an error from the closure leaves the row and the cursor unchanged", arguments: TestEngine.allCases)
  func thrown(engine: TestEngine) throws {
    struct Custom: Error {}
    try engine.inMemoryQueue().read { db in
      let cursor = try Row.fetchCursor(db, sql: query)
      var kept: Row?
      #expect(throws: Custom.self) {
        try cursor.forEach { row in
          kept = row
          throw Custom()
        }
      }
      #expect(try cursor.next().map { try isRow($0, 2) } == true)
      #expect(try kept.map { try isRow($0, 1) } == true)
    }
  }

  @Test(
    "a row and a cursor may be retained until after the database is closed", arguments: TestEngine.allCases)
  func closed(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    var kept: (cursor: RowCursor, row: Row?)?
    try dbQueue.writeWithoutTransaction { db in
      let cursor = try Row.fetchCursor(db, sql: query)
      kept = (cursor, try cursor.next())
    }
    try dbQueue.close()
    #expect(try kept?.row.map { try isRow($0, 1) } == true)
    #expect(try kept?.cursor.next() == nil)
  }

  @Test("a running statement is not disturbed by attempts to run it again", arguments: TestEngine.allCases)
  func inUse(engine: TestEngine) throws {
    try engine.inMemoryQueue().read { db in
      let statement = try db.makeStatement(sql: query)
      let cursor = try Row.fetchCursor(statement)
      _ = try cursor.next()
      let error = #expect(throws: DatabaseError.self) { try Row.fetchCursor(statement) }
      #expect(error?.condition == .misuse)
      #expect(try cursor.next().map { try isRow($0, 2) } == true)
      #expect(throws: DatabaseError.self) { try Row.fetchCursor(statement) }
    }
  }
}
