/// Why a script could not be cut into statements, and where.
///
/// No statement has run when it is thrown.
package struct SQLTextError: Error, Hashable, Sendable {
  /// What is wrong with the text.
  package enum Kind: Hashable, Sendable {
    /// A text or a blob has no closing quote; the position is that of the opening one.
    case unterminatedString
    /// A quoted identifier has no closing quote or bracket; the position is that of the opening one.
    case unterminatedIdentifier
    /// A `/*` has no `*/`; the position is that of the `/*`.
    case unterminatedComment
    /// A `CREATE TRIGGER` does not come to its `; END`; the position is that of its first word.
    case unfinishedTrigger
    /// Something other than a semicolon follows the `END` of a trigger; the position is that of what follows.
    case missingSemicolonAfterTrigger
    /// The text contains a NUL, where the engine would silently stop reading.
    case nulByte
  }

  /// What is wrong.
  package let kind: Kind
  /// Where it begins.
  package let position: SQLTextPosition
  /// Where it begins, in UTF-8 bytes of the script.
  package let utf8Offset: Int

  /// The line where it begins, from 1.
  package var line: Int { position.line }
  /// The column where it begins, from 1.
  package var column: Int { position.column }
}

extension SQLTextError.Kind: CustomStringConvertible {
  /// One sentence that says what is wrong, and how it is put right.
  package var description: String {
    switch self {
    case .unterminatedString:
      "A text that begins here has no closing quote ('). Close it; a quote inside a text is written twice ('')."
    case .unterminatedIdentifier:
      "A quoted name that begins here is never closed. Add its closing quote or bracket."
    case .unterminatedComment:
      "A comment that begins here (/*) is never closed, so all that follows would be skipped. Close it with */."
    case .unfinishedTrigger:
      "This trigger has no end. Its body is BEGIN, statements that each end with a semicolon, and END."
    case .missingSemicolonAfterTrigger:
      "A semicolon is missing between the END of a trigger and what follows. Write END;"
    case .nulByte:
      "The text contains a NUL byte, where the engine would stop reading. Remove it."
    }
  }
}

extension SQLTextError: CustomStringConvertible {
  /// The place and the sentence.
  package var description: String { "line \(line), column \(column): \(kind)" }
}
