import Testing

@testable import MigratorCommand

@Suite("The progress line")
struct ProgressLineTests {
  private func text(_ line: ProgressLine, after seconds: Double, width: Int = 100) -> String {
    line.text(elapsed: .seconds(seconds), width: width, showsUnicode: false)
  }

  @Test("A single statement has unknown progress: a segment moves back and forth, without a percentage")
  func single() {
    var line = ProgressLine(title: "0001_fill", done: 0, count: 1, inner: 0, innerCount: 1)
    line.unit = "statement"
    #expect(text(line, after: 0) == "[####--------------------] 0.00 ms  0001_fill")
    #expect(text(line, after: 2) == "[--------------------####] 2.0 s  0001_fill")
    #expect(text(line, after: 3) == "[----------####----------] 3.0 s  0001_fill")
    #expect(text(line, after: 4) == "[####--------------------] 4.0 s  0001_fill")
    #expect(text(line, after: 2, width: 40) == "[----##--] 2.0 s  0001_fill")
  }

  @Test("The line counts the changed rows, at the rate of the migration itself")
  func rows() {
    var line = ProgressLine(title: "0002_fill", done: 1, count: 2, inner: 1, innerCount: 4)
    line.unit = "statement"
    line.lastStep = .seconds(10)
    line.changedRows = (3000, .seconds(2))
    let bar = "[###############---------] 2/2 10 s 6.0 s left 1500 rows/s"
    #expect(
      text(line, after: 10, width: 120) == bar + "  0002_fill (statement 2 of 4, 3000 rows changed)")
    #expect(text(line, after: 10, width: 50).count == 47)
    line.changedRows = (1, .milliseconds(100))
    #expect(text(line, after: 10).hasSuffix("(statement 2 of 4, 1 row changed)"))
    #expect(!text(line, after: 10).contains("rows/s"))
  }
}
