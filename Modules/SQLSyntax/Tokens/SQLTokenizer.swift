/// A tokenizer that splits SQL text into tokens, in one pass over its UTF-8 bytes.
///
/// The tokens cover every byte of the text, even if it is not valid UTF-8 or SQL: invalid SQL yields `illegal` and
/// `unterminated` tokens. The time is proportional to the length.
///
///     let tokenizer = SQLTokenizer("SELECT 'it''s' -- why")
///     let words = tokenizer.filter { $0.kind == .word }.map(tokenizer.text(of:))  // ["SELECT"]
package struct SQLTokenizer: Sequence, IteratorProtocol, Sendable {
  /// The UTF-8 bytes of the whole text.
  package let bytes: [UInt8]
  private var offset = 0

  /// Creates a tokenizer for text.
  package init(_ sql: String) { self.init(bytes: Array(sql.utf8)) }

  /// Creates a tokenizer for bytes, which need not be valid UTF-8.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the next token, or nil at the end of the text.
  package mutating func next() -> SQLToken? {
    guard offset < bytes.count else { return nil }
    let start = offset
    let (kind, end) = scan(bytes[start], at: start)
    offset = end
    return SQLToken(kind: kind, range: start..<end)
  }

  /// Returns the text of a token of this tokenizer, exactly as written.
  package func text(of token: SQLToken) -> String {
    String(decoding: bytes[token.range.clamped(to: bytes.indices)], as: UTF8.self)
  }

  /// Returns whether a comment is closed; always true for a line comment.
  func isClosed(comment: SQLToken) -> Bool {
    let text = bytes[comment.range]
    // In "/*/" the asterisk belongs to the opening "/*".
    return text.first == UInt8(ascii: "-") || (text.count >= 4 && text.suffix(2).elementsEqual("*/".utf8))
  }

  func byte(at offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

  func end(from start: Int, while condition: (UInt8) -> Bool) -> Int {
    var end = start
    while end < bytes.count, condition(bytes[end]) { end += 1 }
    return end
  }

  private func scan(_ first: UInt8, at start: Int) -> (SQLToken.Kind, Int) {
    if first.isSQLSpace { return (.whitespace, end(from: start, while: \.isSQLSpace)) }
    if isByteOrderMark(at: start) { return (.whitespace, start + 3) }
    switch first {
    case UInt8(ascii: "-") where byte(at: start + 1) == UInt8(ascii: "-"):
      return (.comment, endOfLineComment(from: start))
    case UInt8(ascii: "/") where byte(at: start + 1) == UInt8(ascii: "*"):
      return (.comment, endOfBlockComment(from: start))
    case UInt8(ascii: "'"):
      return scanQuoted(.string, from: start, doubling: first)
    case UInt8(ascii: "\""), UInt8(ascii: "`"):
      return scanQuoted(.quotedIdentifier, from: start, doubling: first)
    case UInt8(ascii: "["):
      return scanBracketed(from: start)
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      return byte(at: start + 1) == UInt8(ascii: "'") ? scanBlob(from: start) : scanWord(from: start)
    case UInt8(ascii: "?"):
      return (.variable, end(from: start + 1, while: \.isSQLDigit))
    case UInt8(ascii: "$"), UInt8(ascii: "@"), UInt8(ascii: ":"), UInt8(ascii: "#"):
      return scanVariable(from: start)
    case UInt8(ascii: ".") where byte(at: start + 1)?.isSQLDigit == true:
      return scanNumber(from: start)
    default:
      if first.isSQLDigit { return scanNumber(from: start) }
      return first.beginsSQLWord ? scanWord(from: start) : scanOperator(first, at: start)
    }
  }

  private func scanWord(from start: Int) -> (SQLToken.Kind, Int) {
    (.word, end(from: start + 1, while: \.continuesSQLWord))
  }

  /// Returns whether a byte order mark starts at an offset.
  ///
  /// SQLite treats a byte order mark as whitespace; older versions do so only at the start of the text.
  private func isByteOrderMark(at start: Int) -> Bool {
    bytes[start] == 0xEF && byte(at: start + 1) == 0xBB && byte(at: start + 2) == 0xBF
  }

  /// Returns the end of a line comment; only a line feed ends the comment (https://sqlite.org/lang_comment.html).
  private func endOfLineComment(from start: Int) -> Int { end(from: start) { $0 != UInt8(ascii: "\n") } }

  /// Returns the end of a block comment.
  ///
  /// Comments do not nest, and an unclosed comment ends with the text (https://sqlite.org/lang_comment.html).
  private func endOfBlockComment(from start: Int) -> Int {
    var end = start + 2
    while end < bytes.count {
      if bytes[end] == UInt8(ascii: "*"), byte(at: end + 1) == UInt8(ascii: "/") { return end + 2 }
      end += 1
    }
    return bytes.count
  }
}

/// The byte classes of SQLite's tokenizer (`aiClass` in `tokenize.c`).
extension UInt8 {
  /// Whether the byte is SQL whitespace, which includes the vertical tab.
  var isSQLSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
  var isSQLDigit: Bool { (0x30...0x39).contains(self) }
  var isSQLHexDigit: Bool { isSQLDigit || (0x61...0x66).contains(self | 0x20) }
  /// Whether the byte may begin an unquoted identifier: a letter, an underscore, or any byte of a non-ASCII character.
  var beginsSQLWord: Bool { (0x61...0x7A).contains(self | 0x20) || self == 0x5F || self >= 0x80 }
  /// Whether the byte may continue an unquoted identifier: any byte that begins one, a digit, or a dollar sign.
  var continuesSQLWord: Bool { beginsSQLWord || isSQLDigit || self == 0x24 }
}
