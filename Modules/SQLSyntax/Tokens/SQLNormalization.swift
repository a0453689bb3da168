/// Brings SQL statements into a form in which two that say the same in other letters are equal.
///
/// Used to compare the stored `CREATE` statements of two schemas by their tokens, so that a blank, a comment, the case of
/// a keyword or the style of quotes does not count as a difference. It knows no grammar: `=` and `==` differ, and so do
/// the text `'a'` and the name `"a"`, though SQLite lets each stand for the other in places.
package enum SQLNormalization {
  /// The tokens of a statement in canonical spelling, without comments, blanks and closing semicolons.
  ///
  /// Bare words, numbers and blobs are folded to ASCII lower case. A quoted identifier becomes the bare word where that
  /// means the same (`"Foo"`, `[foo]` and `Foo` all give `foo`), else stands in double quotes. Texts and parameters are kept
  /// exactly. After `DEFAULT`, where SQLite reads a name as a text, names keep their case.
  package static func canonicalTokens(of sql: String) -> [String] {
    let (bytes, tokens) = canonicalForm(of: sql)
    return tokens.map { String(decoding: bytes[$0], as: UTF8.self) }
  }

  /// The canonical tokens as one text: two such texts are equal if and only if the tokens are.
  ///
  /// The text is itself SQL, and cutting it again gives the same tokens.
  package static func canonicalText(of sql: String) -> String {
    let (bytes, tokens) = canonicalForm(of: sql)
    return String(decoding: bytes[..<(tokens.last?.upperBound ?? 0)], as: UTF8.self)
  }

  /// The canonical text, which may have closing semicolons, and where the tokens are in it.
  ///
  /// Byte by byte where that is all there is to do: each definition of a schema goes through here.
  private static func canonicalForm(of sql: String) -> (bytes: [UInt8], tokens: [Range<Int>]) {
    let tokenizer = SQLTokenizer(sql)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(tokenizer.bytes.count * 5 / 4 + 16)
    var tokens: [Range<Int>] = []
    tokens.reserveCapacity(tokenizer.bytes.count / 4 + 4)
    var (last, lastButOne) = (Word.other, Word.other)
    for token in tokenizer where !token.isTrivia {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
      let start = bytes.count
      let isDefaultValue = last == .default && lastButOne != .set
      switch token.kind {
      case .word where !isDefaultValue, .number, .blob:
        for byte in tokenizer.bytes[token.range] { bytes.append((0x41...0x5a).contains(byte) ? byte | 0x20 : byte) }
      case .operator, .string, .variable:
        bytes.append(contentsOf: tokenizer.bytes[token.range])
      default:
        bytes += canonical(token.kind, tokenizer.text(of: token), isDefaultValue: isDefaultValue).utf8
      }
      tokens.append(start..<bytes.count)
      (lastButOne, last) = (last, Word(bytes[start...]))
    }
    while let token = tokens.last, bytes[token].elementsEqual([UInt8(ascii: ";")]) { tokens.removeLast() }
    return (bytes, tokens)
  }

  /// The words that tell how a name behind them is read.
  private enum Word {
    case `default`, set, other

    init(_ bytes: ArraySlice<UInt8>) {
      switch bytes.count {
      case 7 where bytes.elementsEqual("default".utf8): self = .default
      case 3 where bytes.elementsEqual("set".utf8): self = .set
      default: self = .other
      }
    }
  }

  private static func canonical(_ kind: SQLToken.Kind, _ text: String, isDefaultValue: Bool) -> String {
    switch kind {
    case .word:
      let word = text.asciiLowercased
      let isText = isDefaultValue && !SQLKeyword.differsFromIdentifier(word)
      return isText ? text.quotedIdentifier : word
    case .quotedIdentifier:
      let name = SQLIdentifier.unquoted(text)
      if isDefaultValue { return name.quotedIdentifier }
      let folded = name.asciiLowercased
      return SQLIdentifier.needsNoQuotes(folded) ? folded : folded.quotedIdentifier
    case .number, .blob:
      return text.asciiLowercased
    case .string, .variable, .operator, .comment, .whitespace, .unterminated, .illegal:
      return text
    }
  }
}
