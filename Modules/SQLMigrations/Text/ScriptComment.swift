internal import SQLSyntax

/// A comment of a script that may speak to a tool.
struct ScriptComment: Equatable {
  /// The text inside the comment, without blanks around it; the lines of a block comment are joined by blanks.
  let content: String
  /// The UTF-8 bytes of the script that the comment covers.
  let utf8Range: Range<Int>
  /// The comment's place in the script.
  let position: SQLTextPosition
  /// True when only blanks stand before it on its line.
  let isFirstOnLine: Bool
  /// The words of the content, without blanks.
  var words: [String] { content.split { $0.isWhitespace }.map(String.init) }

  /// The comments of a script whose content fulfils the condition, in their order.
  ///
  /// What looks like a comment inside a text or a name is none.
  static func all(in script: String, where isWanted: (String) -> Bool) -> [ScriptComment] {
    let tokenizer = SQLTokenizer(script, endsLineCommentsAtCarriageReturn: true)
    var cursor = SQLPositionCursor(bytes: tokenizer.bytes)
    var comments: [ScriptComment] = []
    var isFirstOnLine = true
    for token in tokenizer {
      switch token.kind {
      case .whitespace:
        let bytes = tokenizer.bytes[token.range]
        if bytes.contains(0x0A) || bytes.contains(0x0D) { isFirstOnLine = true }
      case .comment:
        let content = content(of: tokenizer.text(of: token))
        if isWanted(content) {
          let position = cursor.position(ofUTF8Offset: token.range.lowerBound)
          comments.append(
            ScriptComment(
              content: content, utf8Range: token.range, position: position, isFirstOnLine: isFirstOnLine))
        }
      default:
        isFirstOnLine = false
      }
    }
    return comments
  }

  private static func content(of comment: String) -> String {
    var inner = comment.dropFirst(2)
    if comment.hasPrefix("/*"), inner.hasSuffix("*/") { inner = inner.dropLast(2) }
    let lines = inner.split { $0.isNewline }.map { line in
      line.drop { $0.isWhitespace || ($0 == "*" && comment.hasPrefix("/*")) }
    }
    return lines.joined(separator: " ").trimmingBlanks
  }
}

extension StringProtocol {
  /// The text without white space at its ends.
  package var trimmingBlanks: String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
