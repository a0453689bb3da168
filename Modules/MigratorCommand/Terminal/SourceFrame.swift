/// A line of a file with a caret below the position.
struct SourceFrame {
  let line: Int
  /// The column, from 1; nil for the whole line.
  var column: Int?
  let text: String

  /// Returns the line of the file and, if there is a column, a second line with the caret.
  ///
  /// - Parameter width: The width to which the text around the caret is shortened; nil to return the whole line.
  func lines(style: Style, width: Int?) -> [String] {
    let gutter = String(repeating: " ", count: String(line).count)
    let (shown, caret) = part(width.map { $0 - gutter.count - 6 } ?? Int.max)
    let head = style("   \(line) | ", .faint) + shown
    guard let caret else { return [head] }
    // Repeats tabs before the caret, so that it is below the character at any tab width.
    let indentation = shown.prefix(caret).map { $0 == "\t" ? "\t" : String(repeating: " ", count: $0.columns) }.joined()
    return [head, style("   \(gutter) | ", .faint) + indentation + style("^", .bad)]
  }

  /// Returns the visible part of the text, and the number of characters in it before the caret.
  private func part(_ size: Int) -> (text: String, caret: Int?) {
    let caret = column.map { min($0 - 1, text.count) }
    guard text.columns > size, size >= 12 else { return (text, caret) }
    let characters = Array(text)
    // A third of the width is used for the text before the caret.
    var start = caret ?? 0
    start -= Self.count(of: characters[..<start].reversed(), in: size / 3)
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
