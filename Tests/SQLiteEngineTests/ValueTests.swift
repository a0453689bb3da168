import FoundationEssentials
import Migrator
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("Values")
struct ValueTests {
  @Test("NaN is stored as NULL", arguments: TestEngine.allCases)
  func notANumber(engine: TestEngine) throws {
    let select = try engine.connectInMemory().statement("SELECT ?")
    try select.bind(.real(.nan), at: 0)
    #expect(try select.step())
    #expect(select.isNull(at: 0))
  }

  @Test("Text of a UTF-16 database is read as UTF-8", arguments: TestEngine.allCases)
  func textOfUTF16(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a); INSERT INTO t VALUES ('é🦉')")
    let select = try connection.statement("SELECT a FROM t")
    #expect(try select.step())
    #expect(select.text(at: 0) == "é🦉")
  }
}
