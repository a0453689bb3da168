/// The conversion of SQL statements to a form that is equal for statements that differ only in spelling.
///
/// This form is used to compare the stored `CREATE` statements of two schemas by their tokens, so that whitespace,
/// comments, the case of keywords and the style of quotes do not count as differences. The conversion ignores grammar:
/// `=` and `==` differ, and so do the string `'a'` and the name `"a"`, although SQLite treats them alike in some
/// places.
package enum SQLNormalization {
  /// Returns the tokens of a statement in canonical spelling, separated by spaces, without comments and without
  /// semicolons at the end.
  ///
  /// Keywords, unquoted names, numbers and blobs are converted to ASCII lower case. A quoted identifier is unquoted if
  /// that does not change its meaning (`"Foo"`, `[foo]` and `Foo` all become `foo`), otherwise it gets double quotes.
  /// Strings and parameters are unchanged. After `DEFAULT`, where SQLite reads a name as a string, names keep their
  /// case. The result is valid SQL with the same tokens.
  package static func canonicalText(of sql: String) -> String {
    let tokenizer = SQLTokenizer(sql)
    // Copies bytes where it can, for speed: each definition of a schema is normalized here.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(tokenizer.bytes.count * 5 / 4 + 16)
    var (last, lastButOne) = (0..<0, 0..<0)
    var end = 0
    for token in tokenizer where !token.isTrivia {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
      let start = bytes.count
      let isDefaultValue =
        last.count == 7 && bytes[last].elementsEqual("default".utf8) && !bytes[lastButOne].elementsEqual("set".utf8)
      switch token.kind {
      case .word where !isDefaultValue, .number, .blob:
        for byte in tokenizer.bytes[token.range] { bytes.append((0x41...0x5a).contains(byte) ? byte | 0x20 : byte) }
      case .word, .quotedIdentifier:
        bytes += canonical(token.kind, tokenizer.text(of: token), isDefaultValue: isDefaultValue).utf8
      case .operator, .string, .variable, .comment, .whitespace, .unterminated, .illegal:
        bytes.append(contentsOf: tokenizer.bytes[token.range])
      }
      (lastButOne, last) = (last, start..<bytes.count)
      if last.count != 1 || bytes[start] != UInt8(ascii: ";") { end = bytes.count }
    }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// Returns the canonical form of a quoted name, or of an unquoted token after `DEFAULT`.
  private static func canonical(_ kind: SQLToken.Kind, _ text: String, isDefaultValue: Bool) -> String {
    let folded = SQLIdentifier.unquoted(text).asciiLowercased
    if kind == .word { return SQLKeyword.differsFromIdentifier(folded) ? folded : text.quotedIdentifier }
    if isDefaultValue { return SQLIdentifier.unquoted(text).quotedIdentifier }
    return SQLIdentifier.needsNoQuotes(folded) ? folded : folded.quotedIdentifier
  }
}
