internal import SQLSyntax
import Testing

@testable import MigratorCommand

@Suite("Lines on a narrow terminal")
struct FoldingTests {
  @Test(
    "A line wraps between words, aligned with its column or its label",
    arguments: [
      ("one two three", 13, ["one two three"]),
      ("one two three", 8, ["one two", "three"]),
      ("  a  first column  and more text here", 21, ["  a  first column", "    and more text", "    here"]),
      (
        "  ok  integrity  tables and indexes are sound", 36,
        ["  ok  integrity  tables and indexes", "                 are sound"]
      ),
      ("   next: give it a default", 16, ["   next: give it", "     a default"]),
      ("  + CREATE TABLE author", 18, ["  + CREATE TABLE", "    author"]),
      ("an_identifier_that_fits_on_no_line and more", 20, ["an_identifier_that_fits_on_no_line", "and more"]),
      ("then run `migrator status --check` and wait", 20, ["then run", "`migrator status --check`", "and wait"]),
      ("a single ` separates nothing", 14, ["a single `", "separates", "nothing"]),
      ("\u{1B}[2m  note: some words\u{1B}[0m", 14, ["\u{1B}[2m  note: some", "    words\u{1B}[0m"]),
      ("", 10, [""]), ("          ", 4, [""]),
    ] as [(String, Int, [String])])
  func folding(line: String, columns: Int, expected: [String]) {
    #expect(line.folded(columns: columns) == expected)
  }

  @Test("No line is too long, no word is lost, and colors stay in order", arguments: 8...60)
  func limits(columns: Int) {
    let line =
      "  \u{1B}[32mapplied\u{1B}[0m  0001_x    2026-11-21 06:21:26 UTC  \u{1B}[2mwith a note that goes on\u{1B}[0m and on"
    let folded = line.folded(columns: columns)
    let visible = { (text: String) in text.replacing(/\u{1B}\[\d+m/, with: "") }
    let words = { (text: String) in visible(text).split { $0.isWhitespace } }
    #expect(folded.flatMap(words) == words(line))
    let colors = { (text: String) in text.matches(of: /\u{1B}\[\d+m/).map { String($0.output) } }
    #expect(folded.flatMap(colors) == colors(line))
    for part in folded where words(part).count > 1 { #expect(visible(part).count <= columns, "\(part)") }
  }

  @Test(
    "The line of a file is shortened around the caret, which stays below its position",
    arguments: [20, 30, 40, 80, 200])
  func frames(width: Int) {
    let text = (0..<120).map { String($0 % 10) }.joined()
    for column in [1, 2, 10, 60, 119, 120] {
      let marked = String(text.prefix(column - 1)) + "X" + String(text.dropFirst(column))
      let lines = SourceFrame(line: 7, column: column, text: marked).lines(style: Style(usesColor: false), width: width)
      #expect(lines.allSatisfy { $0.count <= max(width, 24) }, "\(lines)")
      #expect(Array(lines[0])[lines[1].count - 1] == "X", "\(lines.joined(separator: "\n"))")
    }
    #expect(SourceFrame(line: 7, text: text).lines(style: Style(usesColor: false), width: nil) == ["   7 | \(text)"])
  }

  @Test(
    "Of a line with millions of characters, only the part around the caret is printed", arguments: [nil, 40, 80, 200])
  func longLine(width: Int?) {
    let half = String(repeating: "(1, '\u{1B}日本語'), ", count: 200_000)
    for (text, column) in [(half + "X" + half, half.count + 1), ("X" + half, 1), (half + "X", half.count + 1)] {
      let lines = SourceFrame(line: 1, column: column, text: text).lines(style: Style(usesColor: false), width: width)
      #expect(lines.allSatisfy { $0.columns <= (width ?? 127) }, "\(lines)")
      let before = String(lines[1].dropLast()).columns
      #expect(
        lines[0].dropFirst(lines[0].prefix(columns: before).count).first == "X", "\(lines.joined(separator: "\n"))")
      #expect(lines[0].contains("..."))
    }
    let whole = SourceFrame(line: 1, text: half).lines(style: Style(usesColor: false), width: width)
    #expect(whole.count == 1 && whole[0].columns <= (width ?? 127))
  }

  @Test("The caret is below its character after an escaped control character")
  func escapedFrame() {
    let lines = SourceFrame(line: 1, column: 5, text: "a\u{1B}b X").lines(style: Style(usesColor: false), width: nil)
    #expect(lines == ["   1 | a\\u{1B}b X", "     |          ^"])
  }
}
