import DqliteWire
import Migrator
import Testing

@testable import DqliteBackend

@Suite("Errors of a cluster as the core knows them")
struct DqliteErrorTests {
  @Test(
    "A lost statement has changed nothing; a lost commit may have succeeded, unless the node did not lead",
    arguments: [
      // Not the leader, and a statement that the node has dropped.
      (.failure(code: 10 | 40 << 8, message: ""), .connectionLost, .connectionLost),
      (.failure(code: 12, message: ""), .connectionLost, .connectionLost),
      (.unreachable(""), .connectionLost, .connectionLost),
      // The leadership was lost, or the leader could not store the changes, which the other nodes may have.
      (.failure(code: 10 | 41 << 8, message: ""), .connectionLost, .outcomeUnknown),
      (.failure(code: 10, message: ""), .inputOutput, .outcomeUnknown),
      (.failure(code: 10 | 3 << 8, message: ""), .inputOutput, .outcomeUnknown),
      (.failure(code: 4, message: ""), .other, .outcomeUnknown),
      (.failure(code: 1003, message: ""), .other, .outcomeUnknown),
      (.lost(""), .connectionLost, .outcomeUnknown),
      (.malformed(""), .other, .outcomeUnknown),
      // Errors of SQLite, after which the connection remains.
      (.failure(code: 5, message: ""), .busy, .busy),
      (.failure(code: 1, message: ""), .statement, .statement),
      (.failure(code: 5 | 2 << 8, message: ""), .stale, .stale),
      (.failure(code: 8, message: ""), .readOnly, .readOnly),
      (.failure(code: 20, message: ""), .typeMismatch, .typeMismatch),
      (.failure(code: 23, message: "not authorized"), .unsupported, .unsupported),
      (.namesTooLong, .unsupported, .unsupported),
    ] as [(WireError, DatabaseError.Condition, DatabaseError.Condition)])
  func conditions(error: WireError, ofStatement: DatabaseError.Condition, ofCommit: DatabaseError.Condition) {
    #expect(DqliteError.running(error, nil, mayHaveCommitted: false).condition == ofStatement)
    #expect(DqliteError.running(error, nil, mayHaveCommitted: true).condition == ofCommit)
  }
}
