import Migrator
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("Preparing statements")
struct PreparingTests {
  @Test("A script is split into its statements, each with its own text", arguments: TestEngine.allCases)
  func script(engine: TestEngine) throws {
    let script = """
      \u{feff}-- first
      SELECT 1 ; ;; /* second */ SELECT ';' -- last
      ;
      CREATE TEMP TABLE a(b);
      CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; SELECT 2; END; -- the end
      """
    let connection = try engine.connectInMemory()
    var texts: [String] = []
    var offset = 0
    while true {
      let next = try connection.prepare(script, utf8Offset: offset)
      offset = next.endOffset
      guard let statement = next.statement else { break }
      texts.append(statement.sql)
      while try statement.step() {}
    }
    #expect(
      texts == [
        "SELECT 1", "SELECT ';' -- last", "CREATE TEMP TABLE a(b)",
        "CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; SELECT 2; END",
      ])
    #expect(offset == script.utf8.count)
  }

  @Test("A NUL character does not hide the rest of a script", arguments: TestEngine.allCases)
  func nulCharacter(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    for script in ["SELECT 1 \0; DROP TABLE t", "\0SELECT 1", "SELECT 1 -- \0 x"] {
      let error = try databaseError { _ = try connection.prepare(script, utf8Offset: 0) }
      #expect(error.condition == .statement)
      #expect(
        error.utf8Offset == script.utf8.firstIndex(of: 0).map { script.utf8.distance(from: script.startIndex, to: $0) })
    }
  }

  @Test("A syntax error reports its statement and its offset", arguments: TestEngine.allCases)
  func syntaxErrorPlace(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    let error = try databaseError { try connection.execute("SELECT 1; -- é\n SELECT é.x FRM t; SELECT 2") }
    #expect(error.condition == .statement)
    #expect(error.sql == "SELECT é.x FRM t")
    // The engine reads FRM as a name, and t as one word too many.
    #expect(error.utf8Offset == 16)
  }

  @Test("An engine without error offsets reports no offset for an ambiguous text")
  func ambiguousPlace() throws {
    let connection = try TestEngine.sqlCipher3.connectInMemory()
    let error = try databaseError { try connection.execute("SELECT x x x") }
    let knows = connection.engine.abilities.contains(.errorOffsets)
    #expect(error.utf8Offset == (knows ? 11 : nil))
  }

  @Test("A long script is prepared in time proportional to its length", arguments: TestEngine.allCases)
  func longScript(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    func duration(statements: Int) throws -> Duration {
      let script = String(repeating: "SELECT 1; -- some words to make it longer\n", count: statements)
      // On a busy machine, a clock would measure what others do.
      let start = TrialWatch.processorTime(ofThread: true)
      try connection.execute(script)
      return TrialWatch.processorTime(ofThread: true) - start
    }
    // Copying the rest of the script for each statement, as the engine does without a terminating NUL, moves 8 GB in
    // the long script, 400 times as much as in the short one.
    let ratio = try duration(statements: 20_000) / duration(statements: 1_000)
    #expect(ratio < 80, "\(ratio) times as long for 20 times as much")
  }

  @Test("A statement of a closed connection fails, and is safe to read and to release", arguments: TestEngine.allCases)
  func closedConnection(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    let statement = try connection.statement("SELECT 'text'")
    #expect(try statement.step())
    try connection.close()
    try connection.close()
    #expect(statement.text(at: 0).isEmpty)
    #expect(try databaseError { _ = try statement.step() }.condition == .misuse)
    #expect(try databaseError { try connection.execute("SELECT 1") }.condition == .misuse)
    #expect(!connection.isInsideTransaction)
  }
}
