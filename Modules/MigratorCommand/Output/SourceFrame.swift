/// A line of a file with a caret below the place that is meant.
struct SourceFrame {
  /// The number of the line, from 1.
  let line: Int
  /// The column, from 1; nil for the line as a whole.
  var column: Int?
  /// The line's text.
  let text: String

  /// The two lines, or one where no column is known.
  ///
  /// - Parameter width: The columns of the terminal, which the part of the text around the caret keeps to; nil for all of it.
  func lines(style: Style, width: Int?) -> [String] {
    let gutter = String(repeating: " ", count: String(line).count)
    let (shown, caret) = part(width.map { $0 - gutter.count - 6 } ?? Int.max)
    let head = style("   \(line) | ", .faint) + shown
    guard let caret else { return [head] }
    // Tabs are repeated before the caret, so that it stands below its character whatever a tab's width is.
    let indentation = shown.prefix(caret).map { $0 == "\t" ? "\t" : " " }.joined()
    return [head, style("   \(gutter) | ", .faint) + indentation + style("^", .bad)]
  }

  /// The part of the text that is shown, and how many characters of it are before the caret.
  private func part(_ size: Int) -> (text: String, caret: Int?) {
    let caret = column.map { min($0 - 1, text.count) }
    guard text.count > size, size >= 12 else { return (text, caret) }
    // A third of the room is for what comes before.
    let start = max(0, min((caret ?? 0) - size / 3, text.count - size))
    var shown = Array(text.dropFirst(start).prefix(size))
    let dots: [Character] = Array("...")
    if start > 0 { shown.replaceSubrange(0..<3, with: dots) }
    if start + size < text.count { shown.replaceSubrange(shown.count - 3..<shown.count, with: dots) }
    return (String(shown), caret.map { $0 - start })
  }
}
