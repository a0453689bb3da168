import SQLiteDialect
import Migrator
import TestEngines
import Testing

@testable import SQLiteEngine

@Suite("Errors")
struct ErrorTests {
  @Test("Each result code has its condition")
  func resultCodes() {
    let expected: [Int32: DatabaseError.Condition] = [
      1: .statement, 2: .other, 3: .permissionDenied, 4: .other, 5: .busy, 6: .misuse, 7: .outOfMemory, 8: .readOnly,
      9: .interrupted, 10: .inputOutput, 11: .corrupt, 12: .other, 13: .full, 14: .cannotOpen, 15: .busy, 17: .stale,
      18: .tooBig, 19: .constraint(.other), 20: .typeMismatch, 21: .misuse, 23: .denied, 24: .corrupt, 25: .misuse,
      26: .notADatabase, 261: .busy, 262: .busy, 264: .readOnly, 267: .corrupt, 270: .cannotOpen,
      275: .constraint(.check),
      513: .stale, 516: .other, 517: .stale, 526: .isDirectory, 769: .stale, 773: .busy, 778: .inputOutput,
      787: .constraint(.foreignKey), 1032: .fileReplaced, 1299: .constraint(.notNull), 1544: .readOnly,
      1555: .constraint(.primaryKey), 1811: .constraint(.trigger), 2067: .constraint(.unique),
      2579: .constraint(.rowID),
      2826: .busy, 3082: .outOfMemory, 3091: .constraint(.dataType), 6922: .fileReplaced, 8458: .corrupt,
    ]
    for (code, condition) in expected { #expect(ResultCode.condition(code) == condition, "code \(code)") }
  }

  @Test("The system's error number refines the engine's error about a file")
  func systemErrors() {
    // EACCES 13, ENOSPC 28, EROFS 30, EFBIG 27 on both Linux and Darwin.
    #expect(ResultCode.condition(14, systemError: 13) == .permissionDenied)
    #expect(ResultCode.condition(14, systemError: 30) == .readOnly)
    #expect(ResultCode.condition(778, systemError: 27) == .full)
    #expect(ResultCode.condition(778, systemError: 28) == .full)
    #expect(ResultCode.condition(778, systemError: 5) == .inputOutput)
    // A leftover number of an earlier error has no effect.
    #expect(ResultCode.condition(5, systemError: 13) == .busy)
  }

  @Test(
    "A database at its size limit is full, and the error describes the effect on the statement",
    arguments: TestEngine.allCases)
  func full(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.execute("CREATE TABLE t(a); PRAGMA max_page_count = 10")
    let error = try databaseError { try connection.execute("INSERT INTO t VALUES (zeroblob(1000000))") }
    #expect(error.condition == .full)
    #expect(error.remedy?.contains("Free up space") == true)
  }

  @Test("A too large value is reported", arguments: TestEngine.allCases)
  func tooBig(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    let error = try databaseError { try connection.execute("SELECT zeroblob(2147483646)") }
    #expect(error.condition == .tooBig)
  }

  @Test("The offset of an error is guessed only if the text occurs once, as a whole word")
  func guesses() {
    #expect(ErrorOffset.guess(message: "near \"FRM\": syntax error", sql: "SELECT a FRM t") == 9)
    #expect(ErrorOffset.guess(message: "near \"t\": syntax error", sql: "SELECT atb FRM t") == 15)
    #expect(ErrorOffset.guess(message: "near \"x\": syntax error", sql: "x x") == nil)
    #expect(ErrorOffset.guess(message: "near \"\": syntax error", sql: "SELECT") == nil)
    #expect(ErrorOffset.guess(message: "no such table: t", sql: "SELECT * FROM t") == nil)
    #expect(ErrorOffset.guess(message: "near \"(\": syntax error", sql: "a(b") == 1)
    #expect(ErrorOffset.guess(message: "near \"long\": syntax error", sql: "x") == nil)
  }
}
