/// SQL text and its tokens; whitespace and comments are not among the tokens.
///
/// The types of the syntax tree refer to parts of the text by token indexes. When tokens are replaced, the rest of the
/// text, including comments, remains the same byte for byte.
package struct SQLSource: Sendable {
  /// A token with its text.
  package struct Token: Sendable {
    /// The kind of the token.
    package let kind: SQLToken.Kind
    /// The range of bytes that the token covers, as UTF-8 offsets in the text.
    package let range: Range<Int>
    /// The text of the token, exactly as written.
    package let text: String
    /// The token's text without quotes and with its ASCII letters in lower case.
    package let folded: String

    /// Returns whether the token is a keyword or an unquoted name that equals `word`, which must be in lower case.
    package func isWord(_ word: String) -> Bool { kind == .word && folded == word }

    /// Returns whether the token is the given operator.
    package func isOperator(_ text: String) -> Bool { kind == .operator && self.text == text }

    /// Returns whether the token is an unquoted or quoted name that equals `name`, which must be in lower case.
    package func spells(_ name: String) -> Bool { (kind == .word || kind == .quotedIdentifier) && folded == name }
  }

  /// The UTF-8 bytes of the whole text.
  package let bytes: [UInt8]
  /// The tokens in order, without whitespace and comments.
  package let tokens: [Token]

  /// Splits text into tokens.
  package init(_ sql: String) {
    let tokenizer = SQLTokenizer(sql)
    bytes = tokenizer.bytes
    tokens = tokenizer.filter { !$0.isTrivia }.map { token in
      let text = tokenizer.text(of: token)
      let folded = SQLIdentifier.unquoted(text).asciiLowercased
      return Token(kind: token.kind, range: token.range, text: text, folded: folded)
    }
  }

  /// The whole text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
  /// Whether the text contains no illegal or unterminated token.
  package var isWellFormed: Bool { !tokens.contains { $0.kind == .illegal || $0.kind == .unterminated } }

  /// Returns whether a token is a name, given in ASCII lower case, with or without quotes.
  package func names(_ name: String) -> Bool { tokens.contains { $0.spells(name) } }

  /// Returns the token at an index; nil if the index is out of range.
  package func token(_ index: Int) -> Token? { tokens.indices.contains(index) ? tokens[index] : nil }

  /// Returns the range of bytes from the first to the last of the given tokens; empty if no tokens are given.
  package func utf8Range(of range: Range<Int>) -> Range<Int> {
    let range = range.clamped(to: tokens.indices)
    guard let last = range.last else {
      let offset = token(range.lowerBound)?.range.lowerBound ?? bytes.count
      return offset..<offset
    }
    return tokens[range.lowerBound].range.lowerBound..<tokens[last].range.upperBound
  }

  /// Returns the text from the first to the last of the given tokens, with the comments between them.
  package func text(of range: Range<Int>) -> String { String(decoding: bytes[utf8Range(of: range)], as: UTF8.self) }

  /// Returns whether only whitespace is before a token in its line.
  package func beginsLine(_ token: Token) -> Bool {
    bytes[..<token.range.lowerBound].reversed().prefix { $0 != UInt8(ascii: "\n") }
      .allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  /// Returns the index of the token that closes the parenthesis at `open`; nil if there is none.
  package func closing(of open: Int) -> Int? {
    var depth = 0
    for index in open..<tokens.count {
      if tokens[index].isOperator("(") { depth += 1 }
      if tokens[index].isOperator(")") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  /// Returns whether tokens are a literal with an optional sign, possibly in parentheses.
  ///
  /// `ADD COLUMN` requires such a constant as the default, since existing rows get the value
  /// (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
  package func isLiteral(_ range: Range<Int>) -> Bool {
    var inner = unwrapped(range)
    var isSigned = false
    while inner.count > 1, tokens[inner.lowerBound].isOperator("-") || tokens[inner.lowerBound].isOperator("+") {
      inner = unwrapped(inner.dropFirst())
      isSigned = true
    }
    guard inner.count == 1 else { return false }
    let token = tokens[inner.lowerBound]
    return isSigned
      ? token.kind == .number || token.kind == .string
      : !["current_time", "current_date", "current_timestamp"].contains { token.isWord($0) }
  }

  /// Returns the tokens without the parentheses that surround all of them.
  package func unwrapped(_ range: Range<Int>) -> Range<Int> {
    var range = range
    while range.count > 2, tokens[range.lowerBound].isOperator("("),
      closing(of: range.lowerBound) == range.upperBound - 1
    {
      range = (range.lowerBound + 1)..<(range.upperBound - 1)
    }
    return range
  }

  /// The maximum nesting depth of parentheses and CASE.
  var nesting: Int {
    var (depth, deepest) = (0, 0)
    for token in tokens {
      if token.isOperator("(") || token.isWord("case") {
        depth += 1
        deepest = max(deepest, depth)
      } else if token.isOperator(")") || token.isWord("end") {
        depth = max(0, depth - 1)
      }
    }
    return deepest
  }

  /// Returns the text with each of the tokens at `indexes` replaced by `text`.
  package func replacing(_ indexes: some Sequence<Int>, with text: String) -> String {
    replacing(indexes.map { (tokens[$0].range, text) })
  }

  /// Returns the text with ranges of bytes replaced.
  ///
  /// Ranges that overlap are replaced together. Empty ranges insert text; insertions at the same offset keep the given
  /// order. Where two tokens would become one, as in `VARCHAR(9)NOT NULL` without the parentheses, a space is inserted.
  package func replacing(_ edits: [(range: Range<Int>, text: String)]) -> String {
    var result: [UInt8] = []
    func append(_ part: some Collection<UInt8>) {
      if let last = result.last, let first = part.first, Self.join(last, first) { result.append(0x20) }
      result += part
    }
    var copied = 0
    let ordered = edits.enumerated().sorted {
      ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
        < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
    }
    for (_, edit) in ordered {
      append(bytes[copied..<max(copied, edit.range.lowerBound)])
      append(edit.text.utf8)
      copied = max(copied, edit.range.upperBound)
    }
    append(bytes[copied...])
    return String(decoding: result, as: UTF8.self)
  }

  /// Whether the last byte of a token and the first byte of the next one would be read as parts of one token: two words, two
  /// quotes, which mean one within a quoted text, the beginning of a BLOB such as `x'00'`, or the beginning of a comment.
  private static func join(_ last: UInt8, _ first: UInt8) -> Bool {
    let joinsItself = [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "-")].contains(first)
    return last.continuesSQLWord && first.continuesSQLWord || last == first && joinsItself
      || last | 0x20 == UInt8(ascii: "x") && first == UInt8(ascii: "'")
      || last == UInt8(ascii: "/") && first == UInt8(ascii: "*")
  }
}

extension Unicode.Scalar {
  /// Whether the character looks like a space, or is invisible; SQLite takes those beyond ASCII for letters.
  package var looksLikeSpace: Bool {
    switch properties.generalCategory {
    // The scripts of India and Persia have joiners in their words.
    case .format: !("\u{200C}"..."\u{200D}").contains(self)
    case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// The number of the character, such as "U+00A0".
  package var code: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
