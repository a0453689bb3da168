internal import SQLSyntax
import Testing

@testable import MigratorCommand

/// The alignment of text on a terminal, for characters of any width.
@Suite("Columns of a terminal")
struct ColumnsTests {
  private static let plain = Style(usesColor: false)

  @Test(
    "East Asian wide characters and emoji take two columns, all others one",
    arguments: [
      ("", 0), ("plain text", 10), ("Größe", 5), ("e\u{301}", 1), ("日本語", 6), ("한국어", 6), ("ｗｉｄｅ", 8), ("😀", 2),
      ("👩‍👩‍👧", 2), ("🇯🇵", 2), ("❤\u{FE0F}", 2), ("→", 1), ("█", 1), ("2_emoji😀", 9),
    ])
  func columns(text: String, expected: Int) { #expect(text.columns == expected) }

  @Test("A prefix never takes more columns than its limit", arguments: ["abcdef", "日本語a", "a日本語", "😀b😀"])
  func beginning(text: String) {
    for limit in 0...8 {
      let part = String(text.prefix(columns: limit))
      #expect(text.hasPrefix(part))
      #expect(part.columns <= limit)
      #expect(part == text || part.columns >= limit - 1)
    }
  }

  @Test("The columns of a table are aligned")
  func tables() {
    var table = TextTable()
    for name in ["1_日本語のテーブル", "2_emoji😀", "3_plain"] {
      table.add([.init(text: "applied"), .init(text: name), .init(text: "1 ms", isRightAligned: true)])
    }
    #expect(
      table.lines(style: Self.plain) == [
        "  applied  1_日本語のテーブル  1 ms", "  applied  2_emoji😀           1 ms", "  applied  3_plain             1 ms",
      ])
  }

  @Test("A line wraps at the width of the terminal")
  func folding() {
    #expect("日本 日本 日本".folded(columns: 10) == ["日本 日本", "日本"])
    #expect(wrapped("日本 日本 日本", columns: 9) == ["日本 日本", "日本"])
    #expect(
      "  ok  日本  note that is rather long".folded(columns: 24) == [
        "  ok  日本  note that is", "            rather long",
      ])
  }

  @Test("The caret is below its character", arguments: [nil, 20, 24, 31, 40])
  func caret(width: Int?) {
    for text in ["/* 日本語のテーブル */ CREATE TABEL x (y); -- 日本語の日本語の日本語", "\u{1F600} \u{1F600} X", "aX日本"] {
      for (offset, character) in text.enumerated() where !" -日本語の".contains(character) {
        let lines = SourceFrame(line: 7, column: offset + 1, text: text).lines(style: Self.plain, width: width)
        let before = String(lines[1].dropLast()).columns
        let above = lines[0].prefix(columns: before)
        #expect(above.isEmpty || String(above).columns == before, "\(lines)")
        #expect(lines[0].dropFirst(above.count).first == character, "\(lines)")
        if let width { #expect(lines[0].columns <= max(width, 20), "\(lines)") }
      }
    }
  }

  @Test("A progress bar is narrower than its terminal", arguments: 20...100)
  func bars(width: Int) {
    let line = ProgressLine(title: "1_日本語のテーブル日本語のテーブル", done: 0, count: 2, inner: 1, innerCount: 4)
    #expect(line.text(elapsed: .seconds(2), width: width, showsUnicode: true).columns < width)
  }
}
