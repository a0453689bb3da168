/// The error that prevents a script from being split into statements, with its position.
///
/// The script is split before it runs, so none of its statements has run when this error is thrown.
package struct SQLTextError: Error, Sendable {
  /// A kind of error in the text.
  package enum Kind: Sendable {
    /// A string or a blob has no closing quote; the position is that of the opening quote.
    case unterminatedString
    /// A quoted identifier has no closing quote or bracket; the position is that of the opening quote or bracket.
    case unterminatedIdentifier
    /// A `/*` has no `*/`; the position is that of the `/*`.
    case unterminatedComment
    /// A `CREATE TRIGGER` has no `; END`; the position is that of the keyword `CREATE`.
    case unfinishedTrigger
    /// The `END` of a trigger is not followed by a semicolon; the position is that of the next token.
    case missingSemicolonAfterTrigger
    /// The text contains a NUL, at which the engine would silently stop reading.
    case nulByte
  }

  /// The kind of error.
  package let kind: Kind
  /// The position of the error.
  package let position: SQLTextPosition
  /// The offset of the error, in UTF-8 bytes of the script.
  package let utf8Offset: Int
}

extension SQLTextError.Kind: CustomStringConvertible {
  /// A message that describes the error and how to fix it.
  package var description: String {
    switch self {
    case .unterminatedString:
      "A string that begins here has no closing quote ('). Add one; to include a quote in a string, write it twice ('')."
    case .unterminatedIdentifier:
      "A quoted name that begins here has no closing quote or bracket. Add one."
    case .unterminatedComment:
      "A comment that begins here (/*) is never closed, so the rest of the script would be skipped. Close it with */."
    case .unfinishedTrigger:
      "This trigger has no end. Its body must be BEGIN, statements that each end with a semicolon, and END."
    case .missingSemicolonAfterTrigger:
      "The END of a trigger is not followed by a semicolon. Write END;. In place of IF ... END IF, a trigger has the condition WHEN."
    case .nulByte:
      "The text contains a NUL byte, at which the engine would stop reading. Remove it."
    }
  }
}
