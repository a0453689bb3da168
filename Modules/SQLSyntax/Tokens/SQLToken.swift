/// A token of SQL text: its kind and the range of bytes that it covers.
///
/// The kinds are those of SQLite's tokenizer (https://sqlite.org/lang_expr.html, `tokenize.c`), so that text is
/// split exactly as SQLite splits it.
package struct SQLToken: Sendable {
  /// The kind of a token.
  package enum Kind: Sendable {
    /// A keyword or an unquoted identifier, which only the grammar can distinguish.
    case word
    /// An identifier in "double quotes", backticks or [brackets].
    case quotedIdentifier
    /// A string literal in 'single quotes'.
    case string
    /// A blob literal such as `x'53514c'`.
    case blob
    /// A numeric literal, decimal or hexadecimal, without its sign.
    case number
    /// A bound parameter: `?`, `?1`, `:name`, `@name`, `$name`.
    case variable
    /// An operator or a punctuation mark, including the semicolon.
    case `operator`
    /// A `-- line` comment without its line break, or a `/* block */` comment, even if the end of the text cuts it off.
    case comment
    /// A run of spaces, tabs and line breaks, or a byte order mark.
    case whitespace
    /// A quoted string, identifier or blob without a closing quote; it extends to the end of the text.
    case unterminated
    /// Bytes that valid SQL cannot contain outside quotes, such as `#`, `\`, `1abc` or a NUL.
    case illegal
  }

  /// The kind of the token.
  package let kind: Kind
  /// The range of bytes that the token covers, as UTF-8 offsets in the text; never empty.
  package let range: Range<Int>

  /// Whether the token is a comment or whitespace, which SQLite ignores.
  package var isTrivia: Bool { kind == .comment || kind == .whitespace }
}
