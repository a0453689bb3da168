/// Brings SQL statements into a form in which two that say the same in other letters are equal.
///
/// Used to compare the stored `CREATE` statements of two schemas by their tokens, so that whitespace, a comment, the
/// case of a keyword or the style of quotes does not count as a difference. It knows no grammar: `=` and `==` differ,
/// and so do the text `'a'` and the name `"a"`, though SQLite lets each stand for the other in places.
package enum SQLNormalization {
  /// The tokens of a statement in canonical spelling with spaces between, without comments and closing semicolons.
  ///
  /// Bare words, numbers and blobs are folded to ASCII lower case. A quoted identifier becomes the bare word where that
  /// means the same (`"Foo"`, `[foo]` and `Foo` all give `foo`), else stands in double quotes. Texts and parameters are
  /// kept exactly. After `DEFAULT`, where SQLite reads a name as a text, names keep their case. The text is itself SQL,
  /// and cutting it again gives the same tokens.
  package static func canonicalText(of sql: String) -> String {
    let tokenizer = SQLTokenizer(sql)
    // Byte by byte where that is all there is to do: each definition of a schema goes through here.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(tokenizer.bytes.count * 5 / 4 + 16)
    var (last, lastButOne) = (0..<0, 0..<0)
    var end = 0
    for token in tokenizer where !token.isTrivia {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
      let start = bytes.count
      let isDefaultValue = bytes[last].elementsEqual("default".utf8) && !bytes[lastButOne].elementsEqual("set".utf8)
      switch token.kind {
      case .word where !isDefaultValue, .number, .blob:
        for byte in tokenizer.bytes[token.range] { bytes.append((0x41...0x5a).contains(byte) ? byte | 0x20 : byte) }
      case .word, .quotedIdentifier:
        bytes += canonical(token.kind, tokenizer.text(of: token), isDefaultValue: isDefaultValue).utf8
      case .operator, .string, .variable, .comment, .whitespace, .unterminated, .illegal:
        bytes.append(contentsOf: tokenizer.bytes[token.range])
      }
      (lastButOne, last) = (last, start..<bytes.count)
      if !bytes[last].elementsEqual(";".utf8) { end = bytes.count }
    }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// A name as it is written; a bare one only after `DEFAULT`.
  private static func canonical(_ kind: SQLToken.Kind, _ text: String, isDefaultValue: Bool) -> String {
    let folded = SQLIdentifier.unquoted(text).asciiLowercased
    if kind == .word { return SQLKeyword.differsFromIdentifier(folded) ? folded : text.quotedIdentifier }
    if isDefaultValue { return SQLIdentifier.unquoted(text).quotedIdentifier }
    return SQLIdentifier.needsNoQuotes(folded) ? folded : folded.quotedIdentifier
  }
}
