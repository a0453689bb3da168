/// One lexical element of SQL text: what it is, and which bytes of the text it covers.
///
/// The kinds are those of SQLite's own tokenizer (https://sqlite.org/lang_expr.html, `tokenize.c`), so that a piece of
/// text is cut here where the engine cuts it.
package struct SQLToken: Hashable, Sendable {
  /// What a token is.
  package enum Kind: Hashable, Sendable {
    /// A bare word: a keyword or an identifier without quotes, which only the grammar can tell apart.
    case word
    /// An identifier in "double quotes", backticks or [brackets].
    case quotedIdentifier
    /// A text literal in 'single quotes'.
    case string
    /// A literal such as `x'53514c'`.
    case blob
    /// A numeric literal, decimal or hexadecimal, without its sign.
    case number
    /// A bound parameter: `?`, `?1`, `:name`, `@name`, `$name`.
    case variable
    /// An operator or a punctuation mark, the semicolon included.
    case `operator`
    /// A `-- line` comment without its line break, or a `/* block */` comment, whose end may be the end of the text.
    case comment
    /// A run of blanks and line breaks, or a byte order mark.
    case whitespace
    /// A quoted text, identifier or blob whose closing quote is missing; it extends to the end of the text.
    case unterminated
    /// Bytes that no SQL contains outside quotes, such as `#`, `\`, `1abc` or a NUL.
    case illegal
  }

  /// What the token is.
  package let kind: Kind
  /// The UTF-8 bytes of the text that the token covers; never empty.
  package let range: Range<Int>

  /// Whether it is a comment or whitespace, which mean nothing to the engine.
  package var isTrivia: Bool { kind == .comment || kind == .whitespace }
}
