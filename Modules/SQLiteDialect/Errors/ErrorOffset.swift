internal import SQLSyntax

/// A guess of the position of a syntax error, based on the error message, for engines that do not report the position.
package enum ErrorOffset {
  /// Returns the UTF-8 offset of the token that a message such as `near "FORM": syntax error` quotes; nil when the
  /// message quotes none, or when the token does not occur exactly once.
  package static func guess(message: String, sql: String) -> Int? {
    guard let token = quotedText(in: message), !token.isEmpty else { return nil }
    let bytes = Array(sql.utf8)
    let found = bytes.ranges(of: Array(token.utf8)).filter { isWhole($0, in: bytes) }
    return found.count == 1 ? found[0].lowerBound : nil
  }

  private static func quotedText(in message: String) -> Substring? {
    for (prefix, suffix) in [
      ("near \"", "\": syntax error"), ("unrecognized token: \"", "\""),
      ("no such column: ", " - should this be a string literal in single-quotes?"), ("no such column: ", ""),
    ]
    where message.hasPrefix(prefix) && message.hasSuffix(suffix) && message.utf8.count > prefix.utf8.count {
      return message.dropFirst(prefix.count).dropLast(suffix.count)
    }
    return nil
  }

  private static func isWhole(_ range: Range<Int>, in bytes: [UInt8]) -> Bool {
    func isWordByte(_ byte: UInt8) -> Bool {
      byte == 0x5f || byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf)
    }
    let begins =
      range.lowerBound == 0 || !isWordByte(bytes[range.lowerBound]) || !isWordByte(bytes[range.lowerBound - 1])
    let ends =
      range.upperBound == bytes.count || !isWordByte(bytes[range.upperBound - 1])
      || !isWordByte(bytes[range.upperBound])
    return begins && ends
  }
}
