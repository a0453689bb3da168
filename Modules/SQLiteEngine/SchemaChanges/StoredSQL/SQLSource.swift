internal import Migrator

/// SQL text with its tokens at hand, blanks and comments left out.
///
/// Some tokens can be replaced, and nothing else changes.
struct SQLSource {
  /// A token with its text.
  struct Token {
    let kind: SQLToken.Kind
    let range: Range<Int>
    let text: String

    /// The name that the token stands for, its quotes removed and its ASCII letters in lower case.
    let folded: String

    /// Whether this is a keyword or a name without quotes, spelled like `word` in any case.
    func isWord(_ word: String) -> Bool { kind == .word && folded == word }

    /// Whether this is an operator.
    func isOperator(_ text: String) -> Bool { kind == .operator && self.text == text }

    /// Whether this is a word or a quoted name that spells a name, given in lower case.
    func spells(_ name: String) -> Bool { (kind == .word || kind == .quotedIdentifier) && folded == name }

    /// Whether this spells a name, given in lower case, where SQLite takes texts for names too (the rule `nm` of its
    /// grammar; https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted tells the reverse).
    func spellsLoosely(_ name: String) -> Bool { spells(name) || kind == .string && folded == name }
  }

  /// The bytes of the whole text.
  let bytes: [UInt8]

  /// The tokens in order, without blanks and comments.
  let tokens: [Token]

  init(_ sql: String) {
    let tokenizer = SQLTokenizer(sql)
    bytes = tokenizer.bytes
    tokens = tokenizer.filter { !$0.isTrivia }.map { token in
      let text = tokenizer.text(of: token)
      let folded = SQLIdentifier.unquoted(text).asciiLowercased
      return Token(kind: token.kind, range: token.range, text: text, folded: folded)
    }
  }

  /// Whether every token is one that valid SQL has.
  var isWellFormed: Bool { !tokens.contains { $0.kind == .illegal || $0.kind == .unterminated } }

  /// The token at an index, nil outside.
  func token(_ index: Int) -> Token? { tokens.indices.contains(index) ? tokens[index] : nil }

  /// The index of the parenthesis that closes the one at `open`; nil when there is none.
  func closing(of open: Int) -> Int? {
    var depth = 0
    for index in open..<tokens.count {
      if tokens[index].isOperator("(") { depth += 1 }
      if tokens[index].isOperator(")") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  /// The text with some tokens replaced, by their indexes.
  func replacing(_ indexes: some Sequence<Int>, with text: String) -> String {
    replacing(indexes.map { tokens[$0].range }, with: text)
  }

  /// The text with some ranges of bytes replaced, which must not overlap.
  func replacing(_ ranges: [Range<Int>], with text: String) -> String {
    var result: [UInt8] = []
    var copied = 0
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      result += bytes[copied..<range.lowerBound]
      result += text.utf8
      copied = range.upperBound
    }
    result += bytes[copied...]
    return String(decoding: result, as: UTF8.self)
  }
}
