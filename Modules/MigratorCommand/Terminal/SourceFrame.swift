/// A line of a file with a caret below the position.
struct SourceFrame {
  let line: Int
  /// The column, from 1; nil for the whole line.
  var column: Int?
  let text: String

  /// Returns the line of the file and, if there is a column, a second line with the caret.
  ///
  /// Control characters of the text are escaped.
  /// - Parameter width: The width to which the text around the caret is shortened; nil to shorten only lines that are
  ///   too long to read, such as that of an INSERT with thousands of rows.
  func lines(style: Style, width: Int?) -> [String] {
    let gutter = String(repeating: " ", count: String(line).count)
    let (shown, caret) = part(width.map { max(12, $0 - gutter.count - 6) } ?? 120)
    let head = style("   \(line) | ", .faint) + shown
    guard let caret else { return [head] }
    // Repeats tabs before the caret, so that it is below the character at any tab width.
    let indentation = shown.prefix(caret).map { $0 == "\t" ? "\t" : String(repeating: " ", count: $0.columns) }.joined()
    return [head, style("   \(gutter) | ", .faint) + indentation + style("^", .bad)]
  }

  /// Returns the visible part of the text, and the number of characters in it before the caret.
  private func part(_ size: Int) -> (text: String, caret: Int?) {
    let position = text.index(text.startIndex, offsetBy: max(0, (column ?? 1) - 1), limitedBy: text.endIndex)
    // The line may have millions of characters, of which no more than these can be visible.
    let head = text[..<(position ?? text.endIndex)].suffix(size + 1)
    let tail = text[head.endIndex...].prefix(size + 1)
    let before = Array(String(head).harmless())
    let characters = before + Array(String(tail).harmless())
    let isCutBefore = head.startIndex > text.startIndex
    let isCutAfter = tail.endIndex < text.endIndex
    let caret = column == nil ? nil : before.count
    guard isCutBefore || isCutAfter || String(characters).columns > size else { return (String(characters), caret) }
    // A third of the width is used for the text before the caret.
    var start = before.count - Self.count(of: before.reversed(), in: size / 3)
    let end = start + Self.count(of: characters[start...], in: size)
    if end == characters.count { start = end - Self.count(of: characters.reversed(), in: size) }
    var shown = Array(characters[start..<end])
    let dots: [Character] = Array("...")
    if end < characters.count {
      shown.replaceSubrange((shown.count - Self.count(of: shown.reversed(), in: 2) - 1)..., with: dots)
    }
    guard start > 0 else { return (String(shown), caret) }
    let hidden = Self.count(of: shown, in: 2) + 1
    shown.replaceSubrange(..<hidden, with: dots)
    return (String(shown), caret.map { $0 - start - hidden + dots.count })
  }

  /// Returns the number of characters that fit in a number of terminal columns.
  private static func count(of characters: some Sequence<Character>, in columns: Int) -> Int {
    var rest = columns
    var count = 0
    for character in characters {
      rest -= character.columns
      guard rest >= 0 else { break }
      count += 1
    }
    return count
  }
}
