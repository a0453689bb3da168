import SQLiteDialect
import Migrator
import TestEngines
import Testing

@testable import SQLiteEngine

/// A recorder reports the same new objects as reading the schema.
@Suite("Added objects")
struct AddedObjectsTests {
  @Test("The reported objects are those that exist, after any creations and rollbacks", arguments: TestEngine.allCases)
  func reported(engine: TestEngine) throws {
    var random = SeededGenerator.announced("added objects, \(engine)")
    var (asked, answered) = (0, 0)
    for _ in 1...20 {
      let connection = try engine.connectInMemory()
      try connection.execute("CREATE TABLE first(x); CREATE TABLE gone(x)")
      let recorder = try #require(connection.changeRecorder)
      try connection.begin(.immediate)
      var before = try connection.schema().objects
      for step in 1...15 {
        recorder.start(isContinued: step > 1)
        for part in 1...Int.random(in: 1...4, using: &random) {
          let sql = statement(named: "n\(step)_\(part)", &random)
          // A failed statement adds nothing, and the effects of earlier ones remain.
          try? connection.execute(sql)
          if Int.random(in: 0..<8, using: &random) == 0 {
            _ = try connection.prepare("CREATE TABLE never(x)", utf8Offset: 0)
          }
        }
        recorder.stop()
        let after = try connection.schema().objects
        let added = try recorder.addedObjects()
        asked += 1
        guard let added else {
          before = after
          continue
        }
        answered += 1
        #expect(before + added == after, "step \(step)")
        before = after
      }
      try connection.rollback()
    }
    #expect(answered > asked / 3)
  }

  @Test("The engine's connection is closed with its last statement, recorded or not", arguments: TestEngine.allCases)
  func released(engine: TestEngine) throws {
    weak var handle: EngineHandle?
    for isClosed in [true, false] {
      var statement: EngineStatement?
      do {
        let connection = try engine.connectInMemory()
        handle = connection.handle
        try connection.beginSavepoint("s")
        try connection.releaseSavepoint("s")
        let recorder = try #require(connection.changeRecorder)
        recorder.start(isContinued: false)
        statement = try connection.ownStatement("CREATE TABLE a(x)")
        try statement?.run()
        #expect(try recorder.addedObjects()?.map(\.name) == ["a"])
        if isClosed { try connection.close() }
      }
      #expect(handle != nil)
      // The new object was created after the connection was closed, so no one reads the record.
      if !isClosed { #expect(throws: DatabaseError.self) { try statement?.run() } }
      statement = nil
      #expect(handle == nil)
    }
  }
}

/// Returns a random statement that creates or removes objects.
private func statement(named name: String, _ random: inout SeededGenerator) -> String {
  let table = "CREATE TABLE \(name)(x)"
  switch Int.random(in: 0..<20, using: &random) {
  case 0: return "SAVEPOINT s; \(table); ROLLBACK TO s; RELEASE s"
  case 1: return "SAVEPOINT s; \(table); RELEASE s"
  case 2: return "\(table); \(table)"
  case 3: return "EXPLAIN \(table)"
  case 4: return "CREATE TABLE IF NOT EXISTS first(x)"
  case 5: return "CREATE TABLE IF NOT EXISTS \(name)(x)"
  case 6: return "CREATE TABLE \(name) AS SELECT 1 AS x"
  case 7: return "CREATE INDEX \(name) ON first(x) ;"
  case 8: return "CREATE VIEW \(name) AS SELECT 1"
  case 9: return "CREATE TEMP TABLE \(name)(x)"
  case 10: return "CREATE TABLE \(name)(x INTEGER PRIMARY KEY AUTOINCREMENT)"
  case 11: return "CREATE TABLE \(name)(x UNIQUE, y UNIQUE) ;"
  case 12: return "INSERT INTO first VALUES (1)"
  case 13: return Bool.random(using: &random) ? "DROP TABLE IF EXISTS gone" : "SELECT 1"
  case 14: return "CREATE TABLE first(x)"
  case 15: return "\(table); INSERT INTO \(name) VALUES (1)"
  default: return table
  }
}
