import FoundationEssentials
import Migrator
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("Values")
struct ValueTests {
  static let values: [DatabaseValue] = [
    .null, .integer(0), .integer(.min), .integer(.max), .real(0.1), .real(-.greatestFiniteMagnitude), .real(.infinity),
    .text(""), .text("a"), .text("a\0b\0"), .text("naïve 🦉 – \u{301}"), .text(String(repeating: "x", count: 100_000)),
    .blob(Data()), .blob(Data([0])), .blob(Data([1, 0, 2, 0])), .blob(Data(repeating: 7, count: 100_000)),
  ]

  @Test("Every value round-trips through a table unchanged", arguments: TestEngine.allCases)
  func roundTrip(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, value)")
    let insert = try connection.statement("INSERT INTO t(value) VALUES (?)")
    for value in Self.values {
      try insert.bind(value, at: 0)
      #expect(try !insert.step())
      insert.reset()
    }
    #expect(try connection.rows("SELECT value FROM t ORDER BY id").map { $0[0] } == Self.values)
  }

  @Test("Empty text and empty blobs are not NULL", arguments: TestEngine.allCases)
  func emptyValues(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    let select = try connection.statement("SELECT typeof(?), typeof(?), typeof(?)")
    try select.bind(.text(""), at: 0)
    try select.bind(.blob(Data()), at: 1)
    #expect(try select.step())
    #expect((0..<3).map { select.text(at: $0) } == ["text", "blob", "null"])
  }

  @Test("NaN is stored as NULL", arguments: TestEngine.allCases)
  func notANumber(engine: TestEngine) throws {
    let select = try engine.connectInMemory().statement("SELECT ?")
    try select.bind(.real(.nan), at: 0)
    #expect(try select.step())
    #expect(select.isNull(at: 0))
  }

  @Test("Invalid UTF-8 becomes replacement characters", arguments: TestEngine.allCases)
  func invalidText(engine: TestEngine) throws {
    let select = try engine.connectInMemory().statement("SELECT CAST(x'61ff62' AS TEXT)")
    #expect(try select.step())
    #expect(select.text(at: 0) == "a\u{fffd}b")
  }

  @Test("Text of a UTF-16 database is read as UTF-8", arguments: TestEngine.allCases)
  func textOfUTF16(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a); INSERT INTO t VALUES ('é🦉')")
    let select = try connection.statement("SELECT a FROM t")
    #expect(try select.step())
    #expect(select.text(at: 0) == "é🦉")
  }

  @Test("Bound values are kept until they are cleared", arguments: TestEngine.allCases)
  func bindingsStay(engine: TestEngine) throws {
    let select = try engine.connectInMemory().statement("SELECT ?1, :name, @other, $third")
    #expect(select.parameterCount == 4)
    #expect((0..<4).map { select.parameterName(at: $0) } == [nil, "name", "other", "third"])
    try select.bind(.integer(5), at: 1)
    for _ in 0..<2 {
      #expect(try select.step())
      #expect(select.integer(at: 1) == 5)
      select.reset()
    }
    select.clearBindings()
    #expect(try select.step())
    #expect(select.isNull(at: 1))
  }

  @Test("Binding a parameter that the statement lacks is misuse", arguments: TestEngine.allCases)
  func missingParameter(engine: TestEngine) throws {
    let select = try engine.connectInMemory().statement("SELECT ?")
    let error = try databaseError { try select.bind(.null, at: 1) }
    #expect(error.condition == .misuse)
  }
}
