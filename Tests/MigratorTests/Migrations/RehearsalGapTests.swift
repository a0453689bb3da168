import Testing

@testable import Migrator

@Suite("Gaps of a rehearsal")
struct RehearsalGapTests {
  @Test(
    "A failure is due to a missing object only if the message has its whole name",
    arguments: [
      ("w", "no such table: w", true), ("w", "no such table: main.W", true), ("my log", "no such table: my log", true),
      ("log", "no such table: catalog", false), ("log", "no such column: log_id", false),
      ("w", "no such table: v", false),
      ("a", "near \"a\": syntax error", true), ("", "no such table: w", false),
    ])
  func names(name: String, message: String, isNamed: Bool) {
    let gap = RehearsalGap.object(kind: .table, name: name, reason: "no such collation sequence: c")
    #expect(gap.names(objectIn: message) == isNamed)
    #expect(!RehearsalGap.rowIDs(table: name).names(objectIn: message))
  }
}
