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
    let tokenizer = SQLTokenizer(sql)
    var result: [String] = []
    for token in tokenizer where !token.isTrivia {
      let isDefaultValue = result.last == "default" && result.dropLast().last != "set"
      result.append(canonical(token.kind, tokenizer.text(of: token), isDefaultValue: isDefaultValue))
    }
    while result.last == ";" { result.removeLast() }
    return result
  }

  /// The canonical tokens as one text: two such texts are equal if and only if the tokens are.
  ///
  /// The text is itself SQL, and cutting it again gives the same tokens.
  package static func canonicalText(of sql: String) -> String {
    canonicalTokens(of: sql).joined(separator: " ")
  }

  private static func canonical(_ kind: SQLToken.Kind, _ text: String, isDefaultValue: Bool) -> String {
    switch kind {
    case .word:
      let word = text.asciiLowercased
      let isText = isDefaultValue && !SQLKeyword.differsFromIdentifier(word)
      return isText ? SQLIdentifier.doubleQuoted(text) : word
    case .quotedIdentifier:
      let name = SQLIdentifier.unquoted(text)
      if isDefaultValue { return SQLIdentifier.doubleQuoted(name) }
      let folded = name.asciiLowercased
      return SQLIdentifier.needsNoQuotes(folded) ? folded : SQLIdentifier.doubleQuoted(folded)
    case .number, .blob:
      return text.asciiLowercased
    case .string, .variable, .operator, .comment, .whitespace, .unterminated, .illegal:
      return text
    }
  }
}
