internal import SQLSyntax

/// A guess of the position of a syntax error, based on the error message, for engines that do not report the position.
package enum ErrorOffset {
  /// Returns the UTF-8 offset of the token that a message such as `near "FORM": syntax error` quotes; nil when the
  /// message quotes none, or when the token does not occur exactly once.
  package static func guess(message: String, sql: String) -> Int? {
    guard let text = quotedText(in: Message(message).text), !text.isEmpty else { return nil }
    // A qualified name has several tokens.
    let source = SQLSource(sql)
    let (starts, ends) = (Set(source.tokens.map(\.range.lowerBound)), Set(source.tokens.map(\.range.upperBound)))
    let found = source.bytes.ranges(of: Array(text.utf8)).filter {
      starts.contains($0.lowerBound) && ends.contains($0.upperBound)
    }
    return found.count == 1 ? found[0].lowerBound : nil
  }

  private static func quotedText(in message: String) -> Substring? {
    for (prefix, suffix) in [
      ("near \"", "\": syntax error"), ("unrecognized token: \"", "\""), ("no such column: ", ""),
    ]
    where message.hasPrefix(prefix) && message.hasSuffix(suffix) && message.utf8.count > prefix.utf8.count {
      return message.dropFirst(prefix.count).dropLast(suffix.count)
    }
    return nil
  }
}
