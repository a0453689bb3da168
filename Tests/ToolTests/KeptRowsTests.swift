import Foundation
import Migrator
import TestEngines
import Testing

@Suite("Rows that a rebuild keeps")
struct KeptRowsTests {
  private static let isLong = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] == "1"

  @Test("Virtual tables keep what they hold, and read anew what others hold", arguments: TestEngine.allCases)
  func virtualTables(engine: TestEngine) throws {
    let trial = try KeptRowsTrial(engine)
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let kept = engine.hasFTS5 ? "doc (3), own (2), box (2) and bare (2)" : "doc (3), own (2) and box (2)"
    #expect(outcome.output.contains("Kept the rows of \(kept)."), "\(outcome.output)")
    #expect(outcome.output.contains("Filled search anew from the rows that it searches."), "\(outcome.output)")
    #expect(!outcome.output.contains("Not kept"), "\(outcome.output)")
    try trial.use { db throws in
      #expect(try KeptRowsTrial.content(db) == KeptRowsTrial.full(engine))
      // What the module remembers is what is stored: it goes on from there.
      try db.execute(sql: "INSERT INTO own (docid, body) VALUES (90, 'mine too')")
      #expect(try Int.fetchAll(db, sql: "SELECT docid FROM own WHERE own MATCH 'mine'") == [50, 90])
      try db.execute(sql: "INSERT INTO box VALUES (8, 40, 50)")
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM box WHERE x1 > 15 ORDER BY 1") == [7, 8])
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
    }
  }

  @Test(
    "A full-text table that keeps no text is put back, though nobody can count its rows", arguments: TestEngine.allCases
  )
  func contentless(engine: TestEngine) throws {
    let trial = try KeptRowsTrial(engine)
    let migration = """
      CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT);
      CREATE VIRTUAL TABLE bare USING fts4 (content="", body);

      """
    try trial.write(migration)
    let first = try trial.run(["rebuild", "--yes"])
    #expect(first.exitCode == 0, "\(first.errors)")
    try trial.use { db throws in
      try db.execute(sql: "INSERT INTO doc VALUES (5, 'mine'); INSERT INTO bare (docid, body) VALUES (70, 'my bare')")
    }
    try trial.write(migration + "-- edited\n")
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("bare  unreadable"), "\(outcome.output)")
    #expect(outcome.output.contains("Kept the rows of doc (1) and bare."), "\(outcome.output)")
    try trial.use { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT docid FROM bare WHERE bare MATCH 'my'") == [70])
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM doc") == [5])
      try db.execute(sql: "INSERT INTO bare (docid, body) VALUES (71, 'my other')")
      #expect(try Int.fetchAll(db, sql: "SELECT docid FROM bare WHERE bare MATCH 'my' ORDER BY 1") == [70, 71])
    }
  }

  @Test("A virtual table that is defined or filled otherwise is not filled from the kept file")
  func changedVirtualTable() throws {
    let trial = try KeptRowsTrial(.sqlite)
    let migration = KeptRowsTrial.migration(.sqlite)
    try trial.write(migration.replacingOccurrences(of: "rtree (id, x0, x1)", with: "rtree (id, x0, x1, y0, y1)"))
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data", "--json"])
    #expect(outcome.exitCode == 0)
    #expect(outcome.output.contains(#""reason" : "it is defined otherwise now""#), "\(outcome.output)")
    try trial.use { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM box") == [])
      #expect(try Int.fetchAll(db, sql: "SELECT docid FROM own ORDER BY 1") == [1, 50])
    }
  }

  @Test(
    "A process that is killed while it rebuilds has lost no row: the next one puts them back",
    arguments: TestEngine.allCases)
  func killed(engine: TestEngine) throws {
    let trial = try KeptRowsTrial(engine)
    let calls = try trial.callsOfRebuild()
    // The kept file gets its name; before that the database is as it was.
    let linked = try #require(calls.firstIndex(of: "link"))
    let last = calls.count
    let step = Self.isLong ? 1 : max(1, (last - linked) / 9)
    var resumed = 0
    for call in stride(from: linked + 1, through: last, by: step) {
      try trial.reset()
      #expect(try trial.runKilled(at: call, ["rebuild", "--yes", "--keep-data"]), "call \(call) of \(last)")
      #expect(try trial.contents().contains(KeptRowsTrial.full(engine)), "killed at call \(call) of \(last)")
      let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
      #expect(outcome.exitCode == 0, "killed at call \(call) of \(last): \(outcome.errors)")
      if outcome.output.contains("Kept the rows"), outcome.output.contains("which were in") { resumed += 1 }
      try trial.use { db throws in
        #expect(try KeptRowsTrial.content(db) == KeptRowsTrial.full(engine), "killed at call \(call) of \(last)")
      }
      // Nothing is left to do.
      #expect(try trial.run(["rebuild", "--keep-data"]).output.contains("Nothing to do"), "call \(call) of \(last)")
    }
    let count = (last - linked + step - 1) / step
    print("\(engine): killed at \(count) of \(last) calls; \(resumed) times the next rebuild put the rows back")
    // At least one of them had erased what it had not put back.
    #expect(resumed > 0)
  }

  @Test("Rows that were not put back are told of, and their file is not removed")
  func unfinished() throws {
    let trial = try KeptRowsTrial(.sqlite)
    let calls = try trial.callsOfRebuild()
    try trial.reset()
    // The last call but few is the commit of the rows.
    #expect(try trial.runKilled(at: calls.count - 6, ["rebuild", "--yes", "--keep-data"]))
    for _ in 1...4 {
      // Each erases what the one before has made, and does not come as far as putting rows back.
      #expect(try trial.runKilled(at: calls.count - 6, ["rebuild", "--yes", "--keep-data", "--force"]))
    }
    let told = try trial.run(["rebuild"])
    #expect(told.errors.contains("`migrator rebuild --keep-data` does"), "\(told.errors)")
    let outcome = try trial.run(["rebuild", "--yes", "--keep-data"])
    #expect(outcome.output.contains("an earlier rebuild ended before it had put back the rows"), "\(outcome.output)")
    try trial.use { db throws in #expect(try KeptRowsTrial.content(db) == KeptRowsTrial.full(.sqlite)) }
  }
}
