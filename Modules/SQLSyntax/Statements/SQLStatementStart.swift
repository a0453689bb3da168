/// The search for the start of a statement in a script.
package enum SQLStatementStart {
  /// Returns the offset of the first byte at or after `offset` that is neither whitespace, nor part of a comment, nor a
  /// semicolon.
  ///
  /// - Parameter bytes: The script. It is a buffer, not a string, so that a call for each statement copies nothing.
  package static func find(in bytes: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int {
    var index = offset
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0a, 0x0c, 0x0d, UInt8(ascii: ";"):
        index += 1
      case 0xef where matches([0xef, 0xbb, 0xbf], in: bytes, at: index):
        // SQLite treats a byte order mark as whitespace.
        index += 3
      case UInt8(ascii: "-") where matches([0x2d, 0x2d], in: bytes, at: index):
        index = bytes[index...].firstIndex(of: 0x0a) ?? bytes.count
      case UInt8(ascii: "/") where matches([0x2f, 0x2a], in: bytes, at: index):
        index = blockEnd(in: bytes, from: index + 2)
      default:
        return index
      }
    }
    return index
  }

  private static func matches(_ pattern: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    index + pattern.count <= bytes.count && bytes[index..<(index + pattern.count)].elementsEqual(pattern)
  }

  /// Returns the end of a block comment; an unclosed comment extends to the end of the script
  /// (https://www.sqlite.org/lang_comment.html).
  private static func blockEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    while index + 1 < bytes.count {
      if bytes[index] == 0x2a, bytes[index + 1] == 0x2f { return index + 2 }
      index += 1
    }
    return bytes.count
  }
}
