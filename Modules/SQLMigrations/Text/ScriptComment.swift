internal import SQLSyntax

/// A comment in an SQL script.
struct ScriptComment {
  /// The text of the comment, without surrounding whitespace; the lines of a block comment are joined by spaces.
  let content: String
  /// Whether the comment begins with `/*`.
  let isBlock: Bool
  let utf8Range: Range<Int>
  let position: SQLTextPosition
  /// Whether the comment is a line comment that continues after a carriage return, where editors show a new line.
  let goesOnAfterCarriageReturn: Bool
  /// Whether only whitespace, semicolons and other comments precede the comment on its line.
  let isFirstOnLine: Bool
  var words: [String] { content.split { $0.isWhitespace }.map(String.init) }
  /// The first of ``words`` in lower case; empty if there is none.
  var firstWord: String { content.prefix { !$0.isWhitespace }.lowercased() }
  /// The content as it is written, such as `-- Down`; a comment of several lines is shown as one line.
  var shown: String { isBlock ? "/* \(content) */" : "-- \(content)" }

  /// Returns the comments of a script, in order.
  ///
  /// Comment markers inside string literals and quoted names are ignored.
  static func all(in script: String) -> [ScriptComment] {
    let tokenizer = SQLTokenizer(script)
    var cursor = SQLPositionCursor(bytes: tokenizer.bytes)
    var comments: [ScriptComment] = []
    var isFirstOnLine = true
    for token in tokenizer {
      switch token.kind {
      case .whitespace:
        let bytes = tokenizer.bytes[token.range]
        if bytes.contains(0x0A) || bytes.contains(0x0D) { isFirstOnLine = true }
      case .comment:
        comments.append(
          ScriptComment(
            content: content(of: tokenizer.text(of: token)),
            isBlock: tokenizer.bytes[token.range].first == UInt8(ascii: "/"), utf8Range: token.range,
            position: cursor.position(ofUTF8Offset: token.range.lowerBound),
            goesOnAfterCarriageReturn: goesOnAfterCarriageReturn(tokenizer.bytes[token.range]),
            isFirstOnLine: isFirstOnLine))
      default:
        isFirstOnLine = isFirstOnLine && tokenizer.text(of: token) == ";"
      }
    }
    return comments
  }

  private static func goesOnAfterCarriageReturn(_ comment: ArraySlice<UInt8>) -> Bool {
    guard comment.first == UInt8(ascii: "-"), let end = comment.firstIndex(of: 0x0D) else { return false }
    return comment[end...].contains { $0 != 0x20 && !(0x09...0x0D).contains($0) }
  }

  private static func content(of comment: String) -> String {
    var inner = comment.dropFirst(2)
    if comment.hasPrefix("/*"), inner.hasSuffix("*/") { inner = inner.dropLast(2) }
    let lines = inner.split { $0.isNewline }.map { line in
      line.drop { $0.isWhitespace || ($0 == "*" && comment.hasPrefix("/*")) }
    }
    return lines.joined(separator: " ").trimmingWhitespace
  }
}

extension StringProtocol {
  /// The text without leading and trailing whitespace.
  package var trimmingWhitespace: String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
